"""Reading files of others: bounded, never through links, with words for what is wrong."""

import json
import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes of one line of JSON, and of one text file, beyond which it is left.
LONGEST_LINE = 1 << 26
LARGEST_TEXT = 1 << 26
NO_JSON = "it is not JSON"
CUT_OFF = "it is cut off: the file ends within it"
TOO_LONG = Sentence("it is longer than {size} MB", size=LONGEST_LINE >> 20)
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield each line's number and its JSON object, or what is wrong with it. Raises `OSError`."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while (more := file.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                    pass
                yield number, TOO_LONG
                continue
            if not line.strip(b" \t\r\n\0"):
                continue
            try:
                row = json.loads(line.decode("utf-8-sig", "replace"))
            except (ValueError, RecursionError):
                yield number, NO_JSON if line.endswith(b"\n") else CUT_OFF
                continue
            yield number, row if isinstance(row, dict) else "it is no JSON object"


def files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder that have one of the suffixes, sorted, each with a reason to leave it or "".

    Hidden folders are passed over, links are not followed.
    """
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError:
        yield folder, "it cannot be read"
        return
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            if path.suffix.lower() in suffixes:
                yield path, "it is a symbolic link"
        elif path.is_dir():
            if path.name not in _SKIPPED_FOLDERS:
                yield from files_below(path, suffixes)
        elif path.suffix.lower() in suffixes:
            yield path, _unfit(path)


def _unfit(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        return Sentence("it cannot be read: {why}", why=error.strerror)
    if not stat.S_ISREG(found.st_mode):
        return "it is no regular file"
    return Sentence("it is larger than {size} MB", size=LARGEST_TEXT >> 20) if found.st_size > LARGEST_TEXT else ""


def time_of(value: object) -> datetime | None:
    """Return the time that a JSON value names: ISO 8601, or seconds or milliseconds since 1970; None for anything else.

    Without a zone it stays so.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        seconds = value / 1000 if abs(value) > 1e11 else value
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, OSError, ValueError):
            return None
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"\d{10,13}", value):
        return time_of(int(value))
    try:
        return datetime.fromisoformat(value.strip())
    except ValueError:
        return None


def changed(path: Path) -> datetime:
    """Return when a file was written last, to the second. Raises `OSError`."""
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
