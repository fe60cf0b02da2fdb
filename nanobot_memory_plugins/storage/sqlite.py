"""The SQLite file of the index: connections, tables, and the translation of errors into plain words."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.files.index_file import APPLICATION_ID
from nanobot_memory_plugins.core.files.private import restrict_file
from nanobot_memory_plugins.core.files.reading import require_regular_file
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.segmentation import FTS5_TOKENIZER

# Milliseconds that a statement waits for another process: writers hold their transactions for milliseconds, and a
# search that cannot read the index reads the files instead.
BUSY_TIMEOUT_MS, READING_TIMEOUT_MS = 5_000, 100
_REBUILD = "Run `nanobot-memory index --rebuild`; the memory files contain everything."
# The size of the full-text index of some 10,000 chunks; SQLite allocates only what it reads.
_CACHE_KIBIBYTES = 16_384
_WAL_KEPT_BYTES = 64 * 1024 * 1024
# Incremented with each change of the tables or of the terms: an index of another version is rebuilt from the files.
SCHEMA_VERSION = 6

_TABLES = """
CREATE TABLE docs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given out twice: vectors refer to it
  key TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  source TEXT NOT NULL,
  text TEXT NOT NULL,
  origin TEXT NOT NULL,
  agent TEXT NOT NULL,
  user TEXT NOT NULL,
  channel TEXT NOT NULL,
  session TEXT NOT NULL,
  heading TEXT NOT NULL,
  tldr TEXT NOT NULL,
  tags TEXT NOT NULL,  -- a JSON list
  speaker TEXT NOT NULL,
  time TEXT,  -- ISO 8601 with its offset
  timestamp REAL,  -- the same in seconds since 1970, UTC
  body_terms TEXT NOT NULL,
  head_terms TEXT NOT NULL,
  group_chat TEXT NOT NULL,
  project TEXT NOT NULL
);
CREATE INDEX docs_path ON docs (path, ordinal);
CREATE INDEX docs_time ON docs (timestamp);
-- What queries filter by, so that which vectors pass is read without the texts.
CREATE INDEX docs_filter ON docs (agent, user, channel, session, group_chat, origin, source, timestamp);
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  "offset" INTEGER NOT NULL,
  prefix_hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  line INTEGER NOT NULL,
  ordinal INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vectors (
  doc_id INTEGER PRIMARY KEY REFERENCES docs (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  vector BLOB NOT NULL  -- float32, of unit length, or zeros where the model's answer was no vector
);
CREATE INDEX vectors_revision ON vectors (revision);
"""

_FULL_TEXT = f"""
CREATE VIRTUAL TABLE docs_fts USING fts5(
  body_terms, head_terms, content='docs', content_rowid='id', tokenize="{FTS5_TOKENIZER}"
);
"""
# The three triggers from SQLite's documentation of external content. 'delete' takes the old values, never the new.
_TRIGGERS = """
CREATE TRIGGER docs_inserted AFTER INSERT ON docs BEGIN
  INSERT INTO docs_fts (rowid, body_terms, head_terms) VALUES (new.id, new.body_terms, new.head_terms);
END;
CREATE TRIGGER docs_deleted AFTER DELETE ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, body_terms, head_terms)
  VALUES ('delete', old.id, old.body_terms, old.head_terms);
END;
CREATE TRIGGER docs_updated AFTER UPDATE ON docs BEGIN
  INSERT INTO docs_fts (docs_fts, rowid, body_terms, head_terms)
  VALUES ('delete', old.id, old.body_terms, old.head_terms);
  INSERT INTO docs_fts (rowid, body_terms, head_terms) VALUES (new.id, new.body_terms, new.head_terms);
END;
"""


class CorruptIndexError(StoreError):
    """The file is damaged, of another version, or not an index: it is rebuilt from the memory files."""


def connect(path: Path, *, read_only: bool) -> apsw.Connection:
    """Open the file and configure the connection; a new file is readable by its owner only.

    Raises `StoreError` when it cannot be opened, and `CorruptIndexError` when it is not a SQLite file.
    """
    with translate_errors(path):
        require_regular_file(path)
        if not read_only:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            # SQLite gives the -wal and -shm files the mode of the main file. An existing file is not opened: closing
            # it would release the locks that SQLite holds on it in this process.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                restrict_file(path.with_name(name))
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(READING_TIMEOUT_MS if read_only else BUSY_TIMEOUT_MS)
        connection.execute(
            "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; "
            f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}; PRAGMA journal_size_limit = {_WAL_KEPT_BYTES}"
        ).fetchall()
        return connection


def load_sqlite_vec(connection: apsw.Connection) -> bool:
    """Load sqlite-vec into the connection, and return whether that worked."""
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            connection.load_extension(sqlite_vec.loadable_path())
        finally:
            connection.enable_load_extension(False)
        connection.execute("SELECT vec_version()").fetchall()
    except (ImportError, apsw.Error, OSError, AttributeError):
        return False
    return True


def has_full_text(connection: apsw.Connection) -> bool:
    """Return whether this SQLite has FTS5."""
    return bool(fetch_all(connection, "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"))


def has_tables(connection: apsw.Connection) -> bool:
    """Return whether the file has the index's tables: not if it is empty. Raises `CorruptIndexError` for others."""
    version = int(fetch_value(connection, "PRAGMA user_version"))
    application = fetch_value(connection, "PRAGMA application_id")
    tables = fetch_value(connection, "SELECT count(*) FROM sqlite_schema")
    if not tables and not version:
        return False
    if application != APPLICATION_ID:
        raise CorruptIndexError("The file at the path of the index is another program's database.")
    if version != SCHEMA_VERSION:
        raise CorruptIndexError(
            Sentence(
                "The index was made by another version (schema {version}, not {known}).",
                version=version,
                known=SCHEMA_VERSION,
            ),
            hint="Run `nanobot-memory index`, which rebuilds it from the memory files.",
        )
    return True


def create_tables(connection: apsw.Connection) -> None:
    """Create the tables unless another process just did. WAL comes first: it cannot be set in a transaction."""
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    with write_transaction(connection):
        if not has_tables(connection):
            connection.execute(_TABLES + _FULL_TEXT + _TRIGGERS)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}").fetchall()
    # Now the application id is in the file itself, not only in its log.
    connection.execute("PRAGMA wal_checkpoint").fetchall()


def fetch_all(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return all rows of a statement."""
    return connection.execute(sql, values).fetchall()


def fetch_value(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """Return the first value of the first row, or None when there is no row."""
    rows = fetch_all(connection, sql, values)
    return rows[0][0] if rows else None


@contextmanager
def write_transaction(connection: apsw.Connection) -> Iterator[None]:
    """Run a transaction that takes the write lock at its start: a deferred one could not wait for it later."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into `StoreError` with a cause and a hint."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CorruptIndexError(Sentence("The index {name} is damaged.", name=path.name), hint=_REBUILD) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreError(
            Sentence("The index {name} is locked by another process.", name=path.name),
            hint="Try again once that process is done.",
        ) from error
    except apsw.FullError as error:
        raise StoreError(
            Sentence("There is no space left for the index {name}.", name=path.name), hint="Free some disk space."
        ) from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, OSError) as error:
        raise StoreError(
            Sentence("The index {path} cannot be opened or written.", path=path),
            hint="Check that its folder exists, and the permissions of both.",
        ) from error
    except apsw.ThreadingViolationError:
        raise  # a bug in the program, not a problem of the file
    except apsw.Error as error:
        raise StoreError(
            Sentence("The index {name} failed: {kind}.", name=path.name, kind=type(error).__name__)
        ) from error
