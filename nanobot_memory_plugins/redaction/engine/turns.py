"""Secrets that take several turns: asked for and answered, or given earlier."""

import re
from collections.abc import Iterable
from functools import lru_cache

from nanobot_memory_plugins.redaction.rules.rule import CONTACT_PLACEHOLDERS, REDACTED
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

# What stays a secret for all of a conversation: a word, or a number of fewer digits, is something else by then.
_SHORTEST_SECRET, _SHORTEST_LASTING, _LONGEST_READ, _TAIL = 4, 6, 2_000, 300


def hide_answer(question: str, answer: str) -> str:
    """Return ``answer`` without the secret that ``question``, the message before it, asks for.

    A long message is no answer.
    """
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # which walks values by this module

    if len(answer) > _LONGEST_READ or not question.rstrip(" \n\"'”’)*").endswith(("?", "？")):
        return answer
    before = f"{question.rstrip()[-_TAIL:]}\n"
    for one in reversed(Redactor().findings(before + answer)):
        if one.start >= len(before) and one.placeholder not in CONTACT_PLACEHOLDERS:
            start, end = one.start - len(before), one.end - len(before)
            answer = answer[:start] + one.placeholder + answer[end:]
    return answer


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
