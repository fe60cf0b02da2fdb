import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values import Query, Scope, Visibility, Whose
from nanobot_memory_plugins.storage.database import VectorBackend, VectorSpace
from nanobot_memory_plugins.storage.search.vector_codes import VectorCodes, bytes_for
from nanobot_memory_plugins.storage.search.vector_snapshot import FILTERED, Labels, VectorPart, VectorSnapshot
from tests.support.examples import examples

SPACE = VectorSpace(1, "model", 8, VectorBackend.NUMPY, True)


def unit(count: int, dimension: int, seed: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def codes(vectors: np.ndarray, centre: np.ndarray | None = None) -> VectorCodes:
    return VectorCodes.of(np.array_split(vectors, 3), len(vectors), vectors.shape[1], centre)


@given(dimension=st.integers(1, 200), seed=st.integers(0, 1_000))
@settings(max_examples=examples(60), deadline=None)
def test_cosines_of_codes_are_those_of_the_vectors(dimension, seed):
    vectors, query = unit(30, dimension, seed), unit(1, dimension, seed + 1)[0]
    assert codes(vectors).cosines(query, np.arange(30)) == pytest.approx(vectors @ query, abs=3e-5)


@pytest.mark.parametrize("towards", [0.0, 4.0])
def test_the_likely_ones_are_few_and_hold_the_nearest(towards):
    """A model whose vectors all lean one way is no worse off: the signs are taken around their centre."""
    subjects = np.repeat(np.random.default_rng(2).normal(size=(200, 128)), 100, axis=0)
    vectors = subjects + 0.6 * np.random.default_rng(3).normal(size=subjects.shape) + towards
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    places = codes(vectors).likely(vectors[750], None, 200)
    assert 200 <= len(places) <= 400
    nearest = np.argsort(-(vectors @ vectors[750]))[:50]
    assert np.isin(nearest, places).mean() >= 0.98


def test_of_few_that_are_allowed_every_one_is_compared():
    allowed = np.zeros(5_000, dtype=np.bool_)
    allowed[[7, 4_000]] = True
    assert codes(unit(5_000, 16)).likely(unit(1, 16)[0], allowed, 10).tolist() == [7, 4_000]


def test_what_is_not_allowed_is_never_likely():
    allowed = np.random.default_rng(1).random(5_000) < 0.4
    places = codes(unit(5_000, 70)).likely(unit(1, 70)[0], allowed, 100)
    assert len(places) >= 100
    assert allowed[places].all()


def test_equal_vectors_do_not_make_the_likely_ones_many():
    places = codes(np.repeat(unit(1, 64), 9_000, axis=0)).likely(unit(1, 64, 2)[0], None, 50)
    assert len(places) == 100


def test_a_quarter_of_a_million_vectors_of_the_built_in_model_fit_into_the_budget():
    assert bytes_for(250_000, 512) < 300_000_000
    made = codes(unit(300, 512))
    assert made.numbers.nbytes + made.factors.nbytes + made.signs.nbytes <= bytes_for(300, 512)


def part(vectors: dict[int, np.ndarray], centre: np.ndarray) -> VectorPart:
    rows = np.array(list(vectors.values()), dtype=np.float32).reshape(len(vectors), 8)
    return VectorPart.of(
        np.array(list(vectors), dtype=np.int64),
        codes(rows, centre),
        np.zeros(len(vectors), dtype=np.int32),
        np.full(len(vectors), np.nan),
    )


CHANGES = st.lists(
    st.tuples(st.sets(st.integers(1, 40), max_size=12), st.sets(st.integers(1, 40), max_size=6)), max_size=6
)


@pytest.mark.slow
@given(changes=CHANGES, longest=st.sampled_from([0, 5, 1_000]))
@settings(max_examples=examples(150), deadline=None)
def test_a_snapshot_with_changes_is_the_one_that_would_be_read_anew(changes, longest):
    held: dict[int, np.ndarray] = {}
    snapshot = VectorSnapshot.of(SPACE, 0, part(held, np.zeros(8, dtype=np.float32)))
    query = unit(1, 8, 99)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nanobot_memory_plugins.storage.search.vector_snapshot._LONGEST_TAIL", longest)
        for revision, (stored, deleted) in enumerate(changes, start=1):
            fresh = {doc_id: unit(1, 8, 1_000 * revision + doc_id)[0] for doc_id in sorted(stored, reverse=True)}
            held = {
                doc_id: vector for doc_id, vector in (held | fresh).items() if doc_id not in deleted or doc_id in stored
            }
            alive = np.array(sorted(held), dtype=np.int64)
            snapshot = snapshot.with_changes(revision, part(fresh, snapshot.base.codes.centre), alive)
            assert len(snapshot) == len(held)
            expected = {doc_id: float(vector @ query) for doc_id, vector in held.items()}
            assert snapshot.similarity(query, range(50)) == pytest.approx(expected, abs=3e-5)
            assert snapshot.nearest(query, None, Query("x"), 100) == pytest.approx(expected, abs=3e-5)


def test_labels_pass_the_filters_of_a_query():
    labels = Labels()
    rows = [("ours", "ana", "", "one", "", "user", "note"), ("ours", "bob", "", "two", "", "user", "note")]
    numbers = labels.of([*rows, rows[0]])
    assert numbers.tolist() == [0, 1, 0]
    assert len(FILTERED) == len(rows[0])
    assert labels.allowed(Query("x")) is None
    assert labels.allowed(Query("x", scope=Scope(user="bob"))).tolist() == [False, True]
    labels.of([("theirs", "bob", "", "three", "", "user", "note")])
    assert labels.allowed(Query("x", scope=Scope(user="bob"))).tolist() == [False, True, True]
    assert not labels.allowed(Query("x", scope=Scope(user="nobody"))).any()
    bobs = (Whose(user="bob"),)
    assert labels.allowed(Query("x", scope=Visibility("ours", bobs))).tolist() == [False, True, False]
    either = Visibility("ours", (*bobs, Whose(session="one")))
    assert labels.allowed(Query("x", scope=either)).tolist() == [True, True, False]
    assert not labels.allowed(Query("x", scope=Visibility("", bobs))).any()
    assert not labels.allowed(Query("x", scope=Visibility("ours"))).any()
