"""The file as a sequence of what is ours and what is not. Together the pieces are its bytes, every one of them.

Ours are: the headings "Active Memories" and "Archived Memories", the entries below them, and the two comments with the
time and the count. Anything else, wherever it is, is somebody's text, an entry that cannot be read included.
Entries that people wrote without an id are somebody's text, too, until the next write gives them one.
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
_GOES_ON = re.compile(r"(?: {2}|\t)\s*+(\S.*)")
_SMALL_HEADING = re.compile(r" {0,3}###[ \t]+(?!\[)\S")
# Characters of a bullet; more is no fact any more.
_LONGEST = 2_000
# Problems that are reported of one file.
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the file, of whole lines. ``section`` is the section of entries that it is in, or None."""

    text: str
    section: Section | None

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "surrogateescape")


class Text(Piece):
    """Somebody's text."""


@dataclass(frozen=True, slots=True)
class Bullet(Text):
    """What somebody wrote as an entry without an id, or, as the ``copy`` it is then, with that of another one."""

    content: str
    category: Category = Category.FACT
    copy: Entry | None = None


class Heading(Piece):
    """The heading of a section of ours, with the blank lines below it."""


class Stamps(Piece):
    """The comments that say when the entries were written, and how many there are."""


@dataclass(frozen=True, slots=True)
class Slot(Piece):
    """A place with an entry in it, with the blank lines below."""

    entry: Entry


@dataclass(frozen=True)
class EntryDocument:
    """A parsed file. ``problems`` says in words what is wrong with it, a line a problem."""

    pieces: tuple[Piece, ...]
    problems: tuple[str, ...] = ()

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        return b"".join(piece.data for piece in self.pieces)

    @cached_property
    def slots(self) -> dict[str, Slot]:
        """The places of the entries by id, in the file's order."""
        return {piece.entry.id: piece for piece in self.pieces if isinstance(piece, Slot)}

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries by id, in the file's order, as they are written."""
        return {id_: slot.entry for id_, slot in self.slots.items()}

    @cached_property
    def lines(self) -> dict[str, int]:
        """The line of the header of each entry by id, from 1."""
        found, line = {}, 1
        for piece in self.pieces:
            if isinstance(piece, Slot):
                found[piece.entry.id] = line
            line += piece.text.count("\n")
        return found

    @property
    def bullets(self) -> list[Bullet]:
        """What people wrote as entries without an id."""
        return [piece for piece in self.pieces if isinstance(piece, Bullet)]

    @property
    def newline(self) -> str:
        """The line break of the file: that of its first line."""
        return "\r\n" if self.data.partition(b"\n")[0].endswith(b"\r") else "\n"

    @property
    def foreign(self) -> bytes:
        """Everything that is not ours, in its order."""
        return b"".join(piece.data for piece in self.pieces if isinstance(piece, Text))

    def without(self, bullets: Collection[Bullet]) -> "EntryDocument":
        """Return the file without some bullets."""
        gone = set(map(id, bullets))
        return replace(self, pieces=tuple(piece for piece in self.pieces if id(piece) not in gone))

    def with_foreign(self, change: Callable[[bytes], bytes]) -> bytes:
        """Return the bytes of the file with its foreign texts changed."""
        return b"".join(change(piece.data) if isinstance(piece, Text) else piece.data for piece in self.pieces)


def parse(data: bytes) -> EntryDocument:
    """Read a file. It never fails: what is no entry is somebody's text, and kept.

    In a fenced code block headings do not count. A fence that is never closed is none, and an entry in one of our
    sections always counts. An id that occurs twice is the first one's, and the second gets one of its own.
    """
    reader = _Reader(data.decode("utf-8", "surrogateescape"))
    return EntryDocument(tuple(reader.pieces()), tuple(dict.fromkeys(reader.problems)))


class _Reader:
    """Walks through a file once, line by line."""

    def __init__(self, text: str) -> None:
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._lines: list[str] = _LINE.findall(text, len(self._bom))
        self._at = 0  # the line that is looked at
        self._section: Section | None = None
        self._is_above = True  # no section of ours has begun
        self._is_stamped = False
        self._fence = ""
        self._closing: dict[str, int] = {}  # the marks of a fence -> the last line that closes one
        for number, line in enumerate(self._lines):
            if (fence := _FENCE.match(line)) is not None and not fence[2].strip():
                self._closing[fence[1]] = number
        self._ids: set[str] = set()
        self.problems: list[str] = []

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the file, in their order."""
        text = [self._bom] if self._bom else []
        while self._at < len(self._lines):
            section = self._section
            piece = self._entry() or (None if self._is_code() else self._title() or self._stamps() or self._bullet())
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
        """Tell whether the line belongs to a fenced block, its marks included."""
        fence = _FENCE.match(self._lines[self._at])
        if self._fence:
            if fence is not None and fence[1].startswith(self._fence) and not fence[2].strip():
                self._fence = ""
            return True
        if fence is not None and any(
            marks.startswith(fence[1]) and last > self._at for marks, last in self._closing.items()
        ):
            self._fence = fence[1]
        return bool(self._fence)

    def _taken(self, end: int) -> str:
        """Return the lines up to ``end`` with the blank ones below them, and go on after them."""
        start = self._at
        while end < len(self._lines) and not self._lines[end].strip(" \t\r\n"):
            end += 1
        self._at = end
        return "".join(self._lines[start:end])

    def _title(self) -> Heading | None:
        match = _TITLE.fullmatch(self._lines[self._at].rstrip())
        if match is None:
            return None
        title = (match[2] or "").strip().rstrip("#").strip().lower()
        self._section = _BY_TITLE.get(title) if match[1] == "##" else None
        if self._section is None:
            return None
        self._is_above = False
        return Heading(self._taken(self._at + 1), self._section)

    def _stamps(self) -> Stamps | None:
        both = [line.rstrip() for line in self._lines[self._at : self._at + 2]]
        if self._is_stamped or len(both) < 2 or not (_UPDATED.fullmatch(both[0]) and _TOTAL.fullmatch(both[1])):
            return None
        self._is_stamped = True
        self._at += 2
        return Stamps("".join(self._lines[self._at - 2 : self._at]), self._section)

    def _entry(self) -> Slot | Bullet | None:
        if self._section is None or not _ENTRY.match(self._lines[self._at]):
            return None
        end = end_of_entry(self._lines, self._at)
        read = read_entry("".join(self._lines[self._at : end]))
        if isinstance(read, str):
            self._problem(Sentence("it is no entry, and stays as it is: {why}", why=Sentence.of(read)))
            return None
        entry, problems = read
        if entry.id in self._ids:
            return None if entry.is_forgotten else Bullet(self._taken(end), self._section, entry.content, copy=entry)
        for problem in problems:
            self._problem(Sentence("the entry {id}: {problem}", id=entry.id, problem=Sentence.of(problem)))
        self._ids.add(entry.id)
        self._fence = ""
        return Slot(self._taken(end), self._section, entry)

    def _bullet(self) -> Bullet | None:
        if self._section is None and not self._is_above:
            return None
        line, end = self._lines[self._at].rstrip(), self._at + 1
        bullet = _BULLET.fullmatch(line)
        if bullet is None or (bullet["box"] or " ") != " ":
            if self._section is not None and _SMALL_HEADING.match(line):
                self._problem(Sentence("this heading is no entry: begin one with a dash"))
            return None
        texts, category = [bullet["text"]], Category.TODO if bullet["box"] else Category.FACT
        while end < len(self._lines) and (more := _GOES_ON.fullmatch(self._lines[end].rstrip())):
            texts.append(more[1])
            end += 1
        content = content_of(" ".join(texts))
        # A list in a list says something together.
        if not content or len(content) > _LONGEST or any(_BULLET.fullmatch(text) for text in texts):
            return None
        return Bullet(self._taken(end), self._section, content, category)

    def _problem(self, problem: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Sentence("line {line}: {what}", line=self._at + 1, what=Sentence.of(problem)))


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by descending score; those of one score stay in the order in which they come."""
    return sorted(entries, key=lambda entry: -entry.score)


def render(document: EntryDocument, entries: Mapping[str, Entry], *, now: datetime) -> bytes:
    """Return the bytes of the file with ``entries`` in place of those that it holds.

    Without a change the bytes are the same. Each section is ordered by descending score; text of others between its
    entries stays in its order. An entry that has not changed keeps its lines. ``now`` is written as the time.
    """
    if entries == document.entries:
        return document.data
    pieces = list(document.pieces)
    waiting = {
        section: in_order(entry for entry in entries.values() if entry.section is section) for section in Section
    }
    places = {piece.section for piece in pieces if isinstance(piece, (Heading, Slot))}
    for section in Section:
        if waiting[section] and section not in places:
            _add_heading(pieces, section, document.newline)
    return _Writer(document, waiting, now).write(pieces).encode("utf-8", "surrogateescape")


class _Writer:
    """Puts the new file together, piece by piece. ``waiting`` are the entries of each section, without a place yet."""

    def __init__(self, document: EntryDocument, waiting: dict[Section, list[Entry]], now: datetime) -> None:
        self._slots = document.slots
        self._waiting = waiting
        self._newline = document.newline
        stamps = (
            f"<!-- Last updated: {now.astimezone(UTC).isoformat()} -->",
            f"<!-- Total entries: {sum(map(len, waiting.values()))} -->",
        )
        self._stamps = self._newline.join([*stamps, ""])

    def write(self, pieces: Sequence[Piece]) -> str:
        """Return the text of the file."""
        made: list[str] = []
        # Entries for which there is no place follow the last one of their section.
        last = {piece.section: number for number, piece in enumerate(pieces) if isinstance(piece, Heading)}
        last |= {piece.section: number for number, piece in enumerate(pieces) if isinstance(piece, Slot)}
        is_stamped = any(isinstance(piece, Stamps) for piece in pieces)
        ends_with_entry = False
        for number, piece in enumerate(pieces):
            before = len(made)
            if isinstance(piece, Heading):
                made += [] if is_stamped else [self._stamps, self._newline]
                is_stamped = True
                made.append(piece.text.rstrip() + self._newline * 2)
            elif not isinstance(piece, Slot):
                made.append(self._stamps if isinstance(piece, Stamps) else piece.text)
            if piece.section is not None and isinstance(piece, (Heading, Slot)):
                made += self._entries(piece.section, None if last[piece.section] == number else isinstance(piece, Slot))
            if len(made) > before:
                ends_with_entry = isinstance(piece, (Heading, Slot))
        if ends_with_entry:  # nothing follows: no blank line
            made[-1] = made[-1].removesuffix(self._newline)
        return "".join(made)

    def _entries(self, section: Section, most: int | None) -> list[str]:
        taken = self._waiting[section][:most]
        del self._waiting[section][:most]
        return [self._written(entry) + self._newline for entry in taken]

    def _written(self, entry: Entry) -> str:
        slot = self._slots.get(entry.id)
        if slot is None or slot.entry != entry:
            return write_entry(entry, self._newline)
        return slot.text.rstrip() + self._newline


def _add_heading(pieces: list[Piece], section: Section, newline: str) -> None:
    """Put the heading of a section into the file: next to the other section, active first, or at the end."""
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
