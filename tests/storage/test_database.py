import shutil
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import FileState
from tests.storage.builders import change, document


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".storage" / "memory.db"


@pytest.fixture
def database(path: Path):
    database = Database.open(path)
    yield database
    database.close()


def matches(database: Database, term: str) -> set[str]:
    sql = "SELECT key FROM docs WHERE id IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?)"
    return {row[0] for row in database.connection.execute(sql, (f'"{term}"',))}


@pytest.mark.accept("V3-18")
def test_wal_busy_timeout_and_foreign_keys_are_set(database):
    assert database.connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert database.connection.execute("PRAGMA busy_timeout").fetchall()[0][0] >= 1_000
    assert database.connection.execute("PRAGMA foreign_keys").fetchall() == [(1,)]


@pytest.mark.accept("V3-04")
def test_one_file_holds_documents_full_text_vectors_and_manifest(database, path, tmp_path):
    database.apply(change(document("one"), document("two")))
    database.put_vectors("model", [(1, [1.0, 0.0]), (2, [0.0, 1.0])])
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    copy = tmp_path / "elsewhere.db"
    shutil.copy(path, copy)
    other = Database.open(copy)
    assert other.counts() == (2, 2)
    assert matches(other, "text") == {"one", "two"}
    assert other.file_states() == {"memory/a.md": FileState("memory/a.md", 10, "aa", 10, 1, 2, 2)}
    assert other.check() == []
    other.close()


@pytest.mark.accept("V3-05")
def test_indexing_the_same_content_again_changes_nothing(database):
    documents = [document(f"d{number}") for number in range(20)]
    database.apply(change(*documents))
    database.put_vectors("model", [(number + 1, [1.0, float(number)]) for number in range(20)])
    tables = ("docs", "vectors", "files")
    before = [database.connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    sizes = database.connection.execute("SELECT count(*) FROM docs_fts_docsize").fetchall()
    for _ in range(3):
        database.apply(change(*documents))
    after = [database.connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    assert after == before
    assert database.connection.execute("SELECT count(*) FROM docs_fts_docsize").fetchall() == sizes == [(20,)]
    assert database.check() == []


def test_a_document_that_only_moved_keeps_its_row_and_vector(database):
    database.apply(change(document("one"), document("two")))
    database.put_vectors("model", [(1, [1.0]), (2, [1.0])])
    database.apply(change(document("one")._replace(line=7, offset=70, ordinal=3)))
    assert next(d for d in database.documents() if d.key == "one").line == 7
    assert database.counts()[1] == 2
    assert database.check() == []


def test_a_failing_change_is_rolled_back(database):
    database.apply(change(document("one")))
    broken = document("three")._replace(line=None)
    with pytest.raises(StoreError):
        database.apply(change(document("two"), broken))
    assert {d.key for d in database.documents()} == {"one"}
    database.apply(change(document("two")))
    assert database.counts()[0] == 2
