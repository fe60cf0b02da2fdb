"""The memory files of a workspace, one after the other, without the texts that are to be forgotten."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from filelock import Timeout

from nanobot_memory_plugins.core.erasure.cleaning import Cleaned, clean_notes, clean_transcript, count_in
from nanobot_memory_plugins.core.erasure.finding import Wanted
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, file_lock, replace_file
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Trace

_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# A temporary file that is older was left behind by a process that died.
_STALE_SECONDS = 60.0
# Folders below the memory folder that others clean, or that hold no text.
_ELSEWHERE = frozenset({".entries", ".erasure", ".locks", ".usage", ".git"})
# Older places of memories, below the workspace: they were copied, and left to their owner.
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
_NOT_OURS = "it is not a file of ours"
_FOREIGN = "text of yours; --everywhere removes it, too"


def purge_files(paths: MemoryPaths, wanted: Wanted, *, dry_run: bool, everywhere: bool) -> list[Trace]:
    """Take texts out of transcripts, notes, their backups and what waits for a lock. It blocks.

    Returns what was found, file by file. What cannot be written is reported and stays; the rest goes on.
    """
    traces: list[Trace] = []
    for path in sorted(_files(paths.memory)):
        where = paths.relative(path)
        try:
            traces += _purge_file(paths, path, where, wanted, dry_run=dry_run, everywhere=everywhere)
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            traces.append(Trace(where, 0, removed=False, why=f"it cannot be cleaned: {why}"))
    for pattern in _LEGACY:
        traces += [one for path in sorted(paths.workspace.glob(pattern)) for one in _reported(paths, path, wanted)]
    return list(dict.fromkeys(traces))


def _files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in _ELSEWHERE:
                    yield from _files(path)
            elif path.is_file():
                yield path


def _purge_file(
    paths: MemoryPaths, path: Path, where: str, wanted: Wanted, *, dry_run: bool, everywhere: bool
) -> list[Trace]:
    if path.name.endswith(".tmp") or (path.parent == paths.sessions and path.name.endswith(".bak")):
        return _purge_leftover(path, where, wanted, dry_run)
    if path.parent == paths.sessions and path.suffix == ".jsonl":
        return _rewrite(paths, path, where, partial(clean_transcript, wanted=wanted), dry_run)
    if path.parent == paths.spill and path.suffix == ".spill":
        return _purge_spill(path, where, wanted, dry_run)
    if path.parent == paths.memory and (path.suffix == ".md" or ".md." in path.name):
        if path.suffix == ".bak":
            return []  # of the plugin that wrote the file, which knows what it means to it
        clean = partial(clean_notes, wanted=wanted, everywhere=everywhere)
        return _rewrite(paths, path, where, clean, dry_run)
    return _reported(paths, path, wanted)


def _rewrite(
    paths: MemoryPaths, path: Path, where: str, clean: Callable[[bytes], Cleaned], dry_run: bool
) -> list[Trace]:
    """Clean a file under its lock. What somebody wrote in the last instant is in the backup, and cleaned again."""
    first = clean(read_regular(path))
    traces = [Trace(where, first.found)] if first.found else []
    traces += [Trace(where, first.foreign, removed=False, why=_FOREIGN)] if first.foreign else []
    if not first.found or dry_run:
        return traces
    try:
        with file_lock(paths, path).acquire(timeout=_LOCK_SECONDS):
            backup = path.with_name(f"{path.name}.bak")
            former = read_regular(backup) if backup.exists() else None
            for _ in range(_ATTEMPTS):
                raw = read_regular(path)
                cleaned = clean(raw).data
                if cleaned == raw:
                    break
                replace_file(path, cleaned)
                slipped = read_regular(backup)
                if slipped != raw:
                    replace_file(path, slipped)
            # It is the file before, and that is what is to be forgotten.
            if former is None:
                backup.unlink(missing_ok=True)
            else:
                _overwrite(backup, former)
    except Timeout as error:
        raise MemoryFileError("another process has it locked") from error
    return traces


def _overwrite(path: Path, data: bytes) -> None:
    """Put a file in place in one step, without a backup, with the mode that it had."""
    temporary = path.with_name(f".{path.name}.purge.tmp")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, path.stat().st_mode & 0o777)
    os.replace(temporary, path)


def _purge_leftover(path: Path, where: str, wanted: Wanted, dry_run: bool) -> list[Trace]:
    """Remove what a crash has left of a file."""
    if time.time() - path.stat().st_mtime < _STALE_SECONDS and path.name.endswith(".tmp"):
        return []
    count = count_in(read_regular(path), wanted)
    if count and not dry_run:
        path.unlink()
    return [Trace(where, count)] if count else []


def _purge_spill(path: Path, where: str, wanted: Wanted, dry_run: bool) -> list[Trace]:
    """Report what waits in the spill file of a process that lives; it will be in its own file soon."""
    count = count_in(read_regular(path), wanted)
    if not count:
        return []
    lock = private_lock(path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return [
            Trace(
                where,
                count,
                removed=False,
                why="a running process is about to write it; purge the words again then, with --text",
            )
        ]
    lock.release()
    return [
        Trace(
            where,
            count,
            removed=False,
            why="it could not be merged; start the agent once, and purge the words again with --text",
        )
    ]


def _reported(paths: MemoryPaths, path: Path, wanted: Wanted) -> list[Trace]:
    try:
        count = count_in(read_regular(path), wanted)
    except OSError:
        return []
    return [Trace(paths.relative(path), count, removed=False, why=_NOT_OURS)] if count else []
