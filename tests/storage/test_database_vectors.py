import math
import random

import numpy as np
import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.storage.database import Database, VectorBackend, VectorSpace
from nanobot_memory_plugins.storage.database import spaces as vector_spaces
from tests.storage.builders import change, document


def open_either(path, backend: VectorBackend) -> Database:
    return Database.open(path, allow_vec=backend is VectorBackend.VEC0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture(params=list(VectorBackend))
def database(request, path):
    database = open_either(path, request.param)
    assert database.vector_backend is request.param
    assert (database.vector_reason == "") == (request.param is VectorBackend.VEC0)
    yield database
    database.close()


def stored(database: Database, space: str) -> dict[int, list[float]]:
    found = vector_spaces.find_space(database.connection, space)
    assert found is not None
    pairs = vector_spaces.read(database.connection, found, database.vector_backend)
    return {doc_id: np.frombuffer(vector, np.float32).tolist() for doc_id, vector in pairs}


def fill(database: Database, count: int) -> None:
    database.apply(change(*(document(f"d{number}") for number in range(count))))


def test_vectors_are_stored_at_unit_length(database):
    fill(database, 3)
    database.put_vectors("model", [(1, [3.0, 4.0]), (3, [0.0, 2.0])])
    assert stored(database, "model") == {1: pytest.approx([0.6, 0.8]), 3: [0.0, 1.0]}
    database.put_vectors("model", [(1, [0.0, -1.0])])
    assert stored(database, "model") == {1: [0.0, -1.0], 3: [0.0, 1.0]}
    assert [row.id for row in database.documents_without_vector("model", 9)] == [2]
    assert database.check() == []


@pytest.mark.parametrize("useless", [[math.nan, 1.0], [math.inf, 0.0], [0.0, 0.0]])
def test_a_vector_that_is_none_is_refused_and_not_asked_for_again(database, useless):
    fill(database, 2)
    database.put_vectors("model", [(1, useless), (2, [1.0, 0.0])])
    assert stored(database, "model") == {2: [1.0, 0.0]}
    assert database.documents_without_vector("model", 9) == []
    assert (database.counts().vectors, database.counts().pending_vectors) == (1, 0)
    assert database.check() == []


def test_vectors_of_different_dimensions_are_refused(database):
    fill(database, 2)
    with pytest.raises(StoreError):
        database.put_vectors("model", [(1, [1.0]), (2, [1.0, 0.0])])
    assert database.vector_spaces() == []


def test_what_waits_for_a_vector_comes_newest_first_in_batches(database):
    fill(database, 10)
    seen = []
    while rows := database.documents_without_vector("model", 3):
        assert rows == database.documents_without_vector("model", 3)
        seen += [row.id for row in rows]
        database.put_vectors("model", [(row.id, [1.0]) for row in rows])
    assert seen == list(range(10, 0, -1))
    fill(database, 11)
    assert [row.id for row in database.documents_without_vector("model", 3)] == [11]


def test_the_embedded_text_says_who_and_when(database):
    database.apply(change(document("one", "I like tea", speaker="Ana", heading="Drinks")))
    text = database.documents_without_vector("model", 1)[0].text
    assert text == "Drinks\n[2026-05-08] Ana: I like tea"


@pytest.mark.accept("V5-13")
def test_another_model_is_embedded_beside_the_old_one_which_goes_when_it_is_whole(database):
    fill(database, 3)
    database.put_vectors("old", [(number, [1.0, 0.0]) for number in (1, 2, 3)])
    database.set_active_space("old")
    database.put_vectors("new", [(1, [1.0, 0.0, 0.0])])
    assert [(space.name, space.active) for space in database.vector_spaces()] == [("old", True), ("new", False)]
    assert set(stored(database, "old")) == {1, 2, 3}
    database.set_active_space("new", 2)
    assert len(database.vector_spaces()) == 2
    database.put_vectors("new", [(2, [1.0, 0.0, 0.0]), (3, [1.0, 0.0, 0.0])])
    database.set_active_space("new", 3)
    assert [(space.name, space.dimension, space.active) for space in database.vector_spaces()] == [("new", 3, True)]
    assert database.connection.execute("SELECT DISTINCT space_id FROM embedded").fetchall() == [(2,)]
    assert database.check() == []


@pytest.mark.accept("V5-13")
def test_a_model_that_changes_its_dimension_is_embedded_anew(database):
    fill(database, 2)
    database.put_vectors("model", [(1, [1.0, 0.0]), (2, [1.0, 0.0])])
    database.put_vectors("model", [(1, [1.0, 0.0, 0.0])])
    assert stored(database, "model") == {1: [1.0, 0.0, 0.0]}
    assert [row.id for row in database.documents_without_vector("model", 9)] == [2]


@pytest.mark.parametrize("first", list(VectorBackend))
def test_vectors_move_when_sqlite_vec_comes_or_goes(path, first):
    second = next(backend for backend in VectorBackend if backend is not first)
    generator = random.Random(5)
    vectors = {number: [generator.gauss(0, 1) for _ in range(8)] for number in range(1, 1_501)}
    database = open_either(path, first)
    fill(database, 1_500)
    database.put_vectors("model", list(vectors.items()))
    database.put_vectors("model", [(7, [math.nan] * 8)])
    database.apply(change(removed_keys=frozenset({"d1", "d1400"})))
    before = stored(database, "model")
    assert len(before) == 1_497
    database.close()

    reader = Database.open(path, read_only=True, allow_vec=second is VectorBackend.VEC0)
    assert stored(reader, "model") == before
    reader.close()

    for backend in (second, first, second):
        database = open_either(path, backend)
        assert stored(database, "model") == before
        space = database.vector_spaces()[0]
        assert space == VectorSpace(1, "model", 8, backend, active=True)
        assert database.documents_without_vector("model", 9) == []
        assert database.check() == []
        database.close()
    database = open_either(path, second)
    database.clear()
    assert database.check() == []
    database.close()


@pytest.mark.parametrize("backend", list(VectorBackend))
def test_vectors_that_are_out_of_step_are_dropped_or_made_again(path, backend):
    database = open_either(path, backend)
    fill(database, 4)
    database.put_vectors("model", [(number, [1.0, number]) for number in (1, 2, 3, 4)])
    database.set_active_space("model")
    (space,) = database.vector_spaces()
    vector_spaces.remove_vector(database.connection, space, 2)
    database.connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM embedded WHERE doc_id = 3")
    assert database.check() == ["1 vectors belong to no document.", "1 documents have lost their vector."]
    database.close()

    database = open_either(path, backend)
    assert database.quarantined is None
    assert database.check() == []
    assert sorted(row.id for row in database.documents_without_vector("model", 9)) == [2, 3]
    assert set(stored(database, "model")) == {1, 4}
    database.put_vectors("model", [(2, [1.0, 2.0]), (3, [1.0, 3.0])])
    assert database.check() == []
    database.close()
