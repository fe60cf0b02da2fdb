"""The tables of the index, and the marks that say which program owns it and how new it is."""

import apsw

from nanobot_memory_plugins.core.files.index_file import APPLICATION_ID
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.segmentation import FTS5_TOKENIZER
from nanobot_memory_plugins.storage.sqlite import CorruptIndexError, immediate, scalar

# Counted up with each change of the tables, or of the terms: an index of another one is made again from the files.
SCHEMA_VERSION = 5

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
# The three triggers of SQLite's documentation for external content. 'delete' is given the old values, never the new.
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


def is_made(connection: apsw.Connection) -> bool:
    """Return whether the file has our tables; an empty one has none. Raises `CorruptIndexError` for any others."""
    version = int(scalar(connection, "PRAGMA user_version"))
    application = scalar(connection, "PRAGMA application_id")
    tables = scalar(connection, "SELECT count(*) FROM sqlite_schema")
    if not tables and not version:
        return False
    if application != APPLICATION_ID:
        raise CorruptIndexError("The file at the index's place is a database of something else.")
    if version != SCHEMA_VERSION:
        raise CorruptIndexError(
            Sentence(
                "The index was made by another version (schema {version}, not {known}).",
                version=version,
                known=SCHEMA_VERSION,
            ),
            hint="Run `nanobot-memory index`, which makes it again from the memory files.",
        )
    return True


def create(connection: apsw.Connection) -> None:
    """Make the tables, unless another process has just made them. WAL is set first: it cannot be in a transaction."""
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    with immediate(connection):
        if not is_made(connection):
            connection.execute(_TABLES + _FULL_TEXT + _TRIGGERS)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}").fetchall()
    # From now on the file says which program owns it, without its log.
    connection.execute("PRAGMA wal_checkpoint").fetchall()
