"""The connections to the index: opened so that nobody meets a half-made file, lent to searches, tried again."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import filelock

from nanobot_memory_plugins.core import NanobotMemoryError, StoreError, logger
from nanobot_memory_plugins.core.files.private import make_missing, private_lock
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.index_location import remove_index
from nanobot_memory_plugins.storage.indexer.session import inode

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search.searcher import Searcher

T = TypeVar("T")

# Seconds that an opener waits for another one, which may be checking a large index.
_LONGEST_WAIT = 20.0
# Seconds after which a database that could not be used is tried again.
_RETRY = 2.0
NOT_OPEN = StoreError("The index is not open yet.")
"""What is wrong with an index before it was opened."""


class DatabaseOpener:
    """Opens one index, for writing and for reading, in whichever process and thread.

    Making the file, checking it and putting a damaged one aside are several steps. Whoever takes them holds the lock
    file beside the database meanwhile. Everything here raises `StoreError` when the database cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def for_writing(self) -> "Database":
        """Open the index, or make it; a damaged one is put aside, and a new one begun."""
        from nanobot_memory_plugins.storage.database import Database

        with self._alone():
            return Database.open(self.path)

    def for_reading(self) -> "Database":
        """Open the index as it stands, or make it. A damaged one is left for a writer to put aside."""
        from nanobot_memory_plugins.storage.database import CorruptIndexError, Database

        try:
            return Database.open(self.path, read_only=True)
        except StoreError as error:
            if isinstance(error, CorruptIndexError) or is_locked(error):
                raise
            logger.debug("the index cannot be read as it stands: {}", error.cause)
        self.for_writing().close()
        return Database.open(self.path, read_only=True)

    def remove(self) -> None:
        """Remove the index: whoever has it open makes it again. Raises `StoreError`."""
        from nanobot_memory_plugins.storage.database.connection import plain_errors

        with self._alone(), plain_errors(self.path):
            remove_index(self.path)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = private_lock(self.path.with_name(f"{self.path.name}.opening.lock"))
        try:
            make_missing(self.path.parent)
            lock.acquire(timeout=_LONGEST_WAIT)
        except filelock.Timeout as error:
            raise StoreError(
                Sentence("The index {name} is being opened by another process all the time.", name=self.path.name),
                hint="End the process that hangs.",
            ) from error
        except OSError as error:
            raise StoreError(
                Sentence(
                    "The index {path} cannot be opened ({why}).",
                    path=self.path,
                    why=error.strerror or type(error).__name__,
                ),
                hint="Check that its folder can be written.",
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                lock.release()


@dataclass(slots=True)
class Reader:
    """One connection with its searcher. One thread at a time uses it."""

    database: "Database"
    searcher: "Searcher"
    inode: int
    _version: int = -1
    _states: dict[str, FileState] = field(default_factory=dict)

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest, read again only when somebody wrote to the database."""
        version = self.database.data_version()
        if version != self._version:
            self._states = self.database.file_states()
            self._version = version
        return self._states


class Readers:
    """Lends readers, and keeps those that come back for the next time. Safe from any thread.

    When opening one fails, nobody waits for the next attempt: it is made by a thread of its own, and until it succeeds
    `use` has no answer, and ``trouble`` says why. ``failed`` is called when that begins.
    """

    def __init__(
        self, opener: DatabaseOpener, searcher: "Callable[[Database], Searcher]", failed: Callable[[], None]
    ) -> None:
        self._opener = opener
        self._searcher = searcher
        self._failed = failed
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False
        self._retry_at = 0.0
        self._retrying: threading.Thread | None = None
        self.trouble: StoreError | None = NOT_OPEN

    def open(self, patience: float) -> None:
        """Open a first reader. After ``patience`` seconds it is left to the thread that does it."""
        self._retry_soon().join(patience)

    def use(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of a reader, or None when the database cannot be used now."""
        if self.trouble is not None:
            self._retry_soon()
            return None
        reader = None
        try:
            reader = self._take()
            result = function(reader)
        except Exception as error:  # SQLite and the file system fail in many ways, and searches go on
            if reader is not None:
                reader.database.close()
            if reader is None or isinstance(error, StoreError):
                self._note(error)
            else:  # a fault in the program that one query brings out; others may go well
                logger.warning("a search failed and is made by reading the files: {}", type(error).__name__)
            return None
        self._give_back(reader)
        return result

    def close(self) -> None:
        """Close the readers; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            self.trouble = StoreError("The store is closed.")
            idle, self._idle = self._idle, []
            retrying = self._retrying
        for reader in idle:
            reader.database.close()
        if retrying is not None:
            retrying.join(_RETRY)

    def _take(self) -> Reader:
        """Return a reader of the database that stands at the path now."""
        number = inode(self._opener.path)
        while True:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                database = self._opener.for_reading()
                return Reader(database, self._searcher(database), inode(self._opener.path))
            if reader.inode == number:
                return reader
            reader.database.close()  # the file was replaced, and this is the former one

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(reader)
                return
        reader.database.close()

    def _note(self, error: Exception) -> None:
        trouble = trouble_of(error)
        self._retry_at = time.monotonic() + _RETRY
        with self._lock:
            if self._closed:
                return
            known, self.trouble = self.trouble, trouble
        if known is None or trouble.cause != known.cause:
            logger.warning("the index cannot be used, the memory files are searched themselves: {}", trouble)
        self._failed()

    def _retry_soon(self) -> threading.Thread:
        """Try again in a thread, when it is time and nobody does; return the last one that did."""
        with self._lock:
            thread = self._retrying
            is_time = not self._closed and time.monotonic() >= self._retry_at
            if thread is None or (is_time and not thread.is_alive()):
                thread = threading.Thread(target=self._retry, name="nanobot-memory-open", daemon=True)
                self._retrying = thread
                thread.start()
            return thread

    def _retry(self) -> None:
        try:
            reader = self._take()
            reader.file_states()
        except Exception as error:  # as above
            self._note(error)
            return
        with self._lock:
            if not self._closed:
                self.trouble = None
        self._give_back(reader)


def is_locked(error: StoreError) -> bool:
    """Tell whether another process keeps the database from us."""
    import apsw

    return isinstance(error.__cause__, apsw.BusyError | apsw.LockedError)


def trouble_of(error: Exception) -> StoreError:
    """Return an error for people; nothing of what an unknown exception says, which may be user data."""
    if isinstance(error, NanobotMemoryError):
        return StoreError(error.cause, hint=error.hint)  # without the frames that a raised one holds
    if isinstance(error, ImportError):
        return StoreError(
            Sentence("The package {name} cannot be imported.", name=error.name),
            hint='Install it with: pip install "nanobot-memory-storage"',
        )
    why = error.strerror if isinstance(error, OSError) else None
    return StoreError(
        Sentence("The index cannot be used ({why}).", why=why or type(error).__name__),
        hint="Check its folder." if isinstance(error, OSError) else "Try: nanobot-memory index --rebuild",
    )
