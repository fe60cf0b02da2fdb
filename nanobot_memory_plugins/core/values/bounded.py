"""What a tool was given or returned, as plugins get it: read-only, and no more of it than notes can show.

A result may be a list of a million rows. It is copied on the host's own thread: the copy is bounded while it is made.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_MOST_VALUES = 1_000
_MOST_CHARACTERS = 262_144
_DEPTH = 64
MORE = "…"
"""The key under which a mapping that was cut says how much was left out."""


def bounded_copy(value: object) -> Any:
    """Copy the first thousand values of ``value``, however nested; a text on its own stays as it is.

    What is left out is counted in its place: ``[… 999,000 more]``.
    """
    return value if type(value) is str else _Copying().copy(value, _DEPTH)


class _Copying:
    """A copy that is being made: how many values and characters it may still take."""

    def __init__(self) -> None:
        self._values = _MOST_VALUES
        self._characters = _MOST_CHARACTERS

    def copy(self, value: object, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bytes | bytearray):
            cut = bytes(value[: self._characters])
            self._characters -= len(cut)
            return cut
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return value
        if depth == 0:
            return str(type(value))
        pairs: dict[str, Any] = {}
        items: list[Any] = []
        for done, item in enumerate(value):
            if self._values <= 0:
                marker = f"[{MORE} {len(value) - done:,} more]"
                pairs[MORE] = marker
                items.append(marker)
                break
            self._values -= 1
            if isinstance(value, Mapping):
                name = self._text(_name(item))
                pairs[name] = self.copy(value[item], depth - 1)
            else:
                items.append(self.copy(item, depth - 1))
        return MappingProxyType(pairs) if isinstance(value, Mapping) else tuple(items)

    def _text(self, text: str) -> str:
        left = self._characters
        self._characters = max(0, left - len(text))
        return text if len(text) <= left else f"{text[:left]}{MORE} [+{len(text) - left:,} chars]"


def _name(key: object) -> str:
    try:
        return str(key)
    except ValueError:  # a number of too many digits
        return str(type(key))
