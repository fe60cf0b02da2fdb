"""The memory as resources, which a person picks in a client: long-term memory, the notes of a day, a session.

What is read has the form of hits, so that what is to be forgotten can be taken out of it as out of any other.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from nanobot_memory_plugins.core import Hit, Origin, Scope, fence, language_of, redact_text
from nanobot_memory_plugins.core.files import (
    DAY_NOTE,
    MemoryPaths,
    NoteEntry,
    last_records,
    open_regular,
    parse_notes,
    recent_records,
)
from nanobot_memory_plugins.core.files.hidden_records import hidden_records
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.mcp.bounds import RESOURCE_CHARACTERS, bounded
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.sdk import UnansweredError

LONG_TERM = "memory://long-term"
NOTES, SESSIONS = "memory://notes/", "memory://sessions/"
MARKDOWN, PLAIN = "text/markdown", "text/plain"
# How many of the last days and sessions are listed; templates reach the others. Messages of a session that are shown.
_DAYS, _SESSIONS, _MESSAGES = 7, 10, 200
# Files that are looked at to find a person's, the newest first; and of a day's file this much is read.
_FILES_LOOKED_AT = 200
_MOST_NOTE_BYTES = 1 << 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_MORE = "memory_search finds what they say."
_NOT_THERE = "There is no such resource; resources/list names those that there are."


async def list_resources(memory: ServedMemory, scope: Scope) -> list[dict[str, Any]]:
    """Return the last days and sessions of a person, as the protocol lists them."""
    visible = memory.visible_scope(scope)

    def found() -> tuple[list[str], list[tuple[str, datetime | None]]]:
        return _days(memory.workspace, visible), _sessions(memory.workspace, visible)

    days, sessions = await run_in_daemon_thread(found)
    notes = [
        {"uri": f"{NOTES}{day}", "name": f"notes-{day}", "title": f"Notes of {day}", "mimeType": MARKDOWN}
        for day in days
    ]
    return notes + [
        {
            "uri": f"{SESSIONS}{quote(key, safe='')}",
            "name": f"session-{key}",
            "title": f"Conversation {key}" + (f", {last.astimezone():%Y-%m-%d}" if last else ""),
            "mimeType": PLAIN,
        }
        for key, last in sessions
    ]


async def long_term(memory: ServedMemory, client: Client, scope: Scope) -> str:
    """Return what is known of a person, and the long-term file as far as it is theirs."""
    search = memory.tool("memory_search")
    known = await search.run({}, session_key=client.session) if search is not None else ""
    written = await run_in_daemon_thread(memory.base_context)
    left = await run_in_daemon_thread(lambda: memory.prompt_entries(written, scope=scope).long_term)
    shown = memory.shown(scope, [_hit(left, LONG_TERM, 1, Origin.USER, Scope())] if left.strip() else [])
    text = fence([hit.text for hit in shown], language=language_of(left))
    return bounded("\n\n".join(filter(None, (known, text))), _MORE, most=RESOURCE_CHARACTERS) or "There is nothing yet."


async def notes(memory: ServedMemory, scope: Scope, day: str) -> str:
    """Return the notes of a day. Raises `UnansweredError` where there are none for this person."""
    visible = memory.visible_scope(scope)
    return await _shown(memory, scope, await run_in_daemon_thread(lambda: _notes(memory.workspace, visible, day)))


async def messages(memory: ServedMemory, scope: Scope, key: str) -> str:
    """Return the last messages of a session, whose key is encoded as in addresses. Raises `UnansweredError`."""
    return await _shown(memory, scope, await run_in_daemon_thread(lambda: _messages(memory.workspace, unquote(key))))


async def _shown(memory: ServedMemory, scope: Scope, hits: Sequence[Hit]) -> str:
    """Return the last of some texts that fit, fenced, oldest first."""
    room, kept = RESOURCE_CHARACTERS, list[str]()
    shown = memory.shown(scope, hits)
    for hit in reversed(shown):
        room -= len(hit.text) + 2
        if room < 0 and kept:
            kept.append(f"({len(shown) - len(kept)} earlier ones are left out here. {_MORE})")
            break
        kept.append(hit.text[:RESOURCE_CHARACTERS])
    if not kept:
        raise UnansweredError(told=_NOT_THERE)
    return fence(kept[::-1], language=language_of(kept[0])) or ""


def _days(workspace: Path, visible: Visibility) -> list[str]:
    """Return the last days that have notes for a person, the last first."""
    names = sorted(
        path.stem for path in _newest(MemoryPaths.of(workspace).memory, ".md") if DAY_NOTE.fullmatch(path.name)
    )
    return [day for day in names[: -_FILES_LOOKED_AT - 1 : -1] if _notes(workspace, visible, day)][:_DAYS]


def _notes(workspace: Path, visible: Visibility, day: str) -> list[Hit]:
    """Return the notes of a day, oldest first; what a person wrote between notes is everybody's."""
    try:
        with open_regular(MemoryPaths.of(workspace).day_note(date.fromisoformat(day))) as file:
            parts = list(parse_notes(file.read(_MOST_NOTE_BYTES)))
    except (OSError, ValueError):
        return []
    found = []
    for part in parts:
        if not isinstance(part, NoteEntry):
            if part.text.strip():
                found.append(_hit(redact_text(part.text.strip()), f"{day}.md", part.line, Origin.USER, Scope()))
        elif part.searchable and visible.allows(part.scope):
            time = f"{part.time.astimezone():%H:%M}"
            head = "### " + " | ".join(filter(None, (time, part.title, part.type.value, part.origin.value)))
            text = redact_text("\n".join(filter(None, (head, part.tldr, part.details))))
            found.append(_hit(text, f"{day}.md", part.line, part.origin, part.scope))
    return found


def _sessions(workspace: Path, visible: Visibility) -> list[tuple[str, datetime | None]]:
    """Return the keys of a person's sessions and when something was said last, the last first."""
    found = []
    for path in _newest(MemoryPaths.of(workspace).sessions, ".jsonl")[:_FILES_LOOKED_AT]:
        try:
            last = next(iter(recent_records(path, _LONG_AGO, 1)), None)
        except OSError:
            continue
        if last is not None and last.session_key and visible.allows(last.scope):
            found.append((last.session_key, last.time))
        if len(found) == _SESSIONS:
            break
    return found


def _messages(workspace: Path, key: str) -> list[Hit]:
    """Return the last messages of a session, oldest first, whoever's they are: their scopes say it."""
    paths = MemoryPaths.of(workspace)
    path = paths.transcript(key)
    try:
        records = last_records(path, key, _MESSAGES)
    except OSError:
        return []
    found = []
    hidden = hidden_records(paths)
    for number, one in enumerate(records, 1):
        if one.id in hidden:
            continue
        time = f"{one.time.astimezone():%Y-%m-%d %H:%M} " if one.time else ""
        text = f"{time}{one.name or one.role}: {one.text}"
        found.append(_hit(text, paths.relative(path), number, one.origin, one.scope))
    return found


def _hit(text: str, path: str, line: int, origin: Origin, scope: Scope) -> Hit:
    return Hit(id=f"{path}#{line}", text=text, path=path, line=line, score=0.0, origin=origin, scope=scope)


def _newest(folder: Path, ending: str) -> list[Path]:
    """Return the regular files of a folder by when they were written, the last first."""
    try:
        files = [path for path in folder.glob(f"*{ending}") if path.is_file() and not path.is_symlink()]
        return sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []
