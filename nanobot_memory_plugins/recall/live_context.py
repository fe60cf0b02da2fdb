"""What stands in the live context already, and is not injected again.

A memory of it stands in its file as it was stored: its secrets hidden, its white space as it may be, perhaps a part of
it only. What was hidden is not looked for: every other word of the memory must stand in one text of the context, in its
order, and that text must hold something to hide.
"""

import re
from collections.abc import Callable, Iterable

from nanobot_memory_plugins.recall.deduplicate import folded
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# What the store puts behind an entry that has taken the place of another: a prompt shows it without.
_SINCE = re.compile(r"\s*(?:\(since [\d-]+\)|（自[\d-]+起）)$")
# Texts shorter than this say too little to be recognised inside another text ("yes", "好的").
_SHORTEST_PART = 8
# Characters that are redacted for one message: they take some ten milliseconds, for which its answer waits.
_LOOKED_THROUGH = 12_000


class LiveContext:
    """The texts of a live context, the nearest first. Built once for a message, asked for each memory."""

    def __init__(self, texts: Iterable[str], redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._texts = {plain: text for text in texts if (plain := folded(text))}
        self._hides: dict[str, bool] = {}
        self._left = _LOOKED_THROUGH

    def holds(self, text: str) -> bool:
        """Return whether a memory says only what stands here."""
        text = _SINCE.sub("", text)
        said = folded(text)
        if not said or said in self._texts:
            return True
        if len(said) >= _SHORTEST_PART and any(said in plain for plain in self._texts):
            return True
        parts = [folded(part) for part in PLACEHOLDER.split(text)]
        if len(parts) == 1:
            return False
        if not any(parts):
            return True  # nothing but what was hidden
        return any(_stand_in(parts, plain) and self._holds_a_secret(plain) for plain in self._texts)

    def shows(self, line: str) -> bool:
        """Whether a line stands here as it is: in one of our own blocks that the host has left in its history."""
        said = folded(line)
        return any(said in plain for plain in self._texts)

    def _holds_a_secret(self, plain: str) -> bool:
        """Return whether there is something to hide in a text; of what is too much to be looked through, nothing."""
        if plain not in self._hides:
            text = self._texts[plain]
            if len(text) > self._left:
                return False
            self._left -= len(text)
            self._hides[plain] = self._redact(text) != text
        return self._hides[plain]


def _stand_in(parts: Iterable[str], text: str) -> bool:
    """Return whether all parts stand in a text, one behind the other."""
    at = 0
    for part in filter(None, parts):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
