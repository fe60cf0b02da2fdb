"""The pool of connections for searches, separate from the indexer's, and what happens while the index is unusable."""

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
from nanobot_memory_plugins.storage.sqlite import translate_errors

T = TypeVar("T")

# Seconds between attempts to open a database that is being created, and from a failure to the next attempt.
_POLL_SECONDS, _RETRY_SECONDS = 0.02, 0.2
NOT_OPEN = StoreError("The index is not open yet.")
"""The trouble of an index that was not opened yet."""


@dataclass(slots=True)
class Reader:
    """One connection with its searcher, for one thread at a time."""

    database: Database
    searcher: Searcher
    inode: int
    _version: int = -1
    _states: dict[str, FileState] = field(default_factory=dict)

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest, which is read again only after the database has changed."""
        version = self.database.data_version()
        if version != self._version:
            self._states = self.database.file_states()
            self._version = version
        return self._states


class Readers:
    """A pool of readers that creates them on demand. Safe to use from any thread.

    While the database cannot be used `use` returns None and ``trouble`` says why; a later call tries again. The indexer
    creates the file and replaces a damaged one: ``on_failure`` is called when a usable database starts to fail.
    """

    def __init__(self, path: Path, searcher: Callable[[Database], Searcher], on_failure: Callable[[], None]) -> None:
        self._trouble: StoreError | None = NOT_OPEN
        self._path = path
        self._searcher = searcher
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False
        self._retry_at = 0.0

    @property
    def trouble(self) -> StoreError | None:
        """The reason why the database cannot be used, or None while it can."""
        return StoreError("The store is closed.") if self._closed else self._trouble

    def open(self, patience: float, is_failed: Callable[[], object] = lambda: False) -> None:
        """Wait up to ``patience`` seconds until a reader of the present file can be opened.

        It gives up early when ``is_failed`` returns something true: then nobody can create the file.
        """
        ends = time.monotonic() + patience
        self._trouble = NOT_OPEN
        while self.use(Reader.file_states) is None and not is_failed() and time.monotonic() < ends:
            self._retry_at = 0.0
            time.sleep(_POLL_SECONDS)
        if self._trouble is not None:
            self._log_trouble()

    def use(self, function: Callable[[Reader], T]) -> T | None:
        """Call ``function`` with a reader and return its result, or None when the database cannot be used now."""
        if self._closed or (self._trouble is not None and time.monotonic() < self._retry_at):
            return None
        reader = None
        try:
            with translate_errors(self._path):
                reader = self._take_reader()
                reader.file_states()  # fails here if the database cannot be used
                self._trouble = None
                result = function(reader)
        except StoreError as error:
            self._note_failure(error)
        except Exception as error:  # a fault in the program that one query brings out; others may go well
            logger.warning("a search failed and is made by reading the files: {}", type(error).__name__)
        else:
            self._give_back(reader)
            return result
        if reader is not None:
            reader.database.close()
        return None

    def close(self) -> None:
        """Close the idle readers; those in use are closed when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.database.close()

    def _note_failure(self, error: StoreError) -> None:
        """Record why the database cannot be used."""
        was_usable = self._trouble is None
        self._trouble = StoreError(error.cause, hint=error.hint)  # a raised one would keep its frames alive
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        if was_usable and not self._closed:
            self._log_trouble()
            self._on_failure()

    def _take_reader(self) -> Reader:
        """Return a reader of the file that is at the path now."""
        current_inode = inode(self._path)
        while True:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                database = Database.open(self._path, read_only=True)
                try:
                    return Reader(database, self._searcher(database), current_inode)
                except BaseException:
                    database.close()
                    raise
            if reader.inode == current_inode:
                return reader
            reader.database.close()  # the file was replaced since

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(reader)
                return
        reader.database.close()

    def _log_trouble(self) -> None:
        logger.warning("the index cannot be used, the memory files are searched themselves: {}", self._trouble)
