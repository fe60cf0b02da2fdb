"""The connection to the state database that a process shares, and the handling of all its errors."""

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
-- The entries as last written, and every change to them.
CREATE TABLE IF NOT EXISTS entry (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, undoes INTEGER
);
CREATE TABLE IF NOT EXISTS change (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, place INTEGER NOT NULL, id TEXT NOT NULL,
    before TEXT, after TEXT, PRIMARY KEY (run, id)
) WITHOUT ROWID;
-- The digest of each file as last written.
CREATE TABLE IF NOT EXISTS written_file (name TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
-- Pending and finished work: one row for each subject of a task, such as a session to read.
CREATE TABLE IF NOT EXISTS task (
    name TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (name, subject)
) WITHOUT ROWID;
-- Digests of purged data, so that it does not come back from a continued session or from another machine.
CREATE TABLE IF NOT EXISTS forgotten (
    kind TEXT NOT NULL, digest TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (kind, digest)
) WITHOUT ROWID;
-- What each import wrote, by file and key, with its digest, so that it is not imported twice and can be undone.
CREATE TABLE IF NOT EXISTS imported (
    source TEXT NOT NULL, item TEXT NOT NULL, digest TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (source, item)
) WITHOUT ROWID;
-- Events by day: uses of the language model, turns with and without memory.
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, day TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS event_of_day ON event (kind, day);
"""


T = TypeVar("T")

# Seconds that a statement waits for a transaction of another process; those of our writers take milliseconds.
_BUSY_SECONDS = 5.0
_SETTINGS = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON"
# SQLite's error codes for a file that another process has locked, for a damaged one, and for one that is not writable.
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_UNWRITABLE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)
_databases: "WeakValueDictionary[Path, StateDatabase]" = WeakValueDictionary()
_databases_lock = threading.Lock()


class StateDatabase:
    """The state of one workspace, usable from any thread: each call holds the lock while SQLite works.

    The connection is opened at the first use, and again if the file was deleted or the process forked. A damaged file
    and one of another version are replaced; a file of another program is moved aside. If the file cannot be opened or
    written, the state is kept in memory until the process ends, and `trouble` says why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and inode, None for a database in memory
        self._trouble: Sentence | None = None

    @classmethod
    def of(cls, workspace: "str | Path | MemoryPaths") -> "StateDatabase":
        """Return the state of a workspace, the same object for all parts of this process."""
        paths = workspace if isinstance(workspace, MemoryPaths) else MemoryPaths.of(workspace)
        path = Path(os.path.abspath(paths.state))
        with _databases_lock:
            if (state := _databases.get(path)) is None:
                state = _databases[path] = cls(path)
            return state

    @property
    def trouble(self) -> str | None:
        """Why the state is only in memory, was lost and started again, or is locked; None if nothing is wrong."""
        try:
            return self._run(lambda _connection: self._trouble)
        except StoreError as error:
            return error.cause

    @property
    def memory_only_reason(self) -> str:
        """Why changes are kept in memory only; empty if they are in the file."""
        with self.lock:
            return "" if self._file else self._trouble or ""

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a statement. Raises `StoreError` if another process keeps the file locked."""
        return self._run(lambda connection: connection.execute(sql, values).fetchall())

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``change`` in one transaction, and return its result; an exception rolls the transaction back.

        After an error of the disk ``change`` is called a second time. Raises `StoreError` if another process keeps the
        file locked for more than 5 s.
        """

        def transaction(connection: sqlite3.Connection) -> T:
            if connection.in_transaction:  # a nested write belongs to the outer transaction
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
        """Record an event under the day of ``time``."""
        row = (kind, time.date().isoformat(), time.isoformat(), json.dumps(body, ensure_ascii=False))
        self.execute("INSERT INTO event (kind, day, time, body) VALUES (?, ?, ?, ?)", row)

    def events(self, kind: str, *, since: date) -> Iterator[tuple[datetime, dict[str, Any]]]:
        """Yield the events of a kind from a day on, oldest first, with their times."""
        sql = "SELECT time, body FROM event WHERE kind = ? AND day >= ? ORDER BY id"
        for time, body in self.read(sql, (kind, since.isoformat())):
            yield datetime.fromisoformat(time), json.loads(body)

    def tasks(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the subjects and rows of a task, the oldest first."""
        rows = self.read("SELECT subject, body FROM task WHERE name = ? ORDER BY time, subject", (name,))
        return [(subject, json.loads(body)) for subject, body in rows]

    def task(self, name: str, subject: str) -> dict[str, Any] | None:
        """Return one row of a task, or None."""
        rows = self.read("SELECT body FROM task WHERE name = ? AND subject = ?", (name, subject))
        return json.loads(rows[0][0]) if rows else None

    def set_task(self, name: str, subject: str, body: Mapping[str, object]) -> None:
        """Write the row of a subject, replacing the one before."""
        row = (name, subject, json.dumps(body, ensure_ascii=False), datetime.now(UTC).isoformat())
        self.execute("INSERT OR REPLACE INTO task (name, subject, body, time) VALUES (?, ?, ?, ?)", row)

    def keep_newest_tasks(self, name: str, most: int) -> None:
        """Delete all rows of a task except for the ``most`` newest."""
        newest = "SELECT subject FROM task WHERE name = ?1 ORDER BY time DESC LIMIT ?2"
        self.execute(f"DELETE FROM task WHERE name = ?1 AND subject NOT IN ({newest})", (name, most))  # noqa: S608

    def truncate_log(self) -> None:
        """Empty the write-ahead log, so that deleted data is in none of the files any more.

        Raises `StoreError` if another process is reading from it.
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
            self._connection.close()  # Python 3.13 warns of unclosed connections

    def _run(self, use: Callable[[sqlite3.Connection], T]) -> T:
        with self.lock:
            if self._connection is not None and self._connection.in_transaction:
                return use(self._connection)  # in a transaction, whose outermost call handles all errors
            try:
                return use(self._connect())
            except sqlite3.Error as error:
                code = _code(error)
                if code in _BUSY:
                    raise self._locked() from error
                if code in _DAMAGED:
                    self._replace_file(is_ours=True)
                elif code in _UNWRITABLE:
                    self._continue_in_memory(error)
                else:
                    raise
            return use(self._connect())

    def _locked(self) -> StoreError:
        return StoreError(
            Sentence("The state database {name} is locked by another process.", name=self.path.name),
            hint="Try again once that process is done.",
        )

    def _connect(self) -> sqlite3.Connection:
        """Return the connection; open it if there is none, or if the file was replaced."""
        if self._connection is not None:
            if self._file in (None, _identity(self.path)):
                return self._connection
            self.close()
        try:
            return self._open_file()
        except (OSError, sqlite3.Error) as error:
            self.close()  # now, since later it would delete the log of a new file
            if _code(error) in (*_BUSY, *_DAMAGED):
                raise
            return self._continue_in_memory(error)

    def _open_file(self) -> sqlite3.Connection:
        make_private_folder(self.path.parent)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        restrict_file(self.path)
        connection = self._connection = _open(f"{_address(self.path)}?mode=rw")
        connection.executescript(_SETTINGS)
        # Read the tables first: another process may be creating them now, together with the ids.
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        if tables and (application, version) != (APPLICATION_ID, VERSION):
            return self._replace_file(is_ours=application == APPLICATION_ID)
        if not tables:
            # WAL before the tables: if this process is killed in between, the next one does both.
            with suppress(sqlite3.OperationalError):  # another process is doing it now
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            _create_tables(connection)
        self._file = _identity(self.path)
        return connection

    def _replace_file(self, *, is_ours: bool) -> sqlite3.Connection:
        """Create a new file: delete our old one with all its data, or move a file of another program aside."""
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
        return self._connect()

    def _continue_in_memory(self, error: Exception) -> sqlite3.Connection:
        """Continue in memory, with the data of the file if it can still be read."""
        why = error.strerror if isinstance(error, OSError) else getattr(error, "sqlite_errorname", "")
        self._trouble = Sentence("{path} cannot be written ({why})", path=self.path, why=why or type(error).__name__)
        logger.info("{}: the state is kept in memory until this process ends", self._trouble)
        memory = _open(":memory:")
        try:
            # In a read-only folder the file can only be read without its log.
            with closing(self._connection or _open(f"{_address(self.path)}?mode=ro&immutable=1")) as readable:
                readable.backup(memory)
        except (OSError, sqlite3.Error) as unread:
            logger.debug("nothing of the state could be read: {}", type(unread).__name__)
            memory.close()
            memory = _open(":memory:")
        memory.executescript(_SETTINGS)
        _create_tables(memory)
        self._connection, self._file = memory, None
        return memory


def _open(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)


def _address(path: Path) -> str:
    require_regular_file(path)
    return path.absolute().as_uri()


def _create_tables(connection: sqlite3.Connection) -> None:
    ids = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
    connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {ids}; COMMIT")


def _lock_all() -> None:
    """Before a fork, wait for transactions to end, and close the files.

    With an open file SQLite would assume its locks in both processes: closing it in the parent would delete the log
    that the child writes.
    """
    _databases_lock.acquire()
    for state in list(_databases.values()):
        state.lock.acquire()
        if not state.memory_only_reason:
            state.close()


def _unlock_all() -> None:
    for state in list(_databases.values()):
        state.lock.release()
    _databases_lock.release()


at_fork(_unlock_all, before=_lock_all, in_parent=_unlock_all)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, or None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
