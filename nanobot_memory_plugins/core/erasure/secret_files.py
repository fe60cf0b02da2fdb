"""The memory files of a workspace, one after the other, without secrets."""

import gzip
import os
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from filelock import Timeout

from nanobot_memory_plugins.core.erasure.scrubbed import Scrubbed
from nanobot_memory_plugins.core.erasure.secret_cleaning import (
    Cleaner,
    Redact,
    ScrubbedBytes,
    clean_notes,
    clean_rows,
    clean_text,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, file_lock, replace_file
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_SECONDS = 10.0
_ATTEMPTS = 10
# A temporary file that is older was left behind by a process that died.
_STALE_SECONDS = 60.0
# Folders below the memory folder that hold no text of memories.
_ELSEWHERE = frozenset({".locks", ".usage", ".git"})
_LEGACY = ("MEMORY.md", "notes/*.md", "notes/**/*.md")
_FOREIGN = "text of yours; --everywhere removes them, too"
_WAITING = "a running process is about to write it; scrub again then"
_GIT = "git keeps what the files were; its history is not rewritten here"


def scrub_files(
    paths: MemoryPaths,
    redact: Redact,
    tools: Redact,
    special: Callable[[Path], Cleaner | None],
    *,
    dry_run: bool,
    everywhere: bool,
) -> list[Scrubbed]:
    """Take secrets out of every file of ours. It blocks.

    ``tools`` is for notes of what tools said. ``special`` knows how files of a form of their own are cleaned. Each file
    is replaced in one step: whoever breaks this off can begin again. What cannot be written is reported and stays; the
    rest goes on.
    """
    reports: list[Scrubbed] = []
    # What was left behind and backups come before the files that they belong to, so that each is counted as it was.
    for path in sorted(_files(paths.memory), key=lambda one: (one.suffix != ".tmp", one.suffix != ".bak", one)):
        where = paths.relative(path)
        try:
            clean = special(path) or cleaner_of(path.name, redact, tools, everywhere=everywhere)
            reports += _scrub_file(paths, path, where, clean, dry_run)
        except FileNotFoundError:
            continue  # it has been merged or replaced meanwhile
        except (OSError, MemoryFileError, Timeout) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            reports.append(Scrubbed(where, removed=False, why=Sentence("it cannot be cleaned: {why}", why=why)))
    for pattern in _LEGACY:
        for path in sorted(paths.workspace.glob(pattern)):
            with suppress(OSError, MemoryFileError):
                clean = partial(clean_notes, redact=redact, tools=tools, everywhere=everywhere)
                reports += _scrub_file(paths, path, paths.relative(path), clean, dry_run)
    if reports and any((folder / ".git").exists() for folder in (paths.workspace, paths.memory)):
        reports.append(Scrubbed(".git", removed=False, why=_GIT))
    return list({report.where + report.why: report for report in reports}.values())


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


def cleaner_of(file_name: str, redact: Redact, tools: Redact, *, everywhere: bool) -> Cleaner:
    """Return what takes the secrets out of a memory file of that name; ``everywhere``, out of people's text, too.

    ``tools`` is for notes of what tools said.
    """
    name = file_name.removesuffix(".bak")
    if name.endswith(".gz"):
        return partial(_clean_compressed, redact=redact)
    if name.endswith((".jsonl", ".json")):
        return partial(clean_rows, redact=redact)
    if ".md" in name:
        return partial(clean_notes, redact=redact, tools=tools, everywhere=everywhere)
    return partial(clean_text, redact=redact)


def _clean_compressed(data: bytes, redact: Redact) -> ScrubbedBytes:
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise MemoryFileError("it is damaged") from error
    cleaned = clean_rows(plain, redact)
    return ScrubbedBytes(gzip.compress(cleaned.data, mtime=0) if cleaned.found else data, cleaned.found)


def _scrub_file(paths: MemoryPaths, path: Path, where: str, clean: Cleaner, dry_run: bool) -> list[Scrubbed]:
    first = clean(read_regular(path))
    reports = [Scrubbed(where, dict(first.foreign), removed=False, why=_FOREIGN)] if first.foreign else []
    if not first.found:
        return reports
    if path.suffix == ".spill":
        return [Scrubbed(where, dict(first.found), removed=False, why=_WAITING)]
    if path.suffix == ".tmp":
        if time.time() - path.stat().st_mtime < _STALE_SECONDS:
            return []  # it is being written now
        if not dry_run:
            path.unlink()
    elif not dry_run:
        _rewrite(paths, path, clean)
    return [Scrubbed(where, dict(first.found)), *reports]


def _rewrite(paths: MemoryPaths, path: Path, clean: Cleaner) -> None:
    """Clean a file under its lock, without leaving a backup: that would be what is to go.

    Editors take no lock. What one wrote in the last instant is in the backup then, and is put back and cleaned.
    """
    own = path.parent / ".lock"
    lock = private_lock(own) if own.exists() else file_lock(paths, path)
    with lock.acquire(timeout=_LOCK_SECONDS):
        backup = path.with_name(f"{path.name}.bak")
        former = clean(read_regular(backup)).data if backup.exists() else None
        for _ in range(_ATTEMPTS):
            raw = read_regular(path)
            cleaned = clean(raw).data
            if cleaned == raw:
                break
            replace_file(path, cleaned)
            slipped = read_regular(backup)
            if slipped != raw:
                replace_file(path, slipped)
        if former is None:
            backup.unlink(missing_ok=True)
        else:
            _overwrite(backup, former)
        sync_folder(path.parent)


def _overwrite(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.scrub.tmp")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, path.stat().st_mode & 0o777)
    os.replace(temporary, path)


def total(reports: list[Scrubbed]) -> Counter[str]:
    """Return what was found in all, by kind, but for what stays."""
    counts: Counter[str] = Counter()
    for report in reports:
        if report.removed:
            counts.update(report.kinds)
    return counts
