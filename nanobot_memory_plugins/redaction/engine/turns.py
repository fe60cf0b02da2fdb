"""Secrets that take several turns: asked for and answered, or given earlier."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from nanobot_memory_plugins.redaction import redact_text
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.rules.rule import REDACTED
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

# A question with a word for a secret, at the end of what was said.
_ASKS = lazy_re(
    r"(?i)[^\n.!?。！？]{0,80}(?:pass|pwd?(?![a-z])|wi-?fi|secret|(?<![a-z])(?:pin|otp|cvv)(?![a-z])|code|comb|key"
    r"|token|密|口令|暗号|令牌|[验驗提][证證取]?[码碼])[^\n.!?。！？=:]{0,60}(?=[?？][\"'”’)*]{0,2}\Z)"
)
_TAIL = 300
# How an answer may begin, and what none is.
_OPENING = lazy_re(
    r"(?i)\s*(?:(?:it['’]?s|it is|that['’]?s|sure|yes|yeah|yep|ok(?:ay)?|here|try|的?是|好的?)(?![a-z])"
    r"[,.:，。：—-]?\s*){0,3}"
)
_WORD = lazy_re(r"[A-Za-z]*+(?![0-9])")
_NO_ANSWER = words(
    "no nope none nothing dunno sorry thanks thank please what which where when who maybe never always not forgot there"
    " forgotten later tomorrow today yesterday hello great really exactly perhaps both either neither anything"
    " something nobody only the in on very"
)
# What stays a secret for all of a conversation: a word, or a number of fewer digits, is something else by then.
_SHORTEST_SECRET, _SHORTEST_LASTING, _LONGEST_READ = 4, 6, 2_000


def hide_answer(question: str, answer: str) -> str:
    """Return ``answer`` without the secret that ``question``, the message before it, asks for.

    It is read as what follows the question's words after a colon. A long message is no answer.
    """
    tail = question.rstrip()[-_TAIL:]
    is_question = tail.rstrip("\"'”’)*").endswith(("?", "？"))  # the pattern tries at each letter
    asked = _ASKS.search(tail) if is_question and len(answer) <= _LONGEST_READ else None
    opening = _OPENING.match(answer) if asked else None
    if asked is None or opening is None:
        return answer
    word = _WORD.match(answer, opening.end())
    if word is not None and word.group().lower() in _NO_ANSWER:
        return answer
    before = f"{asked.group()}: "
    told = redact_text(before + answer[opening.end() :], keeps=lambda _placeholder, _found: True)
    return opening.group() + told.removeprefix(before) if told.startswith(before) else answer


@lru_cache(maxsize=512)
def secrets_in(text: str) -> tuple[str, ...]:
    """Return the secret values in a message, the longest first; of a long message only those of its beginning."""
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # which walks values by this module

    text = text[:_LONGEST_READ]
    values = {text[one.start : one.end] for one in Redactor().findings(text) if one.placeholder == REDACTED}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True))


def is_lasting_secret(value: str) -> bool:
    """Return whether a value stays secret wherever it occurs in the same conversation."""
    return len(value) >= _SHORTEST_LASTING and (
        any(map(str.isdigit, value)) or has_password_marks(value) or looks_random(value)
    )


def hide_values(text: str, values: Iterable[str]) -> str:
    """Return a text without these values, where each occurs as a whole word."""
    for value in values:
        if value in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", REDACTED, text)
    return text
