"""One text cut to a size: its head and its tail around a marker that says what is missing.

It is cut between paragraphs, else between lines, else anywhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from nanobot_memory_plugins.core import language_of
from nanobot_memory_plugins.core.text.fence import Language

_PARAGRAPH_BREAK = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
# How far from the exact place a border may lie, as shares of the part: beyond that it would cost too much text.
_PARAGRAPH_SHARE = 4
_LINE_SHARE = 2


def head_end(text: str, most: int) -> int:
    """Return where a head of at most ``most`` characters ends, without the line break there. Less than the text."""
    if most <= 0:
        return 0
    lowest = most - most // _PARAGRAPH_SHARE
    breaks = [found.start() for found in _PARAGRAPH_BREAK.finditer(text, lowest, most + 4) if found.start() <= most]
    if breaks:
        return breaks[-1]
    line = text.rfind("\n", most - most // _LINE_SHARE, most + 1)
    if line > 0:
        return line - 1 if text[line - 1] == "\r" else line
    return most


def tail_start(text: str, most: int) -> int:
    """Return where a tail of at most ``most`` characters starts, after a line break where there is one."""
    if most <= 0:
        return len(text)
    start = len(text) - most
    highest = start + most // _PARAGRAPH_SHARE
    for found in _PARAGRAPH_BREAK.finditer(text, max(0, start - 4), highest):
        if found.end() >= start:
            return found.end()
    line = text.find("\n", max(0, start - 1), start + most // _LINE_SHARE)
    if line >= 0:
        return line + 1
    return start


# A name longer than this is shown by its end.
_NAME_CHARS = 60
# A short marker is worth it only with this many characters of the text around it.
_LEAST_ROOM = 16


@dataclass(frozen=True, slots=True)
class Cut:
    """A text without its middle. ``left_out`` is how many characters of the text are neither in head nor tail."""

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

    Head and tail take their shares of ``limit``, or what the marker leaves them where that is less. Returns None
    when the marker leaves nothing worth showing.
    """
    newline = "\r\n" if "\r\n" in text[:limit] else "\n"
    for marker, least_room in _markers(_shown(name), newline, language_of(text), limit=limit):
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
    """Return the markers to try, the informative one first, each with the characters that it must leave."""

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


def _shown(name: str) -> str:
    plain = " ".join(name.split())
    return plain if len(plain) <= _NAME_CHARS else f"…{plain[-_NAME_CHARS:]}"
