"""What ``nanobot-memory doctor`` says about the index."""

from collections.abc import Iterator
from importlib import metadata

from nanobot_memory_plugins.core import Finding, Health, Level, StoreError, StoreStatus
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.service import EmbeddingStatus
from nanobot_memory_plugins.storage.memory_index import MemoryIndex

# Seconds to wait for a model: one that is on this machine has only to be loaded, which takes long where much is done.
_MODEL_SECONDS, _HERE_SECONDS = 5.0, 25.0
_APSW = "Install it: `pip install apsw`"
_VEC = 'Install it: `pip install "nanobot-memory-storage[vec]"`'
_WHEEL = "Install apsw from a wheel: `pip install --force-reinstall --only-binary :all: apsw`"
_REBUILD = "Build it again from the files: `nanobot-memory index --rebuild`"
_LEVELS = {
    Level.HYBRID: "0: vectors in sqlite-vec, and full text",
    Level.NUMPY: "1: vectors compared by numpy, and full text",
    Level.FULL_TEXT: "2: full text only",
    Level.MARKDOWN: "3: the Markdown files are scanned",
}


def findings(index: MemoryIndex) -> list[Finding]:
    """Return one finding a fact, each with a hint where it is not good. It blocks."""
    index.embedding.wait(_HERE_SECONDS if index.embedding.is_here() else _MODEL_SECONDS)
    status = index.refresh()
    embedding = index.embedding.status()
    best = Level.HYBRID if embedding.is_wanted else Level.FULL_TEXT
    return [
        *_engine(),
        _level(status, best if index.is_wanted else None),
        _embedding(embedding, is_here=index.embedding.is_here()),
        *_health(index, status),
    ]


def _engine() -> Iterator[Finding]:
    try:
        import apsw
    except ImportError:
        yield Finding("SQLite", "apsw cannot be imported, so there is no index", Health.BAD, _APSW)
        return
    yield Finding(
        "SQLite",
        Sentence(
            "{sqlitelibversion} (apsw {apswversion})",
            sqlitelibversion=apsw.sqlitelibversion(),
            apswversion=apsw.apswversion(),
        ),
    )
    if "ENABLE_FTS5" not in apsw.compile_options:
        yield Finding("full-text search", "this SQLite has no FTS5", Health.BAD, _WHEEL)
    try:
        import sqlite_vec  # noqa: F401
    except ImportError:
        yield Finding("sqlite-vec", "not installed; numpy compares the vectors", Health.DEGRADED, _VEC)
    else:
        yield Finding("sqlite-vec", metadata.version("sqlite-vec"))


def _level(status: StoreStatus, best: Level | None) -> Finding:
    """Return what is searched. ``best`` is what the configuration asks for; None is the files alone."""
    health = Health.BAD if status.level is Level.MARKDOWN else Health.DEGRADED
    if best is None:
        health = Health.DEGRADED  # as it was asked for
    elif status.level <= best:
        health = Health.GOOD
    state = Sentence(_LEVELS[status.level])
    if status.reason:
        state = Sentence("{level} ({reason})", level=state, reason=Sentence.of(status.reason))
    return Finding("search level", state, health, status.hint)


def _embedding(report: EmbeddingStatus, *, is_here: bool) -> Finding:
    if report.model:
        return Finding("embedding model", report.model)
    if not report.is_wanted:
        return Finding("embedding model", "turned off")
    if report.is_loading:
        state = Sentence(
            "being loaded ({progress:.0%}, {activity})" if report.activity else "being loaded",
            progress=report.progress,
            activity=Sentence.of(report.activity),
        )
        if is_here:
            return Finding("embedding model", Sentence("on this machine, {told}", told=state), Health.INFO)
        return Finding(
            "embedding model",
            state,
            Health.DEGRADED,
            "`nanobot-memory models pull` waits for it; until then words alone are searched.",
        )
    return Finding("embedding model", report.reason, Health.DEGRADED, report.hint)


def _health(index: MemoryIndex, status: StoreStatus) -> Iterator[Finding]:
    parts = [Sentence("passages: {documents:,}, files: {files:,}", documents=status.documents, files=status.files)]
    if status.pending_bytes:
        parts.append(Sentence("{pending:,} bytes of the files waiting", pending=status.pending_bytes))
    if status.pending_vectors:
        parts.append(Sentence("{pending:,} passages waiting for their vector", pending=status.pending_vectors))
    yield Finding("index", Sentence.joined(parts))
    if status.level is not Level.MARKDOWN:
        yield Finding(
            "indexer",
            "this process keeps the index up to date"
            if status.indexing_here
            else "another process keeps the index up to date",
        )
    if index.database is not None:
        try:
            from nanobot_memory_plugins.storage.database import Database

            Database.open(index.database).close()  # which reads and checks all of it
        except StoreError as error:
            yield Finding("index integrity", error.cause, Health.BAD, error.hint or _REBUILD)
