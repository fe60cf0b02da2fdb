"""One search, from query to hits, whatever index answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Clock, Embedder, Hit, Level, Query, SearchResult, Tier, logger
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens
from nanobot_memory_plugins.storage.answer import answer
from nanobot_memory_plugins.storage.bm25 import idf_of
from nanobot_memory_plugins.storage.candidates import Candidates, passing
from nanobot_memory_plugins.storage.document_rows import CandidateRow, storable
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.embedding.installation import BUILTIN_NAME
from nanobot_memory_plugins.storage.filters import passes
from nanobot_memory_plugins.storage.named_terms import rare_characters, terms_of_named_days
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.results import hit_of, newest_first
from nanobot_memory_plugins.storage.segmentation import candidate_terms

WEIGHTS = Path(__file__).with_name("question_kinds.npy")
"""A row a layer, personal and advice: a weight for each number of a vector, and the bias; float32."""


def question_kinds(model: str, vector: NDArray[np.float32]) -> tuple[float, float] | None:
    """Return the log-odds that a message with this unit ``vector`` is personal, and that it asks for advice.

    None for the vector of another model than the built-in one.
    """
    if model != BUILTIN_NAME:
        return None
    weights = _weights()
    personal, advice = weights[:, :-1] @ vector + weights[:, -1]
    return float(personal), float(advice)


@cache
def _weights() -> NDArray[np.float32]:
    loaded: NDArray[np.float32] = np.load(WEIGHTS)
    return loaded


# Candidates from each side, at least: few of them make the normalisation unsteady.
_FEWEST_CANDIDATES = 100
# Passages of each side whose neighbours are looked at too: an answer comes next to its question, and may have none
# of its words.
_WITH_NEIGHBOURS = 40
# What of a query is embedded, from each end where it is longer than both: a question comes before or after what is
# pasted, and an embedding takes as long as a whole search from some hundred tokens on.
_EMBEDDED_TOKENS_AN_END = 48
_LONGEST_END = 400


class FullTextSearch(Protocol):
    """The full-text side of an index."""

    def candidates(self, terms: Sequence[str], query: Query, limit: int) -> Sequence[int]:
        """Return the ids of the best documents that hold any of the terms and pass the filters, by BM25."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return how many documents contain each term; those that none contains are missing."""

    def telling(self, terms: Sequence[str]) -> tuple[str, ...]:
        """Return at most as many terms as a query may have: of more, the rarest that occur anywhere, in their order."""

    def documents(self) -> int:
        """Return how many documents there are; of many, as of when they were counted last."""


class IndexedRows(Protocol):
    """The documents of an index, as rows."""

    def by_ids(self, ids: Iterable[int]) -> list[CandidateRow]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""

    def around(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """Return the passages directly before and after some, in the same file."""

    def newest(self, query: Query, limit: int) -> list[CandidateRow]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""

    def by_key(self, key: str) -> CandidateRow | None:
        """Return the row with this key."""


class Vectors(Protocol):
    """The vectors of an index, by the name of the model that made them."""

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether there are vectors of a model that can be compared now."""

    def nearest(self, model: str, vector: NDArray[np.float32], query: Query, limit: int) -> Mapping[int, float]:
        """Return the ids of the documents that pass the filters and are most similar, with their cosine."""

    def similarity(self, model: str, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The query's vector, and the model that made it."""

    model: str
    vector: NDArray[np.float32]


class IndexSearcher:
    """Searches one index, given as its words, rows and vectors. One thread at a time uses it.

    ``embedder`` returns the model once it is ready, else None: then words are everything. ``hybrid`` is the level of a
    search by both. ``errors`` is entered around every use of the index, and turns its errors into `StoreError`.
    """

    def __init__(
        self,
        words: FullTextSearch,
        rows: IndexedRows,
        vectors: Vectors,
        embedder: Callable[[], Embedder | None],
        *,
        options: SearchOptions,
        clock: Clock,
        hybrid: Level = Level.HYBRID,
        errors: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._words = words
        self._rows = rows
        self._vectors = vectors
        self._embedder = embedder
        self._options = options
        self._clock = clock
        self._hybrid = hybrid
        self._errors = errors

    def search(self, query: Query, *, tail: Sequence[Document] = ()) -> SearchResult:
        """Return the best hits. ``tail`` are documents that the index does not hold yet; they replace older ones.

        Raises `StoreError` when the database cannot answer.
        """
        with self._errors():
            if not query.text.strip():
                return self._newest(query, tail)
            meaning = self._meaning(query)
            candidates = self._candidates(query, tail, meaning)
            level = Level.FULL_TEXT if meaning is None else self._hybrid
            found = answer(candidates, query, level, self._options, self._clock.now())
            kinds = question_kinds(meaning.model, meaning.vector) if meaning is not None else None
            return found if kinds is None else replace(found, personal=kinds[0], advice=kinds[1])

    def read(self, key: str) -> Hit | None:
        """Return one document by its key."""
        with self._errors():
            row = self._rows.by_key(key)
        return hit_of(row.document) if row is not None else None

    def candidates(self, query: Query) -> Candidates:
        """Return the candidates of a query, as `search` sees them. Raises `StoreError`."""
        with self._errors():
            return self._candidates(query, (), self._meaning(query))

    def _newest(self, query: Query, tail: Sequence[Document]) -> SearchResult:
        newer = {document.key for document in tail}
        spare = len(newer) + len(query.exclude_ids) + len(query.exclude_records)
        rows = self._rows.newest(query, query.limit + spare)
        known = (row.document for row in rows if row.document.key not in newer)
        return newest_first([*known, *tail], query, Level.FULL_TEXT)

    def _candidates(self, query: Query, tail: Sequence[Document], meaning: _Meaning | None) -> Candidates:
        terms = self._terms(query.text, query.asked_at or self._clock.now())
        rows = self._candidate_rows(query, terms, meaning)
        newer = {document.key for document in tail}
        rows = passing((row for row in rows if row.key not in newer), query)
        rows += [CandidateRow.of(document) for document in tail if passes(document, query)]
        similar: dict[int, float] = {}
        if meaning is not None:
            similar = self._vectors.similarity(meaning.model, meaning.vector, [row.id for row in rows])
        idf = idf_of(terms, self._words.frequencies(terms), max(self._words.documents(), len(rows)))
        cosines = np.array([similar.get(row.id, np.nan) for row in rows], dtype=np.float64)
        return Candidates(rows, idf, cosines, query.tier)

    def _candidate_rows(self, query: Query, terms: Sequence[str], meaning: _Meaning | None) -> list[CandidateRow]:
        """Return the best by words, the best by meaning, and the passages before and after the first of both."""
        limit = max(_FEWEST_CANDIDATES, self._options.candidate_factor * query.limit)
        by_words = self._words.candidates(terms, query, limit)
        by_meaning: list[int] = []
        if meaning is not None:
            nearest = self._vectors.nearest(meaning.model, meaning.vector, query, limit)
            by_meaning = sorted(nearest, key=lambda row_id: -nearest[row_id])
        rows = self._rows.by_ids(dict.fromkeys([*by_words, *by_meaning]))
        if query.tier is Tier.LIGHT or not self._options.context_boosts:
            return rows
        first, known = {*by_words[:_WITH_NEIGHBOURS], *by_meaning[:_WITH_NEIGHBOURS]}, {row.id for row in rows}
        around = self._rows.around([row for row in rows if row.id in first])
        return [*rows, *(row for row in around if row.id not in known)]

    def _terms(self, text: str, asked_at: datetime) -> tuple[str, ...]:
        terms = self._words.telling(candidate_terms(text))
        rare = rare_characters(text, terms, self._words.frequencies, self._words.documents())
        return (*terms, *rare, *terms_of_named_days(text, asked_at, terms))

    def _meaning(self, query: Query) -> _Meaning | None:
        """Return the query's vector, or None without a model, or its vectors, or when it fails: words do without it."""
        if not query.use_vectors or query.tier is Tier.LIGHT or not query.text.strip():
            return None
        embedder = self._embedder()
        if embedder is None or not self._vectors.can_compare(embedder.name, embedder.dimension):
            return None
        try:
            vector = np.asarray(embedder.encode(embedded_part(query.text))[0], dtype=np.float32)
            length = float(np.linalg.norm(vector))
            if vector.shape != (embedder.dimension,) or not np.isfinite(length) or not length:
                raise ValueError("no vector of this model")
        except Exception as error:  # a model of anybody's may fail in any way
            logger.warning("a query could not be embedded: {}", type(error).__name__)
            return None
        return _Meaning(embedder.name, vector / length)


def embedded_part(text: str) -> str:
    """Return what of a query is embedded."""
    head = truncate_to_tokens(text, 2 * _EMBEDDED_TOKENS_AN_END)
    if len(head) == len(text):
        return storable(text)
    head = truncate_to_tokens(head, _EMBEDDED_TOKENS_AN_END)
    tail = truncate_to_tokens(text[-_LONGEST_END:][::-1], _EMBEDDED_TOKENS_AN_END)[::-1]
    return storable(f"{head}\n{tail}")
