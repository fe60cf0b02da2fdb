"""The connections that searches use, apart from the indexer's, and the times when there can be none."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nanobot_memory_plugins.core import NanobotMemoryError, StoreError, logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.indexer.session import inode

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search.searcher import Searcher

T = TypeVar("T")

# Seconds: between looks at a database that is being made, and from a failure to the next try.
_POLL, _REST = 0.02, 0.2
NOT_OPEN = StoreError("The index is not open yet.")
"""What is wrong with an index before it was opened."""


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

    While the database cannot be used `use` has no answer, and ``trouble`` says why; a later use tries again. The
    indexer makes the file, and puts a damaged one aside: ``failed`` is called when a reader that was open fails.
    """

    def __init__(self, path: Path, searcher: "Callable[[Database], Searcher]", failed: Callable[[], None]) -> None:
        self.trouble: StoreError | None = NOT_OPEN
        self._path = path
        self._searcher = searcher
        self._failed = failed
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False
        self._rest_until = 0.0

    def open(self, patience: float, is_hopeless: Callable[[], object] = lambda: False) -> None:
        """Open a first reader, or one of a new file: it is waited for ``patience`` seconds.

        Where ``is_hopeless`` says that nobody can make the file it is not waited for.
        """
        ends = time.monotonic() + patience
        while not self._can_open() and not is_hopeless() and time.monotonic() < ends:
            time.sleep(_POLL)
        if self.trouble is not None:
            self._log_trouble()

    def use(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of a reader, or None when the database cannot be used now."""
        from nanobot_memory_plugins.storage.database.connection import plain_errors

        if self.trouble is not None and (time.monotonic() < self._rest_until or not self._can_open()):
            return None
        reader = None
        try:
            reader = self._take_reader()
            with plain_errors(self._path):
                result = function(reader)
        except Exception as error:  # SQLite and the file system fail in many ways, and searches go on
            if reader is not None:
                reader.database.close()
            if reader is not None and not isinstance(error, StoreError):
                # A fault in the program that one query brings out; others may go well.
                logger.warning("a search failed and is made by reading the files: {}", type(error).__name__)
            elif not self._closed:
                self.trouble = trouble_of(error)
                self._log_trouble()
                self._failed()
            return None
        self._give_back(reader)
        return result

    def close(self) -> None:
        """Close the readers; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            self.trouble = StoreError("The store is closed.")
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.database.close()

    def _can_open(self) -> bool:
        """Tell whether the database can be used, after a time when it could not be."""
        if self._closed:
            return False
        reader = None
        try:
            reader = self._take_reader()
            reader.file_states()
        except Exception as error:  # as above
            if reader is not None:
                reader.database.close()
            self.trouble = trouble_of(error)
            self._rest_until = time.monotonic() + _REST
            return False
        self._give_back(reader)
        with self._lock:
            self.trouble = self.trouble if self._closed else None
        return self.trouble is None

    def _take_reader(self) -> Reader:
        """Return a reader of the database that is at the path now."""
        from nanobot_memory_plugins.storage.database import Database

        number = inode(self._path)
        while True:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                database = Database.open(self._path, read_only=True)
                try:
                    return Reader(database, self._searcher(database), number)
                except BaseException:
                    database.close()
                    raise
            if reader.inode == number:
                return reader
            reader.database.close()  # the file was replaced, and this is the former one

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(reader)
                return
        reader.database.close()

    def _log_trouble(self) -> None:
        logger.warning("the index cannot be used, the memory files are searched themselves: {}", self.trouble)


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
