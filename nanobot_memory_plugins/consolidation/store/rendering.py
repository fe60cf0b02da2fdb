"""Writing entries into a parsed file: theirs are the places, everybody else's bytes stay where they are."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.document import (
    TITLES,
    EntryDocument,
    Heading,
    Piece,
    Slot,
    Stamps,
    Text,
)
from nanobot_memory_plugins.consolidation.store.entry_text import write_entry

TITLE = "# Agent Memory"


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
    for section in Section:
        if waiting[section] and not any(_is_place(piece, section) for piece in pieces):
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
        """Return the lines of the next entries of a section, at ``most`` some, each with a blank line below it."""
        taken = self._waiting[section][:most]
        del self._waiting[section][:most]
        return [self._written(entry) + self._newline for entry in taken]

    def _written(self, entry: Entry) -> str:
        slot = self._slots.get(entry.id)
        if slot is None or slot.is_renamed or slot.entry != entry:
            return write_entry(entry, self._newline)
        return slot.text.rstrip() + self._newline


def _is_place(piece: Piece, section: Section) -> bool:
    return isinstance(piece, (Heading, Slot)) and piece.section is section


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
