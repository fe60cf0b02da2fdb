"""An archive: a ZIP file of the memory's files, with a manifest that says what it is; how it is written and read.

An archive may come from anywhere: every byte is read before the first one is handed on.
"""

import contextlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Final

from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files.appending import workspace_lock
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.transfer.importer import ImportedFile, Item, Skipped
from nanobot_memory_plugins.core.transfer.reading import files_below
from nanobot_memory_plugins.redaction.script.messages import Sentence

MANIFEST: Final = "manifest.json"
FORMAT: Final = {"format": "nanobot-memory-export", "version": 1}
"""What the manifest says of every archive; a later form has another version."""
_LOCK_SECONDS = 30.0
_ABOUT = (
    "A memory of nanobot-memory-plugins: Markdown, and JSON lines of what was said, as they stood in the folder"
    " memory/. `nanobot-memory import FILE` puts them back; without it they can be read as they are."
)
# How many times its own size an archive may unpack to, beyond the first bytes. Text packs to a tenth, very even text to
# a hundredth; an archive that grows further was made to fill a disk.
_MOST_GROWTH = 250
_SMALL = 1 << 24
# No backslash, colon or control character: no name may mean something else on another system.
_NAME = re.compile(r"memory(?:/(?!\.{1,2}(?:/|\Z))[^/\\:\x00-\x1f]+)+")
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(slots=True)
class ExportReport:
    """What an archive holds: files, their bytes, and what was left and why."""

    path: Path
    files: int = 0
    size: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)


def is_of_memory(name: str) -> bool:
    """Return whether the file of that name below the memory folder is taken along: what people read.

    Bookkeeping is of this machine, and made again.
    """
    parts = PurePosixPath(name).parts
    return bool(parts) and not any(one.startswith(".") for one in parts) and (name.endswith(".md") or grows(name))


def is_transcript(name: str) -> bool:
    """Return whether the file of that name is a transcript."""
    return len(PurePosixPath(name).parts) == 2 and name.startswith("sessions/") and name.endswith(".jsonl")


def grows(name: str) -> bool:
    """Return whether the file of that name grows by whole records: a transcript, or the notes of a day."""
    return is_transcript(name) or DAY_NOTE.fullmatch(name) is not None


def export_to(target: Path, workspace: Path) -> ExportReport:
    """Write the memory of a workspace into one ZIP archive, readable by its owner only. It blocks.

    Agents may write meanwhile: each file is taken as it is at one moment. The archive is made in memory, and appears
    whole or not at all.
    Raises `InputError` where there is nothing to export or the target cannot be written.
    """
    paths = MemoryPaths.of(workspace)
    report = ExportReport(target)
    names = list(_names(paths.memory, report))
    if not names:
        raise InputError(
            Sentence("There is no memory in {workspace}.", workspace=paths.workspace),
            hint="Name the agent's folder with --workspace.",
        )
    if target.exists():
        raise InputError(
            Sentence("{target} is there already.", target=target), hint="Name another file with --to, or remove it."
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _write_all(archive, paths, names, report)
    try:
        replace_file(target, packed.getvalue(), keeps_backup=False)
    except MemoryFileError as error:
        raise InputError(
            error.cause, hint="Name a file with --to, in a folder that exists and has room for it."
        ) from error
    return report


def _names(memory: Path, report: ExportReport) -> Iterator[str]:
    """Yield the names of the memory's files below its folder; what else is there is named in the report."""
    for path, why in files_below(memory) if memory.is_dir() else ():
        name = path.relative_to(memory).as_posix()
        if path.name.startswith(".") or path.name.endswith((".bak", ".tmp", ".lock")):
            continue
        if why or not is_of_memory(name) or not name.isprintable():
            report.left.append((ascii(name), why or Sentence("not a memory file")))
        else:
            yield name


def _write_all(archive: zipfile.ZipFile, paths: MemoryPaths, names: list[str], report: ExportReport) -> None:
    for name in names:
        try:
            data = _read(paths, paths.memory / name)
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except OSError as error:
            report.left.append((name, Sentence("it cannot be read: {why}", why=error.strerror)))
            continue
        archive.writestr(f"memory/{name}", data)
        report.files += 1
        report.size += len(data)
    made, program = datetime.now(UTC).isoformat(timespec="seconds"), version("nanobot-memory-core")
    manifest = {**FORMAT, "made": made, "program": f"nanobot-memory-core {program}", "about": _ABOUT}
    archive.writestr(MANIFEST, json.dumps(manifest, indent=1))


def _read(paths: MemoryPaths, path: Path) -> bytes:
    """Return what a file holds when nobody is in the middle of writing to it."""
    with contextlib.ExitStack() as held:
        # Whoever may only read the memory, or finds the lock held by a process that hangs, can still take a copy along.
        with contextlib.suppress(OSError, MemoryFileError):
            held.enter_context(workspace_lock(paths, "files", _LOCK_SECONDS))
        return read_regular(path)


def read_archive(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield the files of a memory that `export_to` wrote. Raises `InputError` where anything of it is not in order."""
    with _opened(source) as archive:
        for info in _files(archive):
            name = info.filename.removeprefix("memory/")
            if is_of_memory(name):
                yield ImportedFile(name, archive.read(info))
            else:
                yield Skipped("not a memory file", info.filename)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive and check its names, its sizes and its bytes. Raises `InputError`, with cause and hint."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGES as error:
        if path.is_dir():
            raise _refused(path, Sentence("it is a folder, not a ZIP archive")) from error
        raise _refused(path, Sentence("it is no whole ZIP archive, and may have been cut off")) from error
    with archive:
        total = sum(info.file_size for info in archive.infolist())
        if total > _SMALL + _MOST_GROWTH * path.stat().st_size:
            raise _refused(path, Sentence("it would unpack to {total:,} bytes, which no memory does", total=total))
        for name in (info.filename for info in _files(archive)):
            if not _NAME.fullmatch(name):
                raise _refused(path, Sentence("{file}: its name leads out of the memory folder", file=ascii(name)))
        try:
            damaged = archive.testzip()
            manifest = json.loads(archive.read(MANIFEST))
        except _DAMAGES as error:
            raise _refused(path, Sentence("it is damaged, or no export of this program")) from error
        if damaged:
            raise _refused(path, Sentence("{file} is damaged", file=damaged))
        if not isinstance(manifest, dict) or {key: manifest.get(key) for key in FORMAT} != FORMAT:
            raise _refused(path, Sentence("its {manifest} is not one that this version knows", manifest=MANIFEST))
        yield archive


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if info.filename != MANIFEST and not info.is_dir()]


def _refused(path: Path, why: str) -> InputError:
    return InputError(
        Sentence("{name} cannot be used: {why}.", name=path.name, why=why),
        hint="Nothing was taken. Copy it again from where `nanobot-memory export` made it; another store needs --from,"
        " as `--from markdown`.",
    )
