"""The memory files of a workspace, one after the other, without secrets."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from nanobot_memory_plugins.core.erasure.rewriting import (
    LEGACY,
    files_below,
    is_left_behind,
    is_of_a_write,
    lock_of,
    rewrite,
)
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
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Folders below the memory folder that hold no text of memories.
_ELSEWHERE = frozenset({".locks", ".usage", ".git"})
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
    for path in sorted(
        files_below(paths.memory, elsewhere=_ELSEWHERE),
        key=lambda one: (not is_of_a_write(one), one.suffix != ".bak", one),
    ):
        where = paths.relative(path)
        try:
            # What a write has left behind is nobody's text.
            all_of_it = everywhere or is_of_a_write(path)
            clean = special(path) or cleaner_of(path.name, redact, tools, everywhere=all_of_it)
            reports += _scrub_file(paths, path, where, clean, dry_run)
        except FileNotFoundError:
            continue  # it has been merged or replaced meanwhile
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            reports.append(Scrubbed(where, removed=False, why=Sentence("it cannot be cleaned: {why}", why=why)))
    for pattern in LEGACY:
        for path in sorted(paths.workspace.glob(pattern)):
            with suppress(OSError, MemoryFileError):
                clean = partial(clean_notes, redact=redact, tools=tools, everywhere=everywhere)
                reports += _scrub_file(paths, path, paths.relative(path), clean, dry_run)
    if reports and any((folder / ".git").exists() for folder in (paths.workspace, paths.memory)):
        reports.append(Scrubbed(".git", removed=False, why=_GIT))
    return list({report.where + report.why: report for report in reports}.values())


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
    if is_of_a_write(path):
        if not is_left_behind(paths, path):
            return []  # it is being written now
        if not dry_run:
            path.unlink()
    elif not dry_run:
        rewrite(path, lambda data: clean(data).data, lock=lock_of(paths, path))
    return [Scrubbed(where, dict(first.found)), *reports]


def total(reports: list[Scrubbed]) -> Counter[str]:
    """Return what was found in all, by kind, but for what stays."""
    counts: Counter[str] = Counter()
    for report in reports:
        if report.removed:
            counts.update(report.kinds)
    return counts
