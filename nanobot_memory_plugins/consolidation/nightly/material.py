"""What a consolidation reads: the notes of the last days, the entries, and the rest of the long-term memory.

What tools and the web said is left out: it is no evidence for anything about a user.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.consolidation.document import parse
from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.repository import Snapshot
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import Origin, Scope

# Bytes of one file that are read; a day of notes is some hundred kilobytes at most.
_LARGEST_FILE = 16 << 20
UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB})

# Text that holds nothing but headings, or nothing at all.
_HEADINGS = re.compile(r"(?:\s*#{1,6}(?:[ \t][^\n]*)?(?:\n|\Z))*\s*")

Narrow = Callable[[Scope], Scope]


@dataclass(frozen=True, slots=True)
class Piece:
    """A note or a passage.

    ``scope`` is whose it is, as narrow as the configuration's ``share`` wants it; ``whose`` is the same as it was kept.
    """

    text: str
    origin: Origin
    time: datetime
    scope: Scope = Scope()
    whose: Scope = Scope()


@dataclass(frozen=True, slots=True)
class Material:
    """What one call of the model is about: that of one scope. Notes are newest first."""

    scope: Scope
    notes: tuple[Piece, ...]
    entries: Mapping[str, Entry]
    rest: tuple[Piece, ...] = ()

    def digests(self) -> set[str]:
        """Return fingerprints of everything in it: nothing is new while all of them are known."""
        return {
            *(digest("note", self.scope, note.text) for note in self.notes),
            *(digest("rest", self.scope, piece.text) for piece in self.rest),
            *(digest("entry", self.scope, f"{entry.id} {entry.content}") for entry in self.entries.values()),
        }


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that was read. ``foreign`` is the raw text outside our sections, for finding quotes in it, by file."""

    materials: tuple[Material, ...]
    foreign: Mapping[str, str]


def gather(
    paths: MemoryPaths,
    snapshot: Snapshot,
    entries: Mapping[str, Entry],
    *,
    now: datetime,
    days: int,
    redact: Callable[[str], str],
    narrow: Narrow = lambda scope: Scope(),
    timezone: tzinfo | None = None,
) -> Gathered:
    """Read the notes of the last ``days`` days, today included, and the long-term memory. It blocks.

    The scopes that see the same memories make one material. ``now`` is aware; days are those of ``timezone``, the
    machine's own by default. Files that cannot be read are left out, with a warning.
    """
    notes = [
        replace(piece, scope=narrow(piece.scope)) for piece in _notes(paths, now.astimezone(timezone), days, redact)
    ]
    foreign = foreign_texts(paths, snapshot)
    rest = [
        replace(piece, scope=narrow(piece.scope))
        for text in foreign.values()
        for piece in _pieces(text.encode(), now, redact)
    ]
    groups: dict[Scope, dict[str, Entry]] = {}
    for entry in entries.values():
        groups.setdefault(narrow(entry.scope), {})[entry.id] = entry
    scopes = dict.fromkeys((*groups, *(piece.scope for piece in (*notes, *rest))))
    materials = [
        Material(
            scope,
            tuple(piece for piece in notes if piece.scope == scope),
            groups.get(scope, {}),
            tuple(piece for piece in rest if piece.scope == scope),
        )
        for scope in scopes
    ]
    return Gathered(tuple(one for one in materials if one.notes or one.entries or one.rest), foreign)


def foreign_texts(paths: MemoryPaths, snapshot: Snapshot) -> dict[str, str]:
    """Return the long-term memory without our sections, as it stands, by the name of the file."""
    foreign = {snapshot.path.name: snapshot.document.foreign.decode("utf-8", "replace")}
    if snapshot.path != paths.long_term:
        foreign[paths.long_term.name] = parse(_read(paths.long_term)).foreign.decode("utf-8", "replace")
    return foreign


def digest(kind: str, scope: Scope, text: str) -> str:
    """Return a short fingerprint, the same in every process."""
    whose = "\0".join((kind, scope.agent, scope.user, scope.channel, scope.session, text))
    return hashlib.blake2b(whose.encode("utf-8", "replace"), digest_size=10).hexdigest()


def _notes(paths: MemoryPaths, now: datetime, days: int, redact: Callable[[str], str]) -> list[Piece]:
    """Return the notes of the last days, newest first, the same words once."""
    found: list[Piece] = []
    for back in range(days):
        day = now.date() - timedelta(days=back)
        midnight = datetime.combine(day, time(), now.tzinfo)
        found += list(_pieces(_read(paths.day_note(day)), midnight, redact))[::-1]
    found.sort(key=lambda piece: piece.time, reverse=True)
    return list({(piece.text, piece.scope): piece for piece in reversed(found)}.values())[::-1]


def _pieces(data: bytes, when: datetime, redact: Callable[[str], str]) -> Iterator[Piece]:
    for part in parse_notes(data):
        piece = _piece(part, when, redact)
        if piece is not None and not _HEADINGS.fullmatch(piece.text):
            yield piece


def _piece(part: NoteEntry | Passage, when: datetime, redact: Callable[[str], str]) -> Piece | None:
    if isinstance(part, Passage):
        return Piece(redact(part.text).strip(), Origin.USER, when)
    if part.origin in UNTRUSTED:
        return None
    text = "\n".join(filter(None, (part.tldr, part.details)))
    made = part.time if part.time.tzinfo is not None else part.time.replace(tzinfo=UTC)
    return Piece(redact(text).strip(), part.origin, made, part.scope, part.scope)


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
