"""Reading files of others: bounded, never through links, with words for what is wrong."""

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes of one line of JSON, and of one text file, beyond which it is left.
LARGEST = 1 << 26
# Rows of a table: a view of somebody else's may have no end.
_MOST_ROWS = 1_000_000
_PROGRAMS = frozenset({"node_modules", "__pycache__"})


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield each line's number and its JSON object, or what is wrong with it. Raises `OSError`."""
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LARGEST), b""), 1):
            if not line.strip(b" \t\r\n\0"):
                continue
            try:
                row = json.loads(line.decode("utf-8-sig", "replace"))
            except (ValueError, RecursionError):
                yield number, "it is not JSON" if line.endswith(b"\n") else "it is cut off: the file ends within it"
                continue
            yield number, row if isinstance(row, dict) else "it is no JSON object"


def files_below(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder in their order, and what is not looked into, with the reason.

    Links are not followed, and a folder that is left is named once.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError as error:
        yield folder, Sentence("it cannot be read: {why}", why=error.strerror)
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.is_symlink():
            yield path, Sentence("it is a symbolic link")
        elif entry.name.startswith(".") or entry.name in _PROGRAMS:
            yield path, Sentence("it is hidden, or a program's")
        elif entry.is_dir():
            yield from files_below(path)
        else:
            yield path, "" if entry.is_file() else Sentence("it is no regular file")


def time_of(value: object) -> datetime | None:
    """Return the time that a JSON value names: ISO 8601, or seconds or milliseconds since 1970; None for anything else.

    Without a zone it stays so.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{10,13}", value):
        value = int(value)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        return datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except (OverflowError, OSError, ValueError):
        return None


@contextmanager
def opened_database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open somebody else's SQLite file for reading, as of one moment. Raises `InputError` that says what is wrong."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?{_mode_of(path)}", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield connection
    except sqlite3.Error as error:
        raise InputError(
            Sentence("{path} cannot be read as an SQLite database: {why}.", path=path, why=error),
            hint="End the program that it belongs to, and import again; `sqlite3 FILE .recover` saves a damaged one.",
        ) from error


def _mode_of(path: Path) -> str:
    """Return how a file is opened: where SQLite has no place for its shared memory the file alone is read."""
    return "mode=ro" if os.access(path.parent, os.W_OK) else "mode=ro&immutable=1"


def rows(connection: sqlite3.Connection, table: str, order: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of that name, none where there is none. Raises `sqlite3.Error`."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
        query = f'SELECT * FROM "{table}" ORDER BY {order} LIMIT {_MOST_ROWS}'  # noqa: S608  # names of ours
        yield from map(dict, connection.execute(query))
