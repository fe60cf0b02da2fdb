"""Two learned probabilities: that a message needs memory, and that a hit helps with it.

"Who painted the Night Watch?" shares a word with "Good night", but needs no memory of it. The meaning of a message
counts as one number, the log-odds that it asks about its author's own life (`SearchResult.personal`); the other
evidence is its words, and how well the best hits match it. The ranking says which hit answers best; whether a hit is
worth its line is a separate probability: of two contradicting hits usually the newer one holds, and a question is less
useful.

Each probability has a logistic table with vectors and one by words only. ``python -m benchmarks learn_need`` learns the
tables of the need by maximum likelihood, except that the constant of the one by words is .2 lower than learned, which
loses no memory that is needed. docs/figures.md has the figures.
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
# The first hits that are not summaries are kept, however much more useful the best one is.
_ALWAYS_KEPT = 2
# The lower limit of the logarithm of a hit's odds relative to the best.
_MIN_LOG_ODDS = -8.0


def need(evidence: Mapping[str, float]) -> float:
    """Return the probability, 0..1, that a message needs memory, from its `evidence_of_need`."""
    return _probability(NEED_WITH_MEANING if "personal" in evidence else NEED_BY_WORDS, evidence)


def evidence_of_need(text: str, decision: Decision, personal: float | None, hits: Sequence[Hit]) -> dict[str, float]:
    """Return the features of a message's need of memory, by name; ``hits`` are the best that were found.

    Coverage and similarity are the maxima over all hits, and over statements: neither questions nor by the assistant.
    ``personal`` is included when the model has embedded the message.
    """
    statements = [hit for hit in hits if hit.origin is not Origin.ASSISTANT and not ends_in_question_mark(hit.text)]
    personal_evidence = {} if personal is None else {"personal": personal}
    return personal_evidence | {
        "always": 1.0,
        "coverage": max((hit.coverage for hit in hits), default=0.0),
        "similarity": max((hit.similarity or 0.0 for hit in hits), default=0.0),
        "told_coverage": max((hit.coverage for hit in statements), default=0.0),
        "told_similarity": max((hit.similarity or 0.0 for hit in statements), default=0.0),
        "explicit": float(decision.tier is RecallTier.HEAVY),
        "implicit": float(decision.tier is RecallTier.LIGHT),
        "asks": float(ends_in_question_mark(text)),
        "person": float(_PERSON.search(text) is not None),
    }


def usefulness(hits: Sequence[Hit]) -> dict[str, float]:
    """Return the probability, 0..1, that a hit helps, by hit id; ``hits`` are all that were found for a message."""
    table = _HELP_WITH_MEANING if any(hit.similarity is not None for hit in hits) else _HELP_BY_WORDS
    best = max((hit.score for hit in hits), default=0.0)
    times = [hit.time.timestamp() for hit in hits if hit.time is not None]
    oldest, span = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    probabilities = {}
    for hit in hits:
        odds = hit.score / best if best else 0.0
        evidence = {
            "always": 1.0,
            "log_odds": max(_MIN_LOG_ODDS, math.log(odds)) if odds > 0 else _MIN_LOG_ODDS,
            "coverage": hit.coverage,
            "similarity": hit.similarity or 0.0,
            "asks": float(is_only_questions(hit.text)),
            # From 0 for the oldest to 1 for the newest hit; one half without a time.
            "relative_recency": (hit.time.timestamp() - oldest) / span if hit.time is not None and span else 0.5,
        }
        probabilities[hit.id] = _probability(table, evidence)
    return probabilities


def select_helpful(hits: Sequence[Hit], probabilities: Mapping[str, float], options: RecallOptions) -> list[Hit]:
    """Return the hits that help by their `usefulness`, without those that help far less than the best.

    Summaries come last: that of a conversation in which something was only asked ranks high and is useless. The first
    `_ALWAYS_KEPT` other hits stay: in a large memory the ranking is more reliable than this probability. A later
    statement of the user with a word of the question also stays, since it may replace the best one.
    """
    messages = [hit for hit in hits if hit.origin is not Origin.SUMMARY]
    best = max(messages or hits, key=lambda hit: probabilities[hit.id], default=None)
    if best is None:
        return []
    always_kept = {hit.id for hit in messages[:_ALWAYS_KEPT]}
    threshold = probabilities[best.id] * options.min_share_of_best

    def is_helpful(hit: Hit) -> bool:
        is_near = probabilities[hit.id] >= threshold or _may_replace(hit, best)
        return hit.id in always_kept or (is_near and probabilities[hit.id] >= options.min_usefulness)

    return sorted(filter(is_helpful, hits), key=lambda hit: hit.origin is Origin.SUMMARY)


def _may_replace(hit: Hit, best: Hit) -> bool:
    """Return whether a hit may be a newer statement of the user that replaces the best one; undated ones may."""
    is_newer = hit.time is None or best.time is None or hit.time > best.time
    return is_newer and hit.origin is Origin.USER and hit.coverage > 0


def _probability(table: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-sum(weight * evidence[name] for name, weight in table.items())))
