"""One search, from query to hits, over any index or over documents without an index."""

import math
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
from nanobot_memory_plugins.storage.filters import passes_filters
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.question_terms import idf_of, question_terms
from nanobot_memory_plugins.storage.results import hit_of, newest_first

Vector = NDArray[np.float32]

WEIGHTS = Path(__file__).parent.with_name("personal_layer.npy")
"""A float32 weight for each dimension of a vector, followed by the bias."""


def personal_log_odds(model: str, vector: Vector) -> float | None:
    """Return the log-odds that a message with this unit ``vector`` asks about its author's own life.

    None unless the vector is from the built-in model.
    """
    if model != BUILTIN_NAME:
        return None
    weights = _weights()
    return float(weights[:-1] @ vector + weights[-1])


@cache
def _weights() -> Vector:
    loaded: Vector = np.load(WEIGHTS)
    return loaded


# Candidates by words and by meaning, at least so many of each: with fewer the normalisation is unstable.
_MIN_CANDIDATES = 100
# The best passages by words and by meaning whose neighbours become candidates: an answer stands next to its question
# and may share none of its words.
_NEIGHBOUR_SEEDS = 40
# Tokens of a long query that are embedded, from each end: a question comes before or after a pasted text, and from
# some hundred tokens on embedding takes as long as the rest of the search.
_END_TOKENS = 48
_MAX_END_CHARS = 400


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vector of a query, of unit length, and the model that computed it."""

    model: str
    vector: Vector


ScoredDocument = tuple[Document, float]
"""A document of an index, and its cosine to the query: NaN without a vector."""


class SearchIndex(Protocol):
    """An index that one thread at a time searches; `Searcher` ranks what it finds.

    The docstrings of its methods hold for every index. ``level`` is the level of a search by words and meaning.
    """

    level: Level

    def documents(self) -> int:
        """Return how many documents there are."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return how many documents contain each term, without the terms that none contains."""

    def candidates(
        self, query: Query, terms: Sequence[str], meaning: Meaning | None, limit: int, neighbour_seeds: int
    ) -> list[ScoredDocument]:
        """Return the ``limit`` best documents by BM25 of any of the terms and the ``limit`` most similar ones.

        They pass the filters and occur once. Added are the passages directly before and after the ``neighbour_seeds``
        best of both in the same file, whether they pass the filters or not.
        """

    def newest(self, query: Query, limit: int) -> list[Document]:
        """Return documents that pass a query's filters, the newest first and undated ones last."""

    def by_key(self, key: str) -> Document | None:
        """Return the document with this key."""


class Searcher:
    """Searches one index, for one thread at a time."""

    def __init__(self, index: SearchIndex, options: SearchOptions, clock: Clock) -> None:
        self._index = index
        self._options = options
        self._clock = clock

    def search(self, query: Query, meaning: Meaning | None = None, *, tail: Sequence[Document] = ()) -> SearchResult:
        """Return the best hits. Documents of ``tail`` are not indexed yet; they replace indexed ones of the same key.

        Without the ``meaning`` of the query, or without vectors of its model, only words are searched.
        """
        if not query.text.strip():
            return self._newest(query, tail)
        candidates = self.candidates(query, meaning, tail)
        level = self._index.level if candidates.has_meaning else Level.FULL_TEXT
        result = answer(candidates, query, level, self._options, self._clock.now())
        if meaning is None or not candidates.has_meaning:
            return result
        return replace(result, personal=personal_log_odds(meaning.model, meaning.vector))

    def read(self, key: str) -> Hit | None:
        """Return one document by its key."""
        row = self._index.by_key(key)
        return hit_of(row) if row is not None else None

    def candidates(self, query: Query, meaning: Meaning | None = None, tail: Sequence[Document] = ()) -> Candidates:
        """Return the candidates of a query that `search` ranks."""
        asked_at = query.asked_at or self._clock.now()
        frequencies = cache(self._index.frequencies)
        terms = question_terms(query.text, asked_at, frequencies, self._index.documents)
        newer = {document.key for document in tail}
        has_context = query.tier is not Tier.LIGHT and self._options.fusion == "learned"
        limit = max(_MIN_CANDIDATES, self._options.candidate_factor * query.limit)
        found = self._index.candidates(query, terms, meaning, limit, _NEIGHBOUR_SEEDS if has_context else 0)
        found = [one for one in found if one[0].key not in newer and passes_filters(one[0], query)]
        found += [(document.with_terms(), math.nan) for document in tail if passes_filters(document, query)]
        idf = idf_of(terms, frequencies(terms), max(self._index.documents(), len(found)))
        cosines = np.array([cosine for _, cosine in found], dtype=np.float64)
        return Candidates([row for row, _ in found], idf, cosines, query.tier)

    def _newest(self, query: Query, tail: Sequence[Document]) -> SearchResult:
        newer = {document.key for document in tail}
        spare = len(newer) + len(query.exclude_records)
        rows = self._index.newest(query, query.limit + spare)
        indexed = (row for row in rows if row.key not in newer)
        return newest_first([*indexed, *tail], query, Level.FULL_TEXT)


def search_documents(
    documents: Iterable[Document], query: Query, options: SearchOptions, now: datetime
) -> SearchResult:
    """Search documents that were read from files, without an index, by the same terms and ranking."""
    if not query.text.strip():
        return newest_first(documents, query, Level.MARKDOWN)
    rows = [document.with_terms() for document in documents if passes_filters(document, query)]
    frequencies = Counter(term for row in rows for term in set(row.terms(query.tier).split()))

    def known_frequencies(terms: Sequence[str]) -> dict[str, int]:
        return {term: frequencies[term] for term in terms if term in frequencies}

    terms = question_terms(query.text, query.asked_at or now, known_frequencies, rows.__len__)
    idf = idf_of(terms, frequencies, len(rows))
    candidates = Candidates(rows, idf, np.full(len(rows), np.nan), query.tier)
    return answer(candidates, query, Level.MARKDOWN, options, now)


def meaning_of(query: Query, embedder: Embedder | None) -> Meaning | None:
    """Return the vector of a query, or None when it is searched only by words or the model fails."""
    if embedder is None or not query.use_vectors or query.tier is Tier.LIGHT or not query.text.strip():
        return None
    try:
        vector = np.asarray(embedder.encode(embedded_part(query.text))[0], dtype=np.float32)
        length = float(np.linalg.norm(vector))
        if vector.shape != (embedder.dimension,) or not np.isfinite(length) or not length:
            raise ValueError("no vector of this model")
    except Exception as error:  # any third party's model may raise anything
        logger.warning("a query could not be embedded: {}", type(error).__name__)
        return None
    return Meaning(embedder.name, vector / length)


def embedded_part(text: str) -> str:
    """Return the part of a query that is embedded: all of it, or its two ends."""
    head = truncate_to_tokens(text, 2 * _END_TOKENS)
    if len(head) == len(text):
        return clean_markdown(text)
    head = truncate_to_tokens(head, _END_TOKENS)
    tail = truncate_to_tokens(text[-_MAX_END_CHARS:][::-1], _END_TOKENS)[::-1]
    return clean_markdown(f"{head}\n{tail}")
