"""Searching one SQLite index."""

from collections.abc import Callable, Sequence
from functools import partial

from nanobot_memory_plugins.core import Clock, Embedder, Level, StoreError
from nanobot_memory_plugins.storage.database import Database, VectorBackend
from nanobot_memory_plugins.storage.database.connection import plain_errors
from nanobot_memory_plugins.storage.index_searcher import IndexSearcher
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.search.full_text import FullText
from nanobot_memory_plugins.storage.search.rows import Rows
from nanobot_memory_plugins.storage.search.vector_matrix import RESIDENT_BYTES, VectorMatrix


class Searcher(IndexSearcher):
    """Searches one database. It belongs to one thread at a time, as its database does.

    Vectors that take more than ``resident_bytes`` stay on the disk. Raises `StoreError` where SQLite has no full-text
    search.
    """

    def __init__(
        self,
        database: Database,
        embedder: Callable[[], Embedder | None],
        *,
        options: SearchOptions,
        clock: Clock,
        resident_bytes: int = RESIDENT_BYTES,
        read: Callable[[str, Sequence[str]], Sequence[float]] | None = None,
    ) -> None:
        if not database.has_fts5:
            raise StoreError("This SQLite has no full-text search.", hint="Install apsw from a wheel.")
        super().__init__(
            FullText(database.connection),
            Rows(database.connection),
            VectorMatrix(database, clock, ttl=options.vector_refresh_ttl, resident_bytes=resident_bytes),
            embedder,
            options=options,
            clock=clock,
            hybrid=Level.HYBRID if database.vector_backend is VectorBackend.VEC0 else Level.NUMPY,
            errors=partial(plain_errors, database.path),
            read=read,
        )
