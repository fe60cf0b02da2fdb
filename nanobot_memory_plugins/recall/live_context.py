"""What the live context contains already, and is not injected again.

A memory of it is in its file as it was stored: its secrets hidden, its white space as it may be, perhaps a part of
it only. What was hidden is not looked for: a memory whose other words are in one text, in their order, says no more.
"""

import re
from collections.abc import Iterable

from nanobot_memory_plugins.recall.deduplicate import folded
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# What the store appends to an entry that has taken the place of another: a prompt shows it without.
_SINCE = re.compile(r"\s*(?:\(since [\d-]+\)|（自[\d-]+起）)$")
# Texts shorter than this say too little to be recognised inside another text ("yes", "好的").
_SHORTEST_PART = 8


class LiveContext:
    """The texts of a live context. Built once for a message, asked for each memory."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = {folded(text) for text in texts} | {""}

    def holds(self, text: str) -> bool:
        """Return whether a memory says only what the context contains."""
        text = _SINCE.sub("", text)
        parts = [folded(part) for part in PLACEHOLDER.split(text)]
        if len(parts) == 1 and len(parts[0]) < _SHORTEST_PART:
            return parts[0] in self._texts
        return any(_stand_in(parts, plain) for plain in self._texts)


def _stand_in(parts: Iterable[str], text: str) -> bool:
    """Return whether a text contains all parts, one after the other."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
