"""Whether a message needs memory: a probability, by its words and by how well the best hits meet it.

"Who painted the Night Watch?" shares a word with "Good night", and needs nothing of it. What speaks for and against is
weighed by two logistic tables, with and without vectors. They were learned by maximum likelihood on questions with
labelled evidence and on messages that need nothing, each asked of several memories, all but what a general question,
a wish for advice and a name that a memory tells of weigh; docs/retrieval.md has the figures.
"""

import math
import re
from collections.abc import Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text import Act, is_general_question, names_in, reading_of, share_a_name, wants_advice
from nanobot_memory_plugins.recall import questions
from nanobot_memory_plugins.recall.routing import Decision, RecallTier
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_WITH_MEANING = {
    "always": -2.71,
    "coverage": 1.98,
    "similarity": 3.80,
    "told_coverage": 1.83,
    "told_similarity": 3.32,
    "explicit": 1.28,
    "implicit": 0.23,
    "personal": 0.93,
    "requests": -1.52,
    "advice": 1.50,
    "name": 0.70,
    "tells": -1.79,
    "person": 0.55,
    "chinese": 0.04,
    "short": -0.77,
    "general": -2.00,
}
_WORDS_ALONE = {
    "always": -1.60,
    "coverage": 2.49,
    "told_coverage": 2.87,
    "explicit": 1.08,
    "implicit": 0.35,
    "personal": 1.08,
    "requests": -1.41,
    "advice": 1.50,
    "name": 0.70,
    "tells": -1.81,
    "person": 0.59,
    "chinese": 0.60,
    "short": -1.41,
    "general": -2.00,
}
_PERSON = re.compile(r"\b(?:my|our|i|we|me|us|he|she|his|her|they|their)\b|[我咱他她]", re.IGNORECASE)
_CHINESE = re.compile("[\u3400-\u9fff]")
# Shorter messages say little of what is meant: in Chinese, and else.
_SHORT_CHINESE, _SHORT = 8, 20
# What of a message is read.
_LOOKED_THROUGH = 2_000


def need(text: str, decision: Decision, hits: Sequence[Hit]) -> float:
    """Return the probability, 0..1, that a message needs memory, of which ``hits`` are the best that there is."""
    text = text[:_LOOKED_THROUGH]
    found = _features(text, decision) | _evidence(text, hits)
    table = _WITH_MEANING if any(hit.similarity is not None for hit in hits) else _WORDS_ALONE
    return 1 / (1 + math.exp(-sum(weight * found[name] for name, weight in table.items())))


def _evidence(text: str, hits: Sequence[Hit]) -> dict[str, float]:
    """Return how well hits meet the message: any of them, and those in which somebody tells something."""
    names = names_in(text)
    told = [hit for hit in hits if hit.origin is not Origin.ASSISTANT and not hit.text.rstrip().endswith(("?", "？"))]
    return {
        "coverage": max((hit.coverage for hit in hits), default=0.0),
        "similarity": max((hit.similarity or 0.0 for hit in hits), default=0.0),
        "told_coverage": max((hit.coverage for hit in told), default=0.0),
        "told_similarity": max((hit.similarity or 0.0 for hit in told), default=0.0),
        "name": float(any(share_a_name(names, names_in(hit.text)) for hit in told)),
    }


def _features(text: str, decision: Decision) -> dict[str, float]:
    acts = {clause.act for clause in reading_of(text).clauses}
    chinese = _CHINESE.search(text) is not None
    kind = decision.signal.kind if decision.signal is not None else ""
    return {
        "always": 1.0,
        "explicit": float(decision.tier is RecallTier.HEAVY),
        "implicit": float(kind == "implicitSignals"),
        "personal": float(questions.is_personal(simplified(text))),
        "requests": float(Act.REQUESTS in acts and Act.ASKS not in acts),
        "advice": float(wants_advice(text)),
        "tells": float(not acts & {Act.ASKS, Act.REQUESTS}),
        "person": float(_PERSON.search(text) is not None),
        "chinese": float(chinese),
        "general": float(is_general_question(text)),
        "short": float(len(text) < (_SHORT_CHINESE if chinese else _SHORT)),
    }
