"""What a consolidation reads: the notes of the last days, the entries, and the rest of the long-term memory.

What users said stands in the transcripts (`spoken`). What tools and the web said is left out: it is no evidence for
anything about a user.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, whole_scope
from nanobot_memory_plugins.consolidation.nightly.spoken import Spoken, spoken_since
from nanobot_memory_plugins.consolidation.store.repository import Snapshot
from nanobot_memory_plugins.core import Origin, Scope, logger
from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.values import Visibility, Whose

# Bytes of one file that are read; a day of notes is some hundred kilobytes at most.
_LARGEST_FILE = 16 << 20
UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB})

# Text that holds nothing but headings, or nothing at all.
_HEADINGS = re.compile(r"(?:\s*#{1,6}(?:[ \t][^\n]*)?(?:\n|\Z))*\s*")

# What may be seen by whom a memory of a scope is; and whose it is, the same for all names of one person.
Narrow = Callable[[Scope], Visibility]
Owner = Callable[[Scope], Scope]

_EVERYTHING = Visibility(whose=(Whose(),))


@dataclass(frozen=True, slots=True)
class NightlyPiece:
    """A note or a passage.

    ``whose`` is whose it is, ``visible`` what those may see, as the configuration's ``share`` says.
    """

    text: str
    origin: Origin
    time: datetime
    whose: Scope = Scope()
    visible: Visibility = _EVERYTHING


@dataclass(frozen=True, slots=True)
class NightlyMaterial:
    """What one call of the model is about: what those have in common who may see the same. Notes are newest first.

    ``spoken`` is what was said by users and the assistant, session by session.
    """

    visible: Visibility
    notes: tuple[NightlyPiece, ...]
    entries: Mapping[str, Entry]
    rest: tuple[NightlyPiece, ...] = ()
    spoken: tuple[Spoken, ...] = ()

    def digests(self) -> set[str]:
        """Return fingerprints of everything in it: nothing is new while all of them are known."""
        return {
            *(digest("note", self.visible, note.text) for note in self.notes),
            *(digest("rest", self.visible, piece.text) for piece in self.rest),
            *(digest("said", self.visible, one.text) for one in self.spoken if one.by_user),
            *(digest("entry", self.visible, f"{entry.id} {entry.content}") for entry in self.entries.values()),
        }


def gather(
    paths: MemoryPaths,
    snapshot: Snapshot,
    entries: Mapping[str, Entry],
    *,
    now: datetime,
    days: int,
    redact: Callable[[str], str],
    narrow: Narrow = lambda scope: _EVERYTHING,
    timezone: tzinfo | None = None,
    background: Sequence[str] = (),
) -> tuple[NightlyMaterial, ...]:
    """Read the notes and transcripts of the last ``days`` days, today included, and the long-term memory. It blocks.

    The scopes that see the same memories make one material. ``now`` is aware; days are those of ``timezone``, the
    machine's own by default. Files that cannot be read are left out, with a warning.
    """
    notes = [
        replace(piece, visible=narrow(piece.whose)) for piece in _notes(paths, now.astimezone(timezone), days, redact)
    ]
    first = datetime.combine(now.astimezone(timezone).date() - timedelta(days=days - 1), time(), timezone)
    spoken = spoken_since(paths, first.astimezone(), redact=redact, narrow=narrow, background=background)
    # What people wrote themselves: the long-term memory without our sections.
    rest = [
        replace(piece, visible=narrow(piece.whose))
        for data in (snapshot.document.foreign, _read(paths.long_term))
        for piece in _pieces(data, now, redact)
    ]
    groups: dict[Visibility, dict[str, Entry]] = {}
    for entry in entries.values():
        groups.setdefault(narrow(whole_scope(entry)), {})[entry.id] = entry
    seen = dict.fromkeys((*groups, *(one.visible for one in (*notes, *rest)), *(one.visible for one in spoken)))
    materials = [
        NightlyMaterial(
            visible,
            tuple(piece for piece in notes if piece.visible == visible),
            groups.get(visible, {}),
            tuple(piece for piece in rest if piece.visible == visible),
            tuple(one for one in spoken if one.visible == visible),
        )
        for visible in seen
    ]
    return tuple(one for one in materials if one.notes or one.entries or one.rest or one.spoken)


def digest(kind: str, visible: Visibility, text: str) -> str:
    """Return a short fingerprint, the same in every process."""
    whose = "" if visible.is_everything else repr(visible.whose)
    whose = "\0".join((kind, visible.agent, whose, text))
    return hashlib.blake2b(whose.encode("utf-8", "replace"), digest_size=10).hexdigest()


def _notes(paths: MemoryPaths, now: datetime, days: int, redact: Callable[[str], str]) -> list[NightlyPiece]:
    """Return the notes of the last days, newest first, the same words once."""
    found: list[NightlyPiece] = []
    for back in range(days):
        day = now.date() - timedelta(days=back)
        midnight = datetime.combine(day, time(), now.tzinfo)
        found += list(_pieces(_read(paths.day_note(day)), midnight, redact))[::-1]
    found.sort(key=lambda piece: piece.time, reverse=True)
    return list({(piece.text, piece.whose): piece for piece in reversed(found)}.values())[::-1]


def _pieces(data: bytes, when: datetime, redact: Callable[[str], str]) -> Iterator[NightlyPiece]:
    for part in parse_notes(data):
        piece = _piece(part, when, redact)
        if piece is not None and not _HEADINGS.fullmatch(piece.text):
            yield piece


def _piece(part: NoteEntry | Passage, when: datetime, redact: Callable[[str], str]) -> NightlyPiece | None:
    if isinstance(part, Passage):
        return NightlyPiece(redact(part.text).strip(), Origin.USER, when)
    if part.origin in UNTRUSTED or not part.searchable:
        return None
    text = "\n".join(filter(None, (part.tldr, part.details)))
    made = part.time if part.time.tzinfo is not None else part.time.replace(tzinfo=UTC)
    return NightlyPiece(redact(text).strip(), part.origin, made, part.scope)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            logger.warning("consolidation: {} is too large, and is left out", path.name)
            return b""
        return read_inside(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        logger.warning("consolidation: {} cannot be read: {}", path.name, type(error).__name__)
        return b""


def trusted(entries: Mapping[str, Entry]) -> list[Entry]:
    """Return the entries that did not come from tools or the web."""
    return [entry for entry in entries.values() if entry.origin not in UNTRUSTED]
