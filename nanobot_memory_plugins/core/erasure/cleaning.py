"""The content of our files without the texts that are to be forgotten, and which lines held them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nanobot_memory_plugins.core.erasure.contents import (
    encoded,
    head_lines,
    note_parts,
    row_bytes,
    row_of,
    with_texts,
)
from nanobot_memory_plugins.core.erasure.matching import Nearly, Stretch, Wanted
from nanobot_memory_plugins.core.erasure.plan import held_line
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.values import HeldLine

# Fields of a message that say which it is and whose. Memories are found by them, so they stay.
_NAMES = frozenset({"id", "time", "role", "origin", "session", "channel", "user", "agent", "name"})


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The bytes without the texts, and the lines that held them.

    ``found`` is what was taken out because it held the words, ``nearly`` what nearly does, with the reason, taken out
    where that is wanted. ``foreign`` is in text of people, ``named`` in names; both stay.
    """

    data: bytes
    found: tuple[HeldLine, ...] = ()
    nearly: tuple[tuple[Nearly, HeldLine], ...] = ()
    foreign: tuple[HeldLine, ...] = ()
    named: tuple[HeldLine, ...] = ()


@dataclass(slots=True)
class _Collected:
    """What was found so far."""

    wanted: Wanted
    found: list[HeldLine] = field(default_factory=list)
    nearly: list[tuple[Nearly, HeldLine]] = field(default_factory=list)
    foreign: list[HeldLine] = field(default_factory=list)
    named: list[HeldLine] = field(default_factory=list)

    def note(self, text: str, stretch: Stretch, line: int) -> bool:
        """Note a stretch of what is ours, and say whether it goes."""
        held = held_in(text, stretch, line)
        if stretch.nearly is None:
            self.found.append(held)
        else:
            self.nearly.append((stretch.nearly, held))
        return self.wanted.takes(stretch)

    def cleaned(self, data: bytes) -> Cleaned:
        """Return all of it."""
        return Cleaned(data, tuple(self.found), tuple(self.nearly), tuple(self.foreign), tuple(self.named))


def clean_transcript(data: bytes, wanted: Wanted) -> Cleaned:
    """Return a transcript without the sentences that carry the texts. A line that cannot be read goes whole."""
    lines: list[bytes] = []
    all_found = _Collected(wanted)
    for number, line in enumerate(data.split(b"\n"), 1):
        text = line.decode("utf-8", "surrogateescape")
        if not wanted.may_be_in(text):
            lines.append(line)
            continue
        cleaned = _clean_line(text, number, all_found)
        if cleaned is None:
            lines.append(line)
        elif cleaned:
            lines.append(cleaned)
    return all_found.cleaned(b"\n".join(lines))


def clean_notes(data: bytes, wanted: Wanted, *, everywhere: bool = False) -> Cleaned:
    """Return a Markdown file without the texts in its structured notes; ``everywhere``, in people's text, too."""
    parts: list[bytes] = []
    all_found = _Collected(wanted)
    for part, raw, text in note_parts(data):
        is_ours = isinstance(part, NoteEntry) and bool(part.id)
        cuts: list[Stretch] = []
        names = list(head_lines(text)) if is_ours else []
        for one in wanted.stretches(text):
            line = part.line + text.count("\n", 0, one.at)
            if not is_ours and not everywhere:
                all_found.foreign.append(held_in(text, one, line))
            elif any(start < one.end and one.start < end for start, end in names):
                all_found.named.append(held_in(text, one, line))
            elif all_found.note(text, one, line):
                cuts.append(one)
        parts.append(encoded(wanted.cut(text, cuts)) if cuts else raw)
    return all_found.cleaned(b"".join(parts))


def held_in(text: str, stretch: Stretch, line: int) -> HeldLine:
    """Return the line of a stretch as it is shown."""
    return held_line(line, text[stretch.start : stretch.end], stretch.at - stretch.start)


def lines_with(data: bytes, wanted: Wanted) -> tuple[HeldLine, ...]:
    """Return the lines of any file that hold the texts, or nearly, as they are or as JSON escapes them."""
    return tuple(held for _, held in _held_lines(data, wanted))


def lines_nearly_with(data: bytes, wanted: Wanted) -> tuple[tuple[Nearly, HeldLine], ...]:
    """Return the lines of any file that hold the texts nearly, each with the reason."""
    return tuple((nearly, held) for nearly, held in _held_lines(data, wanted) if nearly is not None)


def _held_lines(data: bytes, wanted: Wanted) -> Iterator[tuple[Nearly | None, HeldLine]]:
    text = data.decode("utf-8", "replace")
    for one in wanted.stretches(text):
        yield one.nearly, held_in(text, one, 1 + text.count("\n", 0, one.at))


def _clean_line(text: str, number: int, all_found: _Collected) -> bytes | None:
    """Return a line of a transcript without the texts, nothing when it is no message, None where all of it stays."""
    try:
        row = row_of(text)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        goes = [all_found.note(text, one, number) for one in all_found.wanted.stretches(text)]
        return b"" if any(goes) else None
    names = [str(row[name]) for name in _NAMES & row.keys()]
    all_found.named += [held_line(number, name) for name in names if all_found.wanted.count(name)]

    def without(value: str) -> str:
        cuts = [one for one in all_found.wanted.stretches(value) if all_found.note(value, one, number)]
        return all_found.wanted.cut(value, cuts)

    cleaned: dict[str, Any] = {
        name: one if name in _NAMES else with_texts(one, without, changes_names=True) for name, one in row.items()
    }
    return None if cleaned == row else row_bytes(cleaned)
