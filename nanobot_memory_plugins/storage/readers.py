"""The connections that searches use, apart from the indexer's."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.storage.documents import FileState

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.search import Searcher


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
    """Lends readers, and keeps those that come back for the next search. Safe from any thread."""

    def __init__(self, path: Path, open_reader: Callable[[], tuple["Database", "Searcher"]]) -> None:
        self._path = path
        self._open = open_reader
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._closed = False

    @contextmanager
    def lent(self) -> Iterator[Reader]:
        """Lend a reader of the database that stands at the path now. One that fails is not lent again.

        Raises what opening the database raises.
        """
        reader = self._take()
        try:
            yield reader
        except BaseException:
            reader.database.close()
            raise
        with self._lock:
            keep = not self._closed
            if keep:
                self._idle.append(reader)
        if not keep:
            reader.database.close()

    def close(self) -> None:
        """Close the readers; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.database.close()

    def _take(self) -> Reader:
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

    def _inode(self) -> int:
        try:
            return self._path.stat().st_ino
        except OSError:
            return 0
