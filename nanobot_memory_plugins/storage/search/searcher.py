"""Searching one SQLite index."""

from collections.abc import Callable
from functools import partial

from nanobot_memory_plugins.core import Clock, Embedder, Level
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.database.connection import plain_errors
from nanobot_memory_plugins.storage.index_searcher import IndexSearcher
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.search.full_text import FullText
from nanobot_memory_plugins.storage.search.rows import Rows
from nanobot_memory_plugins.storage.search.vector_matrix import RESIDENT_BYTES, VectorMatrix


class Searcher(IndexSearcher):
    """Searches one database. It belongs to one thread at a time, as its database does.

    Vectors that take more than ``resident_bytes`` stay on the disk.
    """

    def __init__(
        self,
        database: Database,
        embedder: Callable[[], Embedder | None],
        *,
        options: SearchOptions,
        clock: Clock,
        resident_bytes: int = RESIDENT_BYTES,
    ) -> None:
        super().__init__(
            FullText(database.connection),
            Rows(database.connection),
            VectorMatrix(database, resident_bytes=resident_bytes),
            embedder,
            options=options,
            clock=clock,
            hybrid=Level.HYBRID if database.has_vec else Level.NUMPY,
            errors=partial(plain_errors, database.path),
        )
