"""Whether a message needs memory: a probability, by its meaning, its words, and how well the best hits meet it.

"Who painted the Night Watch?" shares a word with "Good night", and needs nothing of it. What a message means speaks
through one number, the log-odds that it asks for something of its author's own life (`SearchResult.personal`); without
it the second table decides. ``python -m benchmarks learn_need`` learns both by maximum likelihood, but that the second
is .2 more silent than it learns: that costs nothing that is needed. docs/retrieval.md has the figures.
"""

import math
import re
from collections.abc import Mapping, Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.recall.routing import Decision, RecallTier, asks

WITH_MEANING = {
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
WORDS_ALONE = {
    "always": -4.15,
    "coverage": 1.78,
    "told_coverage": 1.81,
    "explicit": 3.58,
    "implicit": 1.85,
    "asks": 3.71,
    "person": 1.74,
}
_PERSON = re.compile(r"\b(?:my|our|i|we|me|us|he|she|his|her|they|their)\b|[我咱他她]", re.IGNORECASE)


def need(evidence: Mapping[str, float]) -> float:
    """Return the probability, 0..1, that a message needs memory, by its `evidence_of_need`."""
    table = WITH_MEANING if "personal" in evidence else WORDS_ALONE
    return 1 / (1 + math.exp(-sum(weight * evidence[name] for name, weight in table.items())))


def evidence_of_need(text: str, decision: Decision, personal: float | None, hits: Sequence[Hit]) -> dict[str, float]:
    """Return what speaks for a message's need, by name, of which ``hits`` are the best that there is.

    Coverage and similarity are the best of any of them, and of those in which somebody tells something. ``personal``
    is there where the model has read the message.
    """
    told_hits = [hit for hit in hits if hit.origin is not Origin.ASSISTANT and not asks(hit.text)]
    by_meaning = {} if personal is None else {"personal": personal}
    return by_meaning | {
        "always": 1.0,
        "coverage": max((hit.coverage for hit in hits), default=0.0),
        "similarity": max((hit.similarity or 0.0 for hit in hits), default=0.0),
        "told_coverage": max((hit.coverage for hit in told_hits), default=0.0),
        "told_similarity": max((hit.similarity or 0.0 for hit in told_hits), default=0.0),
        "explicit": float(decision.tier is RecallTier.HEAVY),
        "implicit": float(decision.tier is RecallTier.LIGHT),
        "asks": float(asks(text)),
        "person": float(_PERSON.search(text) is not None),
    }
