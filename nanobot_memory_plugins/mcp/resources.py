"""The memory as resources, which a person picks in a client: long-term memory, and the notes of a day.

What is read has the form of hits, so that what is to be forgotten can be taken out of it as out of any other.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import Hit, Origin, Scope, fence, language_of, redact_text
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.mcp.bounds import RESOURCE_CHARACTERS, bounded
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.sdk import UnansweredError

LONG_TERM = "memory://long-term"
NOTES = "memory://notes/"
MARKDOWN = "text/markdown"
# How many of the last days are listed; a template reaches the others.
_DAYS = 7
# Files that are looked at to find a person's, the newest first; and of a day's file this much is read.
_FILES_LOOKED_AT = 200
_MOST_NOTE_BYTES = 1 << 20
_MORE = "memory_search finds what they say."
_NOT_THERE = "There is no such resource; resources/list names those that there are."


async def list_resources(memory: ServedMemory, scope: Scope) -> list[dict[str, Any]]:
    """Return the last days of a person, as the protocol lists them."""
    visible = memory.visible_scope(scope)
    days = await run_in_daemon_thread(lambda: _days(memory.workspace, visible))
    return [
        {"uri": f"{NOTES}{day}", "name": f"notes-{day}", "title": f"Notes of {day}", "mimeType": MARKDOWN}
        for day in days
    ]


async def long_term(memory: ServedMemory, client: Client, scope: Scope) -> str:
    """Return what is known of a person, and the long-term file as far as it belongs to that person."""
    search = memory.tool("memory_search")
    known = await search.run({}, session_key=client.session) if search is not None else ""
    written = await run_in_daemon_thread(memory.base_context)
    remaining = await run_in_daemon_thread(lambda: memory.prompt_entries(written, scope=scope).long_term)
    shown = memory.shown(scope, [_hit(remaining, LONG_TERM, 1, Origin.USER, Scope())] if remaining.strip() else [])
    text = fence([hit.text for hit in shown], language=language_of(remaining))
    return bounded("\n\n".join(filter(None, (known, text))), _MORE, most=RESOURCE_CHARACTERS) or "There is nothing yet."


async def notes(memory: ServedMemory, scope: Scope, day: str) -> str:
    """Return the notes of a day. Raises `UnansweredError` where there are none for this person."""
    visible = memory.visible_scope(scope)
    return await _hits_text(memory, scope, await run_in_daemon_thread(lambda: _notes(memory.workspace, visible, day)))


async def _hits_text(memory: ServedMemory, scope: Scope, hits: Sequence[Hit]) -> str:
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
        raise UnansweredError(message=_NOT_THERE)
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


def _hit(text: str, path: str, line: int, origin: Origin, scope: Scope) -> Hit:
    return Hit(id=f"{path}#{line}", text=text, path=path, line=line, score=0.0, origin=origin, scope=scope)


def _newest(folder: Path, ending: str) -> list[Path]:
    """Return the regular files of a folder by when they were written, the last first."""
    try:
        files = [path for path in folder.glob(f"*{ending}") if path.is_file() and not path.is_symlink()]
        return sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []
