"""Removing and setting aside SQLite files, and the application id that identifies an index of these plugins.

The id is here, and not in the storage plugin, because core also checks it where that plugin is not installed.
"""

import contextlib
import re
from itertools import count
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.core.files.reading import open_regular, read_regular

APPLICATION_ID: Final = 0x6E626D69
"""SQLite's application id of an index of these plugins: "nbmi"."""

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite creates next to a database."""

# Bytes of a SQLite header up to and including the application id. The log contains a copy of the header.
_HEADER = 72
_INDEX_HEADER = re.compile(rb"SQLite format 3\0.{52}" + re.escape(APPLICATION_ID.to_bytes(4, "big")), re.DOTALL)


def is_index(path: Path) -> bool:
    """Return whether the file at ``path`` is an index of these plugins, of any version.

    The application id is searched in the file and in its log: a killed process may have left the whole index in the
    log. SQLite is not used for this, because it discards the log of an empty file.
    """
    with contextlib.suppress(OSError), open_regular(path) as file:
        if _INDEX_HEADER.match(file.read(_HEADER)):
            return True
    with contextlib.suppress(OSError):
        return _INDEX_HEADER.search(read_regular(path.with_name(f"{path.name}-wal"))) is not None
    return False


def remove_database(path: Path) -> None:
    """Remove a database and its side files, the main file last. Raises `OSError`."""
    for suffix in (*SIDE_FILES, ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def put_database_aside(path: Path) -> Path:
    """Rename a database and its side files to an unused name, and return that. Raises `OSError`."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    for suffix in (*SIDE_FILES, ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside
