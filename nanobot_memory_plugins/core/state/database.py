"""The one connection to the state database that the parts of a process share, and the one policy for its faults."""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.index_file import put_database_aside, remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import make_private_folder, restrict_file
from nanobot_memory_plugins.core.files.reading import require_regular_file
from nanobot_memory_plugins.core.isolation.fork import at_fork
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

# "nmem" in ASCII: distinguishes this file from somebody else's SQLite database.
APPLICATION_ID = 0x6E6D656D
VERSION = 4

SCHEMA = """
-- The entries as they were written last, and every change to them.
CREATE TABLE IF NOT EXISTS entry (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, undoes INTEGER
);
CREATE TABLE IF NOT EXISTS change (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, place INTEGER NOT NULL, id TEXT NOT NULL,
    before TEXT, after TEXT, PRIMARY KEY (run, id)
) WITHOUT ROWID;
-- The digest of a file as it was written last.
CREATE TABLE IF NOT EXISTS written_file (name TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
-- Work that waits, and what was worked through: one row for each subject of a task, such as a session of the reading.
CREATE TABLE IF NOT EXISTS task (
    name TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (name, subject)
) WITHOUT ROWID;
-- Digests of what was purged, so that it does not come back from a session that goes on or from another machine.
CREATE TABLE IF NOT EXISTS forgotten (
    kind TEXT NOT NULL, digest TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (kind, digest)
) WITHOUT ROWID;
-- What each import wrote, by file and key, with its digest: it is not imported twice, and can be taken back.
CREATE TABLE IF NOT EXISTS imported (
    source TEXT NOT NULL, item TEXT NOT NULL, digest TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (source, item)
) WITHOUT ROWID;
-- What happened on a day: uses of the language model, turns with and without memory.
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, day TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS event_of_day ON event (kind, day);
"""


T = TypeVar("T")

# Seconds that a statement waits for another process's transaction. Writers hold their transactions for milliseconds.
_BUSY_SECONDS = 5.0
_SETTINGS = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON"
# SQLite's codes of a file that another process holds, of one that is damaged, and of one that cannot be written.
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_UNWRITABLE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)
_open: "WeakValueDictionary[Path, StateDatabase]" = WeakValueDictionary()
_opening = threading.Lock()


class StateDatabase:
    """The state of one workspace, for any thread: each call holds the lock for as long as SQLite takes.

    The connection is made at the first use, and anew where the file has been deleted or the process forked. A file that
    is damaged or of another version is made again; somebody else's is put aside. Where it cannot be opened or written,
    the state lives in memory for as long as this process does, and `trouble` says why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and inode; none of what is in memory only
        self._trouble: Sentence | None = None

    @classmethod
    def of(cls, workspace: "str | Path | MemoryPaths") -> "StateDatabase":
        """Return the state of a workspace: the same object for every part of this process that holds it."""
        paths = workspace if isinstance(workspace, MemoryPaths) else MemoryPaths.of(workspace)
        path = Path(os.path.abspath(paths.state))
        with _opening:
            if (known := _open.get(path)) is None:
                known = _open[path] = cls(path)
            return known

    @property
    def trouble(self) -> str | None:
        """Why the state is kept in memory only, was begun anew, or cannot be had now; None where nothing is wrong."""
        try:
            return self._run(lambda _connection: self._trouble)
        except StoreError as error:
            return error.cause

    @property
    def only_in_memory(self) -> str:
        """Why the last change stands in memory only; empty where it stands in the file."""
        with self.lock:
            return "" if self._file else self._trouble or ""

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all the rows of a statement. Raises `StoreError` where another process holds the file for long."""
        return self._run(lambda connection: connection.execute(sql, values).fetchall())

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``change`` in one transaction, and return what it returns; an exception of its own rolls it back.

        It may be called a second time where the disk fails at the first. Raises `StoreError` where another process
        holds the file for longer than 5 s.
        """

        def transaction(connection: sqlite3.Connection) -> T:
            if connection.in_transaction:  # a write inside of a write belongs to the outer one
                return change(connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = change(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result

        return self._run(transaction)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run one statement in a transaction of its own. Raises `StoreError` as `write` does."""
        self.write(lambda connection: connection.execute(sql, values).fetchall() and None)

    def add_event(self, kind: str, time: datetime, body: Mapping[str, object]) -> None:
        """Add something that happened, under the day of ``time``."""
        row = (kind, time.date().isoformat(), time.isoformat(), json.dumps(body, ensure_ascii=False))
        self.execute("INSERT INTO event (kind, day, time, body) VALUES (?, ?, ?, ?)", row)

    def events(self, kind: str, *, since: date) -> Iterator[tuple[datetime, dict[str, Any]]]:
        """Yield what happened from a day on, oldest first, with its time."""
        sql = "SELECT time, body FROM event WHERE kind = ? AND day >= ? ORDER BY id"
        for time, body in self.read(sql, (kind, since.isoformat())):
            yield datetime.fromisoformat(time), json.loads(body)

    def tasks(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the rows of a task by their subjects, those that were written first first."""
        rows = self.read("SELECT subject, body FROM task WHERE name = ? ORDER BY time, subject", (name,))
        return [(subject, json.loads(body)) for subject, body in rows]

    def task(self, name: str, subject: str) -> dict[str, Any] | None:
        """Return one row of a task, or None."""
        rows = self.read("SELECT body FROM task WHERE name = ? AND subject = ?", (name, subject))
        return json.loads(rows[0][0]) if rows else None

    def set_task(self, name: str, subject: str, body: Mapping[str, object]) -> None:
        """Write a row of a task, in the place of the one with its subject."""
        row = (name, subject, json.dumps(body, ensure_ascii=False), datetime.now(UTC).isoformat())
        self.execute("INSERT OR REPLACE INTO task (name, subject, body, time) VALUES (?, ?, ?, ?)", row)

    def keep_newest_tasks(self, name: str, most: int) -> None:
        """Take out the rows of a task but for those that were written last."""
        newest = "SELECT subject FROM task WHERE name = ?1 ORDER BY time DESC LIMIT ?2"
        self.execute(f"DELETE FROM task WHERE name = ?1 AND subject NOT IN ({newest})", (name, most))  # noqa: S608

    def truncate_log(self) -> None:
        """Empty the write-ahead log, so that what was deleted is in none of the files any more.

        Raises `StoreError` where another process reads what it holds.
        """
        ((is_busy, *_),) = self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        if is_busy:
            raise self._locked()

    def close(self) -> None:
        """Close the connection; a later use opens it again."""
        with self.lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        if self._connection is not None:
            self._connection.close()  # Python 3.13 warns of one that is not

    def _run(self, use: Callable[[sqlite3.Connection], T]) -> T:
        with self.lock:
            if self._connection is not None and self._connection.in_transaction:
                return use(self._connection)  # within a change, which meets its faults whole
            try:
                return use(self._connected())
            except sqlite3.Error as error:
                code = _code(error)
                if code in _BUSY:
                    raise self._locked() from error
                if code in _DAMAGED:
                    self._begin_again(is_ours=True)
                elif code in _UNWRITABLE:
                    self._continue_in_memory(error)
                else:
                    raise
            return use(self._connected())

    def _locked(self) -> StoreError:
        return StoreError(
            Sentence("The state database {name} is locked by another process.", name=self.path.name),
            hint="Try again once that process is done.",
        )

    def _connected(self) -> sqlite3.Connection:
        """Return the connection, made where there is none, or where the file is another one by now."""
        if self._connection is not None:
            if self._file in (None, _identity(self.path)):
                return self._connection
            self.close()
        try:
            return self._open_file()
        except (OSError, sqlite3.Error) as error:
            self.close()  # now: later it would delete the log of a file that is made anew
            if _code(error) in (*_BUSY, *_DAMAGED):
                raise
            return self._continue_in_memory(error)

    def _open_file(self) -> sqlite3.Connection:
        make_private_folder(self.path.parent)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        restrict_file(self.path)
        connection = self._connection = _connect(f"{_address(self.path)}?mode=rw")
        connection.executescript(_SETTINGS)
        # The tables first: another process may be making them just now, and its marks with them.
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        if tables and (application, version) != (APPLICATION_ID, VERSION):
            return self._begin_again(is_ours=application == APPLICATION_ID)
        if not tables:
            # First, so that a process that is killed between the two leaves it to the next one.
            with suppress(sqlite3.OperationalError):  # another process does so just now
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            _make_tables(connection)
        self._file = _identity(self.path)
        return connection

    def _begin_again(self, *, is_ours: bool) -> sqlite3.Connection:
        """Make a new file: what was ours goes with all that it holds, what is somebody else's is put aside."""
        self.close()
        try:
            if is_ours:
                remove_database(self.path)
            else:
                put_database_aside(self.path)
        except OSError as error:
            return self._continue_in_memory(error)
        self._trouble = Sentence(
            "{name} was damaged or of another version: it was made again, without the history.", name=self.path.name
        )
        logger.warning("{}", self._trouble)
        return self._connected()

    def _continue_in_memory(self, error: Exception) -> sqlite3.Connection:
        """Go on without the file, with what can still be read of it."""
        why = error.strerror if isinstance(error, OSError) else getattr(error, "sqlite_errorname", "")
        self._trouble = Sentence("{path} cannot be written ({why})", path=self.path, why=why or type(error).__name__)
        logger.info("{}: the state is kept in memory until this process ends", self._trouble)
        memory = _connect(":memory:")
        try:
            # In a folder that cannot be written a file is read as it is without its log.
            with closing(self._connection or _connect(f"{_address(self.path)}?mode=ro&immutable=1")) as readable:
                readable.backup(memory)
        except (OSError, sqlite3.Error) as unread:
            logger.debug("nothing of the state could be read: {}", type(unread).__name__)
            memory.close()
            memory = _connect(":memory:")
        memory.executescript(_SETTINGS)
        _make_tables(memory)
        self._connection, self._file = memory, None
        return memory


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)


def _address(path: Path) -> str:
    require_regular_file(path)
    return path.absolute().as_uri()


def _make_tables(connection: sqlite3.Connection) -> None:
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
    connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {marks}; COMMIT")


def _lock_all() -> None:
    """Let no transaction be cut in two, and have no file open: SQLite would take its locks for held in both processes.

    Then the parent, which closes its file, would delete the log that the other one writes.
    """
    _opening.acquire()
    for state in list(_open.values()):
        state.lock.acquire()
        if not state.only_in_memory:
            state.close()


def _unlock_all() -> None:
    for state in list(_open.values()):
        state.lock.release()
    _opening.release()


at_fork(_unlock_all, before=_lock_all, in_parent=_unlock_all)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and the inode of a file, or None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
