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

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search.searcher import Searcher

T = TypeVar("T")

# Seconds after which a database that could not be used is tried again.
_RETRY = 2.0


@dataclass(frozen=True, slots=True)
class Degradation:
    """Why the database cannot be used, for people."""

    reason: str
    hint: str


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
    `use` has no answer. ``failed`` is called when that begins.
    """

    def __init__(
        self, path: Path, open_reader: Callable[[], tuple["Database", "Searcher"]], failed: Callable[[], None]
    ) -> None:
        self._path = path
        self._open = open_reader
        self._failed = failed
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False
        self._retry_at = 0.0
        self._retrying: threading.Thread | None = None
        self.trouble: Degradation | None = Degradation("The index is not open yet.", "")

    def open(self, patience: float) -> None:
        """Open a first reader. After ``patience`` seconds it is left to the thread that does it."""
        self._retry_soon()
        retrying = self._retrying
        if retrying is not None:
            retrying.join(patience)

    def use(self, function: Callable[[Reader], T]) -> T | None:
        """Return what ``function`` makes of a reader, or None when the database cannot be used now."""
        if self.trouble is not None:
            self._retry_soon()
            return None
        try:
            reader = self._take()
        except Exception as error:  # SQLite and the file system fail in many ways, and searches go on
            self._note(error)
            return None
        try:
            result = function(reader)
        except StoreError as error:
            reader.database.close()
            self._note(error)
            return None
        except Exception as error:  # a fault in the program that one query brings out; others may go well
            reader.database.close()
            logger.warning("a search failed and is made by reading the files: {}", type(error).__name__)
            return None
        self._give_back(reader)
        return result

    def close(self) -> None:
        """Close the readers; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            retrying = self._retrying
        self.trouble = Degradation("The store is closed.", "")
        for reader in idle:
            reader.database.close()
        if retrying is not None:
            retrying.join(_RETRY)

    def _take(self) -> Reader:
        """Return a reader of the database that stands at the path now."""
        inode = self._inode()
        while True:
            with self._lock:
                if self._closed:
                    raise StoreError("The store is closed.")
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                database, searcher = self._open()
                return Reader(database, searcher, self._inode())
            if reader.inode == inode:
                return reader
            reader.database.close()  # the file was replaced, and this is the former one

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            keep = not self._closed
            if keep:
                self._idle.append(reader)
        if not keep:
            reader.database.close()

    def _note(self, error: Exception) -> None:
        trouble = trouble_of(error)
        self._retry_at = time.monotonic() + _RETRY
        with self._lock:
            if self._closed:
                return
            known, self.trouble = self.trouble, trouble
        if trouble != known:
            logger.warning(
                "the index cannot be used, the memory files are searched themselves: {} {}",
                trouble.reason,
                trouble.hint,
            )
        self._failed()

    def _retry_soon(self) -> None:
        """Try again in a thread, when it is time and nobody does."""
        with self._lock:
            busy = self._retrying is not None and self._retrying.is_alive()
            if busy or self._closed or time.monotonic() < self._retry_at:
                return
            self._retrying = threading.Thread(target=self._retry, name="nanobot-memory-open", daemon=True)
            self._retrying.start()

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

    def _inode(self) -> int:
        try:
            return self._path.stat().st_ino
        except OSError:
            return 0


def trouble_of(error: Exception) -> Degradation:
    """Return reason and hint for people; nothing of what an unknown exception says, which may be user data."""
    if isinstance(error, NanobotMemoryError):
        return Degradation(error.cause, error.hint)
    if isinstance(error, ImportError):
        hint = 'Install it with: pip install "nanobot-memory-storage"'
        return Degradation(Sentence("The package {name} cannot be imported.", name=error.name), hint)
    if isinstance(error, OSError):
        return Degradation(
            Sentence("The index cannot be used ({why}).", why=error.strerror or type(error).__name__),
            Sentence("Check its folder."),
        )
    return Degradation(
        Sentence("The index cannot be used ({why}).", why=type(error).__name__),
        Sentence("Try: nanobot-memory index --rebuild"),
    )
