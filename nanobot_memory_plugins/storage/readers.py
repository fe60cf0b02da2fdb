"""The connections that searches use, apart from the indexer's, and the times when there can be none."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.files.reading import inode
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.search.searcher import Searcher
from nanobot_memory_plugins.storage.sqlite import plain_errors

T = TypeVar("T")

# Seconds: between looks at a database that is being made, and from a failure to the next try.
_POLL, _REST = 0.02, 0.2
NOT_OPEN = StoreError("The index is not open yet.")
"""What is wrong with an index before it was opened."""


@dataclass(slots=True)
class Reader:
    """One connection with its searcher. One thread at a time uses it."""

    database: Database
    searcher: Searcher
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
    indexer makes the file, and puts a damaged one aside: ``failed`` is called when one that could be used fails.
    """

    def __init__(self, path: Path, searcher: Callable[[Database], Searcher], failed: Callable[[], None]) -> None:
        self._trouble: StoreError | None = NOT_OPEN
        self._path = path
        self._searcher = searcher
        self._failed = failed
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False
        self._rest_until = 0.0

    @property
    def trouble(self) -> StoreError | None:
        """Why the database cannot be used, or None while it can."""
        return StoreError("The store is closed.") if self._closed else self._trouble

    def open(self, patience: float, is_hopeless: Callable[[], object] = lambda: False) -> None:
        """Open a first reader, or one of a new file: it is waited for ``patience`` seconds.

        Where ``is_hopeless`` says that nobody can make the file it is not waited for.
        """
        ends = time.monotonic() + patience
        self._trouble = NOT_OPEN
        while self.use(Reader.file_states) is None and not is_hopeless() and time.monotonic() < ends:
            self._rest_until = 0.0
            time.sleep(_POLL)
        if self._trouble is not None:
            self._log_trouble()

    def use(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of a reader, or None when the database cannot be used now."""
        if self._closed or (self._trouble is not None and time.monotonic() < self._rest_until):
            return None
        reader = None
        try:
            with plain_errors(self._path):
                reader = self._take_reader()
                reader.file_states()  # whether the database can be used is seen here
                self._trouble = None
                result = function(reader)
        except StoreError as error:
            self._note(error)
        except Exception as error:  # a fault in the program that one query brings out; others may go well
            logger.warning("a search failed and is made by reading the files: {}", type(error).__name__)
        else:
            self._give_back(reader)
            return result
        if reader is not None:
            reader.database.close()
        return None

    def close(self) -> None:
        """Close the readers; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.database.close()

    def _note(self, error: StoreError) -> None:
        """Learn why the database cannot be used."""
        was_usable = self._trouble is None
        self._trouble = StoreError(error.cause, hint=error.hint)  # without the frames that a raised one holds
        self._rest_until = time.monotonic() + _REST
        if was_usable and not self._closed:
            self._log_trouble()
            self._failed()

    def _take_reader(self) -> Reader:
        """Return a reader of the database that is at the path now."""
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
        logger.warning("the index cannot be used, the memory files are searched themselves: {}", self._trouble)
