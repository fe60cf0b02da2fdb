"""Two learned probabilities: that a message needs memory, and that a hit helps with it.

"Who painted the Night Watch?" shares a word with "Good night", and needs nothing of it. What a message means speaks
through one number, the log-odds that it asks for something of its author's own life (`SearchResult.personal`); besides
count its words, and how well the best hits meet it. Of hits the order says which answers best; whether one is worth its
line is another question: of two that say different things the newer mostly holds, and a question is of less use.

Each has a logistic table with vectors and one by words alone. ``python -m benchmarks learn_need`` learns those of the
need by maximum likelihood, but that the one by words is .2 more silent than it learns: that costs nothing that is
needed. docs/figures.md has the figures.
"""

import math
import re
from collections.abc import Mapping, Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, is_only_questions
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import Decision, RecallTier

NEED_WITH_MEANING = {
    "always": -3.80,
    "personal": 2.15,
    "coverage": 2.16,
    "similarity": 3.14,
    "told_coverage": 0.90,
    "told_similarity": 2.63,
    "explicit": 3.90,
    "implicit": 1.46,
    "asks": 2.34,
    "person": 0.66,
}
NEED_BY_WORDS = {
    "always": -4.15,
    "coverage": 1.78,
    "told_coverage": 1.81,
    "explicit": 3.58,
    "implicit": 1.85,
    "asks": 3.71,
    "person": 1.74,
}
_HELP_WITH_MEANING = {
    "always": -4.83,
    "log_odds": 0.44,
    "coverage": 3.30,
    "similarity": 10.68,
    "asks": -0.70,
    "relative_recency": 1.39,
}
_HELP_BY_WORDS = {
    "always": -2.22,
    "log_odds": 0.46,
    "coverage": 2.71,
    "asks": -1.30,
    "relative_recency": 1.11,
}
_PERSON = re.compile(r"\b(?:my|our|i|we|me|us|he|she|his|her|they|their)\b|[我咱他她]", re.IGNORECASE)
# So many of what was said are shown whatever the best one is worth.
_SPARED = 2
# The logarithm below which a hit's odds, relative to the best, say no more.
_LEAST_LOG_ODDS = -8.0


def need(evidence: Mapping[str, float]) -> float:
    """Return the probability, 0..1, that a message needs memory, by its `evidence_of_need`."""
    return _probability(NEED_WITH_MEANING if "personal" in evidence else NEED_BY_WORDS, evidence)


def evidence_of_need(text: str, decision: Decision, personal: float | None, hits: Sequence[Hit]) -> dict[str, float]:
    """Return what speaks for a message's need, by name, of which ``hits`` are the best that there is.

    Coverage and similarity are the best of any of them, and of those in which somebody tells something. ``personal``
    is there where the model has read the message.
    """
    told_hits = [hit for hit in hits if hit.origin is not Origin.ASSISTANT and not ends_in_question_mark(hit.text)]
    by_meaning = {} if personal is None else {"personal": personal}
    return by_meaning | {
        "always": 1.0,
        "coverage": max((hit.coverage for hit in hits), default=0.0),
        "similarity": max((hit.similarity or 0.0 for hit in hits), default=0.0),
        "told_coverage": max((hit.coverage for hit in told_hits), default=0.0),
        "told_similarity": max((hit.similarity or 0.0 for hit in told_hits), default=0.0),
        "explicit": float(decision.tier is RecallTier.HEAVY),
        "implicit": float(decision.tier is RecallTier.LIGHT),
        "asks": float(ends_in_question_mark(text)),
        "person": float(_PERSON.search(text) is not None),
    }


def usefulness(hits: Sequence[Hit]) -> dict[str, float]:
    """Return by its id the probability, 0..1, that a hit helps; ``hits`` are all that were found for a message."""
    table = _HELP_WITH_MEANING if any(hit.similarity is not None for hit in hits) else _HELP_BY_WORDS
    best = max((hit.score for hit in hits), default=0.0)
    times = [hit.time.timestamp() for hit in hits if hit.time is not None]
    oldest, span = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    found = {}
    for hit in hits:
        odds = hit.score / best if best else 0.0
        evidence = {
            "always": 1.0,
            "log_odds": max(_LEAST_LOG_ODDS, math.log(odds)) if odds > 0 else _LEAST_LOG_ODDS,
            "coverage": hit.coverage,
            "similarity": hit.similarity or 0.0,
            "asks": float(is_only_questions(hit.text)),
            # From the oldest, 0, to the newest, 1; one half where the time says nothing.
            "relative_recency": (hit.time.timestamp() - oldest) / span if hit.time is not None and span else 0.5,
        }
        found[hit.id] = _probability(table, evidence)
    return found


def helping(hits: Sequence[Hit], worth: Mapping[str, float], options: RecallOptions) -> list[Hit]:
    """Return the hits that help by their `usefulness`, without those that help far less than the best.

    Summaries come after what was said: one of a conversation in which something was only asked ranks high, and says
    nothing. The first of what was said are spared: in a large memory their order knows more than this does. What the
    user told later than the best one, with a word of the question, may be what holds now, and stays.
    """
    said = [hit for hit in hits if hit.origin is not Origin.SUMMARY]
    best = max(said or hits, key=lambda hit: worth[hit.id], default=None)
    if best is None:
        return []
    spared, needed = {hit.id for hit in said[:_SPARED]}, worth[best.id] * options.min_share_of_best

    def helps(hit: Hit) -> bool:
        is_near = worth[hit.id] >= needed or _may_replace(hit, best)
        return hit.id in spared or (is_near and worth[hit.id] >= options.min_usefulness)

    return sorted(filter(helps, hits), key=lambda hit: hit.origin is Origin.SUMMARY)


def _may_replace(hit: Hit, best: Hit) -> bool:
    """Return whether a hit may tell what holds instead of the best one; what has no date holds at any time."""
    is_newer = hit.time is None or best.time is None or hit.time > best.time
    return is_newer and hit.origin is Origin.USER and hit.coverage > 0


def _probability(table: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-sum(weight * evidence[name] for name, weight in table.items())))
