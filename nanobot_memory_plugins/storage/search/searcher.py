"""One search, from query to hits, whatever index answers, or none."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Clock, Embedder, Hit, Level, Query, SearchResult, Tier, logger
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens
from nanobot_memory_plugins.storage.answer import answer
from nanobot_memory_plugins.storage.candidates import Candidates
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.embedding.installation import BUILTIN_NAME
from nanobot_memory_plugins.storage.filters import passes
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.question_terms import idf_of, question_terms
from nanobot_memory_plugins.storage.results import hit_of, newest_first

Vector = NDArray[np.float32]

WEIGHTS = Path(__file__).parent.with_name("personal_layer.npy")
"""A weight for each number of a vector, and the bias; float32."""


def log_odds_personal(model: str, vector: Vector) -> float | None:
    """Return the log-odds that a message with this unit ``vector`` asks for something of its author's own life.

    None for the vector of another model than the built-in one.
    """
    if model != BUILTIN_NAME:
        return None
    weights = _weights()
    return float(weights[:-1] @ vector + weights[-1])


@cache
def _weights() -> Vector:
    loaded: Vector = np.load(WEIGHTS)
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


class SearchIndex(Protocol):
    """An index that one thread at a time searches. `Searcher` makes an order of what it finds.

    What is written here of its methods holds for every index. ``level`` is that of a search by words and meaning.
    """

    level: Level

    def documents(self) -> int:
        """Return how many documents there are."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return how many documents contain each term; those that none contains are missing."""

    def best_by_words(self, terms: Sequence[str], asked: Query, limit: int) -> Sequence[int]:
        """Return the ids of the best documents that hold any of the terms and pass the filters, by BM25."""

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether there are vectors of a model that can be compared now."""

    def nearest(self, model: str, vector: Vector, asked: Query, limit: int) -> Mapping[int, float]:
        """Return the ids of the documents that pass the filters and are most similar, with their cosine."""

    def similarity(self, model: str, vector: Vector, ids: Sequence[int]) -> Mapping[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""

    def rows(self, ids: Sequence[int]) -> list[Document]:
        """Return the rows with these ids, in any order; deleted ones are missing."""

    def around(self, rows: Sequence[Document]) -> list[Document]:
        """Return the passages directly before and after some, in the same file."""

    def newest(self, asked: Query, limit: int) -> list[Document]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""

    def by_key(self, key: str) -> Document | None:
        """Return the row with this key."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A query's vector, of unit length, and the model that made it."""

    model: str
    vector: Vector


class Searcher:
    """Searches one index. One thread at a time uses it."""

    def __init__(self, index: SearchIndex, options: SearchOptions, clock: Clock) -> None:
        self._index = index
        self._options = options
        self._clock = clock

    def search(self, query: Query, meaning: Meaning | None = None, *, tail: Sequence[Document] = ()) -> SearchResult:
        """Return the best hits. ``tail`` are documents that the index does not hold yet; they replace older ones.

        Without the ``meaning`` of the query, or without vectors of its model, words are everything.
        """
        if not query.text.strip():
            return self._newest(query, tail)
        if meaning is not None and not self._index.can_compare(meaning.model, len(meaning.vector)):
            meaning = None
        candidates = self.candidates(query, meaning, tail)
        level = Level.FULL_TEXT if meaning is None else self._index.level
        found = answer(candidates, query, level, self._options, self._clock.now())
        personal = log_odds_personal(meaning.model, meaning.vector) if meaning is not None else None
        return replace(found, personal=personal)

    def read(self, key: str) -> Hit | None:
        """Return one document by its key."""
        row = self._index.by_key(key)
        return hit_of(row) if row is not None else None

    def candidates(self, query: Query, meaning: Meaning | None = None, tail: Sequence[Document] = ()) -> Candidates:
        """Return the candidates of a query, as `search` sees them; the ``meaning`` is one that can be compared."""
        asked_at, documents = query.asked_at or self._clock.now(), self._index.documents()
        terms = question_terms(query.text, asked_at, self._index.frequencies, documents)
        rows = self._candidate_rows(query, terms, meaning)
        newer = {document.key for document in tail}
        rows = [row for row in rows if row.key not in newer and passes(row, query)]
        rows += [document.with_terms() for document in tail if passes(document, query)]
        similar: Mapping[int, float] = {}
        if meaning is not None:
            similar = self._index.similarity(meaning.model, meaning.vector, [row.id for row in rows])
        idf = idf_of(terms, self._index.frequencies(terms), max(documents, len(rows)))
        cosines = np.array([similar.get(row.id, np.nan) for row in rows], dtype=np.float64)
        return Candidates(rows, idf, cosines, query.tier)

    def _newest(self, query: Query, tail: Sequence[Document]) -> SearchResult:
        newer = {document.key for document in tail}
        spare = len(newer) + len(query.exclude_ids) + len(query.exclude_records)
        rows = self._index.newest(query, query.limit + spare)
        known = (row for row in rows if row.key not in newer)
        return newest_first([*known, *tail], query, Level.FULL_TEXT)

    def _candidate_rows(self, query: Query, terms: Sequence[str], meaning: Meaning | None) -> list[Document]:
        """Return the best by words, the best by meaning, and the passages before and after the first of both."""
        limit = max(_FEWEST_CANDIDATES, self._options.candidate_factor * query.limit)
        by_words = self._index.best_by_words(terms, query, limit)
        by_meaning: list[int] = []
        if meaning is not None:
            nearest = self._index.nearest(meaning.model, meaning.vector, query, limit)
            by_meaning = sorted(nearest, key=lambda row_id: -nearest[row_id])
        rows = self._index.rows(list(dict.fromkeys([*by_words, *by_meaning])))
        if query.tier is Tier.LIGHT or not self._options.context_boosts:
            return rows
        first, known = {*by_words[:_WITH_NEIGHBOURS], *by_meaning[:_WITH_NEIGHBOURS]}, {row.id for row in rows}
        around = self._index.around([row for row in rows if row.id in first])
        return [*rows, *(row for row in around if row.id not in known)]


def search_documents(
    documents: Iterable[Document], query: Query, options: SearchOptions, now: datetime
) -> SearchResult:
    """Search documents that were read from the files, without an index, by the same terms and in the same order."""
    if not query.text.strip():
        return newest_first(documents, query, Level.MARKDOWN)
    rows = [document.with_terms() for document in documents if passes(document, query)]
    frequencies = Counter(term for row in rows for term in set(row.terms(query.tier).split()))

    def known(terms: Sequence[str]) -> dict[str, int]:
        return {term: frequencies[term] for term in terms if term in frequencies}

    terms = question_terms(query.text, query.asked_at or now, known, len(rows))
    idf = idf_of(terms, frequencies, len(rows))
    candidates = Candidates(rows, idf, np.full(len(rows), np.nan), query.tier)
    return answer(candidates, query, Level.MARKDOWN, options, now)


def meaning_of(query: Query, embedder: Embedder | None) -> Meaning | None:
    """Return the vector of a query, or None where it is to be searched by words, or the model fails."""
    if embedder is None or not query.use_vectors or query.tier is Tier.LIGHT or not query.text.strip():
        return None
    try:
        vector = np.asarray(embedder.encode(embedded_part(query.text))[0], dtype=np.float32)
        length = float(np.linalg.norm(vector))
        if vector.shape != (embedder.dimension,) or not np.isfinite(length) or not length:
            raise ValueError("no vector of this model")
    except Exception as error:  # a model of anybody's may fail in any way
        logger.warning("a query could not be embedded: {}", type(error).__name__)
        return None
    return Meaning(embedder.name, vector / length)


def embedded_part(text: str) -> str:
    """Return what of a query is embedded."""
    head = truncate_to_tokens(text, 2 * _EMBEDDED_TOKENS_AN_END)
    if len(head) == len(text):
        return clean_markdown(text)
    head = truncate_to_tokens(head, _EMBEDDED_TOKENS_AN_END)
    tail = truncate_to_tokens(text[-_LONGEST_END:][::-1], _EMBEDDED_TOKENS_AN_END)[::-1]
    return clean_markdown(f"{head}\n{tail}")
