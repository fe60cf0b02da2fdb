"""One search, from query to hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Hit, Level, Query, SearchResult, Tier
from nanobot_memory_plugins.storage.database import Database, VectorBackend, VectorSpace
from nanobot_memory_plugins.storage.database.connection import plain_errors
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.indexed_text import storable
from nanobot_memory_plugins.storage.search.filters import passes
from nanobot_memory_plugins.storage.search.full_text import FullText
from nanobot_memory_plugins.storage.search.lexical import LexicalScore, idf_of, score_terms
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.ranking import rank
from nanobot_memory_plugins.storage.search.results import hit_of
from nanobot_memory_plugins.storage.search.rows import Row, Rows
from nanobot_memory_plugins.storage.search.scan import candidate_of, terms_of
from nanobot_memory_plugins.storage.search.vector_matrix import RESIDENT_BYTES, VectorMatrix
from nanobot_memory_plugins.storage.segmentation import candidate_terms

# Candidates from each side, at least: few of them make the normalisation unsteady.
_FEWEST_CANDIDATES = 100
# Passages whose neighbours are looked at too: an answer stands next to its question, and has none of its words.
_WITH_NEIGHBOURS = 30
# What of a query is embedded: models read no more than some hundred tokens.
_EMBEDDED_CHARS = 2_000
# Below this cosine a text that shares no word with the query has nothing to do with it.
LEAST_SIMILARITY = 0.2


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The query's vector and the space that it lies in."""

    space: VectorSpace
    vector: NDArray[np.float32]


class Searcher:
    """Searches one database. It belongs to one thread at a time, as its database does.

    ``embedder`` returns the model once it is ready, else None: then words are everything. Vectors that take more
    than ``resident_bytes`` stay on the disk. Raises `StoreError` where SQLite has no full-text search.
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
        self._database = database
        self._embedder = embedder
        self._options = options
        self._clock = clock
        if not database.has_fts5:
            raise StoreError("This SQLite has no full-text search.", mend="Install apsw from a wheel.")
        self._full_text = FullText(database.connection)
        self._rows = Rows(database.connection)
        self._matrix = VectorMatrix(database, clock, ttl=options.vector_refresh_ttl, resident_bytes=resident_bytes)

    def search(self, query: Query, *, tail: Sequence[Document] = ()) -> SearchResult:
        """Return the best hits. ``tail`` are documents that the index does not hold yet; they replace older ones.

        Raises `StoreError` when the database cannot answer.
        """
        with plain_errors(self._database.path):
            return self._search(query, tail)

    def read(self, key: str) -> Hit | None:
        """Return one document by its key."""
        with plain_errors(self._database.path):
            row = self._rows.by_key(key)
        return hit_of(row.document) if row is not None else None

    def _search(self, query: Query, tail: Sequence[Document]) -> SearchResult:
        terms = self._full_text.telling(candidate_terms(query.text))
        meaning = self._meaning(query)
        limit = max(_FEWEST_CANDIDATES, self._options.candidate_factor * query.limit)
        ids = dict.fromkeys(self._full_text.candidates(terms, query, limit))
        if meaning is not None:
            ids |= dict.fromkeys(self._matrix.nearest(meaning.space, meaning.vector, query, limit))
        rows = self._with_neighbours(self._rows.by_ids(ids), query)
        newer = {document.key for document in tail}
        fresh = [Row(0, document, *terms_of(document)) for document in tail if passes(document, query)]
        rows = [row for row in rows if row.document.key not in newer and passes(row.document, query)] + fresh
        hits = self._ranked(rows, terms, meaning, query) if rows else ()
        return SearchResult(hits=hits, level=self._level(meaning))

    def _ranked(
        self, rows: Sequence[Row], terms: Sequence[str], meaning: _Meaning | None, query: Query
    ) -> tuple[Hit, ...]:
        similar: dict[int, float] = {}
        if meaning is not None:
            similar = self._matrix.similarity(meaning.space, meaning.vector, [row.id for row in rows])
        scores = self._lexical(rows, terms, query.tier)
        candidates = [
            candidate_of(
                row.document,
                row.terms(query.tier),
                bm25=score.bm25,
                coverage=score.coverage,
                similarity=similar.get(row.id) if meaning is not None else None,
            )
            for row, score in zip(rows, scores, strict=True)
        ]
        order = rank(candidates, query.text, self._clock.now(), self._options)
        wanted = [
            place
            for place, (row, score) in enumerate(zip(rows, scores, strict=True))
            if score.bm25 > 0 or similar.get(row.id, 0.0) >= LEAST_SIMILARITY
        ]
        wanted.sort(key=lambda place: -order[place])
        top = max((order[place] for place in wanted), default=1.0)
        return tuple(
            hit_of(
                rows[place].document,
                score=min(1.0, max(0.0, order[place] / top)) if top > 0 else 0.0,
                coverage=scores[place].coverage,
                similarity=similar.get(rows[place].id) if meaning is not None else None,
                terms=terms,
            )
            for place in wanted[: query.limit]
        )

    def _lexical(self, rows: Sequence[Row], terms: Sequence[str], tier: Tier) -> list[LexicalScore]:
        frequencies = self._full_text.frequencies(terms)
        documents = max(self._full_text.documents(), len(rows))
        return score_terms([row.terms(tier) for row in rows], idf_of(terms, frequencies, documents))

    def _with_neighbours(self, rows: Sequence[Row], query: Query) -> list[Row]:
        """Add the passages before and after the first of them."""
        if query.tier is Tier.LIGHT or not self._options.context_boosts:
            return list(rows)
        known = {row.id for row in rows}
        around = self._rows.around(rows[:_WITH_NEIGHBOURS])
        return [*rows, *(row for row in around if row.id not in known)]

    def _meaning(self, query: Query) -> _Meaning | None:
        """Return the query's vector, or None without a model, or its vectors, or when it fails: words do without it."""
        if not query.use_vectors or query.tier is Tier.LIGHT or not query.text.strip():
            return None
        try:
            embedder = self._embedder()
            space = self._matrix.space(embedder.name, embedder.dimension) if embedder else None
            if embedder is None or space is None:
                return None
            vector = np.asarray(embedder.encode(storable(query.text[:_EMBEDDED_CHARS]))[0], dtype=np.float32)
            length = float(np.linalg.norm(vector))
            if vector.shape != (space.dimension,) or not np.isfinite(length) or not length:
                raise ValueError("no vector of this space")
        except StoreError:
            raise
        except Exception as error:  # a model of anybody's may fail in any way
            logger.warning("a query could not be embedded: {}", type(error).__name__)
            return None
        return _Meaning(space, vector / length)

    def _level(self, meaning: _Meaning | None) -> Level:
        if meaning is None:
            return Level.FULL_TEXT
        return Level.HYBRID if self._database.vector_backend is VectorBackend.VEC0 else Level.NUMPY
