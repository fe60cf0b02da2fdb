"""Our own search on a labelled set."""

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet
from benchmarks.retrieval.exchange import RANKED, Answer, write_answers
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Origin, Query, Scope
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.embedding import EmbeddingOptions, open_embedder
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher

_BATCH = 256


def run_ours(labelled: LabelledSet, target: Path, *, no_embeddings: bool) -> None:
    """Search every question of a set in its own group with the default options, and write the run to ``target``."""
    embedder = None if no_embeddings else open_embedder(EmbeddingOptions())
    write_answers(target, _answers(labelled, embedder))


def _answers(labelled: LabelledSet, embedder: Embedder | None) -> Iterator[Answer]:
    with tempfile.TemporaryDirectory() as temporary:
        database = Database.open(Path(temporary) / "memory.db")
        _fill(database, [_document_of(record) for record in labelled.documents], embedder)
        searcher = Searcher(database, lambda: embedder, options=SearchOptions(), clock=SystemClock())
        for question in labelled.questions:
            query = Query(question.text, limit=RANKED, scope=Scope(agent=question.group))
            yield Answer(question.id, [hit.id for hit in searcher.search(query).hits], ())
        database.close()


def _document_of(record: LabelledDocument) -> Document:
    """Return a record as the indexer would have read it from a transcript of its session."""
    return Document(
        key=record.id,
        path=f"memory/sessions/{record.group}-{record.session}.jsonl",
        line=record.order + 1,
        offset=record.order,
        ordinal=record.order,
        source="transcript",
        text=record.text,
        content_hash=hashlib.sha256(record.text.encode()).hexdigest(),
        origin=Origin.ASSISTANT if record.role == "assistant" else Origin.USER,
        scope=Scope(agent=record.group, session=record.session),
        speaker=record.speaker,
        time=record.ts,
    )


def _fill(database: Database, documents: list[Document], embedder: Embedder | None) -> None:
    for path in dict.fromkeys(document.path for document in documents):
        own = tuple(document for document in documents if document.path == path)
        database.apply(FileChange(path, FileState(path, 1, "", 1, 0), own))
    while embedder is not None and (waiting := database.documents_without_vector(embedder.name, _BATCH)):
        vectors = embedder.encode([text for _, text in waiting])
        database.put_vectors(embedder.name, [(row, vector) for (row, _), vector in zip(waiting, vectors, strict=True)])
