"""The order of hits.

Two fusions of words and meaning, and on top of the weighted one, by default, the learned sum of everything that
`features` says of a passage. Semantic similarity cannot bury what was found by words: each side is normalised over the
candidates, and the share of the query that a text covers counts by itself.
"""

import math
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime

import numpy as np

from nanobot_memory_plugins.storage.candidates import Candidates
from nanobot_memory_plugins.storage.features import FeatureQuery, Features, features_of
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.timestamps import timestamp
from nanobot_memory_plugins.storage.weights import WITH_MEANING, WORDS_ALONE

SECONDS_A_DAY = 86_400.0
# Log-odds that a recency weight of 1 gives to a memory of this moment, beside the learned sum.
RECENCY_LOG_ODDS = 5.0
# Log-odds of what is about the project that is worked in, and of what is about another; and their shares of a score.
OWN_PROJECT, OTHER_PROJECT, PROJECT_SHARE = 1.0, -3.0, 0.1
NAMES = tuple(field.name for field in fields(Features))
"""The features, in their order."""

# The summands of an order as they are noted for who wants to see them: name -> (weight, a value for each candidate).
Parts = dict[str, tuple[float, list[float]]]


def weighted(
    bm25: Sequence[float], similarity: Sequence[float | None], options: SearchOptions, parts: Parts | None = None
) -> list[float]:
    """Fuse by weight: BM25 as a share of the best candidate's, cosines stretched from the median to the best.

    Without vectors the words are everything, whatever the weights.
    """
    words = _share_of_best(bm25)
    if all(value is None for value in similarity):
        if parts is not None:
            parts["words"] = (1.0, words)
        return words
    meaning = _stretched([value if value is not None else 0.0 for value in similarity])
    whole = (options.vector_weight + options.fts_weight) or 1.0
    if parts is not None:
        parts["words"] = (options.fts_weight / whole, words)
        parts["meaning"] = (options.vector_weight / whole, meaning)
    return [(options.vector_weight * m + options.fts_weight * w) / whole for w, m in zip(words, meaning, strict=True)]


def reciprocal_rank(
    bm25: Sequence[float], similarity: Sequence[float | None], options: SearchOptions, parts: Parts | None = None
) -> list[float]:
    """Fuse by rank: the sum of 1 / (k + rank) over both orders, ranks from 1; not found counts nothing."""
    scores = [0.0] * len(bm25)
    for name, values in (("words", bm25), ("meaning", [value or 0.0 for value in similarity])):
        order = sorted((place for place, value in enumerate(values) if value > 0), key=lambda place: -values[place])
        shares = [0.0] * len(values)
        for rank, place in enumerate(order, start=1):
            shares[place] = 1.0 / (options.rrf_k + rank)
            scores[place] += shares[place]
        if parts is not None:
            parts[name] = (1.0, shares)
    return scores


def recency(time: datetime | None, now: datetime, half_life_days: float) -> float:
    """Return 1 for now, one half after the half-life, 0 without a time; a time to come counts as now."""
    if time is None:
        return 0.0
    age = max(0.0, (timestamp(now) - timestamp(time)) / SECONDS_A_DAY)
    return float(0.5 ** (age / half_life_days))


def rank(
    candidates: Candidates,
    question: FeatureQuery,
    now: datetime,
    options: SearchOptions,
    parts: Parts | None = None,
) -> list[float]:
    """Return a score for each candidate; larger is better.

    With ``fusion: weighted`` and ``context_boosts`` the order is the learned one, and scores are log-odds. Where
    ``parts`` is given, the summands of the scores are put into it.
    """
    if is_learned(options):
        return learned(candidates, question, now, options, parts)
    bm25 = candidates.words.bm25.tolist()
    similarity = [None if math.isnan(one) else one for one in candidates.similarity.tolist()]
    scores = (reciprocal_rank if options.fusion == "rrf" else weighted)(bm25, similarity, options, parts)
    if options.recency_weight:
        whole = 1.0 if options.fusion == "rrf" else options.vector_weight + options.fts_weight
        fresh = _freshness(candidates, now, options)
        sum_of_weights = whole + options.recency_weight
        if parts is not None:
            parts |= {name: (weight * whole / sum_of_weights, values) for name, (weight, values) in parts.items()}
            parts["recency"] = (options.recency_weight / sum_of_weights, fresh)
        scores = [
            (score * whole + options.recency_weight * freshness) / sum_of_weights
            for freshness, score in zip(fresh, scores, strict=True)
        ]
    return scores


def is_learned(options: SearchOptions) -> bool:
    """Tell whether the learned order is asked for: it is the default."""
    return options.fusion == "weighted" and options.context_boosts


def learned(
    candidates: Candidates,
    question: FeatureQuery,
    now: datetime,
    options: SearchOptions,
    parts: Parts | None = None,
) -> list[float]:
    """Return the weighted sum of each candidate's features, in log-odds."""
    has_meaning = not np.isnan(candidates.similarity).all()
    table = WITH_MEANING if has_meaning else WORDS_ALONE
    features = features_of(candidates, question)
    scores = np.zeros(len(candidates))
    for name in NAMES:
        weight, column = table.get(name, 0.0), getattr(features, name)
        if weight:
            scores += weight * column
        if parts is not None:
            parts[name] = (weight, column.tolist())
    if options.recency_weight:
        worth = options.recency_weight * RECENCY_LOG_ODDS
        fresh = _freshness(candidates, now, options)
        if parts is not None:
            parts["recency"] = (worth, fresh)
        scores += worth * np.array(fresh)
    return list(scores.tolist())


def by_project(
    scores: Sequence[float], candidates: Candidates, project: str, options: SearchOptions, parts: Parts | None = None
) -> list[float]:
    """Return the scores for somebody who works in a project: its memories come first, those of others last.

    What is about no project keeps its place.
    """
    if not project or not candidates.projects:
        return list(scores)
    fit = [
        0.0 if not one else OWN_PROJECT if one == project else OTHER_PROJECT for one in map(str, candidates.projects)
    ]
    weight = 1.0 if is_learned(options) else PROJECT_SHARE
    if parts is not None:
        parts["project"] = (weight, fit)
    return [score + weight * one for score, one in zip(scores, fit, strict=True)]


def odds(scores: Sequence[float], options: SearchOptions) -> list[float]:
    """Return scores as they are shown, 0..1, 1 for the best: its share, or with the learned order the odds to it."""
    best = max(scores, default=0.0)
    if is_learned(options):
        return [math.exp(min(0.0, score - best)) for score in scores]
    return [min(1.0, max(0.0, score / best)) if best > 0 else 0.0 for score in scores]


def _freshness(candidates: Candidates, now: datetime, options: SearchOptions) -> list[float]:
    return [
        1.0 if always else recency(time, now, options.recency_half_life_days)
        for always, time in zip(candidates.always_fresh, candidates.times, strict=True)
    ]


def _share_of_best(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]


def _stretched(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    middle, best = ordered[len(ordered) // 2], ordered[-1]
    if best <= middle:
        return [1.0 if value > 0 else 0.0 for value in values]
    return [min(1.0, max(0.0, (value - middle) / (best - middle))) for value in values]
