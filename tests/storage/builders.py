"""Builders of documents, changes and searchers, with defaults for what a test does not care about."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from nanobot_memory_plugins.core.clock import Clock, ManualClock
from nanobot_memory_plugins.core.values import Origin, Query, SearchResult
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.embedding.local_provider import unit_vectors
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Meaning, Searcher, meaning_of, search_documents
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


def document(name: str, text: str = "", *, path: str = "memory/a.md", **fields: Any) -> Document:
    text = text or f"the text of {name}"
    defaults: dict[str, Any] = {"line": 1, "offset": 0, "source": "note", "origin": Origin.USER, "time": NOW}
    return Document.of(key=name, path=path, text=text, **defaults | fields)


def change(*documents: Document, path: str = "memory/a.md", **fields: Any) -> FileChange:
    state = FileState(path, offset=10, prefix_hash="aa", size=10, mtime_ns=1, line=2, ordinal=len(documents))
    return FileChange(**{"path": path, "state": state, "documents": documents, **fields})


class ChosenVectors:
    """An embedding model with vectors that a test chooses: a text gets that of its last known word."""

    def __init__(self, vectors: dict[str, list[float]], name: str = "chosen") -> None:
        self._vectors = vectors
        self.name = name
        self.dimension = len(next(iter(vectors.values())))
        self.answer: Any = None

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return self.answer
        return [self._vector(text) for text in ([texts] if isinstance(texts, str) else texts)]

    def fill(self, database: Database, limit: int = 10_000) -> None:
        """Embed the texts that have no vector."""
        rows = database.texts_without_vector(self.name, limit)
        database.put_vectors(self.name, [(row_id, self._vector(text)) for row_id, text in rows.items()])

    def _vector(self, text: str) -> list[float]:
        known = [word for word in text.split() if word in self._vectors]
        chosen = self._vectors[known[-1]] if known else [0.0] * (self.dimension - 1) + [1.0]
        return unit_vectors([chosen], source=self.name, dimension=self.dimension)[0]


class ModelSearcher(Searcher):
    """A searcher that computes the meaning of each query with a model."""

    model: ChosenVectors | None = None

    def search(self, query: Query, meaning: Meaning | None = None, *, tail: Sequence[Document] = ()) -> SearchResult:
        return super().search(query, meaning or meaning_of(query, self.model), tail=tail)


def searcher(
    database: Database, model: ChosenVectors | None = None, clock: Clock | None = None, **options: Any
) -> ModelSearcher:
    """Return a searcher with the given options and default ones."""
    resident = options.pop("resident_bytes", 10_000_000)
    index = SqliteIndex(database, resident_bytes=resident)
    result = ModelSearcher(index, SearchOptions(**options), clock or ManualClock(NOW))
    result.model = model
    return result


def search_files(documents: Sequence[Document], query: Query) -> SearchResult:
    """Search without an index."""
    return search_documents(documents, query, SearchOptions(), NOW)
