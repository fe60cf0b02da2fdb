"""Reading somebody else's SQLite file: never writing, never waiting for long, with words for what is wrong."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_BUSY_SECONDS = 5.0
# One question to a database, and the rows of a table: a view of somebody else's may have no end.
_MOST_SECONDS = 10.0
_MOST_ROWS = 1_000_000
# How often SQLite asks whether to go on, in steps of its machine.
_STEPS = 20_000


@contextmanager
def opened_read_only(path: Path, program: str) -> Iterator[sqlite3.Connection]:
    """Open a database for reading, as of one moment. Raises `InputError` that says what is wrong and what helps."""
    connection: sqlite3.Connection | None = None
    reasons: list[sqlite3.Error] = []
    # A folder that cannot be written to has no place for SQLite's shared memory: then the file alone is read.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        opening: sqlite3.Connection | None = None
        try:
            opening = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, timeout=_BUSY_SECONDS)
            opening.execute("BEGIN")
            opening.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            reasons.append(error)
            if opening is not None:
                opening.close()
            if "locked" in str(error) or "not a database" in str(error) or "malformed" in str(error):
                break
        else:
            connection = opening
            break
    if connection is None:
        raise _failure(path, program, reasons[0])
    with closing(connection):
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        _bound_questions(connection)
        try:
            yield connection
        except sqlite3.Error as error:
            raise _failure(path, program, error) from error


def _bound_questions(connection: sqlite3.Connection) -> None:
    """Let SQLite break off whatever takes longer from now on; each row that is read begins anew."""
    deadline = time.monotonic() + _MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none where there is no such table."""
    return frozenset(str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")'))


def rows(connection: sqlite3.Connection, table: str, wanted: Sequence[str], order: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table with those of the wanted columns that there are. Raises `sqlite3.Error`."""
    there = [name for name in wanted if name in columns(connection, table)]
    names = ", ".join(f'"{name}"' for name in there)
    _bound_questions(connection)
    found = connection.execute(f'SELECT {names} FROM "{table}" ORDER BY {order}')  # noqa: S608  # names of ours
    for number, row in enumerate(found):
        if number >= _MOST_ROWS:
            raise sqlite3.OperationalError(Sentence("it has more than {most_rows:,} rows", most_rows=_MOST_ROWS))
        yield dict(zip(there, row, strict=True))
        _bound_questions(connection)


def _failure(path: Path, program: str, error: sqlite3.Error) -> InputError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return InputError(
            Sentence("{path} is locked by another program.", path=path),
            hint=Sentence("End {program}, and import again.", program=program),
        )
    if "interrupted" in text:
        return InputError(
            Sentence(
                "{path} does not answer within {most_seconds:g} s: one of its tables may be a view without an end.",
                path=path,
                most_seconds=_MOST_SECONDS,
            ),
            hint="Import from a copy that holds tables alone.",
        )
    if "not a database" in text or "malformed" in text:
        return InputError(
            Sentence("{path} is no SQLite database, or it is damaged ({text}).", path=path, text=text),
            hint=Sentence("`sqlite3 {name} .recover` saves what can be saved into a new file.", name=path.name),
        )
    return InputError(
        Sentence("{path} cannot be opened: {text}.", path=path, text=text), hint="Check that it can be read."
    )
