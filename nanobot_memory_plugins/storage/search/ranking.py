"""The order of hits.

Two fusions of words and meaning, and what the context of a passage adds. Semantic similarity cannot bury what was
found by words: both are normalised over the candidates, and the share of the query that a text covers counts by itself.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanobot_memory_plugins.storage.moments import timestamp
from nanobot_memory_plugins.storage.search.options import SearchOptions

# What is added to the fused score (0..1). Fitted by cross-validation over five sets of questions on chat turns, facts
# and passages, in English and Chinese, and rounded.
COVERAGE = 0.9  # the share of the query's IDF that the text covers
SIMILARITY = 0.9  # the cosine itself, not normalised
NEIGHBOURS = 0.75  # the better of the passages before and after, in the same session
SESSION = 1.1  # the best passage of the same session
NAMED_SPEAKER = 0.4  # said by somebody whom the query names; taken off when the query names somebody else
QUESTION = -0.45  # a question seldom holds an answer
LENGTH = 0.25  # for each e-fold of terms
SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the order of one passage depends on.

    ``similarity`` is None without vectors. ``place`` is (session or file, ordinal), ``speaker`` folded.
    """

    bm25: float
    coverage: float
    similarity: float | None
    place: tuple[str, int]
    speaker: str
    is_question: bool
    length: int
    time: datetime | None
    always_fresh: bool = False


def weighted(bm25: Sequence[float], similarity: Sequence[float | None], options: SearchOptions) -> list[float]:
    """Fuse by weight: BM25 as a share of the best candidate's, cosines stretched from the median to the best.

    Without vectors the words are everything, whatever the weights.
    """
    words = _share_of_best(bm25)
    if all(value is None for value in similarity):
        return words
    meaning = _stretched([value if value is not None else 0.0 for value in similarity])
    whole = (options.vector_weight + options.fts_weight) or 1.0
    return [(options.vector_weight * m + options.fts_weight * w) / whole for w, m in zip(words, meaning, strict=True)]


def reciprocal_rank(bm25: Sequence[float], similarity: Sequence[float | None], options: SearchOptions) -> list[float]:
    """Fuse by rank: the sum of 1 / (k + rank) over both orders, ranks from 1; not found counts nothing."""
    scores = [0.0] * len(bm25)
    for values in (bm25, [value or 0.0 for value in similarity]):
        order = sorted((place for place, value in enumerate(values) if value > 0), key=lambda place: -values[place])
        for rank, place in enumerate(order, start=1):
            scores[place] += 1.0 / (options.rrf_k + rank)
    return scores


def recency(time: datetime | None, now: datetime, half_life_days: float) -> float:
    """Return 1 for now, one half after the half-life, 0 without a time; a time to come counts as now."""
    if time is None:
        return 0.0
    age = max(0.0, (timestamp(now) - timestamp(time)) / SECONDS_A_DAY)
    return float(0.5 ** (age / half_life_days))


def rank(candidates: Sequence[Candidate], query: str, now: datetime, options: SearchOptions) -> list[float]:
    """Return a score for each candidate; larger is better."""
    bm25 = [one.bm25 for one in candidates]
    similarity = [one.similarity for one in candidates]
    fuse = reciprocal_rank if options.fusion == "rrf" else weighted
    scores = fuse(bm25, similarity, options)
    if options.recency_weight:
        whole = 1.0 if options.fusion == "rrf" else options.vector_weight + options.fts_weight
        scores = [
            (score * whole + options.recency_weight * _freshness(one, now, options)) / (whole + options.recency_weight)
            for one, score in zip(candidates, scores, strict=True)
        ]
    if options.fusion == "weighted" and options.context_boosts:
        scores = _with_context(candidates, scores, query)
    return scores


def _freshness(candidate: Candidate, now: datetime, options: SearchOptions) -> float:
    if candidate.always_fresh:
        return 1.0
    return recency(candidate.time, now, options.recency_half_life_days)


def _with_context(candidates: Sequence[Candidate], scores: Sequence[float], query: str) -> list[float]:
    """Add what stands around each passage to its own score."""
    at = {one.place: score for one, score in zip(candidates, scores, strict=True)}
    best: dict[str, float] = {}
    for (session, _), score in at.items():
        best[session] = max(score, best.get(session, 0.0))
    folded = query.casefold()
    named = {one.speaker for one in candidates if len(one.speaker) > 1 and one.speaker in folded}
    return [score + _context(one, at, best, named) for one, score in zip(candidates, scores, strict=True)]


def _context(one: Candidate, at: Mapping[tuple[str, int], float], best: Mapping[str, float], named: set[str]) -> float:
    session, ordinal = one.place
    neighbours = max(at.get((session, ordinal - 1), 0.0), at.get((session, ordinal + 1), 0.0))
    speaker = 0.0
    if named:
        speaker = NAMED_SPEAKER if one.speaker in named else -NAMED_SPEAKER
    return (
        COVERAGE * one.coverage
        + SIMILARITY * max(0.0, one.similarity or 0.0)
        + NEIGHBOURS * neighbours
        + SESSION * best[session]
        + speaker
        + (QUESTION if one.is_question else 0.0)
        + LENGTH * _log_length(one.length)
    )


def _log_length(terms: int) -> float:
    return math.log1p(min(terms, 400))


def _share_of_best(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]


def _stretched(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    middle, best = ordered[len(ordered) // 2], ordered[-1]
    if best <= middle:
        return [1.0 if value > 0 else 0.0 for value in values]
    return [min(1.0, max(0.0, (value - middle) / (best - middle))) for value in values]
