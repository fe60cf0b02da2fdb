"""What a tool was given or returned, as plugins get it: read-only, and no more of it than notes can show.

A result may be a list of a million rows. It is copied on the host's own thread: the copy is bounded while it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

_MOST_VALUES = 1_000
_MOST_CHARACTERS = 262_144
_DEPTH = 64
_PLAIN = frozenset({int, float, bool, type(None)})
MORE = "…"
"""The key under which a mapping that was cut says how much was left out."""


def bounded_copy(value: object) -> Any:
    """Copy the first thousand values of ``value``, however nested; a text on its own stays as it is.

    What is left out is counted where it would stand: ``[… 999,000 more]``.
    """
    return value if type(value) is str else _Copying().copy(value, _DEPTH)


class _Copying:
    """A copy that is being made: how many values and characters it may still take."""

    __slots__ = ("_characters", "_values")

    def __init__(self) -> None:
        self._values = _MOST_VALUES
        self._characters = _MOST_CHARACTERS

    def copy(self, value: object, depth: int) -> Any:
        if type(value) is str:
            return self._text(value)
        if type(value) in _PLAIN:
            return value
        if depth == 0:
            return str(type(value))
        if isinstance(value, Mapping):
            return MappingProxyType(self._pairs(value, depth - 1))
        if isinstance(value, list | tuple | set | frozenset):
            return self._items(value, len(value), depth - 1)
        if isinstance(value, bytes | bytearray):
            cut = bytes(value[: self._characters])
            self._characters -= len(cut)
            return cut
        return value

    def _pairs(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        for key, item in value.items():
            if self._values <= 0:
                pairs[MORE] = f"[{MORE} {len(value) - len(pairs):,} more]"
                break
            self._values -= 1
            name = self._key(key, depth)
            pairs[name] = self.copy(item, depth)
        return pairs

    def _items(self, value: Iterable[Any], size: int, depth: int) -> tuple[Any, ...]:
        items: list[Any] = []
        for item in value:
            if self._values <= 0:
                items.append(f"[{MORE} {size - len(items):,} more]")
                break
            self._values -= 1
            items.append(self.copy(item, depth))
        return tuple(items)

    def _key(self, key: object, depth: int) -> str:
        if isinstance(key, tuple | frozenset):
            key = self._items(key, len(key), depth - 1) if depth > 0 else type(key)
        try:
            return self._text(str(key))
        except ValueError:  # a number of too many digits
            return str(type(key))

    def _text(self, text: str) -> str:
        left = self._characters
        self._characters = max(0, left - len(text))
        return text if len(text) <= left else f"{text[:left]}{MORE} [+{len(text) - left:,} chars]"
