"""Cuts a text to its head and its tail, with a marker between them that tells what is missing.

The cuts are between paragraphs if possible, else between lines, else anywhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from nanobot_memory_plugins.core import language_of
from nanobot_memory_plugins.core.text.fence import Language

_PARAGRAPH_BREAK = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
# A cut may move to a paragraph break by a quarter of the part's length at most, and to a line break by a half.
_PARAGRAPH_DIVISOR = 4
_LINE_DIVISOR = 2


def head_end(text: str, most: int) -> int:
    """Return the end of a head of at most ``most`` characters, before a line break. ``text`` must be longer."""
    if most <= 0:
        return 0
    lowest = most - most // _PARAGRAPH_DIVISOR
    breaks = [found.start() for found in _PARAGRAPH_BREAK.finditer(text, lowest, most + 4) if found.start() <= most]
    if breaks:
        return breaks[-1]
    line = text.rfind("\n", most - most // _LINE_DIVISOR, most + 1)
    if line > 0:
        return line - 1 if text[line - 1] == "\r" else line
    return most


def tail_start(text: str, most: int) -> int:
    """Return the start of a tail of at most ``most`` characters, after a line break if possible."""
    if most <= 0:
        return len(text)
    start = len(text) - most
    highest = start + most // _PARAGRAPH_DIVISOR
    for found in _PARAGRAPH_BREAK.finditer(text, max(0, start - 4), highest):
        if found.end() >= start:
            return found.end()
    line = text.find("\n", max(0, start - 1), start + most // _LINE_DIVISOR)
    if line >= 0:
        return line + 1
    return start


# Of a longer name only the end is shown.
_NAME_CHARS = 60
# The least number of characters of the text that must fit beside the short marker.
_LEAST_ROOM = 16


@dataclass(frozen=True, slots=True)
class Cut:
    """A text without its middle. ``left_out`` is the number of characters that are in neither head nor tail."""

    head: str
    marker: str
    tail: str
    left_out: int

    @property
    def text(self) -> str:
        """Head, marker and tail."""
        return self.head + self.marker + self.tail


def cut(text: str, name: str, *, limit: int, head_ratio: float, tail_ratio: float) -> Cut | None:
    """Cut a text that is longer than ``limit`` characters.

    Head and tail get their shares of ``limit``, or of the room that the marker leaves if that is less. Return None when
    the marker leaves too little room.
    """
    newline = "\r\n" if "\r\n" in text[:limit] else "\n"
    for marker, least_room in _markers(_short_name(name), newline, language_of(text), limit=limit):
        room = limit - len(marker(len(text)))
        if room < least_room:
            continue
        head, tail = _shares(limit, room, head_ratio, tail_ratio)
        begin, end = head_end(text, head), tail_start(text, tail)
        return Cut(text[:begin], marker(end - begin), text[end:], end - begin)
    return None


def _shares(limit: int, room: int, head_ratio: float, tail_ratio: float) -> tuple[int, int]:
    head, tail = int(limit * head_ratio), int(limit * tail_ratio)
    if head + tail <= room:
        return head, tail
    whole = head_ratio + tail_ratio
    return int(room * (head_ratio / whole)), int(room * (tail_ratio / whole))


def _markers(
    name: str, newline: str, language: Language, *, limit: int
) -> tuple[tuple[Callable[[int], str], int], tuple[Callable[[int], str], int]]:
    """Return the markers to try, the more informative one first, each with the least room that it must leave."""

    def full(count: int) -> str:
        text = (
            f"[……此处省略 {count} 个字符，完整内容见 {name}……]"
            if language == "zh"
            else f"[...truncated {count} chars, read {name} for full content...]"
        )
        return f"{newline}{newline}{text}{newline}{newline}"

    def short(count: int) -> str:
        text = f"[……{name} 省略 {count} 个字符……]" if language == "zh" else f"[...truncated {count} chars of {name}...]"
        return f"{newline}{text}{newline}"

    return (full, limit // 2), (short, _LEAST_ROOM)


def _short_name(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _NAME_CHARS else f"…{line[-_NAME_CHARS:]}"
