"""The whole memory as one archive, copied while agents write."""

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.transfer.archive_contents import ArchiveMember, PartKind, belongings
from nanobot_memory_plugins.core.transfer.encryption import PackedInMemory, encrypted
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.core.transfer.manifest import MANIFEST, Manifest, ManifestFile
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_SECONDS = 30.0
_BLOCK = 1 << 20
_ABOUT = (
    "A memory of nanobot-memory-plugins: Markdown, and JSON lines of what was said, as they stood in the folder"
    " memory/. `nanobot-memory import FILE` puts them back; without it they can be read as they are."
)
# Files that say something only together, and are written under one lock.
_TOGETHER = frozenset({PartKind.ENTRIES, PartKind.LONG_TERM})
# Files that grow by whole records, each under the lock of its kind.
_APPENDED = frozenset({PartKind.TRANSCRIPT, PartKind.DAY_NOTES, PartKind.LEDGER})
# What a lock ends with where the memory can be read and not written.
_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
# How often files that belong together are read, without a lock, until none of them has changed meanwhile.
_LOOKS = 20
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a ZIP archive


@dataclass(slots=True)
class ExportReport:
    """What an archive holds: files, their bytes, and what was left and why."""

    path: Path
    files: int = 0
    size: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)


def export_to(
    target: Path,
    workspace: Path,
    *,
    now: datetime | None = None,
    progress: Callable[[Part], None] = lambda _part: None,
    lock_seconds: float = _LOCK_SECONDS,
    passphrase: str = "",
) -> ExportReport:
    """Write the memory of a workspace into one ZIP archive, readable by its owner only. It blocks.

    With a ``passphrase`` the file is encrypted, and nothing of the memory stands in another one meanwhile.

    Agents may write meanwhile: transcripts and notes are copied as far as they went at one moment, the entries with
    their journal under their lock. The archive appears whole or not at all. Raises `InputError` where there is nothing
    to export or the target cannot be written, and `MemoryFileError` when the memory cannot be read.
    """
    paths = MemoryPaths.of(workspace)
    found = list(belongings(paths))
    files = [one for one in found if isinstance(one, ArchiveMember)]
    if not files:
        raise InputError(
            Sentence("There is no memory in {workspace}.", workspace=paths.workspace),
            hint="Name the agent's folder with --workspace.",
        )
    if target.exists():
        raise InputError(
            Sentence("{target} is there already.", target=target), hint="Name another file with --to, or remove it."
        )
    report = ExportReport(target, left=[one for one in found if not isinstance(one, ArchiveMember)])
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "w+b") as file:
            packed: IO[bytes] = PackedInMemory() if passphrase else file
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                listed = list(_write_files(archive, paths, files, report, progress, lock_seconds))
                _write_manifest(archive, listed, now or datetime.now(UTC))
            if isinstance(packed, PackedInMemory):
                file.write(encrypted(packed.getvalue(), passphrase))
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(temporary, target)
    except FileExistsError as error:
        raise InputError(
            Sentence("{target} is there already.", target=target), hint="Name another file with --to."
        ) from error
    except OSError as error:
        raise InputError(
            Sentence("{target} cannot be written: {why}.", target=target, why=error.strerror),
            hint="Name a file with --to, in a folder that exists and has room for it.",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return report


def _put_in_place(temporary: Path, target: Path) -> None:
    """Give the archive its name, over nothing that has got it meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError from None
        os.replace(temporary, target)
    sync_folder(target.parent)


def _write_files(
    archive: zipfile.ZipFile,
    paths: MemoryPaths,
    files: list[ArchiveMember],
    report: ExportReport,
    progress: Callable[[Part], None],
    lock_seconds: float,
) -> Iterator[ManifestFile]:
    first = [one for one in files if one.kind is PartKind.SPILL]
    rest = [one for one in files if one.kind is not PartKind.SPILL and one.kind not in _TOGETHER]
    done = 0
    for one in (*first, *rest):
        progress(Part(one.name, done, len(files)))
        done += 1
        with _opened(one, paths, report, lock_seconds) as opened:
            if opened is not None:
                yield _copy(archive, one.name, *opened, report)
    together = _read_together(paths, [one for one in files if one.kind in _TOGETHER], report, lock_seconds)
    for name, (data, changed) in together.items():
        progress(Part(name, done, len(files)))
        done += 1
        yield _write(archive, name, data, changed, report)


@contextlib.contextmanager
def _opened(
    one: ArchiveMember, paths: MemoryPaths, report: ExportReport, lock_seconds: float
) -> Iterator[tuple[IO[bytes], int, float] | None]:
    """Open a file, and say how long it is when nobody is in the middle of writing to it."""
    try:
        with _locked(paths, one.path, lock_seconds) if one.kind in _APPENDED else contextlib.nullcontext():
            flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(one.path, os.O_RDONLY | flags)
            status = os.fstat(descriptor)
    except FileNotFoundError:
        yield None  # it has come home, or was removed
        return
    except OSError as error:
        report.left.append((one.name, Sentence("it cannot be read: {why}", why=error.strerror)))
        yield None
        return
    with open(descriptor, "rb") as file:
        if stat.S_ISREG(status.st_mode):
            yield file, status.st_size, status.st_mtime
        else:
            yield None


def _read_together(
    paths: MemoryPaths, files: list[ArchiveMember], report: ExportReport, lock_seconds: float
) -> dict[str, tuple[bytes, float]]:
    """Read the entries and their journal as they stand at one moment."""
    read: dict[str, tuple[bytes, float]] = {}
    left: list[tuple[str, str]] = []
    if not files:
        return read
    with _locked(paths, paths.long_term, lock_seconds) as is_locked:
        for _ in range(1 if is_locked else _LOOKS):
            read, left = {}, []
            for one in files:
                try:
                    read[one.name] = read_regular(one.path), one.path.stat().st_mtime
                except FileNotFoundError:
                    continue
                except OSError as error:
                    left.append((one.name, Sentence("it cannot be read: {why}", why=error.strerror)))
            if is_locked or _stand_so(files, read):
                break
    report.left += left
    return read


def _stand_so(files: list[ArchiveMember], read: Mapping[str, tuple[bytes, float]]) -> bool:
    """Return whether files are still what was read of them."""
    try:
        return all(read_regular(one.path) == read[one.name][0] for one in files if one.name in read)
    except OSError:
        return False


@contextlib.contextmanager
def _locked(paths: MemoryPaths, path: Path, seconds: float) -> Iterator[bool]:
    """Hold the lock of a file, and say whether it is held: a memory that can only be read has none."""
    try:
        with held_if_writable(lambda: file_lock(paths, path), seconds) as is_locked:
            yield is_locked
    except Timeout as error:
        raise FileBusyError(
            Sentence(
                "{relative} is locked by another process for {seconds:g} s.",
                relative=paths.relative(path),
                seconds=seconds,
            ),
            hint="Let that process go on, or end it, and export again.",
        ) from error


@contextlib.contextmanager
def held_if_writable(lock: Callable[[], FileLock], seconds: float) -> Iterator[bool]:
    """Hold a lock, or none where its folder cannot be written: whoever may only read can still take a copy along.

    Raises filelock's `Timeout`, `MemoryFileError` and `OSError` where it is something else that is in the way.
    """
    with contextlib.ExitStack() as stack:
        is_locked = True
        try:
            stack.enter_context(lock().acquire(timeout=seconds))
        except Timeout:
            raise
        except (OSError, MemoryFileError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            if not isinstance(cause, OSError) or cause.errno not in _READ_ONLY:
                raise
            is_locked = False
        yield is_locked


def _copy(
    archive: zipfile.ZipFile, name: str, file: IO[bytes], size: int, changed: float, report: ExportReport
) -> ManifestFile:
    hashed, left = hashlib.sha256(), size
    info = _info(f"memory/{name}", changed)
    with archive.open(info, "w", force_zip64=size > 1 << 30) as out:
        while left and (block := file.read(min(_BLOCK, left))):
            hashed.update(block)
            out.write(block)
            left -= len(block)
    if left:
        raise MemoryFileError(Sentence("{name} was cut while it was copied.", name=name), hint="Export again.")
    return _listed(name, size, hashed.hexdigest(), changed, report)


def _write(archive: zipfile.ZipFile, name: str, data: bytes, changed: float, report: ExportReport) -> ManifestFile:
    archive.writestr(_info(f"memory/{name}", changed), data)
    return _listed(name, len(data), hashlib.sha256(data).hexdigest(), changed, report)


def _listed(name: str, size: int, sha256: str, changed: float, report: ExportReport) -> ManifestFile:
    report.files += 1
    report.size += size
    when = datetime.fromtimestamp(changed, UTC).isoformat(timespec="milliseconds")
    return ManifestFile(path=f"memory/{name}", size=size, sha256=sha256, modified=when)


def _info(name: str, changed: float) -> zipfile.ZipInfo:
    moment = datetime.fromtimestamp(changed, UTC).timetuple()[:6]
    info = zipfile.ZipInfo(name, max(moment, _EARLIEST))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    return info


def _write_manifest(archive: zipfile.ZipFile, files: list[ManifestFile], now: datetime) -> None:
    try:
        program = f"nanobot-memory-core {version('nanobot-memory-core')}"
    except PackageNotFoundError:
        program = "nanobot-memory-core"
    made = now.isoformat(timespec="seconds")
    manifest = Manifest(made=made, program=program, about=_ABOUT, files=tuple(files))
    archive.writestr(_info(MANIFEST, now.timestamp()), manifest.model_dump_json(indent=1))
