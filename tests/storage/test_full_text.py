import pytest

from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.search import sqlite_index
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from tests.storage.builders import change, document


@pytest.fixture
def database(tmp_path):
    database = Database.open(tmp_path / "memory.db")
    yield database
    database.close()


def ids(search: SqliteIndex, *terms: str) -> list[int]:
    return search.best_by_words(terms, Query("x"), 100)


def test_what_stands_in_too_many_places_is_left_out_and_the_rarest_never(database, monkeypatch):
    database.apply(
        change(*(document(f"d{n}", "common often" if n % 2 else "common") for n in range(40)), document("rare", "rare"))
    )
    search = SqliteIndex(database)
    assert len(ids(search, "common", "rare")) == 41
    monkeypatch.setattr(sqlite_index, "_MOST_PLACES", 30)
    assert ids(search, "common", "rare", "nowhere") == [41]
    assert len(ids(search, "common", "often", "rare")) == 21
    assert len(ids(search, "common")) == 40
    assert ids(search, "nowhere") == []
    monkeypatch.setattr(sqlite_index, "_MOST_PLACES", 10)
    assert len(ids(search, "common", "often")) == 20


def test_many_documents_are_counted_again_when_there_are_a_hundredth_more(database, monkeypatch):
    monkeypatch.setattr(sqlite_index, "_COUNTED_ANEW_BELOW", 200)
    database.apply(change(*(document(f"d{n}", "bread") for n in range(300))))
    search = SqliteIndex(database)
    assert (search.documents(), search.frequencies(["bread"])) == (300, {"bread": 300})
    database.apply(change(*(document(f"e{n}", "bread milk") for n in range(3)), path="memory/b.md"))
    assert (search.documents(), search.frequencies(["bread", "milk"])) == (300, {"bread": 300, "milk": 3})
    database.apply(change(document("f", "bread"), path="memory/c.md"))
    assert (search.documents(), search.frequencies(["bread"])) == (304, {"bread": 304})
