"""Usefulness: the probability that a hit helps with a message, beside the others that were found for it.

The order of hits says which answers best what was asked; whether one is worth its line is another question. Of two that
say different things the newer one mostly holds, and what somebody only asked for once is seldom of use. Two logistic
tables, with and without vectors, learned by maximum likelihood on hits of made-up lives; docs/retrieval.md has figures.
"""

import math
from collections.abc import Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text import only_requests

_WITH_MEANING = {
    "always": -4.83,
    "log_odds": 0.44,
    "coverage": 3.30,
    "similarity": 10.68,
    "by_assistant": -1.13,
    "only_requests": -1.38,
    "recency": 1.39,
}
_WORDS_ALONE = {
    "always": -2.22,
    "log_odds": 0.46,
    "coverage": 2.71,
    "by_assistant": -1.16,
    "only_requests": -2.61,
    "recency": 1.11,
}
# The logarithm below which a hit's odds, relative to the best, say no more.
_LEAST_LOG_ODDS = -8.0


def usefulness(hits: Sequence[Hit]) -> list[float]:
    """Return for each hit the probability, 0..1, that it helps; ``hits`` are all that were found for a message."""
    table = _WITH_MEANING if any(hit.similarity is not None for hit in hits) else _WORDS_ALONE
    best = max((hit.score for hit in hits), default=0.0)
    found = [_features(hit, best, recency) for hit, recency in zip(hits, _recency(hits), strict=True)]
    return [1 / (1 + math.exp(-sum(weight * one[name] for name, weight in table.items()))) for one in found]


def _features(hit: Hit, best: float, recency: float) -> dict[str, float]:
    odds = hit.score / best if best else 0.0
    return {
        "always": 1.0,
        "log_odds": max(_LEAST_LOG_ODDS, math.log(odds)) if odds > 0 else _LEAST_LOG_ODDS,
        "coverage": hit.coverage,
        "similarity": hit.similarity or 0.0,
        "by_assistant": float(hit.origin is Origin.ASSISTANT),
        "only_requests": float(hit.origin is Origin.USER and only_requests(hit.text)),
        "recency": recency,
    }


def _recency(hits: Sequence[Hit]) -> list[float]:
    """Return for each hit when it was said, 0..1 from the oldest to the newest; one half where that says nothing."""
    times = [hit.time.timestamp() for hit in hits if hit.time is not None]
    oldest, span = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    return [(hit.time.timestamp() - oldest) / span if hit.time is not None and span else 0.5 for hit in hits]
