"""Where the index of a workspace is stored, where earlier ones were, and how an unusable file is moved away."""

import contextlib
import os
import tempfile
from pathlib import Path

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.files.index_file import SIDE_FILES, is_index, put_database_aside, remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import SYMLINK_REFUSED, make_private_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The file next to the default index that lists, one path a line, where ``dbPath`` put other indexes.
_LOCATIONS_FILE = "elsewhere.txt"


def configured_database(paths: MemoryPaths, db_path: str) -> Path:
    """Return the path of the index in the configuration: ``db_path`` from the workspace, else the default."""
    return paths.workspace / Path(db_path).expanduser() if db_path else paths.database


def prepare_database(paths: MemoryPaths, db_path: str) -> Path:
    """Create the folder of the configured index, record the location, and return the path of the index.

    Raises `StoreError` when the folder cannot be written.
    """
    database = configured_database(paths, db_path)
    try:
        # A folder that the configuration names keeps its permissions.
        database.parent.mkdir(0o700, parents=True, exist_ok=True) if db_path else make_private_folder(database.parent)
        with tempfile.TemporaryFile(dir=database.parent):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = Sentence(
            "Make the folder writable, or name another file: `nanobot-memory config set storage.dbPath FILE`."
        )
        if error.strerror == SYMLINK_REFUSED:
            hint = Sentence(
                "Replace the link by a folder, or name a file where it leads:"
                " `nanobot-memory config set storage.dbPath FILE`."
            )
        raise StoreError(
            Sentence("{folder} cannot be written ({why}), so there is no index.", folder=database.parent, why=reason),
            hint=hint,
        ) from error
    _record_location(paths, database)
    return database


def known_databases(paths: MemoryPaths, db_path: str) -> list[Path]:
    """Return where indexes of a workspace may be: the configured path, the default, and earlier configured ones."""
    return list(
        dict.fromkeys([configured_database(paths, db_path), paths.database, *map(Path, _recorded_locations(paths))])
    )


def clear_place(path: Path) -> None:
    """Remove an unusable index; a file that may not be an index is renamed instead. Raises OSError."""
    if is_index(path):
        remove_database(path)
        return
    logger.warning("what was at the place of the index is put aside as {}", put_database_aside(path).name)


def files_put_aside(path: Path) -> list[Path]:
    """Return the files that `clear_place` renamed at the path of an index."""
    return sorted(file for file in path.parent.glob(f"{path.name}.aside-*") if not file.name.endswith(SIDE_FILES))


def _record_location(paths: MemoryPaths, database: Path) -> None:
    """Remember the location of a configured index, so that it is known after the configuration changes."""
    if database == paths.database or str(database) in _recorded_locations(paths):
        return
    try:
        make_private_folder(paths.database.parent)
        handle = os.open(paths.database.with_name(_LOCATIONS_FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{database}\n")
    except OSError as error:
        logger.debug("where the index is was not written down: {}", type(error).__name__)


def _recorded_locations(paths: MemoryPaths) -> list[str]:
    with contextlib.suppress(OSError):
        path = paths.database.with_name(_LOCATIONS_FILE)
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    return []
