"""The findings of ``nanobot-memory doctor`` about the index."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import apsw

from nanobot_memory_plugins.core import Finding, Health, Level, StoreError, StoreStatus
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.service import EmbeddingStatus
from nanobot_memory_plugins.storage.index_location import files_put_aside

_REBUILD = "Build it again from the files: `nanobot-memory index --rebuild`"
_LEVELS = {
    Level.HYBRID: "0: vectors in sqlite-vec, and full text",
    Level.NUMPY: "1: vectors compared by numpy, and full text",
    Level.FULL_TEXT: "2: full text only",
    Level.MARKDOWN: "3: the Markdown files are scanned",
}


def findings(
    status: StoreStatus, embedding: EmbeddingStatus, database: Path | None, *, uses_index: bool
) -> list[Finding]:
    """Return one finding per fact, with a hint where it is not good. It blocks.

    ``uses_index`` tells whether the configuration asks for an index.
    """
    best = Level.HYBRID if embedding.is_enabled else Level.FULL_TEXT
    return [
        Finding(
            "SQLite",
            Sentence(
                "{sqlitelibversion} (apsw {apswversion})",
                sqlitelibversion=apsw.sqlitelibversion(),
                apswversion=apsw.apswversion(),
            ),
        ),
        _search_level(status, best if uses_index else None),
        _embedding_model(embedding),
        *_index_health(status, database),
    ]


def _search_level(status: StoreStatus, best: Level | None) -> Finding:
    """Return the finding about the search level. ``best`` is the configured level; None means only the files."""
    health = Health.BAD if status.level is Level.MARKDOWN else Health.DEGRADED
    if best is None:
        health = Health.DEGRADED  # as it was asked for
    elif status.level <= best:
        health = Health.GOOD
    state = Sentence(_LEVELS[status.level])
    if status.reason:
        state = Sentence("{level} ({reason})", level=state, reason=Sentence.of(status.reason))
    return Finding("search level", state, health, status.hint)


def _embedding_model(status: EmbeddingStatus) -> Finding:
    if status.model:
        return Finding("embedding model", status.model)
    if not status.is_enabled:
        return Finding("embedding model", "turned off")
    if status.is_loading:
        hint = Sentence("`nanobot-memory models pull` waits for it; until then words alone are searched.")
        return Finding("embedding model", status.reason, Health.INFO, hint)
    return Finding("embedding model", status.reason, Health.DEGRADED, status.hint)


def _index_health(status: StoreStatus, database: Path | None) -> Iterator[Finding]:
    parts = [Sentence("passages: {documents:,}, files: {files:,}", documents=status.documents, files=status.files)]
    if status.pending_bytes:
        parts.append(Sentence("{pending:,} bytes of the files waiting", pending=status.pending_bytes))
    if status.pending_vectors:
        parts.append(Sentence("{pending:,} passages waiting for their vector", pending=status.pending_vectors))
    yield Finding("index", Sentence.joined(parts))
    for path in files_put_aside(database) if database is not None else ():
        yield Finding(
            "index",
            "the former file was damaged or not our index: it was put aside, and the index rebuilt from the files",
            Health.DEGRADED,
            Sentence("`rm {file}` if nobody needs it.", file=shlex.quote(str(path))),
        )
    if status.level is not Level.MARKDOWN:
        yield Finding(
            "indexer",
            "this process keeps the index up to date"
            if status.indexing_here
            else "another process keeps the index up to date",
        )
    if database is not None:
        try:
            Database.open(database).close()  # which reads and checks all of it
        except StoreError as error:
            yield Finding("index integrity", error.cause, Health.BAD, error.hint or _REBUILD)
