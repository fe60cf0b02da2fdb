"""Usefulness: the probability that a hit helps with a message, compared with the others that were found for it.

The order of hits says which answers best what was asked; whether one is worth its line is another question. Of two that
say different things the newer one mostly holds, and a question is seldom of use. Two logistic
tables, with and without vectors, learned by maximum likelihood on hits of made-up lives; docs/retrieval.md has figures.
"""

import math
from collections.abc import Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.sentences import only_asks
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.recalled import Reason, Recalled
from nanobot_memory_plugins.redaction.script.messages import Sentence

_WITH_MEANING = {
    "always": -4.83,
    "log_odds": 0.44,
    "coverage": 3.30,
    "similarity": 10.68,
    "by_assistant": -1.13,
    "asks": -1.38,
    "recency": 1.39,
}
_WORDS_ALONE = {
    "always": -2.22,
    "log_odds": 0.46,
    "coverage": 2.71,
    "by_assistant": -1.16,
    "asks": -2.61,
    "recency": 1.11,
}
# So many of what was said are shown whatever the best one is worth.
_SPARED = 2
# The logarithm below which a hit's odds, relative to the best, say no more.
_LEAST_LOG_ODDS = -8.0


def usefulness(hits: Sequence[Hit]) -> list[float]:
    """Return for each hit the probability, 0..1, that it helps; ``hits`` are all that were found for a message."""
    table = _WITH_MEANING if any(hit.similarity is not None for hit in hits) else _WORDS_ALONE
    best = max((hit.score for hit in hits), default=0.0)
    found = [_features(hit, best, recency) for hit, recency in zip(hits, _recency(hits), strict=True)]
    return [1 / (1 + math.exp(-sum(weight * features[name] for name, weight in table.items()))) for features in found]


def most_useful(hits: Sequence[Hit], most: int, options: RecallOptions, recalled: Recalled) -> list[Hit]:
    """Return the best ``most`` of the hits that help, in their order, without those that help far less than the best.

    Summaries come after what was said: one of a conversation in which something was only asked ranks high, and says
    nothing. The first of what was said are spared: in a large memory their order knows more than this does. What the
    user told later than the best one, with a word of the question, may be what holds now, and stays.
    """
    worth = recalled.usefulness = dict(zip((hit.id for hit in hits), usefulness(hits), strict=True))
    said = [hit for hit in hits if hit.origin is not Origin.SUMMARY]
    best = max(said or hits, key=lambda hit: worth[hit.id], default=None)
    if best is None:
        return []
    spared, needed = {hit.id for hit in said[:_SPARED]}, worth[best.id] * options.min_share_of_best

    def is_of_little_use(hit: Hit) -> bool:
        return worth[hit.id] < options.min_usefulness and hit.id not in spared

    def is_far_below(hit: Hit) -> bool:
        return worth[hit.id] < needed and hit.id not in spared and not _may_replace(hit, best)

    helping = sorted(hits, key=lambda hit: hit.origin is Origin.SUMMARY)
    least = Sentence("minUsefulness is {least:g}", least=options.min_usefulness)
    helping = recalled.without(helping, is_of_little_use, Reason.LITTLE_USE, least)
    share = Sentence("minShareOfBest is {share:g}", share=options.min_share_of_best)
    helping = recalled.without(helping, is_far_below, Reason.LITTLE_USE, share)
    recalled.leave_out(helping[most:], Reason.TOP_K, Sentence("{most} memories at most", most=most))
    return helping[:most]


def _may_replace(hit: Hit, best: Hit) -> bool:
    """Return whether a hit may tell what holds instead of the best one; what has no date holds at any time."""
    is_newer = hit.time is None or best.time is None or hit.time > best.time
    return is_newer and hit.origin is Origin.USER and hit.coverage > 0


def _features(hit: Hit, best: float, recency: float) -> dict[str, float]:
    odds = hit.score / best if best else 0.0
    return {
        "always": 1.0,
        "log_odds": max(_LEAST_LOG_ODDS, math.log(odds)) if odds > 0 else _LEAST_LOG_ODDS,
        "coverage": hit.coverage,
        "similarity": hit.similarity or 0.0,
        "by_assistant": float(hit.origin is Origin.ASSISTANT),
        "asks": float(only_asks(hit.text)),
        "recency": recency,
    }


def _recency(hits: Sequence[Hit]) -> list[float]:
    """Return for each hit when it was said, 0..1 from the oldest to the newest; one half where that says nothing."""
    times = [hit.time.timestamp() for hit in hits if hit.time is not None]
    oldest, span = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    return [(hit.time.timestamp() - oldest) / span if hit.time is not None and span else 0.5 for hit in hits]
