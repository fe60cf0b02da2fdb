import math

import numpy as np
import pytest

from nanobot_memory_plugins.core.values import Level, Query, Scope
from nanobot_memory_plugins.storage.database import Database
from tests.storage.builders import ChosenVectors, change, document, searcher

MODEL = {"cat": [1.0, 0.0], "feline": [1.0, 0.0], "tractor": [0.0, 1.0], "plough": [0.6, 0.8]}


@pytest.fixture(params=[True, False], ids=["sqlite-vec", "numpy"])
def database(request, tmp_path):
    database = Database.open(tmp_path / "memory.db")
    database.has_vec = request.param
    yield database
    database.close()


def stored(database: Database) -> dict[int, list[float]]:
    rows = database.connection.execute("SELECT doc_id, vector FROM vectors")
    return {doc_id: np.frombuffer(vector, np.float32).tolist() for doc_id, vector in rows}


def fill(database: Database, count: int) -> None:
    database.apply(change(*(document(f"d{number}") for number in range(count))))


@pytest.mark.parametrize("unusable", [[math.nan, 1.0], [math.inf, 0.0], [0.0, 0.0]])
def test_an_unusable_vector_is_stored_as_zero_matches_nothing_and_is_not_computed_again(database, unusable):
    model = ChosenVectors({"d0": unusable, "d1": [1.0, 0.0], "asked": [1.0, 0.0]})
    fill(database, 2)
    model.fill(database)
    assert stored(database) == {1: [0.0, 0.0], 2: [1.0, 0.0]}
    assert database.texts_without_vector(model.name, 9) == {}
    for resident_bytes in (10_000, 0) if database.has_vec else (10_000,):
        found = searcher(database, model, resident_bytes=resident_bytes, fusion="weighted").search(Query("asked"))
        assert [hit.id for hit in found.hits] == ["d1"]


def test_texts_without_a_vector_come_newest_first_in_batches(database):
    fill(database, 10)
    seen = []
    while rows := database.texts_without_vector("model", 3):
        assert rows == database.texts_without_vector("model", 3)
        seen += rows
        database.put_vectors("model", [(row_id, [1.0]) for row_id in rows])
    assert seen == list(range(10, 0, -1))
    fill(database, 11)
    assert list(database.texts_without_vector("model", 3)) == [11]


@pytest.mark.accept("V5-13")
@pytest.mark.parametrize(("name", "dimension"), [("new", 2), ("old", 3)])
def test_vectors_of_another_model_or_dimension_are_replaced_while_words_are_searched(database, name, dimension):
    fill(database, 3)
    old = ChosenVectors({"text": [1.0, 0.0]}, "old")
    old.fill(database)
    assert set(stored(database)) == {1, 2, 3}
    database.put_vectors(name, [(1, [1.0] + [0.0] * (dimension - 1))])
    assert set(stored(database)) == {1}
    assert list(database.texts_without_vector(name, 9)) == [3, 2]
    found = searcher(database, old).search(Query("text of d2"))
    assert (found.level, found.hits[0].id) == (Level.FULL_TEXT, "d2")
    assert database.check() == []


def filled(database: Database, count: int = 450) -> ChosenVectors:
    database.apply(change(*(document(f"d{n}", f"tractor {n}") for n in range(count)), document("one", "feline")))
    model = ChosenVectors(MODEL)
    model.fill(database)
    return model


def test_a_search_sees_documents_written_moved_and_deleted_meanwhile(database):
    model = filled(database)
    search = searcher(database, model)
    assert [hit.id for hit in search.search(Query("cat")).hits] == ["one"]
    database.apply(change(document("two", "feline", scope=Scope(user="ana")), path="memory/b.md"))
    model.fill(database)
    assert {hit.id for hit in search.search(Query("cat")).hits} == {"one", "two"}
    assert [hit.id for hit in search.search(Query("cat", scope=Scope(user="ana"))).hits] == ["two"]
    moved = document("two", "feline", scope=Scope(user="bob"))
    database.apply(change(moved, path="memory/b.md", removed_keys=frozenset({"d1"})))
    assert search.search(Query("cat", scope=Scope(user="ana"))).hits == ()
    assert [hit.id for hit in search.search(Query("plough", scope=Scope(user="bob"))).hits] == ["two"]
    database.apply(change(removed_keys=frozenset({"one"})))
    assert [hit.id for hit in search.search(Query("cat")).hits] == ["two"]
