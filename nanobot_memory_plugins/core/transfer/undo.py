"""Taking the last import back: what it brought and nobody has changed since."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nanobot_memory_plugins.core.erasure.rewriting import rewrite
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.appending import file_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.transfer.entries import installed_joiner
from nanobot_memory_plugins.core.transfer.import_run import digest, forget_import, last_import, records_in
from nanobot_memory_plugins.redaction.script.messages import Sentence

_CHANGED = "it has been changed since then"
_ENTRIES_WENT_ON = "the entries went on since then: `nanobot-memory entries forget ID` takes one out"
_ENTRIES = "ENTRIES.md"


@dataclass(slots=True)
class UndoReport:
    """What became of an import that was taken back: records and files that went, and what stays and why.

    Names are of below the memory folder.
    """

    id: str
    source: str
    messages: int = 0
    notes: int = 0
    files: list[str] = field(default_factory=list)
    entries: str = ""
    left: list[tuple[str, str]] = field(default_factory=list)


def undo_import(workspace: Path) -> UndoReport:
    """Take the last import back that was not taken back yet. Hold `only_import`; it can be repeated.

    Raises `InputError` where there is none, and `MemoryFileError`.
    """
    paths = MemoryPaths.of(workspace)
    run = last_import(paths)
    if run is None:
        raise InputError(
            "There is no import to take back.",
            hint="`nanobot-memory import SOURCE --dry-run` shows what one would bring.",
        )
    report = UndoReport(run.id, run.source)
    for entries in run.entries:
        _take_entries_back(workspace, entries, report)
    for name, records in run.records.items():
        _take_records_out(paths, name, records, report)
    for name, whole in run.files.items():
        _take_file_out(paths, name, whole, report)
    forget_import(paths, run)  # last: until then all can be repeated
    return report


def _take_entries_back(workspace: Path, run: str, report: UndoReport) -> None:
    try:
        if (joiner := installed_joiner()) is None:
            raise InputError("what keeps the entries is not installed")
        joiner.take_back(workspace, run)
        report.entries = run
    except InputError as error:
        report.left.append((Sentence("the run {run} of the entries", run=run), error.cause))


def _take_records_out(paths: MemoryPaths, name: str, records: Mapping[str, str], report: UndoReport) -> None:
    count = 0
    is_changed = False

    def without(data: bytes) -> bytes:
        nonlocal count, is_changed
        pieces = list(records_in(name, data))
        kept = [piece for key, piece in pieces if records.get(key) != digest(piece)]
        count += len(pieces) - len(kept)
        is_changed |= any(key in records and records[key] != digest(piece) for key, piece in pieces)
        return b"".join(kept)

    _write(paths, name, without)
    if name.endswith(".jsonl"):
        report.messages += count
    else:
        report.notes += count
    if count:
        report.files.append(name)
    if is_changed:
        report.left.append((name, _CHANGED))


def _take_file_out(paths: MemoryPaths, name: str, whole: str, report: UndoReport) -> None:
    with contextlib.suppress(FileNotFoundError):
        if digest(read_regular(paths.memory / name)) != whole:
            report.left.append((name, _ENTRIES_WENT_ON if name == _ENTRIES else _CHANGED))
            return
        _write(paths, name, lambda data: b"" if digest(data) == whole else data)
        report.files.append(name)
        if name == _ENTRIES and (joiner := installed_joiner()) is not None:
            joiner.take_back(paths.workspace, "")


def _write(paths: MemoryPaths, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change a file, leaving no copy of what it was; an empty one goes, with the folders that are empty without it."""
    path = paths.memory / name
    if not path.is_file():
        return
    rewrite(paths, path, change)
    with file_lock(paths):
        if read_regular(path).strip():
            return
        path.unlink()
    with contextlib.suppress(OSError):  # the first one that holds something ends it
        for folder in path.relative_to(paths.memory).parents[:-1]:
            (paths.memory / folder).rmdir()
