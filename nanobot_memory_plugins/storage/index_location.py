"""Where the index of a workspace is, or what takes its place."""

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import LINKED, in_the_way_of, make_missing, private_folder, put_aside
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Beside the index of a workspace: where others of it were put by ``dbPath``, a path a line.
_ELSEWHERE = "elsewhere.txt"


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """The database, and the lock that says who writes it.

    ``temporary`` is true when the workspace cannot be written: the index is then this process's own, in a
    temporary folder that `remove` takes away. ``reason`` and ``hint`` say so to people.
    """

    database: Path
    lock: Path
    temporary: bool = False
    reason: str = ""
    hint: str = ""

    def remove(self) -> None:
        """Remove a temporary index; any other stays."""
        if self.temporary:
            shutil.rmtree(self.database.parent, ignore_errors=True)


def wanted_database(paths: MemoryPaths, db_path: str) -> Path:
    """Return the database that the configuration asks for."""
    return paths.workspace / Path(db_path).expanduser() if db_path else paths.database


def choose_place(paths: MemoryPaths, db_path: str) -> IndexPlace:
    """Return where the index goes: ``db_path`` (from the workspace) or ``.storage/memory.db``.

    When that folder cannot be written, a temporary one takes its place. Raises OSError when not even that can be.
    """
    database = wanted_database(paths, db_path)
    try:
        # A folder that the configuration names is its owner's, whatever it is.
        make_missing(database.parent) if db_path else private_folder(database.parent)
        _try_writing(database.parent)
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="nanobot-memory-"))
        why = error.strerror or type(error).__name__
        reason = Sentence("{folder} cannot be written ({why})", folder=database.parent, why=why)
        hint = "Make the folder writable, or set memoryPlugins.storage.dbPath to a path that is."
        if error.strerror == LINKED:
            hint = "Replace the link by a folder, or set memoryPlugins.storage.dbPath to a file where it leads."
        elif (file := in_the_way_of(database.parent)) is not None:
            hint = put_aside(file)
        return IndexPlace(
            folder / database.name,
            folder / "indexer.lock",
            True,
            Sentence("{reason}; the index is temporary.", reason=reason),
            hint,
        )
    remember_place(paths, database)
    return IndexPlace(database, database.parent / "indexer.lock")


def known_databases(paths: MemoryPaths, db_path: str) -> list[Path]:
    """Return where indexes of a workspace are, or were: by this configuration, by none, and by earlier ones."""
    earlier = [Path(line) for line in _earlier(paths)]
    beside = sorted(set(paths.database.parent.glob("*.db")) - {paths.state})
    return list(dict.fromkeys([wanted_database(paths, db_path), paths.database, *beside, *earlier]))


def remember_place(paths: MemoryPaths, database: Path) -> None:
    """Write down where an index is that stands elsewhere, so that it is known when the configuration changes."""
    if database.parent == paths.database.parent or str(database) in _earlier(paths):
        return
    try:
        private_folder(paths.database.parent)
        handle = os.open(paths.database.with_name(_ELSEWHERE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{database}\n")
    except OSError as error:
        logger.debug("where the index is was not written down: {}", type(error).__name__)


def _earlier(paths: MemoryPaths) -> list[str]:
    with contextlib.suppress(OSError):
        path = paths.database.with_name(_ELSEWHERE)
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    return []


def _try_writing(folder: Path) -> None:
    handle, name = tempfile.mkstemp(prefix=".probe-", dir=folder)
    os.close(handle)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name)
