"""The entries' file as a sequence of pieces that together contain all of its bytes.

The program owns the headings "Active Memories" and "Archived Memories", the entries below them, and the two comments
with the time and the count. Everything else is people's text and is preserved, including entries that cannot be read.
Entries that people write without an id are their text as well, until the next write gives them an id.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from nanobot_memory_plugins.consolidation.model.entry import Category, content_of
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.core.files.entry_lines import end_of_entry
from nanobot_memory_plugins.core.values.entries import Entry, Section
from nanobot_memory_plugins.redaction.script.messages import Sentence

TITLE = "# Agent Memory"
TITLES = {Section.ACTIVE: "Active Memories", Section.ARCHIVED: "Archived Memories"}

_BY_TITLE = {title.lower(): section for section, title in TITLES.items()}
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BOM = "\ufeff"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_TITLE = re.compile(r" {0,3}(#{1,2})(?:[ \t]+(.*))?")
_ENTRY = re.compile(r" {0,3}###[ \t]+\[")
_UPDATED = re.compile(r"<!--[ \t]*Last updated:[^>]*-->")
_TOTAL = re.compile(r"<!--[ \t]*Total entries:[^>]*-->")
_BULLET = re.compile(r" ?[-*+•][ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?(?P<text>\S.*)")
_CONTINUATION = re.compile(r"(?: {2}|\t)\s*+(\S.*)")
_SMALL_HEADING = re.compile(r" {0,3}###[ \t]+(?!\[)\S")
# Characters of a bullet. A longer text is not a single fact.
_LONGEST = 2_000
# Problems that are reported for one file.
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive whole lines of the file. ``section`` is the section of entries that contains them, or None."""

    text: str
    section: Section | None

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "surrogateescape")


class Text(Piece):
    """People's own text, which is preserved."""


@dataclass(frozen=True, slots=True)
class Bullet(Text):
    """An entry that somebody wrote without an id, or with the id of another entry: then ``copy`` is what it says."""

    content: str
    category: Category = Category.FACT
    copy: Entry | None = None


class Heading(Piece):
    """The heading of a section of entries, with the blank lines below it."""


class Stamps(Piece):
    """The comments with the time of the last write and the number of entries."""


@dataclass(frozen=True, slots=True)
class Slot(Piece):
    """The lines of an entry, with the blank lines below."""

    entry: Entry


@dataclass(frozen=True)
class EntryDocument:
    """A parsed file. ``problems`` are messages about what is wrong with it."""

    pieces: tuple[Piece, ...]
    problems: tuple[str, ...] = ()

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        return b"".join(piece.data for piece in self.pieces)

    @cached_property
    def slots(self) -> dict[str, Slot]:
        """The slots of the entries by id, in the file's order."""
        return {piece.entry.id: piece for piece in self.pieces if isinstance(piece, Slot)}

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries by id, in the file's order."""
        return {id_: slot.entry for id_, slot in self.slots.items()}

    @cached_property
    def lines(self) -> dict[str, int]:
        """The line number of each entry's header by id, from 1."""
        lines, line = {}, 1
        for piece in self.pieces:
            if isinstance(piece, Slot):
                lines[piece.entry.id] = line
            line += piece.text.count("\n")
        return lines

    @property
    def bullets(self) -> list[Bullet]:
        """The entries that people wrote without an id."""
        return [piece for piece in self.pieces if isinstance(piece, Bullet)]

    @property
    def newline(self) -> str:
        """The line break of the first line, which is used for the whole file."""
        return "\r\n" if self.data.partition(b"\n")[0].endswith(b"\r") else "\n"

    @property
    def foreign(self) -> bytes:
        """All of people's text, in the file's order."""
        return b"".join(piece.data for piece in self.pieces if isinstance(piece, Text))

    def without_bullets(self, bullets: Collection[Bullet]) -> "EntryDocument":
        """Return the document without some of its bullets."""
        removed = set(map(id, bullets))
        return replace(self, pieces=tuple(piece for piece in self.pieces if id(piece) not in removed))

    def with_foreign(self, change: Callable[[bytes], bytes]) -> bytes:
        """Return the bytes of the file with ``change`` applied to people's text."""
        return b"".join(change(piece.data) if isinstance(piece, Text) else piece.data for piece in self.pieces)


def parse(data: bytes) -> EntryDocument:
    """Parse a file. It never fails: what is not an entry is people's text, which is preserved.

    Headings in a fenced code block are ignored. A fence that is never closed does not count, and an entry in one of the
    two sections is always read. When an id occurs twice, the second entry will get a new id.
    """
    reader = _Reader(data.decode("utf-8", "surrogateescape"))
    return EntryDocument(tuple(reader.pieces()), tuple(dict.fromkeys(reader.problems)))


class _Reader:
    """Reads a file once, line by line."""

    def __init__(self, text: str) -> None:
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._lines: list[str] = _LINE.findall(text, len(self._bom))
        self._at = 0  # the index of the current line
        self._section: Section | None = None
        self._is_preamble = True  # before the first section of entries
        self._has_stamps = False
        self._fence = ""
        self._closing_lines: dict[str, int] = {}  # the marks of a fence -> the last line that closes one
        for number, line in enumerate(self._lines):
            if (fence := _FENCE.match(line)) is not None and not fence[2].strip():
                self._closing_lines[fence[1]] = number
        self._ids: set[str] = set()
        self.problems: list[str] = []

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the file in order."""
        text = [self._bom] if self._bom else []
        while self._at < len(self._lines):
            section = self._section
            piece = self._entry() or (None if self._is_code() else self._heading() or self._stamps() or self._bullet())
            if text and (piece is not None or self._section is not section):
                yield Text("".join(text), section)
                text.clear()
            if piece is not None:
                yield piece
            else:
                text.append(self._lines[self._at])
                self._at += 1
        if text:
            yield Text("".join(text), self._section)

    def _is_code(self) -> bool:
        """Return whether the current line belongs to a fenced block, including its first and last line."""
        fence = _FENCE.match(self._lines[self._at])
        if self._fence:
            if fence is not None and fence[1].startswith(self._fence) and not fence[2].strip():
                self._fence = ""
            return True
        if fence is not None and any(
            marks.startswith(fence[1]) and last > self._at for marks, last in self._closing_lines.items()
        ):
            self._fence = fence[1]
        return bool(self._fence)

    def _take_lines(self, end: int) -> str:
        """Return the lines up to ``end`` and the blank lines below, and move past them."""
        start = self._at
        while end < len(self._lines) and not self._lines[end].strip(" \t\r\n"):
            end += 1
        self._at = end
        return "".join(self._lines[start:end])

    def _heading(self) -> Heading | None:
        match = _TITLE.fullmatch(self._lines[self._at].rstrip())
        if match is None:
            return None
        title = (match[2] or "").strip().rstrip("#").strip().lower()
        self._section = _BY_TITLE.get(title) if match[1] == "##" else None
        if self._section is None:
            return None
        self._is_preamble = False
        return Heading(self._take_lines(self._at + 1), self._section)

    def _stamps(self) -> Stamps | None:
        both = [line.rstrip() for line in self._lines[self._at : self._at + 2]]
        if self._has_stamps or len(both) < 2 or not (_UPDATED.fullmatch(both[0]) and _TOTAL.fullmatch(both[1])):
            return None
        self._has_stamps = True
        self._at += 2
        return Stamps("".join(self._lines[self._at - 2 : self._at]), self._section)

    def _entry(self) -> Slot | Bullet | None:
        if self._section is None or not _ENTRY.match(self._lines[self._at]):
            return None
        end = end_of_entry(self._lines, self._at)
        read = read_entry("".join(self._lines[self._at : end]))
        if isinstance(read, str):
            self._report(Sentence("it is not an entry, and is left as it is: {why}", why=Sentence.of(read)))
            return None
        entry, problems = read
        if entry.id in self._ids:
            return (
                None if entry.is_forgotten else Bullet(self._take_lines(end), self._section, entry.content, copy=entry)
            )
        for problem in problems:
            self._report(Sentence("the entry {id}: {problem}", id=entry.id, problem=Sentence.of(problem)))
        self._ids.add(entry.id)
        self._fence = ""
        return Slot(self._take_lines(end), self._section, entry)

    def _bullet(self) -> Bullet | None:
        if self._section is None and not self._is_preamble:
            return None
        line, end = self._lines[self._at].rstrip(), self._at + 1
        bullet = _BULLET.fullmatch(line)
        if bullet is None or (bullet["box"] or " ") != " ":
            if self._section is not None and _SMALL_HEADING.match(line):
                self._report(Sentence("this heading is not an entry: begin one with a dash"))
            return None
        texts, category = [bullet["text"]], Category.TODO if bullet["box"] else Category.FACT
        while end < len(self._lines) and (more := _CONTINUATION.fullmatch(self._lines[end].rstrip())):
            texts.append(more[1])
            end += 1
        content = content_of(" ".join(texts))
        # A nested list is not a single entry.
        if not content or len(content) > _LONGEST or any(_BULLET.fullmatch(text) for text in texts):
            return None
        return Bullet(self._take_lines(end), self._section, content, category)

    def _report(self, problem: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Sentence("line {line}: {what}", line=self._at + 1, what=Sentence.of(problem)))


def sort_by_score(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by descending score; entries with equal scores keep their order."""
    return sorted(entries, key=lambda entry: -entry.score)


def render(document: EntryDocument, entries: Mapping[str, Entry], *, now: datetime) -> bytes:
    """Return the bytes of the file with ``entries`` in place of its own.

    Without a change the bytes are the same. Each section is sorted by descending score; people's text between its
    entries keeps its order. An unchanged entry keeps its lines. ``now`` is the time that is written.
    """
    if entries == document.entries:
        return document.data
    pieces = list(document.pieces)
    unplaced = {
        section: sort_by_score(entry for entry in entries.values() if entry.section is section) for section in Section
    }
    places = {piece.section for piece in pieces if isinstance(piece, (Heading, Slot))}
    for section in Section:
        if unplaced[section] and section not in places:
            _add_heading(pieces, section, document.newline)
    return _Writer(document, unplaced, now).write(pieces).encode("utf-8", "surrogateescape")


class _Writer:
    """Builds the new file piece by piece. ``unplaced`` holds the entries of each section that have no place yet."""

    def __init__(self, document: EntryDocument, unplaced: dict[Section, list[Entry]], now: datetime) -> None:
        self._slots = document.slots
        self._unplaced = unplaced
        self._newline = document.newline
        stamps = (
            f"<!-- Last updated: {now.astimezone(UTC).isoformat()} -->",
            f"<!-- Total entries: {sum(map(len, unplaced.values()))} -->",
        )
        self._stamps = self._newline.join([*stamps, ""])

    def write(self, pieces: Sequence[Piece]) -> str:
        """Return the text of the new file."""
        parts: list[str] = []
        # Entries without a slot follow the last one of their section.
        last = {piece.section: number for number, piece in enumerate(pieces) if isinstance(piece, Heading)}
        last |= {piece.section: number for number, piece in enumerate(pieces) if isinstance(piece, Slot)}
        has_stamps = any(isinstance(piece, Stamps) for piece in pieces)
        ends_with_entry = False
        for number, piece in enumerate(pieces):
            before = len(parts)
            if isinstance(piece, Heading):
                parts += [] if has_stamps else [self._stamps, self._newline]
                has_stamps = True
                parts.append(piece.text.rstrip() + self._newline * 2)
            elif not isinstance(piece, Slot):
                parts.append(self._stamps if isinstance(piece, Stamps) else piece.text)
            if piece.section is not None and isinstance(piece, (Heading, Slot)):
                parts += self._take_entries(
                    piece.section, None if last[piece.section] == number else isinstance(piece, Slot)
                )
            if len(parts) > before:
                ends_with_entry = isinstance(piece, (Heading, Slot))
        if ends_with_entry:  # nothing follows: no blank line
            parts[-1] = parts[-1].removesuffix(self._newline)
        return "".join(parts)

    def _take_entries(self, section: Section, count: int | None) -> list[str]:
        taken = self._unplaced[section][:count]
        del self._unplaced[section][:count]
        return [self._entry_text(entry) + self._newline for entry in taken]

    def _entry_text(self, entry: Entry) -> str:
        slot = self._slots.get(entry.id)
        if slot is None or slot.entry != entry:
            return write_entry(entry, self._newline)
        return slot.text.rstrip() + self._newline


def _add_heading(pieces: list[Piece], section: Section, newline: str) -> None:
    """Insert the heading of a section: next to the other section, the active one first, or at the end."""
    other = [number for number, piece in enumerate(pieces) if piece.section is not None]
    at = len(pieces) if not other else other[0] if section is Section.ACTIVE else other[-1] + 1
    if not at:
        pieces.insert(0, Text(TITLE + newline * 2, None))
        at += 1
    elif isinstance(pieces[at - 1], Text) and (above := pieces[at - 1].text.strip("\ufeff")):
        missing = 2 - above.endswith("\n") - above.replace("\r", "").endswith("\n\n")
        pieces.insert(at, Text(newline * missing, None))
        at += 1
    pieces.insert(at, Heading(f"## {TITLES[section]}", section))
