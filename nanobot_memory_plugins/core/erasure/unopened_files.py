"""Indexes that nothing has opened: what is to be forgotten may stand in them until the next start that opens them."""

from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values import Trace

_NOT_OPEN = (
    "the index could not be opened, and may hold it; the next start that opens it removes it. It can be deleted too:"
    " it is made again from the files"
)
_LOCK = ".lock"


def unopened_indexes(paths: MemoryPaths) -> list[str]:
    """Return the databases in the folder of the index, relative to the workspace. It blocks."""
    found = (path for path in paths.database.parent.glob("*.db*") if path.suffix != _LOCK and path.is_file())
    named = {_of_side_file(paths.relative(path)) for path in found}
    return sorted(named - {paths.relative(paths.state)})


def unopened(where: str, *, dry_run: bool) -> Trace:
    """Return the trace of an index that nothing has opened."""
    return Trace(where, 0, removed=False, why=_NOT_OPEN, waits=not dry_run, derived=True)


def _of_side_file(name: str) -> str:
    for end in ("-wal", "-shm", "-journal"):
        name = name.removesuffix(end)
    return name
