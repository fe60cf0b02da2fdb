"""Secrets that were told before, said again without a word beside them: ``I will use plumtree-Otter-55``."""

import re
from collections.abc import Iterable
from functools import lru_cache

from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import REDACTED
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

# Shorter ones are parts of ordinary texts.
_SHORTEST = 4
# What stays a secret for all of a conversation: a word, or a number of fewer digits, is something else by then.
_SHORTEST_KEPT = 6
_LONGEST = 2_000
_DIGIT = re.compile(r"[0-9]")


@lru_cache(maxsize=512)
def told_in(text: str) -> tuple[str, ...]:
    """Return the values that a message tells as secrets, the longest first; of a long one, those of its beginning."""
    text = text[:_LONGEST]
    values = {text[one.start : one.end] for one in Redactor().findings(text) if one.placeholder == REDACTED}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True))


def stays_told(value: str) -> bool:
    """Return whether a value is a secret wherever it stands in the same conversation."""
    if len(value) < _SHORTEST_KEPT:
        return False
    return _DIGIT.search(value) is not None or has_password_marks(value) or looks_random(value)


def hide_told(text: str, values: Iterable[str]) -> str:
    """Return a text without these values, where each stands as a whole."""
    for value in values:
        if value in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", REDACTED, text)
    return text
