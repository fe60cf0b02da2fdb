"""The files of an index: where they are, were, and go."""

import contextlib
import os
import tempfile
from pathlib import Path

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.files.index_file import SIDE_FILES, is_index, put_database_aside, remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import LINKED, private_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Next to the index of a workspace: where others of it were put by ``dbPath``, a path a line.
_ELSEWHERE = "elsewhere.txt"


def wanted_database(paths: MemoryPaths, db_path: str) -> Path:
    """Return the database that the configuration asks for."""
    return paths.workspace / Path(db_path).expanduser() if db_path else paths.database


def ready_database(paths: MemoryPaths, db_path: str) -> Path:
    """Return where the index goes, ``db_path`` (from the workspace) or ``.storage/memory.db``, with its folder made.

    Raises `StoreError` when that folder cannot be written.
    """
    database = wanted_database(paths, db_path)
    try:
        # A folder that the configuration names is its owner's, whatever it is.
        database.parent.mkdir(0o700, parents=True, exist_ok=True) if db_path else private_folder(database.parent)
        with tempfile.TemporaryFile(dir=database.parent):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = Sentence(
            "Make the folder writable, or name another file: `nanobot-memory config set storage.dbPath FILE`."
        )
        if error.strerror == LINKED:
            hint = Sentence(
                "Replace the link by a folder, or name a file where it leads:"
                " `nanobot-memory config set storage.dbPath FILE`."
            )
        raise StoreError(
            Sentence("{folder} cannot be written ({why}), so there is no index.", folder=database.parent, why=reason),
            hint=hint,
        ) from error
    remember_place(paths, database)
    return database


def known_databases(paths: MemoryPaths, db_path: str) -> list[Path]:
    """Return where indexes of a workspace are, or were: by this configuration, by none, and by earlier ones."""
    return list(dict.fromkeys([wanted_database(paths, db_path), paths.database, *map(Path, _earlier(paths))]))


def make_way(path: Path) -> None:
    """Remove an index that cannot be used; what may be somebody else's is put aside. Raises OSError."""
    if is_index(path):
        remove_database(path)
        return
    logger.warning("what was at the place of the index is put aside as {}", put_database_aside(path).name)


def asides_of(path: Path) -> list[Path]:
    """Return what was put aside at the place of an index."""
    return sorted(one for one in path.parent.glob(f"{path.name}.aside-*") if not one.name.endswith(SIDE_FILES))


def remember_place(paths: MemoryPaths, database: Path) -> None:
    """Write down where an index is that the configuration names, so that it is known when that changes."""
    if database == paths.database or str(database) in _earlier(paths):
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
