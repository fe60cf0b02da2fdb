import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import apsw
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
    assert (other.counts().documents, other.counts().vectors, other.counts().files) == (2, 2, 1)
    assert matches(other, "text") == {"one", "two"}
    assert other.file_states() == {"memory/a.md": FileState("memory/a.md", 10, "aa", 10, 1, 2, 2)}
    assert other.check() == []
    other.close()


def test_only_the_owner_may_read_the_files(database, path):
    database.apply(change(document("one")))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


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
    database.apply(change(replace(document("one"), line=7, offset=70, ordinal=3)))
    assert next(d for d in database.documents() if d.key == "one").line == 7
    assert database.counts().vectors == 2
    assert database.check() == []


def test_a_change_is_applied_whole_or_not_at_all(database):
    database.apply(change(document("one")))
    broken = replace(document("three"), line=None)
    with pytest.raises(StoreError):
        database.apply(change(document("two")), change(broken))
    assert {d.key for d in database.documents()} == {"one"}
    database.apply(change(document("two")))
    assert database.counts().documents == 2


@pytest.mark.parametrize("damage", ["garbage", "truncated", "foreign", "full text"])
def test_a_damaged_index_is_put_aside_and_made_anew(path, damage):
    with_rows = Database.open(path)
    with_rows.apply(change(*(document(f"d{number}") for number in range(200))))
    if damage == "full text":
        delete = "INSERT INTO docs_fts (docs_fts, rowid, body_terms, head_terms) VALUES ('delete', 1, 'the', '')"
        with_rows.connection.execute(delete)
    with_rows.close()
    if damage == "garbage":
        path.write_bytes(b"this is no database" * 1_000)
    elif damage == "truncated":
        os.truncate(path, 4096 * 3 + 100)
    elif damage == "foreign":
        path.unlink()
        foreign = apsw.Connection(str(path))
        foreign.execute("CREATE TABLE somebody_elses (x)")
        foreign.close()
    content = path.read_bytes()
    database = Database.open(path)
    (aside,) = (one for one in path.parent.glob("memory.db.broken-*") if not one.name.endswith(("-wal", "-shm")))
    assert aside.read_bytes() == content
    assert database.counts().documents == 0
    database.apply(change(document("one")))
    assert database.check() == []
    database.close()
    again = Database.open(path)
    assert again.counts().documents == 1
    again.close()
