"""Writing and reading archives: ZIP files with the files of a memory and a manifest.

An archive may come from an untrusted source, so that all of it is checked before the first file is yielded.
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
"""The part of the manifest that identifies an archive; a later format has another version."""
_LOCK_SECONDS = 30.0
_ABOUT = (
    "A memory of nanobot-memory-plugins: Markdown, and JSON lines of what was said, as they stood in the folder"
    " memory/. `nanobot-memory import FILE` puts them back; without it they can be read as they are."
)
# An archive may unpack to this many times its own size, plus this many bytes. Text is compressed to a tenth, very
# uniform text to a hundredth of its size; an archive that unpacks to more was made to fill a disk.
_MAX_EXPANSION = 250
_EXTRA_BYTES = 1 << 24
# Without backslashes, colons and control characters, which may have another meaning on another system.
_NAME = re.compile(r"memory(?:/(?!\.{1,2}(?:/|\Z))[^/\\:\x00-\x1f]+)+")
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(slots=True)
class ExportReport:
    """The result of an export: the number of files, their size in bytes, and the skipped files with the reasons."""

    path: Path
    files: int = 0
    size: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)


def is_memory_file(name: str) -> bool:
    """Return whether a file, by its name in the memory folder, is exported and imported.

    Bookkeeping is not: it belongs to one machine, and is created again.
    """
    parts = PurePosixPath(name).parts
    return bool(parts) and not any(one.startswith(".") for one in parts) and (name.endswith(".md") or has_records(name))


def is_transcript(name: str) -> bool:
    """Return whether the file with that name is a transcript."""
    return len(PurePosixPath(name).parts) == 2 and name.startswith("sessions/") and name.endswith(".jsonl")


def has_records(name: str) -> bool:
    """Return whether the file with that name consists of records: a transcript, or the notes of a day."""
    return is_transcript(name) or DAY_NOTE.fullmatch(name) is not None


def export_to(target: Path, workspace: Path) -> ExportReport:
    """Write the memory of a workspace into one ZIP archive, readable by its owner only. It blocks.

    Agents may write at the same time: each file is read in a consistent state. The archive is built in memory and
    written in one step. Raises `InputError` if there is nothing to export or the target cannot be written.
    """
    paths = MemoryPaths.of(workspace)
    report = ExportReport(target)
    names = list(_memory_file_names(paths.memory, report))
    if not names:
        raise InputError(
            Sentence("There is no memory in {workspace}.", workspace=paths.workspace),
            hint="Name the agent's folder with --workspace.",
        )
    if target.exists():
        raise InputError(
            Sentence("{target} already exists.", target=target), hint="Name another file with --to, or remove it."
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


def _memory_file_names(memory: Path, report: ExportReport) -> Iterator[str]:
    """Yield the names of the files to export; other files are added to the report."""
    for path, why in files_below(memory) if memory.is_dir() else ():
        name = path.relative_to(memory).as_posix()
        if path.name.startswith(".") or path.name.endswith((".bak", ".tmp", ".lock")):
            continue
        if why or not is_memory_file(name) or not name.isprintable():
            report.skipped.append((ascii(name), why or Sentence("not a memory file")))
        else:
            yield name


def _write_all(archive: zipfile.ZipFile, paths: MemoryPaths, names: list[str], report: ExportReport) -> None:
    for name in names:
        try:
            data = _read(paths, paths.memory / name)
        except FileNotFoundError:
            continue  # it was removed in the meantime
        except OSError as error:
            report.skipped.append((name, Sentence("it cannot be read: {why}", why=error.strerror)))
            continue
        archive.writestr(f"memory/{name}", data)
        report.files += 1
        report.size += len(data)
    made, program = datetime.now(UTC).isoformat(timespec="seconds"), version("nanobot-memory-core")
    manifest = {**FORMAT, "made": made, "program": f"nanobot-memory-core {program}", "about": _ABOUT}
    archive.writestr(MANIFEST, json.dumps(manifest, indent=1))


def _read(paths: MemoryPaths, path: Path) -> bytes:
    """Return the content of a file while no process is writing to it."""
    with contextlib.ExitStack() as stack:
        # An export also works without the lock: in a read-only memory, or if a process that hangs holds it.
        with contextlib.suppress(OSError, MemoryFileError):
            stack.enter_context(workspace_lock(paths, "files", _LOCK_SECONDS))
        return read_regular(path)


def read_archive(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield the files of an archive that `export_to` wrote. Raises `InputError` if anything in it is wrong."""
    with _open_archive(source) as archive:
        for info in _member_files(archive):
            name = info.filename.removeprefix("memory/")
            if is_memory_file(name):
                yield ImportedFile(name, archive.read(info))
            else:
                yield Skipped("not a memory file", info.filename)


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive and check its names, sizes, contents and manifest. Raises `InputError`, with cause and hint."""
    try:
        archive = zipfile.ZipFile(path)
    except _ZIP_ERRORS as error:
        if path.is_dir():
            raise _unusable(path, Sentence("it is a folder, not a ZIP archive")) from error
        raise _unusable(path, Sentence("it is no whole ZIP archive, and may have been cut off")) from error
    with archive:
        total = sum(info.file_size for info in archive.infolist())
        if total > _EXTRA_BYTES + _MAX_EXPANSION * path.stat().st_size:
            raise _unusable(path, Sentence("it would unpack to {total:,} bytes, more than any memory has", total=total))
        for name in (info.filename for info in _member_files(archive)):
            if not _NAME.fullmatch(name):
                raise _unusable(path, Sentence("{file}: its name leads out of the memory folder", file=ascii(name)))
        try:
            damaged = archive.testzip()
            manifest = json.loads(archive.read(MANIFEST))
        except _ZIP_ERRORS as error:
            raise _unusable(path, Sentence("it is damaged, or no export of this program")) from error
        if damaged:
            raise _unusable(path, Sentence("{file} is damaged", file=damaged))
        if not isinstance(manifest, dict) or {key: manifest.get(key) for key in FORMAT} != FORMAT:
            raise _unusable(path, Sentence("this version does not know its {manifest}", manifest=MANIFEST))
        yield archive


def _member_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if info.filename != MANIFEST and not info.is_dir()]


def _unusable(path: Path, why: str) -> InputError:
    return InputError(
        Sentence("{name} cannot be used: {why}.", name=path.name, why=why),
        hint="Nothing was taken. Copy it again from where `nanobot-memory export` made it; another store needs --from,"
        " as `--from markdown`.",
    )
