"""Forgetting texts for good in the index: no row, no term, no vector, and nothing in freed pages or the log.

Indexes that this configuration does not open, but an earlier one did, are emptied: they are made again from the files.
"""

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.erasure.plan import unopened
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.storage.database_factory import DatabaseOpener
from nanobot_memory_plugins.storage.index_location import known_databases

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import Wanted
    from nanobot_memory_plugins.storage.database import Database
    from nanobot_memory_plugins.storage.memory_index import MemoryIndex

_NO_PLACE = "the index"
_STILL_READ = "another process reads it; once that has ended, the next start or command removes it"
_LOCKED = "another process has locked it; once that is over, the next start or command removes it"
_NOT_OURS = "it is no index of ours, or it is damaged; delete it if nobody needs it"
_IS_NOT_USED = "this configuration does not use it; it is emptied, and made again where it is used"
_IN_FILES = "it is the index of text that stays in its file"


def purge_index(index: "MemoryIndex", wanted: "Wanted", *, indexed: int, dry_run: bool) -> list[Trace]:
    """Take texts out of an index that is up to date with its files. It blocks.

    ``indexed`` is the number of rows that held one of the texts before it was brought up to date.
    """
    opener = index.opener
    if opener is None:
        return []
    where = place_of(index)
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


def count_rows(index: "MemoryIndex", wanted: "Wanted") -> int:
    """Return how many rows of the index carry one of the texts. Raises `StoreError`."""
    opener: DatabaseOpener | None = index.opener
    if opener is None:
        return 0
    with closing(opener.for_reading()) as database:
        return _count(database, wanted)


def _count(database: "Database", wanted: "Wanted") -> int:
    texts = ("\n".join((one.text, one.tldr, one.heading, " ".join(one.tags))) for one in database.documents())
    return sum(bool(wanted.count(text)) for text in texts)


def _remove_put_aside(index: "MemoryIndex") -> list[Trace]:
    """Remove the damaged indexes that were put aside: nobody can tell what they hold."""
    traces: list[Trace] = []
    for path in index.put_aside():
        for side in sorted(path.parent.glob(f"{path.name}*")):
            with suppress(OSError):
                side.unlink()
        traces.append(Trace(_relative(index.paths, path), 1, removed=not path.exists(), why="a damaged index"))
    return traces


def locked_index(index: "MemoryIndex", *, dry_run: bool) -> Trace | None:
    """Return the trace of an index that another process keeps from us, or None. It waits for a second at most."""
    opener = index.opener
    if opener is None or not opener.is_locked(for_writing=not dry_run):
        return None
    return Trace(place_of(index), 0, removed=False, why=_LOCKED, waits=not dry_run, derived=True)


def place_of(index: "MemoryIndex") -> str:
    """Return the name of the index for people."""
    return _relative(index.paths, index.opener.path) if index.opener is not None else _NO_PLACE


def purge_unopened(
    paths: MemoryPaths, used: Path | None, opened: Path | None, wanted: "Wanted", *, db_path: str, dry_run: bool
) -> list[Trace]:
    """Empty the indexes of the workspace that are not used; name the ``used`` one where it is not open. It blocks."""
    traces: list[Trace] = []
    for database in known_databases(paths, db_path):
        if database == opened or not database.is_file() or not database.stat().st_size:
            continue
        if database == used:  # the next start removes some rows
            traces.append(unopened(_relative(paths, database), dry_run=dry_run))
        else:
            traces += _purge_other(paths, database, wanted, dry_run=dry_run)
    return traces


def _purge_other(paths: MemoryPaths, path: Path, wanted: "Wanted", *, dry_run: bool) -> list[Trace]:
    from nanobot_memory_plugins.storage.database import CorruptIndexError, Database, OtherSchemaError

    where, opener = _relative(paths, path), DatabaseOpener(path)
    try:
        if opener.is_locked(for_writing=not dry_run):
            return [Trace(where, 0, removed=False, why=_LOCKED, waits=not dry_run, derived=True)]
        # For reading nothing is made, nor put aside: it may be somebody else's.
        with closing(Database.open(path, read_only=True)) as database:
            found = _count(database, wanted)
        if not dry_run:
            with closing(opener.for_writing()) as database:
                database.clear()
                if not database.erase_deleted():
                    return [Trace(where, 0, removed=False, why=_STILL_READ, waits=True, derived=True)]
    except OtherSchemaError:  # what it holds cannot be read; made again, it is empty
        if not dry_run:
            opener.for_writing().close()
        return [Trace(where, 0, why=_IS_NOT_USED)]
    except CorruptIndexError:
        return [Trace(where, 0, removed=False, why=_NOT_OURS)]
    except StoreError:
        return [unopened(where, dry_run=dry_run)]
    return [Trace(where, found, why=_IS_NOT_USED)] if found else []


def _relative(paths: MemoryPaths, path: Path) -> str:
    try:
        return paths.relative(path)
    except MemoryFileError:  # the configuration puts it elsewhere
        return str(path)
