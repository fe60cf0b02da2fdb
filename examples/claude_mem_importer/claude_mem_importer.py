"""Reads claude-mem's store: observations, session summaries and the user's prompts, in one SQLite file."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nanobot_memory_plugins.core import InputError, Note, NoteType, Origin, Scope
from nanobot_memory_plugins.core.clock import time_of
from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Item, Skipped

_DATABASE = "claude-mem.db"
_TYPES = {"decision": NoteType.DECISION, "bugfix": NoteType.BUG}
# Observations are made from the results of tools.
_ORIGINS = {"observations": Origin.TOOL, "session_summaries": Origin.SUMMARY, "user_prompts": Origin.USER}
_TITLES = ("title", "request", "completed")
_DETAILS = (
    *("subtitle", "narrative", "text", "facts", "request", "investigated", "learned", "completed", "next_steps"),
    *("notes", "files_read", "files_modified", "files_edited"),
)


def read_claude_mem(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield observations and summaries as notes, and prompts as messages. Raises `InputError`."""
    path = _database(source)
    if not path.is_file():
        raise InputError(
            f"There is no {_DATABASE} in {source}.",
            hint="It usually stands in ~/.claude-mem; name that folder.",
        )
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for table, origin in _ORIGINS.items():
            place = f"{path.name}:{table}"
            try:
                for row in map(dict, connection.execute(f"SELECT * FROM {table} ORDER BY id")):
                    yield _message(row, place) if origin is Origin.USER else _note(row, place, origin)
            except sqlite3.Error as error:
                yield Skipped(f"the rest of the table cannot be read: {error}", place)


def _database(source: Path) -> Path:
    return source / _DATABASE if source.is_dir() else source


def _message(row: dict[str, Any], place: str) -> ImportedMessage:
    key = f"claude-mem:{_text(row, 'content_session_id') or 'unknown'}"
    text, scope = _text(row, "prompt_text"), Scope(channel="claude-mem")
    return ImportedMessage(key, "user", text, Origin.USER, place, _number(row), time=_time(row), scope=scope)


def _note(row: dict[str, Any], place: str, origin: Origin) -> ImportedNote:
    details = [f"{name.replace('_', ' ')}: {', '.join(items)}" for name in _DETAILS if (items := _listed(row, name))]
    title = next(filter(None, (_text(row, name) for name in _TITLES)), details[0] if details else "")
    session = _text(row, "memory_session_id")
    note = Note(
        tldr=title.splitlines()[0][:200] if title else "",
        details="\n\n".join(details),
        type=_TYPES.get(_text(row, "type"), NoteType.NOTE),
        tags=("claude-mem", *_listed(row, "type"), *_listed(row, "concepts"), *_listed(row, "project"), "imported"),
        origin=origin,
        scope=Scope(channel="claude-mem", session=f"claude-mem:{session}") if session else None,
        time=_time(row),
    )
    return ImportedNote(note, place, _number(row))


def _time(row: dict[str, Any]) -> Any:
    return time_of(row.get("created_at_epoch")) or time_of(row.get("created_at"))


def _number(row: dict[str, Any]) -> int:
    return row["id"] if isinstance(row.get("id"), int) else 0


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _listed(row: dict[str, Any], name: str) -> list[str]:
    """Return a list that is stored as JSON. Any other text is its only item."""
    text = _text(row, name)
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        items = text
    return [one for item in (items if isinstance(items, list) else [text]) if (one := str(item).strip())]
