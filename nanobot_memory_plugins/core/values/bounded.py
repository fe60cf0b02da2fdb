"""Bounded, read-only copies of the arguments and results of tools, as plugins get them.

A result may be a list of a million rows. The copy is made on the host's own thread, and stops at its bound.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_MOST_VALUES = 1_000
_MOST_CHARACTERS = 262_144
_MOST_DEPTH = 64
MORE = "…"
"""The key under which a shortened mapping tells how many items were left out."""


def bounded_copy(value: object) -> Any:
    """Copy the first thousand values of ``value``, at any depth. A value that is a text is returned unchanged.

    A marker stands for the values that were left out, with their number: ``[… 999,000 more]``.
    """
    return value if type(value) is str else _BoundedCopier().copy(value, _MOST_DEPTH)


class _BoundedCopier:
    """Makes one copy, and counts the values and characters that it may still contain."""

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
                name = self._text(_key_text(item))
                pairs[name] = self.copy(value[item], depth - 1)
            else:
                items.append(self.copy(item, depth - 1))
        return MappingProxyType(pairs) if isinstance(value, Mapping) else tuple(items)

    def _text(self, text: str) -> str:
        left = self._characters
        self._characters = max(0, left - len(text))
        return text if len(text) <= left else f"{text[:left]}{MORE} [+{len(text) - left:,} chars]"


def _key_text(key: object) -> str:
    try:
        return str(key)
    except ValueError:  # an integer with too many digits
        return str(type(key))
