"""The file as a sequence of what is ours and what is not. Together the pieces are its bytes, every one of them.

Ours are: the headings "Active Memories" and "Archived Memories", the entries below them, and the two comments with the
time and the count. Anything else, wherever it stands, is somebody's text, an entry that cannot be read included.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.block import HEADER, Block, extent, read_block
from nanobot_memory_plugins.redaction.script.messages import Sentence

SECTION_TITLES = {Section.ACTIVE: "Active Memories", Section.ARCHIVED: "Archived Memories"}

_BY_TITLE = {title.lower().encode(): section for section, title in SECTION_TITLES.items()}
_MARK = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:"
    rb" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    rb"| {0,3}(?P<hashes>#{1,3})(?:[ \t]+(?P<title>[^\n]*))?\r?"
    rb"|(?P<stamps><!--[ \t]*Last updated:[^\n>]*-->[ \t]*\r?\n<!--[ \t]*Total entries:[^\n>]*-->)[ \t]*\r?"
    rb")$",
    re.MULTILINE,
)
_STAMP = re.compile(rb"Last updated:[ \t]*([0-9T:+\-.]+)")
# Problems that are told of one file.
_MOST_PROBLEMS = 20
_BLANK = re.compile(rb"(?:[ \t\r]*\n)*")
_GAP = re.compile(rb"[ \t]*(?:\r?\n(?:[ \t\r]*\n)*)?")


@dataclass(frozen=True, slots=True)
class Text:
    """Somebody's text. ``section`` is the section of ours in which it stands, if it does."""

    data: bytes
    section: Section | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a section of ours, with the blank lines below it."""

    data: bytes
    section: Section


@dataclass(frozen=True, slots=True)
class Stamps:
    """The comments that say when the entries were written, and how many there are."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Slot:
    """A place with an entry in it; ``gap`` is the line break that ends it, with the blank lines below.

    ``entry`` is that of the block, but for its id where the same id stands further up.
    """

    block: Block
    gap: bytes
    section: Section
    entry: Entry

    @property
    def data(self) -> bytes:
        """All of its bytes."""
        return self.block.data + self.gap


Piece = Text | Heading | Stamps | Slot


@dataclass(frozen=True)
class EntryDocument:
    """A parsed file. ``problems`` says in words what is wrong with it, a line a problem."""

    data: bytes
    pieces: tuple[Piece, ...]
    problems: tuple[str, ...] = ()

    @cached_property
    def slots(self) -> dict[str, Slot]:
        """The places of the entries by id, in the file's order."""
        return {piece.entry.id: piece for piece in self.pieces if isinstance(piece, Slot)}

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries by id, in the file's order, as they are written."""
        return {id_: slot.entry for id_, slot in self.slots.items()}

    @property
    def written_at(self) -> datetime | None:
        """When the file says that it was written by us, to the digit: that names the write."""
        for piece in self.pieces:
            if isinstance(piece, Stamps) and (match := _STAMP.search(piece.data)):
                with suppress(ValueError):
                    return datetime.fromisoformat(match[1].decode())
        return None

    @property
    def newline(self) -> bytes:
        """The line break of the file: that of its first line."""
        first = self.data.find(b"\n")
        return b"\r\n" if first > 0 and self.data[first - 1 : first] == b"\r" else b"\n"

    @property
    def foreign(self) -> bytes:
        """Everything that is not ours, in its order."""
        return b"".join(piece.data for piece in self.pieces if isinstance(piece, Text))


def parse(data: bytes) -> EntryDocument:
    """Read a file. It never fails: what is no entry is somebody's text, and kept.

    In a fenced code block headings do not count. A fence that is never closed is none, and an entry in one of our
    sections always counts. An id that stands twice is the first one's; the second gets an id made of its text.
    """
    reader = _Reader(data)
    return EntryDocument(data, tuple(reader.pieces()), tuple(dict.fromkeys(reader.problems)))


class _Reader:
    """Walks through a file once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._done = 0  # what lies before has been handed out
        self._section: Section | None = None
        self._fence: bytes | None = None
        self._unclosed: dict[int, int] = {}  # first byte of a fence -> the length from which none closes any more
        self._stamped = False
        self._ids: set[str] = set()
        self._line, self._counted = 1, 0
        self.problems: list[str] = []

    def pieces(self) -> Iterator[Piece]:
        position = 0
        while (mark := _MARK.search(self._data, position)) is not None:
            position = mark.end() + 1
            if mark["fence"] is not None:
                self._see_fence(mark)
            elif mark["stamps"] is not None:
                if self._fence is None and not self._stamped:
                    self._stamped = True
                    yield from self._ours(mark.start("stamps"), mark.end("stamps"), Stamps)
            else:
                for piece in self._heading(mark):
                    yield piece
                    position = max(position, self._done)
            if position > len(self._data):
                break
        yield from self._foreign(len(self._data))

    def _see_fence(self, mark: re.Match[bytes]) -> None:
        marks = mark["fence"]
        if self._fence is not None:
            if marks.startswith(self._fence) and not mark["info"].strip():
                self._fence = None
        elif len(marks) < self._unclosed.get(marks[0], 1 << 30):
            if re.compile(rb"^ {0,3}%s+[ \t\r]*$" % marks, re.MULTILINE).search(self._data, mark.end()):
                self._fence = marks
            else:
                self._unclosed[marks[0]] = len(marks)

    def _heading(self, mark: re.Match[bytes]) -> Iterator[Piece]:
        start = mark.end() - len(mark[0].removeprefix(b"\xef\xbb\xbf"))
        if len(mark["hashes"]) == 3:
            if self._section is not None and HEADER.match(self._data, start):
                yield from self._entry(start)
            return
        if self._fence is not None:
            return
        title = (mark["title"] or b"").strip().rstrip(b"#").strip().lower()
        section = _BY_TITLE.get(title) if len(mark["hashes"]) == 2 else None
        yield from self._foreign(start)
        self._section = section
        if section is not None:
            blank = _BLANK.match(self._data, min(len(self._data), mark.end() + 1))
            end = blank.end() if blank else len(self._data)
            yield Heading(self._data[start:end], section)
            self._done = end

    def _entry(self, start: int) -> Iterator[Piece]:
        assert self._section is not None  # noqa: S101  # the caller has looked
        end = extent(self._data, start)
        block = read_block(self._data[start:end])
        if isinstance(block, str):
            self._problem(start, Sentence("it is no entry, and stays as it is: {why}", why=Sentence.of(block)))
            return
        for problem in block.problems:
            self._problem(start, Sentence("the entry {id}: {problem}", id=block.entry.id, problem=Sentence.of(problem)))
        entry = block.entry
        if entry.id in self._ids:
            entry = replace(entry, id=self._derived(block))
            self._problem(
                start, Sentence("the id {id} stands twice; this entry counts as {new}", id=block.entry.id, new=entry.id)
            )
        self._ids.add(entry.id)
        self._fence = None
        yield from self._foreign(start)
        gap = _GAP.match(self._data, end)
        self._done = gap.end() if gap else end
        yield Slot(block, self._data[end : self._done], self._section, entry)

    def _problem(self, start: int, what: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self._line += self._data.count(b"\n", self._counted, start)
            self._counted = start
            self.problems.append(Sentence("line {line}: {what}", line=self._line, what=Sentence.of(what)))

    def _derived(self, block: Block) -> str:
        number, made = 0, ""
        while not made or made in self._ids:
            number += 1
            made = hashlib.sha256(b"%d %s" % (number, block.text)).hexdigest()[:8]
        return made

    def _ours(self, start: int, end: int, kind: type[Stamps]) -> Iterator[Piece]:
        yield from self._foreign(start)
        yield kind(self._data[start:end])
        self._done = end

    def _foreign(self, until: int) -> Iterator[Piece]:
        if until > self._done:
            yield Text(self._data[self._done : until], self._section)
            self._done = until
