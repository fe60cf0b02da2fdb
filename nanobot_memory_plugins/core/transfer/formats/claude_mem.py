"""claude-mem's store: observations, summaries of sessions and the user's prompts, in one SQLite file."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.formats.reading import time_of
from nanobot_memory_plugins.core.transfer.formats.sqlite_source import columns, opened_read_only, rows
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Part, Skipped
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

DATABASE = "claude-mem.db"
# The newest schema that was looked at: claude-mem 13.25.3. A newer one is read as far as its columns are known.
KNOWN_SCHEMA = 52
_PROGRAM = "claude-mem"
# After so many rows the progress bar moves.
_ROWS_A_PART = 100
_TIMES = ("created_at_epoch", "created_at")
_OBSERVATION = (
    "id", "memory_session_id", "project", "text", "type", "title", "subtitle", "facts", "narrative", "concepts",
    "files_read", "files_modified", *_TIMES,
)  # fmt: skip
_SUMMARY_PARTS = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_SUMMARY = ("id", "memory_session_id", "project", *_SUMMARY_PARTS, "files_read", "files_edited", *_TIMES)
_PROMPT = ("id", "content_session_id", "prompt_text", *_TIMES)
# Without these a table says nothing.
_NEEDED = {
    "observations": frozenset({"id", "type"}),
    "session_summaries": frozenset({"id", "request"}),
    "user_prompts": frozenset({"id", "prompt_text"}),
}
_TYPES = {"decision": NoteType.DECISION, "bugfix": NoteType.BUG}


class ClaudeMemImporter:
    """Reads claude-mem's database. An observation was made of what tools returned, and keeps that origin."""

    label = Sentence("a store of claude-mem")

    def recognises(self, source: Path) -> bool:
        """Return whether it is the database, or the folder that holds it."""
        return _database(source) is not None

    def read(self, source: Path, workspace: Path) -> Iterator[Item]:
        """Yield observations and summaries as notes, prompts as messages. Raises `InputError`."""
        path = _database(source) or source
        if not path.is_file():
            raise InputError(
                Sentence("There is no {database} in {source}.", database=DATABASE, source=source),
                hint="It usually stands in ~/.claude-mem; name that folder.",
            )
        with opened_read_only(path, _PROGRAM) as connection:
            tables = [name for name, needed in _NEEDED.items() if needed <= columns(connection, name)]
            if not tables:
                raise InputError(
                    Sentence("{path} holds none of claude-mem's tables as they are known here.", path=path),
                    hint="Check the path; a form that is not known yet cannot be imported.",
                )
            if (version := _schema(connection)) > KNOWN_SCHEMA:
                yield Skipped(
                    Sentence(
                        "its schema {version} is newer than the {known} that is known: new columns are not read",
                        version=version,
                        known=KNOWN_SCHEMA,
                    ),
                    path.name,
                )
            for name in _NEEDED.keys() - set(tables):
                if columns(connection, name):
                    yield Skipped("its form is not known", f"{path.name}:{name}")
            yield from _tables(connection, tables, path.name)


def _tables(connection: sqlite3.Connection, tables: list[str], file: str) -> Iterator[Item]:
    readers = {"observations": _observations, "session_summaries": _summaries, "user_prompts": _prompts}
    sizes = {name: _size(connection, name) for name in tables}
    done = 0
    for name in tables:
        place = f"{file}:{name}"
        yield Part(place, done, sum(sizes.values()))
        try:
            for number, item in enumerate(readers[name](connection, place), 1):
                yield item
                if number % _ROWS_A_PART == 0:
                    yield Part(place, done + number, sum(sizes.values()))
        except sqlite3.Error as error:
            why = (
                "it does not answer in time, and may be a view without an end" if str(error) == "interrupted" else error
            )
            yield Skipped(Sentence("the rest of the table cannot be read: {why}", why=why), place)
        done += sizes[name]


def _size(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of a table's rows, for the progress bar; 0 where it cannot be counted."""
    try:
        (count,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608  # a name of ours
    except sqlite3.Error:
        return 0
    return int(count)


def _observations(connection: sqlite3.Connection, file: str) -> Iterator[Item]:
    for row in rows(connection, "observations", _OBSERVATION, "id"):
        facts = _listed(row.get("facts"))
        details = "\n\n".join(
            filter(
                None,
                (
                    _text(row, "subtitle"),
                    _text(row, "narrative") or _text(row, "text"),
                    "\n".join(f"- {fact}" for fact in facts),
                    _files("files read", row.get("files_read")),
                    _files("files changed", row.get("files_modified")),
                ),
            )
        )
        tldr = _text(row, "title") or _first_line(details)
        tags = ("claude-mem", _text(row, "type"), _text(row, "project"), *_listed(row.get("concepts")))
        type_ = _TYPES.get(_text(row, "type"), NoteType.NOTE)
        yield _note(row, file, tldr, details, tags, Origin.TOOL, type_)


def _summaries(connection: sqlite3.Connection, file: str) -> Iterator[Item]:
    for row in rows(connection, "session_summaries", _SUMMARY, "id"):
        parts = [(name.replace("_", " "), _text(row, name)) for name in _SUMMARY_PARTS]
        details = "\n\n".join(f"{name}: {text}" for name, text in parts if text)
        files = filter(None, (_files("files read", row.get("files_read")), _files("files", row.get("files_edited"))))
        details = "\n\n".join((details, *files))
        tldr = _first_line(_text(row, "request") or _text(row, "completed") or details)
        yield _note(row, file, tldr, details, ("claude-mem", "summary", _text(row, "project")), Origin.SUMMARY)


def _prompts(connection: sqlite3.Connection, file: str) -> Iterator[Item]:
    for row in rows(connection, "user_prompts", _PROMPT, "id"):
        yield ImportedMessage(
            f"claude-mem:{_text(row, 'content_session_id') or 'unknown'}",
            "user",
            _text(row, "prompt_text"),
            Origin.USER,
            file,
            _row_number(row),
            time=_time(row),
            scope=Scope(channel="claude-mem"),
        )


def _note(
    row: dict[str, Any],
    file: str,
    tldr: str,
    details: str,
    tags: tuple[str, ...],
    origin: Origin,
    type_: NoteType = NoteType.NOTE,
) -> Item:
    line, time = _row_number(row), _time(row)
    if time is None:
        return Skipped("it has no date that can be read", file, line)
    session = _text(row, "memory_session_id")
    scope = Scope(channel="claude-mem", session=f"claude-mem:{session}") if session else None
    kept = tuple(dict.fromkeys(filter(None, (*tags, "imported"))))
    note = Note(tldr=tldr, details=details, type=type_, tags=kept, origin=origin, scope=scope, time=time)
    return ImportedNote(note, file, line)


def _database(source: Path) -> Path | None:
    path = source / DATABASE if source.is_dir() else source
    if not path.is_file():
        return None
    if path.name == DATABASE:
        return path
    if path.suffix not in (".db", ".sqlite", ".sqlite3"):
        return None
    try:
        with opened_read_only(path, _PROGRAM) as connection:
            known = all(columns(connection, name) for name in ("sdk_sessions", "observations"))
    except (InputError, sqlite3.Error):
        return None
    return path if known else None


def _schema(connection: sqlite3.Connection) -> int:
    try:
        (version,) = connection.execute("SELECT max(version) FROM schema_versions").fetchone()
    except sqlite3.Error:
        return 0
    return version if isinstance(version, int) else 0


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


def _first_line(text: str) -> str:
    return next(filter(None, map(str.strip, text.splitlines())), "")[:200]
