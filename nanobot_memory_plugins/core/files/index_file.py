"""SQLite files with their side files, removed or put aside; and the mark by which an index of ours is known.

Core asks for the mark where the plugin that opens indexes is not there.
"""

import contextlib
import re
from itertools import count
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.core.files.reading import open_regular, read_regular

APPLICATION_ID: Final = 0x6E626D69
"""Marks a SQLite file as an index of this set: "nbmi"."""

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""Endings of the files beside a database that are SQLite's."""

# The header of a SQLite file, which its log holds too, up to the mark.
_HEADER = 72
_MARKED = re.compile(rb"SQLite format 3\0.{52}" + re.escape(APPLICATION_ID.to_bytes(4, "big")), re.DOTALL)


def is_index(path: Path) -> bool:
    """Tell whether an index of this set, of whatever version, is at a path, by the mark in its file or in its log.

    All of an index may be in the log, where the process that made it was killed. SQLite is not asked: it throws away
    the log of an empty file.
    """
    with contextlib.suppress(OSError), open_regular(path) as file:
        if _MARKED.match(file.read(_HEADER)):
            return True
    with contextlib.suppress(OSError):
        return _MARKED.search(read_regular(path.with_name(f"{path.name}-wal"))) is not None
    return False


def remove_database(path: Path) -> None:
    """Remove a database with its side files, the file itself last. Raises OSError."""
    for suffix in (*SIDE_FILES, ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def put_database_aside(path: Path) -> Path:
    """Put a database aside with its side files, under a name that nothing has, and return that. Raises OSError."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    aside = next(one for one in names if not one.exists())
    for suffix in (*SIDE_FILES, ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside
