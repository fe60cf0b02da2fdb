"""Writing entries into a parsed file: theirs are the places, everybody else's bytes stay where they are."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.store.block import Block, write_block
from nanobot_memory_plugins.consolidation.store.document import (
    SECTION_TITLES,
    EntryDocument,
    Heading,
    Piece,
    Slot,
    Stamps,
    Text,
)

TITLE = "# Agent Memory"

# Behind an entry's last line break this cannot be taken for its text: a heading or a blank line.
_ENDS_TEXT = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|\Z)|[ \t\r]*(?:\n|\Z)")


@dataclass(slots=True)
class _Place:
    """A place of an entry while the new file is put together."""

    section: Section
    gap: bytes
    entry: Entry
    was: bytes = b""


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by descending score; those of one score stay in the order in which they come."""
    return sorted(entries, key=lambda entry: -entry.score)


def render(document: EntryDocument, entries: Mapping[str, Entry], *, now: datetime) -> bytes:
    """Return the bytes of the file with ``entries`` in place of those that it holds.

    Without a change the bytes are the same. Each section is ordered by descending score; text of others between its
    entries stays in its order. What of an entry has not changed keeps its bytes. ``now`` is written as the time, to the
    digit: by it a file names the write that made it.
    """
    if entries == document.entries:
        return document.data
    newline = document.newline
    pieces = _with_places(document, entries, newline)
    blocks = {id_: slot.block for id_, slot in document.slots.items()}
    _fill(pieces, entries)
    return b"".join(_joined(pieces, blocks, len(entries), now, newline))


def _with_places(document: EntryDocument, entries: Mapping[str, Entry], newline: bytes) -> "list[Piece | _Place]":
    """Return the pieces with a place for each entry in its section, and none too many."""
    pieces: list[Piece | _Place] = []
    for piece in document.pieces:
        if not isinstance(piece, Slot):
            pieces.append(piece)
            continue
        entry = entries.get(piece.entry.id)
        if entry is not None and entry.section is piece.section:
            pieces.append(_Place(piece.section, piece.gap, entry, piece.block.data))
    for section in Section:
        held = {piece.entry.id for piece in pieces if isinstance(piece, _Place)}
        new = [entry for id_, entry in entries.items() if id_ not in held and entry.section is section]
        if new:
            _add_places(pieces, section, in_order(new), newline)
    return pieces


def _add_places(pieces: "list[Piece | _Place]", section: Section, new: list[Entry], newline: bytes) -> None:
    """Put places for new entries behind the last one of a section, making the section where there is none."""
    last = max((i for i, p in enumerate(pieces) if isinstance(p, _Place) and p.section is section), default=None)
    places = [_Place(section, newline * 2, entry) for entry in new]
    if last is not None:
        place = pieces[last]
        assert isinstance(place, _Place)  # noqa: S101  # it was chosen so
        places[-1].gap, place.gap = place.gap, newline * 2
        pieces[last + 1 : last + 1] = places
        return
    at = next((i for i, p in enumerate(pieces) if isinstance(p, Heading) and p.section is section), None)
    if at is None:
        at = _add_heading(pieces, section, newline)
    heading = pieces[at]
    assert isinstance(heading, Heading)  # noqa: S101  # it was chosen so
    pieces[at] = replace(heading, data=heading.data + _blank_line(heading.data, newline))
    if at + 1 == len(pieces):
        places[-1].gap = newline
    pieces[at + 1 : at + 1] = places


def _add_heading(pieces: "list[Piece | _Place]", section: Section, newline: bytes) -> int:
    """Put the heading of a section into the file, beside that of the other one or at the end; return its index."""
    line = f"## {SECTION_TITLES[section]}".encode() + newline * 2
    other = [i for i, piece in enumerate(pieces) if not isinstance(piece, Stamps) and _section(piece) is not None]
    if other and section is Section.ACTIVE:
        at = next(i for i in other if isinstance(pieces[i], Heading))
    elif other:
        at = other[-1] + 1
    else:
        at = len(pieces)
    # A heading wants a blank line above it; the bytes for it are ours.
    above = _blank_line(_bytes(pieces[at - 1]), newline) if at else f"{TITLE}".encode() + newline * 2
    pieces.insert(at, Heading(line, section))
    if above:
        pieces.insert(at, Stamps(above) if not at else Text(above, None))
        at += 1
    return at


def _fill(pieces: "list[Piece | _Place]", entries: Mapping[str, Entry]) -> None:
    """Put the entries of each section into its places by descending score."""
    for section in Section:
        places = [piece for piece in pieces if isinstance(piece, _Place) and piece.section is section]
        position = {id_: number for number, id_ in enumerate(entries)}
        ordered = in_order(sorted((place.entry for place in places), key=lambda entry: position[entry.id]))
        for place, entry in zip(places, ordered, strict=True):
            place.entry = entry


def _joined(
    pieces: "list[Piece | _Place]", blocks: Mapping[str, Block], count: int, now: datetime, newline: bytes
) -> Iterable[bytes]:
    stamps = newline.join(
        (
            f"<!-- Last updated: {now.astimezone(UTC).isoformat()} -->".encode(),
            f"<!-- Total entries: {count} -->".encode(),
        )
    )
    stamped = any(isinstance(piece, Stamps) and piece.data.startswith(b"<!--") for piece in pieces)
    for number, piece in enumerate(pieces):
        if isinstance(piece, _Place):
            data = write_block(piece.entry, blocks.get(piece.entry.id), newline)
            yield data
            yield _safe_gap(piece, data != piece.was, pieces[number + 1 : number + 2], newline)
        elif isinstance(piece, Stamps) and piece.data.startswith(b"<!--"):
            yield stamps
        elif isinstance(piece, Heading) and not stamped:
            stamped = True
            yield stamps + newline * 2 + piece.data
        else:
            yield piece.data


def _safe_gap(place: _Place, changed: bool, following: "list[Piece | _Place]", newline: bytes) -> bytes:
    """Return the gap below an entry, with a blank line where text behind it could be taken for the entry's own."""
    if not following:
        return place.gap
    gap = place.gap or newline
    if changed and gap.count(b"\n") < 2:
        after = following[0]
        if not (isinstance(after, Text) and _ENDS_TEXT.match(after.data)):
            return gap + newline
    return gap


def _blank_line(above: bytes, newline: bytes) -> bytes:
    """Return what is missing between ``above`` and a heading: two line breaks, one or none."""
    lines = above.replace(b"\r", b"")
    if not lines.strip(b"\xef\xbb\xbf"):
        return b""
    return b"" if lines.endswith(b"\n\n") else newline if lines.endswith(b"\n") else newline * 2


def _section(piece: "Piece | _Place") -> Section | None:
    return None if isinstance(piece, Stamps) else piece.section


def _bytes(piece: "Piece | _Place") -> bytes:
    return b"x" + piece.gap if isinstance(piece, _Place) else piece.data
