"""Titles and tags are often cut from the text below them: what was hidden there must not stand in the cut."""

import re
from collections.abc import Collection

from nanobot_memory_plugins.core.redaction.rules import REDACTED

# Shorter pieces of a secret tell nothing, and those without a digit stand in many words ("example" of an address).
_PIECE = re.compile(r"(?<!\w)(?=[^\W\d_]*+[\d_])\w{6,}")


def taken_out(before: str, after: str) -> frozenset[str]:
    """Return the longer words that redaction has taken out of a text altogether."""
    if before == after:
        return frozenset()
    return frozenset(_PIECE.findall(before)) - frozenset(_PIECE.findall(after))


def without(taken: Collection[str], text: str) -> str:
    """Return a text in which each word that holds a piece of what was taken out is hidden, also a cut one."""
    if not taken:
        return text

    def hide(word: re.Match[str]) -> str:
        found = _PIECE.findall(word[0])
        return REDACTED if any(piece in whole for piece in found for whole in taken) else word[0]

    return re.sub(r"\S+", hide, text)
