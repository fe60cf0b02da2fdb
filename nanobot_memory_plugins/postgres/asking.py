"""One question to the server: what it holds of all machines, and what this one has not sent yet."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from nanobot_memory_plugins.core import Clock, Embedder, Hit, Query, SearchResult, Tier, logger
from nanobot_memory_plugins.postgres.database.connection import Connection, plain_errors, run, table, together
from nanobot_memory_plugins.postgres.database.shipping import states_of
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import of_tenant
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.search import ServerRows, ServerVectors, ServerWords
from nanobot_memory_plugins.search.documents import FileState
from nanobot_memory_plugins.search.index_searcher import IndexSearcher, embedded_part
from nanobot_memory_plugins.search.indexer.tail import TailReader
from nanobot_memory_plugins.search.options import SearchOptions
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places

TAIL_BYTES: Final = 1_000_000
"""Of the files, that a search reads beside the server's answer."""
_REMEMBERED = 64


class Asking:
    """Searches the server over whichever connection it is given. Safe from any thread."""

    def __init__(
        self,
        whose: TenantOwner,
        places: Places,
        chunking: Chunking,
        options: PostgresOptions,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
    ) -> None:
        self._whose = whose
        self._tail = TailReader(places, chunking)
        self._options = SearchOptions.model_validate(
            {name: getattr(options, name) for name in SearchOptions.model_fields}
        )
        self._clock = clock
        self._embedder = embedder
        self._lock = threading.Lock()
        self._vectors: dict[tuple[str, str], list[float]] = {}
        # Looks at what was sent, by the order in which they began: of two the later one holds, whichever ends last.
        self._looks = self._newest = 0
        self._revision = -1
        self.sent: dict[str, FileState] = {}

    def was_sent(self, states: dict[str, FileState]) -> None:
        """Learn how far each file of this machine was sent, by the sender of this process."""
        with self._lock:
            self._looks = self._newest = self._looks + 1
            self.sent, self._revision = states, -1

    def embed(self, query: Query) -> None:
        """Make the vector of a query, and keep it for the search that follows: no connection waits for a model."""
        embedder = self._embedder()
        if embedder is None or not query.use_vectors or query.tier is Tier.LIGHT or not query.text.strip():
            return
        text = embedded_part(query.text)
        if self._vector(embedder.name, text) is not None:
            return
        try:
            self._keep_vector(embedder.name, text, embedder.encode(text)[0])
        except Exception as error:  # a model may fail in any way; words do without it
            logger.warning("a query could not be embedded: {}", type(error).__name__)

    def search(self, connection: Connection, query: Query) -> SearchResult:
        """Return the best hits. Raises `StoreError`."""
        with plain_errors(), together(connection):
            states = self._states(connection)
            tail = self._tail.documents(states, most_bytes=TAIL_BYTES)
            return self._searcher(connection, query).search(query, tail=tail)

    def read(self, connection: Connection, key: str) -> Hit | None:
        """Return one passage by its key. Raises `StoreError`."""
        return self._searcher(connection).read(key)

    def passages(self, connection: Connection) -> dict[str, int]:
        """Return how many passages each machine has on the server. Raises `StoreError`."""
        sql = (
            f"SELECT c.machine, count(*) FROM {table('chunk')} c WHERE {of_tenant(self._whose.tenant, 'c')} "
            "GROUP BY c.machine ORDER BY c.machine"
        )
        return {str(row[0]): int(row[1]) for row in run(connection, sql)}

    def lacks_vectors(self, connection: Connection, space: str) -> bool:
        """Tell whether a passage of this machine has no vector in a space, or searches do not use the space yet."""
        sql = (
            f"SELECT EXISTS (SELECT 1 FROM {table('chunk')} c WHERE {of_tenant(self._whose.tenant, 'c')} "
            f"AND c.machine = %(machine)s AND (NOT EXISTS (SELECT 1 FROM {table('embedding')} e "
            f"WHERE {of_tenant(self._whose.tenant, 'e')} AND e.id = c.id AND e.space = "
            f"(SELECT number FROM {table('space')} WHERE name = %(space)s)) OR NOT EXISTS "
            # The sender says so in a statement of its own, behind the last of the vectors.
            f"(SELECT 1 FROM {table('active_space')} a JOIN {table('space')} s ON s.number = a.number "
            f"WHERE {of_tenant(self._whose.tenant, 'a')} AND s.name = %(space)s)))"
        )
        row = run(connection, sql, {"machine": self._whose.machine, "space": space}).fetchone()
        return bool(row and row[0])

    def _vector(self, name: str, text: str) -> list[float] | None:
        """Return a vector that was made for a query a moment ago."""
        with self._lock:
            return self._vectors.get((name, text))

    def _keep_vector(self, name: str, text: str, vector: list[float]) -> None:
        """Keep a query's vector for some more queries."""
        with self._lock:
            while len(self._vectors) >= _REMEMBERED:
                self._vectors.pop(next(iter(self._vectors)))
            self._vectors[name, text] = vector

    def _states(self, connection: Connection) -> dict[str, FileState]:
        """Return how far the files were sent, whichever process does it; read again only when that has changed."""
        with self._lock:
            self._looks = look = self._looks + 1
            sent, known = self.sent, self._revision
        sql = (
            f"SELECT c.revision FROM {table('machine')} c WHERE {of_tenant(self._whose.tenant, 'c')} AND c.machine = %s"
        )
        row = run(connection, sql, (self._whose.machine,)).fetchone()
        revision = int(row[0]) if row else 0
        if revision == known:
            return sent
        found = states_of(connection, self._whose)
        with self._lock:
            if look > self._newest:
                self._newest, self.sent, self._revision = look, found, revision
        return found

    def _searcher(self, connection: Connection, query: Query | None = None) -> IndexSearcher:
        return IndexSearcher(
            ServerWords(connection, self._whose),
            ServerRows(connection, self._whose),
            ServerVectors(connection, self._whose),
            lambda: self._made_for(query) if query is not None else None,
            options=self._options,
            clock=self._clock,
            errors=plain_errors,
        )

    def _made_for(self, query: Query) -> "_Made | None":
        embedder = self._embedder()
        vector = self._vector(embedder.name, embedded_part(query.text)) if embedder is not None else None
        return _Made(embedder.name, embedder.dimension, vector) if embedder is not None and vector is not None else None


@dataclass(frozen=True, slots=True)
class _Made:
    """An `Embedder` of one query, whose vector was made before."""

    name: str
    dimension: int
    vector: list[float]

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return the vector."""
        return [self.vector]
