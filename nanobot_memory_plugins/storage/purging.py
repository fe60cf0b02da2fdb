"""Erases texts from the index: rows, terms and vectors, including freed pages and the log.

Indexes that this configuration does not open, but an earlier one did, are removed: an index is rebuilt from the files
where it is used. Files that were renamed because they are no index, or too damaged to tell, are reported and stay.
"""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.index_file import is_index, remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.index_location import files_put_aside, known_databases

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher

_STILL_READ = "another process reads it; once that has ended, the next start or command removes it"
_NOT_OURS = "it is not our index, or it is damaged; delete it if nobody needs it"
_IS_NOT_USED = "this configuration does not use it; it is rebuilt where it is used"
_IN_FILES = "it is the index of text that stays in its file"


def purge_index(
    paths: MemoryPaths, path: Path, matcher: "ErasureMatcher", *, rows_before: int, dry_run: bool
) -> list[Trace]:
    """Erase texts from an index that is up to date with its files. It blocks. Raises `StoreError`.

    ``rows_before`` is the number of rows that contained one of the texts before the index was brought up to date.
    """
    place = _relative(paths, path)
    remaining = count_rows(path, matcher)
    if dry_run:
        return [Trace(place, remaining)] if remaining else []
    # The indexer may have been faster than the count; the file is rewritten in any case.
    traces = [Trace(place, rows_before - remaining)] if rows_before > remaining else []
    traces += [Trace(place, remaining, removed=False, why=_IN_FILES)] if remaining else []
    with closing(Database.open(path)) as database:
        if not database.erase_deleted():
            traces.append(Trace(place, 0, removed=False, why=_STILL_READ, waits=True, derived=True))
    return traces


def count_rows(path: Path, matcher: "ErasureMatcher") -> int:
    """Return how many rows of the index contain one of the texts. Raises `StoreError`."""
    with closing(Database.open(path, read_only=True)) as database:
        texts = (
            "\n".join((document.text, document.tldr, document.heading, " ".join(document.tags)))
            for document in database.documents()
        )
        return sum(bool(matcher.count(text)) for text in texts)


def postponed_trace(paths: MemoryPaths, path: Path, error: StoreError, *, dry_run: bool) -> Trace:
    """Return the trace of an index that cannot be written now, so that the next start removes the texts."""
    why = Sentence("{cause} The next start or command removes it.", cause=error.cause)
    return Trace(_relative(paths, path), 0, removed=False, why=why, waits=not dry_run, derived=True)


def purge_other_indexes(paths: MemoryPaths, opened: Path | None, *, db_path: str, dry_run: bool) -> list[Trace]:
    """Remove all indexes of the workspace except the one that is ``opened``. It blocks."""
    traces: list[Trace] = []
    places = known_databases(paths, db_path)
    for path in [*places, *(aside for place in places for aside in files_put_aside(place))]:
        if path == opened:
            continue
        name, is_removed = _relative(paths, path), True
        if is_index(path):
            try:
                if not dry_run:
                    remove_database(path)
            except OSError:
                is_removed = False
            traces.append(Trace(name, removed=is_removed, why=_IS_NOT_USED))
        elif path.is_file() and path.stat().st_size:
            traces.append(Trace(name, 0, removed=False, why=_NOT_OURS))
    return traces


def _relative(paths: MemoryPaths, path: Path) -> str:
    try:
        return paths.relative(path)
    except MemoryFileError:  # the configuration puts it elsewhere
        return str(path)
