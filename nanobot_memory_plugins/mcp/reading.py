"""What the memory files hold for one person: days with notes, sessions, and what stands in them. All of it blocks."""

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from nanobot_memory_plugins.core import Hit, Origin, Scope, redact_text
from nanobot_memory_plugins.core.files import (
    DAY_NOTE,
    MemoryPaths,
    NoteEntry,
    Passage,
    last_records,
    open_regular,
    parse_notes,
    recent_records,
)
from nanobot_memory_plugins.core.values import Visibility

# Of a day's file this much is read.
_MOST_NOTE_BYTES = 1 << 20
# Files that are looked at to find sessions of a person, the newest first.
_SESSIONS_LOOKED_AT = 200
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class PersonsFiles:
    """The files of one workspace as far as somebody may see them.

    What it returns has the form of hits, so that what is to be forgotten can be taken out of it as out of any other.
    """

    def __init__(self, workspace: Path, visible: Visibility) -> None:
        self._paths = MemoryPaths.of(workspace)
        self._visible = visible

    def days(self, limit: int) -> list[str]:
        """Return the days that have notes for this person, the last first."""
        found = []
        for name in sorted(_names(self._paths.memory, lambda name: bool(DAY_NOTE.fullmatch(name))), reverse=True):
            day = name.removesuffix(".md")
            if self._parts(day):
                found.append(day)
            if len(found) == limit:
                break
        return found

    def notes(self, day: str) -> list[Hit]:
        """Return the notes of a day, oldest first; none where there is no such day."""
        return [_note_hit(part, f"{day}.md") for part in self._parts(day)]

    def _parts(self, day: str) -> list[NoteEntry | Passage]:
        try:
            with open_regular(self._paths.day_note(date.fromisoformat(day))) as file:
                parts = list(parse_notes(file.read(_MOST_NOTE_BYTES)))
        except (OSError, ValueError):
            return []
        return [part for part in parts if self._is_shown(part)]

    def _is_shown(self, part: NoteEntry | Passage) -> bool:
        """Return whether a part is for this person; what somebody wrote between notes is everybody's."""
        if isinstance(part, NoteEntry):
            return part.searchable and self._visible.allows(part.scope)
        return bool(part.text.strip())

    def sessions(self, limit: int) -> list[tuple[str, datetime | None]]:
        """Return the keys of this person's sessions and when something was said last, the last first."""
        found: list[tuple[str, datetime | None]] = []
        for path in _newest(self._paths.sessions, ".jsonl")[:_SESSIONS_LOOKED_AT]:
            try:
                last = next(iter(recent_records(path, _LONG_AGO, 1)), None)
            except OSError:
                continue
            if last is not None and last.session_key and self._visible.allows(last.scope):
                found.append((last.session_key, last.time))
            if len(found) == limit:
                break
        return found

    def messages(self, session_key: str, limit: int) -> list[Hit]:
        """Return the last messages of a session, oldest first, whoever's they are: their scopes say it."""
        path = self._paths.transcript(session_key)
        try:
            records = last_records(path, session_key, limit)
        except OSError:
            return []
        return [
            _hit(
                f"{f'{one.time.astimezone():%Y-%m-%d %H:%M} ' if one.time else ''}{one.name or one.role}: {one.text}",
                self._paths.relative(path),
                number,
                one.origin,
                one.scope,
            )
            for number, one in enumerate(records, 1)
        ]


def _hit(text: str, path: str, line: int, origin: Origin, scope: Scope) -> Hit:
    return Hit(id=f"{path}#{line}", text=text, path=path, line=line, score=0.0, origin=origin, scope=scope)


def _note_hit(part: NoteEntry | Passage, path: str) -> Hit:
    """Return a note, or what a person wrote between notes, either of which may hold secrets written by hand."""
    if isinstance(part, NoteEntry):
        return _hit(redact_text(_note_text(part)), path, part.line, part.origin, part.scope)
    return _hit(redact_text(part.text.strip()), path, part.line, Origin.USER, Scope())


def _note_text(note: NoteEntry) -> str:
    head = " | ".join(filter(None, (f"{note.time.astimezone():%H:%M}", note.title, note.type.value, note.origin.value)))
    return "\n".join(filter(None, (f"### {head}", note.tldr, note.details)))


def _names(folder: Path, wanted: Callable[[str], bool]) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if wanted(name)]
    except OSError:
        return []


def _newest(folder: Path, ending: str) -> list[Path]:
    """Return the files of a folder by when they were written, the last first."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path)
                for entry in entries
                if entry.name.endswith(ending) and entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [Path(path) for _, path in sorted(found, reverse=True)]
