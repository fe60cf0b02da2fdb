"""Tokens that two texts share: a result that ends within one, and the next that goes on with it."""

from __future__ import annotations

import re
from collections.abc import Callable

from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED

# The run of a token at the end of one text, and at the beginning of the next; a longer one is none.
_RUN = re.compile(r"[A-Za-z0-9+/=_.~-]{4,400}")
_LONGEST = 400
_ENDS_IN_PLACEHOLDER = re.compile(rf"{PLACEHOLDER.pattern}\Z")


def last_run(text: str) -> str:
    """Return the run of characters of a token with which a text ends, or nothing."""
    backwards = _RUN.match(text[: -_LONGEST - 1 : -1])
    return backwards.group()[::-1] if backwards else ""


def without_rest(before: str, text: str, redact: Callable[[str], str]) -> str:
    """Return ``text`` without the rest of a token that began in ``before``, the run with which another text ended."""
    first = _RUN.match(text) if before else None
    if first is None:
        return text
    whole = redact(before + first.group())
    if whole.startswith(before) and first.group() in whole:
        return text  # nothing of it is hidden
    if _ENDS_IN_PLACEHOLDER.search(whole):
        return f"{REDACTED}{text[first.end() :]}"
    return text
