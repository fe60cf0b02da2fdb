"""The memory files of a workspace, one after the other, without the texts that are to be forgotten."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from filelock import Timeout

from nanobot_memory_plugins.core.erasure.cleaning import Cleaned, clean_notes, clean_transcript, lines_with
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.erasure.plan import nearly_traces, trace_of
from nanobot_memory_plugins.core.erasure.rewriting import (
    LEGACY,
    files_below,
    is_left_behind,
    is_of_a_write,
    lock_of,
    rewrite,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.paths import DAY_NOTE
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Folders below the memory folder that others clean, or that hold no text.
_ELSEWHERE = frozenset({".entries", ".erasure", ".locks", ".usage", ".git"})
_BEING_WRITTEN = "it is being written just now; the next start removes it"
_NOT_OURS = "it is not a file of ours"
_FOREIGN = "text of yours; --everywhere removes it, too"
_FILE_NAME = "the name of the file holds the words, and stays; a transcript has that of its session"
_NAMED = "the name of a session or a person, by which memories are found"


def purge_files(
    paths: MemoryPaths,
    wanted: Wanted,
    *,
    dry_run: bool,
    everywhere: bool,
    stopped: Callable[[], bool] | None = None,
) -> list[Trace]:
    """Take texts out of transcripts, notes, their backups and what waits for a lock. It blocks.

    Returns what was found, file by file. What cannot be written is reported and stays; the rest goes on. With
    ``stopped`` the newest files come first, and those are left out whose turn comes when it is true.
    """
    traces: list[Trace] = []
    found = files_below(paths.memory, elsewhere=_ELSEWHERE)
    for path in sorted(found) if stopped is None else _newest_first(found):
        if stopped is not None and stopped():
            break
        where = paths.relative(path)
        try:
            traces += _purge_file(paths, path, where, wanted, dry_run=dry_run, everywhere=everywhere)
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            traces.append(
                Trace(where, 0, removed=False, why=Sentence("it cannot be cleaned: {why}", why=why), waits=True)
            )
    for pattern in LEGACY:
        traces += [one for path in sorted(paths.workspace.glob(pattern)) for one in _reported(paths, path, wanted)]
    return list(dict.fromkeys([*traces, *_named(paths, wanted)]))


def _newest_first(files: Iterator[Path]) -> list[Path]:
    found: list[tuple[float, Path]] = []
    for path in files:
        with suppress(OSError):
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def _named(paths: MemoryPaths, wanted: Wanted) -> Iterator[Trace]:
    """Yield the files whose names hold the words, or those of their folders."""
    for path in sorted(paths.memory.rglob("*")):
        if not path.is_dir() and any(map(wanted.count, path.relative_to(paths.memory).parts)):
            yield Trace(paths.relative(path), 0, removed=False, why=_FILE_NAME)


def _purge_file(
    paths: MemoryPaths, path: Path, where: str, wanted: Wanted, *, dry_run: bool, everywhere: bool
) -> list[Trace]:
    is_backup = path.parent == paths.sessions and path.name.endswith(".bak")
    if is_of_a_write(path) or is_backup:
        return _purge_leftover(paths, path, where, wanted, dry_run)
    if path.parent == paths.sessions and path.suffix == ".jsonl":
        return _rewrite(paths, path, where, partial(clean_transcript, wanted=wanted), wanted, dry_run)
    if path.parent == paths.spill and path.suffix == ".spill":
        return _purge_spill(path, where, wanted)
    if path.parent == paths.memory and (path.suffix == ".md" or ".md." in path.name):
        if path.suffix == ".bak" and not DAY_NOTE.fullmatch(path.name.removesuffix(".bak")):
            return []  # of the plugin that wrote the file, which knows what it means to it
        clean = partial(clean_notes, wanted=wanted, everywhere=everywhere)
        return _rewrite(paths, path, where, clean, wanted, dry_run)
    is_document = not any(part.startswith(".") for part in path.relative_to(paths.memory).parts)
    if path.suffix == ".md" and is_document:
        clean = partial(clean_notes, wanted=wanted, everywhere=everywhere)
        return _rewrite(paths, path, where, clean, wanted, dry_run)
    return _reported(paths, path, wanted)


def _rewrite(
    paths: MemoryPaths, path: Path, where: str, clean: Callable[[bytes], Cleaned], wanted: Wanted, dry_run: bool
) -> list[Trace]:
    """Clean a file under its lock. What somebody wrote in the last instant is in the backup, and cleaned again."""
    before = read_regular(path)
    first = clean(before)
    if first.data != before and not dry_run:
        rewrite(path, lambda data: clean(data).data, lock=lock_of(paths, path))
    return _traces(where, first, taken=wanted.takes_nearly)


def _traces(where: str, cleaned: Cleaned, *, taken: bool) -> list[Trace]:
    traces = [
        trace_of(where, cleaned.found),
        *nearly_traces(where, cleaned.nearly, removed=taken),
        replace(trace_of(where, cleaned.foreign, removed=False, why=_FOREIGN), foreign=True),
        trace_of(where, cleaned.named, removed=False, why=_NAMED),
    ]
    return [one for one in traces if one.lines]


def _purge_leftover(paths: MemoryPaths, path: Path, where: str, wanted: Wanted, dry_run: bool) -> list[Trace]:
    """Remove what a crash has left of a file, where it holds the words, or nearly."""
    held = lines_with(read_regular(path), wanted)
    if not held:
        return []
    if path.suffix == ".tmp" and not is_left_behind(paths, path):
        return [replace(trace_of(where, held, removed=False, why=_BEING_WRITTEN), waits=True)]
    if not dry_run:
        path.unlink(missing_ok=True)
    return [trace_of(where, held)]


def _purge_spill(path: Path, where: str, wanted: Wanted) -> list[Trace]:
    """Report what waits in the spill file of a process that lives; it will be in its own file soon."""
    held = lines_with(read_regular(path), wanted)
    if not held:
        return []
    lock = private_lock(path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        why = "a running process is about to write it; the next start removes it"
    else:
        lock.release()
        why = "it could not be merged; the next start of the agent does, and removes it"
    return [replace(trace_of(where, held, removed=False, why=why), waits=True)]


def _reported(paths: MemoryPaths, path: Path, wanted: Wanted) -> list[Trace]:
    try:
        held = lines_with(read_regular(path), wanted)
    except OSError:
        return []
    return [trace_of(paths.relative(path), held, removed=False, why=_NOT_OURS)] if held else []
