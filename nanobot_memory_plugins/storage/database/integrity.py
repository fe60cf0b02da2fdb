"""Whether the index is sound, and what becomes of one that is not."""

import os
from datetime import UTC, datetime
from pathlib import Path

import apsw

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage import document_rows as rows

_SIDE_FILES = ("-wal", "-shm", "-journal")


def pages_are_sound(connection: apsw.Connection) -> bool:
    """Read every page and compare the SQL indexes with their rows, as the full-text check does not.

    Both take about as long: 0.3 s each at 20,000 passages.
    """
    return connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]


def full_text_is_sound(connection: apsw.Connection) -> bool:
    """Compare the full-text index with the rows. ``PRAGMA integrity_check`` does not see it when they differ."""
    try:
        connection.execute("INSERT INTO docs_fts (docs_fts, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        return False
    return True


def problems(connection: apsw.Connection, *, full_text: bool) -> list[str]:
    """Return what is wrong with the index, one plain sentence each; an empty list says that it is sound."""
    found: list[str] = [
        Sentence("SQLite reports: {what}", what=row[0])
        for row in connection.execute("PRAGMA integrity_check(5)")
        if row[0] != "ok"
    ]
    if full_text and not full_text_is_sound(connection):
        found.append(Sentence("The full-text index does not match the documents."))
    damaged = 0
    for *values, expected in connection.execute(f"SELECT {rows.DOCUMENT_COLUMNS}, row_hash FROM docs"):
        damaged += rows.row_hash(values) != expected
    if damaged:
        found.append(Sentence("{count} documents differ from what was stored.", count=damaged))
    return found


def remove(path: Path) -> None:
    """Remove an index of another version with its side files."""
    for suffix in (*_SIDE_FILES, ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    logger.warning("the index was made by another version, and is made again from the files")


def quarantine(path: Path) -> Path:
    """Rename a damaged index with its side files out of the way; return its new place."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.broken-{moment}")
    os.replace(path, target)
    for suffix in _SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            os.replace(side, target.with_name(target.name + suffix))
    logger.warning("the index was damaged; it was put aside as {} and is built again", target.name)
    return target
