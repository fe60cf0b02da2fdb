"""Reading files of other programs: with size limits, without following links, and with reasons for what is skipped."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.redaction.script.messages import Sentence

# The maximum size of a line of JSON, and of a text file, in bytes.
MAX_BYTES = 1 << 26
_PROGRAM_FOLDERS = frozenset({"node_modules", "__pycache__"})
# The most characters of the line that summarises a longer text.
_MAX_TLDR = 160
_BULLET = re.compile(r"^(?:[-*+>]|\d+[.)])[ \t]+")


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield each line's number, from 1, with its JSON object, or with the reason why it has none. Raises `OSError`."""
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_BYTES), b""), 1):
            if not line.strip(b" \t\r\n\0"):
                continue
            try:
                row = json.loads(line.decode("utf-8-sig", "replace"))
            except (ValueError, RecursionError):
                yield number, "it is not JSON" if line.endswith(b"\n") else "it is cut off: the file ends within it"
                continue
            yield number, row if isinstance(row, dict) else "it is no JSON object"


def files_below(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder in alphabetical order, and what is skipped; each with the reason, or "".

    Links are not followed. A skipped folder is yielded once.
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
        elif entry.name.startswith(".") or entry.name in _PROGRAM_FOLDERS:
            yield path, Sentence("it is hidden, or a program's")
        elif entry.is_dir():
            yield from files_below(path)
        else:
            yield path, "" if entry.is_file() else Sentence("it is no regular file")


def tldr_of(text: str) -> tuple[str, str]:
    """Return the line that summarises a text in a note, and the note's details: none if the line is the whole text."""
    first = next((line.strip() for line in text.splitlines() if re.search(r"\w", line)), text)
    tldr = _BULLET.sub("", first)
    if "\n" not in text and len(tldr) <= 2 * _MAX_TLDR:
        return tldr, ""
    return tldr if len(tldr) <= _MAX_TLDR else f"{tldr[: _MAX_TLDR - 1].rstrip()}…", text
