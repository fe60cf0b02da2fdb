"""The one connection to the state database that the parts of a process share, and the one policy for its faults."""

import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import narrow_file, private_folder
from nanobot_memory_plugins.core.files.reading import must_be_regular
from nanobot_memory_plugins.core.isolation.fork import around_fork, at_fork, leave_to_parent
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    import apsw


# "nmem" in ASCII: distinguishes this file from somebody else's SQLite database.
APPLICATION_ID = 0x6E6D656D
VERSION = 3

SCHEMA = """
-- The entries as they were written last, and every change to them.
CREATE TABLE IF NOT EXISTS entry (
    tenant TEXT NOT NULL DEFAULT '', id TEXT NOT NULL, body TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL DEFAULT '',
    time TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, undoes INTEGER
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
    tenant TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL, digest TEXT NOT NULL, time TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tenant, kind, digest)
) WITHOUT ROWID;
-- What each import wrote, by file and key, with its digest: it is not imported twice, and can be taken back.
CREATE TABLE IF NOT EXISTS imported (
    source TEXT NOT NULL, item TEXT NOT NULL, digest TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (source, item)
) WITHOUT ROWID;
-- What happened on a day: uses of the language model, turns with and without memory, memories that did not help.
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, day TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS event_of_day ON event (kind, day);
"""


T = TypeVar("T")

# How long a statement waits for another process's transaction. Writers hold their transactions for milliseconds.
_BUSY_MS = 5_000


_open: "WeakValueDictionary[Path, StateDatabase]" = WeakValueDictionary()
_opening = threading.Lock()


class StateDatabase:
    """The state of one workspace, for any thread: each call holds the lock for as long as SQLite takes.

    The connection is made at the first use, and anew where the file has been deleted or the process forked. A file that
    is damaged or of another version is made again; somebody else's is put aside as ``state.db.aside``. Where it cannot
    be opened or written, or apsw is missing, the state lives in memory for as long as this process does, and `trouble`
    says why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._connection: apsw.Connection | None = None
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
    def trouble(self) -> Sentence | None:
        """Why the state is kept in memory only, or was begun anew; None where nothing is wrong."""
        with self.lock:
            self._connected()
            return self._trouble

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all the rows of a statement. Raises `StoreError` where another process holds the file for long."""
        return self._run(lambda connection: connection.execute(sql, values).fetchall())

    def write(self, change: "Callable[[apsw.Connection], T]") -> T:
        """Run ``change`` in one transaction, and return what it returns; an exception of its own rolls it back.

        It may be called a second time where the disk fails at the first. Raises `StoreError` where another process
        holds the file for longer than 5 s.
        """

        def transaction(connection: "apsw.Connection") -> T:
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

    def end_task(self, name: str, subject: str) -> None:
        """Take out a row of a task."""
        self.execute("DELETE FROM task WHERE name = ? AND subject = ?", (name, subject))

    def truncate_log(self) -> None:
        """Empty the write-ahead log, so that what was deleted is in none of the files any more."""
        self._run(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def close(self) -> None:
        """Close the connection; a later use opens it again."""
        with self.lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def begin_anew(self) -> None:
        """Leave the connection to the process that this one was forked off."""
        self.lock = threading.RLock()
        if self._connection is not None:
            leave_to_parent(self._connection)
        self._connection = None

    def _run(self, use: "Callable[[apsw.Connection], T]") -> T:
        try:
            import apsw  # takes some milliseconds, which a command that uses no state need not spend
        except ImportError:
            with self.lock:
                return use(self._without_apsw())

        with self.lock:
            try:
                return use(self._connected())
            except (apsw.BusyError, apsw.LockedError) as error:
                raise StoreError(
                    Sentence("The state database {name} is locked by another process.", name=self.path.name),
                    hint="Try again once that process is done.",
                ) from error
            except _damage():
                self.close()
                self._replace(_damaged(self.path))
            except (
                apsw.FullError,
                apsw.IOError,
                apsw.ReadOnlyError,
                apsw.CantOpenError,
                apsw.PermissionsError,
            ) as error:
                self._continue_in_memory(error)
            return use(self._connected())

    def _connected(self) -> "apsw.Connection":
        """Return the connection, made where there is none, or where the file is another one by now."""
        if self._connection is not None:
            if self._file in (None, _identity(self.path)):
                return self._connection
            self.close()
        try:
            import apsw
        except ImportError:
            return self._without_apsw()

        try:
            connection = self._open_file()
        except (apsw.BusyError, apsw.LockedError):
            raise
        except (OSError, apsw.Error) as error:
            connection = self._continue_in_memory(error)
        self._connection = connection
        return connection

    def _without_apsw(self) -> "apsw.Connection":
        """Return a connection of the standard library's SQLite to a state in memory."""
        if self._connection is None:
            self._trouble = Sentence("apsw cannot be imported")
            logger.warning("{}: the state is kept in memory until this process ends", self._trouble)
            memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            memory.executescript(SCHEMA)
            self._connection = cast("apsw.Connection", memory)  # `write` and its callers use what both have
            self._file = None
        return self._connection

    def _open_file(self) -> "apsw.Connection":
        private_folder(self.path.parent)
        if (wrong := _fault_of(self.path)) is not None:
            self._replace(wrong)
        if not self.path.exists():
            _make_file(self.path)
        narrow_file(self.path)
        connection = _connect(self.path)
        self._file = _identity(self.path)
        return connection

    def _replace(self, wrong: "_Fault") -> None:
        """Make way for a new file: what is somebody else's is put aside, what was ours goes with all that it holds."""
        self._trouble = wrong.trouble
        logger.warning("{}", self._trouble)
        for ending in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path = self.path.with_name(self.path.name + ending)
                path.replace(path.with_name(f"{path.name}.aside")) if wrong.is_foreign else path.unlink()

    def _continue_in_memory(self, error: Exception) -> "apsw.Connection":
        """Go on without the file, with what can still be read of it."""
        import apsw

        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        self._trouble = Sentence("{path} cannot be written ({why})", path=self.path, why=why)
        logger.info("{}: the state is kept in memory until this process ends", self._trouble)
        memory = apsw.Connection(":memory:")
        try:
            with memory.backup("main", self._connection or _open_for_reading(self.path), "main") as backup:
                backup.step()
        except (OSError, apsw.Error) as unread:
            logger.debug("nothing of the state could be read: {}", type(unread).__name__)
            memory.close()
            memory = apsw.Connection(":memory:")
        self.close()
        _make_tables(memory)
        self._connection, self._file = memory, None
        return memory


def _connect(path: Path | str) -> "apsw.Connection":
    """Open a file that is there, and set what every connection needs."""
    import apsw

    must_be_regular(Path(path))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_BUSY_MS)
    connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON").fetchall()
    return connection


def _open_for_reading(path: Path) -> "apsw.Connection":
    """Open a file in a folder that cannot be written, as it is without its log."""
    import apsw

    must_be_regular(path)
    address = f"{path.absolute().as_uri()}?immutable=1"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _make_file(path: Path) -> None:
    """Make an empty state under another name, and give it its own at once: nobody ever opens one that is half made."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # for its owner only
    os.close(handle)
    try:
        connection = _connect(name)
        _make_tables(connection)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.close()
        try:
            os.link(name, path)
        except FileExistsError:
            logger.debug("another process was first to make {}", path.name)
        except OSError:  # a file system without hard links
            os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _make_tables(connection: "apsw.Connection") -> None:
    connection.execute(SCHEMA)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}").fetchall()


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a file cannot be used; ``is_foreign`` where it is no state of ours."""

    trouble: Sentence
    is_foreign: bool = False


def _fault_of(path: Path) -> _Fault | None:
    """Return why a file that is there cannot be used, or None."""
    if not path.exists():
        return None
    try:
        with closing(_connect(path)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchall()[0]
            (version,) = connection.execute("PRAGMA user_version").fetchall()[0]
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0]
    except _damage():
        return _damaged(path)
    if application != APPLICATION_ID:
        foreign = Sentence("{name} was no state of ours and was put aside as {name}.aside.", name=path.name)
        return _Fault(foreign, is_foreign=True) if tables else _damaged(path)
    if version != VERSION:
        return _Fault(
            Sentence("{name} was of another version: it was made again, without the history.", name=path.name)
        )
    return None


def _damaged(path: Path) -> _Fault:
    return _Fault(Sentence("{name} was damaged: it was made again, without the history.", name=path.name))


_held: "list[StateDatabase]" = []


def _before_fork() -> None:
    """Let no transaction be cut in two: SQLite would take its locks for held in the process that is forked off."""
    _held[:] = [state for state in list(_open.values()) if state.lock.acquire(timeout=_BUSY_MS / 1000)]


def _go_on() -> None:
    while _held:
        _held.pop().lock.release()


def _begin_anew() -> None:
    """Hold no lock and no connection of the process that this one was forked off."""
    global _opening
    _opening = threading.Lock()
    _held.clear()
    for state in list(_open.values()):
        state.begin_anew()


around_fork(_before_fork, _go_on)
at_fork(_begin_anew)


def _damage() -> "tuple[type[apsw.Error], ...]":
    import apsw

    return apsw.NotADBError, apsw.CorruptError


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and the inode of a file, or None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
