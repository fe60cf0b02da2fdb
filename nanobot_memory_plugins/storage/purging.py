"""Forgetting texts for good in the index: no row, no term, no vector, and nothing in freed pages or the log."""

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.erasure import Wanted, unopened
from nanobot_memory_plugins.core.errors import MemoryFileError, StoreError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.storage.opening import DatabaseOpener
from nanobot_memory_plugins.storage.place import wanted_database

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.memory_index import MemoryIndex

_NO_PLACE = "the index"
_STILL_READ = "another process reads it; once that has ended, the next start or command removes it"
_IN_FILES = "it is the index of text that stays in its file"


def purge_index(index: "MemoryIndex", wanted: Wanted, *, indexed: int, dry_run: bool) -> list[Trace]:
    """Take texts out of an index that is up to date with its files. It blocks.

    ``indexed`` is the number of rows that held one of the texts before it was brought up to date.
    """
    opener = index.opener
    if opener is None:
        return []
    where = _relative(index.paths, opener.path)
    try:
        left = count_rows(index, wanted)
        if dry_run:
            return [Trace(where, left)] if left else []
        # The indexer may have been faster than the count; the file is written anew in any case.
        traces = [Trace(where, indexed - left)] if indexed > left else []
        traces += [Trace(where, left, removed=False, why=_IN_FILES)] if left else []
        with closing(opener.for_writing()) as database:
            if not database.erase_deleted():
                traces.append(Trace(where, 0, removed=False, why=_STILL_READ, waits=True, derived=True))
    except StoreError as error:
        return [Trace(where, 0, removed=False, why=error.cause, waits=not dry_run, derived=True)]
    return [*traces, *_remove_put_aside(index)]


def count_rows(index: "MemoryIndex", wanted: Wanted) -> int:
    """Return how many rows of the index carry one of the texts. Raises `StoreError`."""
    opener: DatabaseOpener | None = index.opener
    if opener is None:
        return 0
    with closing(opener.for_reading()) as database:
        return sum(
            bool(wanted.count("\n".join((one.text, one.tldr, one.heading, " ".join(one.tags)))))
            for one in database.documents()
        )


def _remove_put_aside(index: "MemoryIndex") -> list[Trace]:
    """Remove the damaged indexes that were put aside: nobody can tell what they hold."""
    traces: list[Trace] = []
    for path in index.put_aside():
        for side in sorted(path.parent.glob(f"{path.name}*")):
            with suppress(OSError):
                side.unlink()
        traces.append(Trace(_relative(index.paths, path), 1, removed=not path.exists(), why="a damaged index"))
    return traces


def purge_unopened(paths: MemoryPaths, db_path: str, opened: Path | None, *, dry_run: bool) -> list[Trace]:
    """Name the index that the configuration asks for when it is there and another, or none, is open. It blocks."""
    database = wanted_database(paths, db_path)
    return (
        [] if database == opened or not database.exists() else [unopened(_relative(paths, database), dry_run=dry_run)]
    )


def _relative(paths: MemoryPaths, path: Path) -> str:
    try:
        return paths.relative(path)
    except MemoryFileError:  # the configuration puts it elsewhere
        return _NO_PLACE
