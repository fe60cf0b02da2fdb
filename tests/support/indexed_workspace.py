"""A workspace with indexers, and the content of its database."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.testing.store_contract import TIME
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange
from nanobot_memory_plugins.storage.embedding.local_provider import unit_vectors
from nanobot_memory_plugins.storage.indexer.worker import Indexer


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Wait generously for a condition, and return whether it became true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def wait_for_scan(indexer: Indexer) -> None:
    """Wait until the present content of the files was scanned."""
    number = indexer.request_scan()
    assert until(lambda: indexer.has_scanned(number))


def message(text: str, id: str = "", *, session: str = "cli:direct") -> bytes:  # noqa: A002
    """Return a transcript line."""
    scope = Scope(session=session)
    record = TranscriptRecord("user", text, session, scope, Origin.USER, id=id or f"id{hash(text):x}", time=TIME)
    return render_transcript_line(record)


def entry(tldr: str, id: str, *, time: datetime = TIME, **fields: Any) -> bytes:  # noqa: A002
    """Return a structured note."""
    return render_note(Note(tldr=tldr, **fields), id=id, time=time, scope=Scope()).encode()


class Workspace(MemoryWorkspace):
    """A workspace with a database, and indexers for it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.changes: list[FileChange] = []

    def indexer(
        self,
        *,
        clock: Clock | None = None,
        max_pending: int = 1_000,
        embedder: Callable[[], Embedder | None] = lambda: None,
        start: bool = True,
    ) -> Indexer:
        workspace = self

        class RecordingDatabase(Database):
            def apply(self, change: FileChange) -> None:
                workspace.changes.append(change)
                super().apply(change)

        indexer = Indexer(
            self.paths,
            lock=self.paths.index_folder / "indexer.lock",
            database=self.paths.database,
            open_index=lambda: RecordingDatabase.open(self.paths.database),
            embedder=embedder,
            clock=clock or SystemClock(),
            chunking=Chunking(),
            max_pending=max_pending,
        )
        if start:
            indexer.start()
        return indexer

    @contextmanager
    def indexing(self, **settings: Any) -> Iterator[Indexer]:
        """Run an indexer, and yield it after its first scan."""
        indexer = self.indexer(**settings)
        try:
            wait_for_scan(indexer)
            yield indexer
        finally:
            indexer.stop()

    def documents(self) -> list[Document]:
        with closing(Database.open(self.paths.database, read_only=True)) as database:
            return sorted(database.documents(), key=lambda document: (document.path, document.ordinal))

    def texts(self) -> list[str]:
        return [document.text for document in self.documents()]


class HashEmbedder:
    """An embedder without a model, whose vectors depend only on the text."""

    def __init__(self, name: str = "hash-1", dimension: int = 8) -> None:
        self.name = name
        self.dimension = dimension
        self.encoded: list[str] = []

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        batch = [texts] if isinstance(texts, str) else list(texts)
        self.encoded += batch
        rows = [[1.0 + (sum(text.encode()) * (place + 1)) % 17 for place in range(self.dimension)] for text in batch]
        return unit_vectors(rows, source=self.name)
