"""claude-mem's store: observations, summaries of sessions and the user's prompts, in one SQLite file."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.formats.reading import opened_database, rows, time_of
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

_DATABASE = "claude-mem.db"
_ALWAYS = ("id", "memory_session_id", "project", "created_at_epoch", "created_at")
_TYPES = {"decision": NoteType.DECISION, "bugfix": NoteType.BUG}


@dataclass(frozen=True, slots=True)
class _Table:
    """What of a table's columns makes a note. An observation was made of what tools returned."""

    origin: Origin
    title: tuple[str, ...]
    details: tuple[str, ...]
    tags: tuple[str, ...]


_TABLES = {
    "observations": _Table(
        Origin.TOOL,
        ("title",),
        ("subtitle", "narrative", "text", "facts", "files_read", "files_modified"),
        ("type", "concepts", "project"),
    ),
    "session_summaries": _Table(
        Origin.SUMMARY,
        ("request", "completed"),
        ("request", "investigated", "learned", "completed", "next_steps", "notes", "files_read", "files_edited"),
        ("project",),
    ),
}
_PROMPTS = "user_prompts"


class ClaudeMemImporter:
    """Reads claude-mem's database: observations and summaries as notes, prompts as messages."""

    label = Sentence("a store of claude-mem")

    def recognises(self, source: Path) -> bool:
        """Return whether it is the database, or the folder that holds it."""
        return _database(source).name == _DATABASE and _database(source).is_file()

    def read(self, source: Path, workspace: Path) -> Iterator[Item]:
        """Yield observations and summaries as notes, prompts as messages. Raises `InputError`."""
        path = _database(source)
        if not path.is_file():
            raise InputError(
                Sentence("There is no {database} in {source}.", database=_DATABASE, source=source),
                hint="It usually stands in ~/.claude-mem; name that folder.",
            )
        is_any = False
        with opened_database(path) as connection:
            for table in (*_TABLES, _PROMPTS):
                place = f"{path.name}:{table}"
                try:
                    for item in _items(connection, table, place):
                        is_any = True
                        yield item
                except sqlite3.Error as error:
                    yield Skipped(Sentence("the rest of the table cannot be read: {why}", why=error), place)
        if not is_any:
            raise InputError(
                Sentence("{path} holds none of claude-mem's tables as they are known here.", path=path),
                hint="Check the path; a form that is not known yet cannot be imported.",
            )


def _database(source: Path) -> Path:
    return source / _DATABASE if source.is_dir() else source


def _items(connection: sqlite3.Connection, table: str, place: str) -> Iterator[Item]:
    if table == _PROMPTS:
        for row in rows(connection, table, (*_ALWAYS, "content_session_id", "prompt_text"), "id"):
            key = f"claude-mem:{_text(row, 'content_session_id') or 'unknown'}"
            text, scope = _text(row, "prompt_text"), Scope(channel="claude-mem")
            yield ImportedMessage(key, "user", text, Origin.USER, place, _number(row), time=_time(row), scope=scope)
        return
    form = _TABLES[table]
    for row in rows(connection, table, (*_ALWAYS, *form.title, *form.details, *form.tags), "id"):
        details = [
            f"{name.replace('_', ' ')}: {', '.join(_listed(row, name))}" for name in form.details if _listed(row, name)
        ]
        title = next((text for name in form.title if (text := _text(row, name))), details[0] if details else "")
        session = _text(row, "memory_session_id")
        note = Note(
            tldr=title.splitlines()[0][:200] if title else "",
            details="\n\n".join(details),
            type=_TYPES.get(_text(row, "type"), NoteType.NOTE),
            tags=("claude-mem", *(tag for name in form.tags for tag in _listed(row, name)), "imported"),
            origin=form.origin,
            scope=Scope(channel="claude-mem", session=f"claude-mem:{session}") if session else None,
            time=_time(row),
        )
        yield ImportedNote(note, place, _number(row))


def _time(row: dict[str, Any]) -> Any:
    return time_of(row.get("created_at_epoch")) or time_of(row.get("created_at"))


def _number(row: dict[str, Any]) -> int:
    return row["id"] if isinstance(row.get("id"), int) else 0


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _listed(row: dict[str, Any], name: str) -> list[str]:
    """Return a list that is kept as JSON; a text that is none is its one item."""
    text = _text(row, name)
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        items = text
    return [one for item in (items if isinstance(items, list) else [text]) if (one := str(item).strip())]
