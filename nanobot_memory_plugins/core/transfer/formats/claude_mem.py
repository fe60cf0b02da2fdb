"""claude-mem's store: observations, summaries of sessions and the user's prompts, in one SQLite file."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.formats.reading import opened_database, rows, time_of
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

_DATABASE = "claude-mem.db"
_ALWAYS = ("id", "memory_session_id", "project", "created_at_epoch", "created_at")
_PARTS_OF_OBSERVATION = ("subtitle", "narrative", "text", "facts", "files_read", "files_modified")
_PARTS_OF_SUMMARY = (
    "request", "investigated", "learned", "completed", "next_steps", "notes", "files_read", "files_edited",
)  # fmt: skip
_TYPES = {"decision": NoteType.DECISION, "bugfix": NoteType.BUG}


class ClaudeMemImporter:
    """Reads claude-mem's database. An observation was made of what tools returned, and keeps that origin."""

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
            for table, (columns, item_of) in _TABLES.items():
                place = f"{path.name}:{table}"
                try:
                    for row in rows(connection, table, (*_ALWAYS, *columns), "id"):
                        is_any = True
                        yield item_of(row, place)
                except sqlite3.Error as error:
                    yield Skipped(Sentence("the rest of the table cannot be read: {why}", why=error), place)
        if not is_any:
            raise InputError(
                Sentence("{path} holds none of claude-mem's tables as they are known here.", path=path),
                hint="Check the path; a form that is not known yet cannot be imported.",
            )


def _database(source: Path) -> Path:
    return source / _DATABASE if source.is_dir() else source


def _observation(row: dict[str, Any], file: str) -> Item:
    details = [_text(row, "subtitle"), _text(row, "narrative") or _text(row, "text")]
    details += [
        "\n".join(f"- {fact}" for fact in _listed(row.get("facts"))),
        _files("files read", row.get("files_read")),
        _files("files changed", row.get("files_modified")),
    ]
    tags = (_text(row, "type"), *_listed(row.get("concepts")))
    type_ = _TYPES.get(_text(row, "type"), NoteType.NOTE)
    return _note(row, file, _text(row, "title"), details, tags, Origin.TOOL, type_)


def _summary(row: dict[str, Any], file: str) -> Item:
    details = [f"{name.replace('_', ' ')}: {_text(row, name)}" for name in _PARTS_OF_SUMMARY[:-2] if _text(row, name)]
    details += [_files("files read", row.get("files_read")), _files("files", row.get("files_edited"))]
    return _note(row, file, _text(row, "request") or _text(row, "completed"), details, ("summary",), Origin.SUMMARY)


def _prompt(row: dict[str, Any], file: str) -> Item:
    return ImportedMessage(
        f"claude-mem:{_text(row, 'content_session_id') or 'unknown'}",
        "user",
        _text(row, "prompt_text"),
        Origin.USER,
        file,
        _row_number(row),
        time=_time(row),
        scope=Scope(channel="claude-mem"),
    )


_TABLES: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], str], Item]]] = {
    "observations": (("type", "title", "concepts", *_PARTS_OF_OBSERVATION), _observation),
    "session_summaries": (_PARTS_OF_SUMMARY, _summary),
    "user_prompts": (("content_session_id", "prompt_text"), _prompt),
}


def _note(
    row: dict[str, Any],
    file: str,
    title: str,
    details: list[str],
    tags: tuple[str, ...],
    origin: Origin,
    type_: NoteType = NoteType.NOTE,
) -> Item:
    line, time, text = _row_number(row), _time(row), "\n\n".join(filter(None, details))
    if time is None:
        return Skipped("it has no date that can be read", file, line)
    session = _text(row, "memory_session_id")
    scope = Scope(channel="claude-mem", session=f"claude-mem:{session}") if session else None
    kept = tuple(dict.fromkeys(filter(None, ("claude-mem", *tags, _text(row, "project"), "imported"))))
    tldr = next(filter(None, map(str.strip, (title or text).splitlines())), "")[:200]
    return ImportedNote(
        Note(tldr=tldr, details=text, type=type_, tags=kept, origin=origin, scope=scope, time=time), file, line
    )


def _time(row: dict[str, Any]) -> Any:
    return time_of(row.get("created_at_epoch")) or time_of(row.get("created_at"))


def _row_number(row: dict[str, Any]) -> int:
    number = row.get("id")
    return number if isinstance(number, int) else 0


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _listed(value: object) -> list[str]:
    """Return a list that is kept as JSON; a text that is none is its one item."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        return [value.strip()]
    return [str(item).strip() for item in items if str(item).strip()] if isinstance(items, list) else [value.strip()]


def _files(title: str, value: object) -> str:
    listed = _listed(value)
    return f"{title}: {', '.join(listed)}" if listed else ""
