"""Opening connections to the index, and saying in plain words what went wrong with them."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.files.private import narrow_file
from nanobot_memory_plugins.core.files.reading import must_be_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How long a statement waits for another process: writers hold their transactions for milliseconds, and searches, for
# whom the files are read instead, wait for nobody.
BUSY_TIMEOUT_MS, READING_TIMEOUT_MS = 5_000, 100
_REBUILD = "Run `nanobot-memory index --rebuild`; the memory files hold all."
# The full-text index of some 10,000 chunks; no more is taken than is read.
_CACHE_KIBIBYTES = 16_384
_WAL_KEPT_BYTES = 64 * 1024 * 1024


class CorruptIndexError(StoreError):
    """The file is damaged, of another version, or no index of this set: it is made again from the files."""


def connect(path: Path, *, read_only: bool) -> apsw.Connection:
    """Open the file and set what every connection needs; a new file is readable by its owner only.

    Raises `StoreError` when it cannot be opened, and `CorruptIndexError` when it is no SQLite file.
    """
    with plain_errors(path):
        must_be_regular(path)
        if not read_only:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            # SQLite gives the -wal and -shm files the mode of the main file. A file that is there is not opened:
            # closing it would give up the locks that SQLite has on it in this process.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                narrow_file(path.with_name(name))
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(READING_TIMEOUT_MS if read_only else BUSY_TIMEOUT_MS)
        connection.execute(
            "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; "
            f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}; PRAGMA journal_size_limit = {_WAL_KEPT_BYTES}"
        ).fetchall()
        return connection


def loads_sqlite_vec(connection: apsw.Connection) -> bool:
    """Load sqlite-vec into the connection; tell whether that can be done."""
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
    """Tell whether this SQLite has FTS5."""
    return bool(query(connection, "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"))


def query(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return all the rows of a statement."""
    return connection.execute(sql, values).fetchall()


def scalar(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """Return the first value of the first row, or None when there is no row."""
    found = query(connection, sql, values)
    return found[0][0] if found else None


@contextmanager
def immediate(connection: apsw.Connection) -> Iterator[None]:
    """Run a transaction that takes the write lock at its beginning: a deferred one cannot wait for it later."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's and the system's errors into `StoreError` with its cause and its hint."""
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
        raise  # a mistake in the program, which nobody should take for a fault of the file
    except apsw.Error as error:
        raise StoreError(
            Sentence("The index {name} failed: {kind}.", name=path.name, kind=type(error).__name__)
        ) from error
