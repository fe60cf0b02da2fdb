"""Titles and tags are often cut from the text below them: what was hidden there must not stand in the cut."""

import re
from collections.abc import Collection, Iterator

from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED

# Shorter pieces of a secret tell nothing, and those without a digit stand in many words ("example" of an address).
_SHORTEST, _LONGEST = 4, 500
_AROUND = "#.,;:!?()[]{}<>\"'`*_"
_PIECE = re.compile(r"(?<!\w)(?=[^\W\d_]*+[\d_])\w{6,}")


def removed_values(before: str, after: str) -> frozenset[str]:
    """Return the longer words that redaction has taken out of a text altogether, and the secrets as they stood."""
    if before == after:
        return frozenset()
    words = frozenset(_PIECE.findall(before)) - frozenset(_PIECE.findall(after))
    return words | frozenset(found for _, found in secrets_between(before, after))


def secrets_between(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Give the placeholders of ``after`` and what stood in their places: what lies between is the same in both."""
    at = 0
    pieces, placeholders = PLACEHOLDER.split(after), PLACEHOLDER.findall(after)
    for index, piece in enumerate(pieces):
        place = before.find(piece, at) if piece else (len(before) if index == len(pieces) - 1 else at)
        if place < 0:
            return
        found = before[at:place].strip()
        if index and _SHORTEST <= len(found) <= _LONGEST:
            yield placeholders[index - 1], found
        at = place + len(piece)


def without(taken: Collection[str], text: str) -> str:
    """Return a text in which each word that holds a piece of what was taken out is hidden, also a cut one."""
    if not taken:
        return text

    if text.strip() in taken or text.strip(_AROUND) in taken:
        return REDACTED

    def hide(word: re.Match[str]) -> str:
        if word[0] in taken or word[0].strip(_AROUND) in taken:
            return REDACTED
        found = _PIECE.findall(word[0])
        return REDACTED if any(piece in whole for piece in found for whole in taken) else word[0]

    return re.sub(r"\S+", hide, text)
