"""Counts that are kept: a row of JSON a line, a file a day, for their owner only."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.files.reading import read_regular


def append_row(folder: Path, day: date, row: Mapping[str, object], *, below: Path) -> None:
    """Append a row to the file of its day with a single write; ``below`` is what is not ours. Raises `OSError`."""
    private_folder(folder, below=below)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(folder / f"{day.isoformat()}.jsonl", flags, 0o600)
    try:
        os.write(descriptor, (json.dumps(row) + "\n").encode())
    finally:
        os.close(descriptor)


def lines_since(folder: Path, since: date) -> Iterator[tuple[date, bytes]]:
    """Yield the lines from a day on, oldest day first, with their day; a missing folder has none. Raises `OSError`."""
    for file in sorted(folder.glob("????-??-??.jsonl")):
        try:
            day = date.fromisoformat(file.stem)
        except ValueError:
            continue
        if day >= since:
            yield from ((day, line) for line in read_regular(file).splitlines())
