"""Both fusions against scores that were computed by hand.

Four passages of three words each; the query is "apple", its vector (1, 0).

=======  ====================  ======
passage  words                 cosine
=======  ====================  ======
a        apple apple pear      0
b        apple plum kiwi       0.6
c        grape melon lime      0.8
d        fig nut date          0
=======  ====================  ======

BM25 with k1 = 1.2, all of average length, without the IDF that a and b share: a 2 x 2.2 / (2 + 1.2) = 1.375,
b 1 x 2.2 / (1 + 1.2) = 1. Shares of the best: a 1, b 8/11. Cosines from their upper median 0.6 to the best 0.8: c 1,
the others 0.
"""

from datetime import timedelta

import pytest

from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database
from tests.storage.builders import NOW, ChosenVectors, change, document, searcher

TEXTS = {"a": "apple apple pear", "b": "apple plum kiwi", "c": "grape melon lime", "d": "fig nut date"}
VECTORS = {"apple": [1.0, 0.0], "pear": [0.0, 1.0], "kiwi": [0.6, 0.8], "lime": [0.8, 0.6], "date": [0.0, 1.0]}


@pytest.fixture(params=[True, False], ids=["sqlite-vec", "numpy"])
def database(request, tmp_path):
    database = Database.open(tmp_path / "memory.db")
    database.has_vec = request.param
    database.apply(change(*(document(name, text, time=None) for name, text in TEXTS.items())))
    yield database
    database.close()


def scores(database, **options) -> dict[str, float]:
    model = ChosenVectors(VECTORS)
    model.fill(database)
    hits = searcher(database, model, **{"fusion": "weighted", **options}).search(Query("apple")).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return {hit.id: hit.score for hit in hits}


@pytest.mark.accept("V3-07")
def test_weighted_fusion_matches_scores_computed_by_hand(database):
    # c 0.6 x 1, a 0.4 x 1, b 0.4 x 8/11; then as a share of the best.
    assert scores(database) == pytest.approx({"c": 1.0, "a": 0.4 / 0.6, "b": 0.4 * 8 / 11 / 0.6}, rel=1e-5)
    # 0.2 and 0.8: a 0.8, b 0.8 x 8/11, c 0.2.
    expected = {"a": 1.0, "b": 8 / 11, "c": 0.25}
    assert scores(database, vector_weight=0.2, fts_weight=0.8) == pytest.approx(expected, rel=1e-5)


@pytest.mark.accept("V3-07")
def test_reciprocal_rank_fusion_matches_scores_computed_by_hand(database):
    # By words a, b; by meaning c, b: b 2/62, a and c 1/61.
    expected = {"b": 1.0, "a": (1 / 61) / (2 / 62), "c": (1 / 61) / (2 / 62)}
    assert scores(database, fusion="rrf") == pytest.approx(expected, rel=1e-5)
    # With k = 1: b 2/3, a and c 1/2.
    assert scores(database, fusion="rrf", rrf_k=1) == pytest.approx({"b": 1.0, "a": 0.75, "c": 0.75}, rel=1e-5)


@pytest.mark.accept("LR-06")
def test_words_and_recency_match_scores_computed_by_hand(tmp_path):
    database = Database.open(tmp_path / "memory.db")
    database.apply(
        change(
            document("a", "apple apple pear fig", time=NOW - timedelta(days=60)),
            document("b", "apple plum kiwi fig", time=NOW),
        )
    )
    choice = {"vector_weight": 0.0, "fts_weight": 0.75, "recency_weight": 0.25, "recency_half_life_days": 30.0}
    hits = searcher(database, fusion="weighted", **choice).search(Query("apple")).hits
    # Words: a 1, b 8/11. Recency: a 1/4 after two half-lives, b 1.
    a, b = 0.75 + 0.25 / 4, 0.75 * 8 / 11 + 0.25
    assert {hit.id: hit.score for hit in hits} == pytest.approx({"a": 1.0, "b": b / a}, rel=1e-5)
    database.close()


@pytest.mark.accept("NC-03")
def test_all_three_weights_are_applied_and_long_term_memory_does_not_age(tmp_path):
    database = Database.open(tmp_path / "memory.db")
    old = NOW - timedelta(days=30)
    documents = [document(name, text, time=old) for name, text in TEXTS.items() if name != "a"]
    documents.append(document("a", TEXTS["a"], time=old, source="long_term"))
    database.apply(change(*documents))
    choice = {"vector_weight": 0.5, "fts_weight": 0.3, "recency_weight": 0.2, "recency_half_life_days": 30.0}
    # Recency: a 1, the others 1/2.
    c, a, b = 0.5 + 0.1, 0.3 + 0.2, 0.3 * 8 / 11 + 0.1
    assert scores(database, **choice) == pytest.approx({"c": 1.0, "a": a / c, "b": b / c}, rel=1e-5)
    database.close()


def test_recency_is_relative_to_the_time_of_the_question(tmp_path):
    then = NOW - timedelta(days=300)
    documents = [
        document("a", "apple apple pear fig", time=then - timedelta(days=90)),
        document("b", "apple plum kiwi fig", time=then),
    ]
    database = Database.open(tmp_path / "memory.db")
    database.apply(change(*documents))
    search = searcher(database, fusion="weighted", fts_weight=0.75, vector_weight=0.0, recency_weight=0.25)
    # Then a had 0.75 + 0.25/8 and b 0.75 x 8/11 + 0.25; ten half-lives later neither is recent.
    for asked_at, first in ((then, "b"), (NOW, "a")):
        assert search.search(Query("apple", asked_at=asked_at)).hits[0].id == first
    database.close()
