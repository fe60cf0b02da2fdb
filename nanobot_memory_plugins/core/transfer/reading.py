"""Reading files of others: bounded, never through links, with words for what is wrong."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes of one line of JSON, and of one text file, beyond which it is left.
LARGEST = 1 << 26
_PROGRAMS = frozenset({"node_modules", "__pycache__"})
# Characters of the one line that represents a text.
_LONGEST_TLDR = 160
_BULLET = re.compile(r"^(?:[-*+>]|\d+[.)])[ \t]+")


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


def tldr_of(text: str) -> tuple[str, str]:
    """Return the line that represents a text in a note, and the note's details: none where the line is all of it."""
    first = next((line.strip() for line in text.splitlines() if re.search(r"\w", line)), text)
    tldr = _BULLET.sub("", first)
    if "\n" not in text and len(tldr) <= 2 * _LONGEST_TLDR:
        return tldr, ""
    return tldr if len(tldr) <= _LONGEST_TLDR else f"{tldr[: _LONGEST_TLDR - 1].rstrip()}…", text
