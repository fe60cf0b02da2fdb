"""Backups: an archive a day in one folder, looked at byte by byte, and the oldest ones given up."""

import contextlib
import hashlib
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths, private_lock
from nanobot_memory_plugins.core.files.appending import make_folder
from nanobot_memory_plugins.core.transfer.archive import opened_archive
from nanobot_memory_plugins.core.transfer.encryption import SUFFIX, WrongPassphraseError
from nanobot_memory_plugins.core.transfer.exporting import ExportReport, export_to, held_if_writable
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Seconds that a backup waits for another one, which may have a large memory to write.
_LOCK_SECONDS = 600.0
# Of the place of a workspace this many digits of its SHA-256 tell two of the same name apart.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Backup:
    """The archive of a day. ``report`` is None where it was there already; ``removed`` are older ones given up."""

    path: Path
    report: ExportReport | None
    removed: tuple[Path, ...] = ()


def usual_folder() -> Path:
    """Return where backups are put that nobody names a folder for."""
    return Path.home() / "nanobot-memory-backups"


def usual_backups(workspace: Path) -> list[Path]:
    """Return the backups of a workspace in the usual folder, the oldest first. It blocks."""
    return _of_workspace(usual_folder(), _archive_name(workspace))


def plain_name(workspace: Path) -> str:
    """Return the name of a workspace as archives bear it."""
    return re.sub(r"[^\w-]+", "-", workspace.name).strip("-") or "workspace"


def back_up(
    folder: Path,
    workspace: Path,
    *,
    keep: int,
    now: datetime,
    progress: Callable[[Part], None] = lambda _part: None,
    passphrase: str = "",
) -> Backup:
    """Write today's archive into a folder, unless it is there and whole, and keep the last ``keep``. It blocks.

    ``now`` is local. With a ``passphrase`` it is encrypted; those of before stay as they are. No older archive goes
    before every byte of today's has been read back. Raises `InputError` and `MemoryFileError` as `export_to` does.
    """
    memory = MemoryPaths.of(workspace).memory
    if folder.resolve().is_relative_to(memory.resolve()):
        raise InputError(
            Sentence("{folder} lies in the memory itself.", folder=folder), hint="Name a folder elsewhere with --to."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(
            Sentence("{folder} cannot be made: {why}.", folder=folder, why=error.strerror),
            hint="Name another folder with --to.",
        ) from error
    name = _archive_name(workspace)
    target = folder / f"{name}-{now:%Y%m%d}.zip{SUFFIX if passphrase else ''}"
    try:
        with _alone(MemoryPaths.of(workspace)):
            return _backed_up(target, workspace, name, keep=keep, now=now, progress=progress, passphrase=passphrase)
    except Timeout as error:
        raise InputError(
            Sentence("Another backup of {workspace} is being written.", workspace=workspace),
            hint="Let that process go on, or end it.",
        ) from error


def _alone(paths: MemoryPaths) -> AbstractContextManager[object]:
    """Let one process at a time make backups of a memory; where there is none there is nothing to be done."""
    if not paths.memory.is_dir():
        return contextlib.nullcontext()

    def lock() -> FileLock:
        make_folder(paths, paths.locks)
        # A lock of its own: the export below takes those of the files.
        return private_lock(paths.locks / "backup.lock")

    return held_if_writable(lock, _LOCK_SECONDS)


def _backed_up(
    target: Path,
    workspace: Path,
    name: str,
    *,
    keep: int,
    now: datetime,
    progress: Callable[[Part], None],
    passphrase: str,
) -> Backup:
    """Do what `back_up` does, alone."""
    report = None
    if not (target.exists() and _is_whole(target, passphrase)):
        if target.exists():
            target.replace(target.with_name(f"{target.name}.damaged"))
        report = export_to(target, workspace, now=now, progress=progress, passphrase=passphrase)
        try:
            _check(target, passphrase)
        except InputError:
            with contextlib.suppress(OSError):
                target.unlink()  # the disk has lost it already; those of before stay
            raise
    return Backup(target, report, _given_up(target.parent, name, keep))


def _check(path: Path, passphrase: str) -> None:
    """Read an archive back. Raises `InputError` where a byte is not what its hash says."""
    with opened_archive(path, passphrase) as archive:
        for _ in archive.check():
            pass


def _is_whole(path: Path, passphrase: str) -> bool:
    """Return whether an archive is whole. Raises `WrongPassphraseError`: it may be, for who has the other one."""
    try:
        _check(path, passphrase)
    except WrongPassphraseError:
        raise
    except InputError:
        return False
    return True


def _given_up(folder: Path, name: str, keep: int) -> tuple[Path, ...]:
    """Remove the archives of a workspace but for the last ones; what cannot be removed stays."""
    removed = []
    for path in _of_workspace(folder, name)[:-keep]:
        with contextlib.suppress(OSError):
            path.unlink()
            removed.append(path)
    return tuple(removed)


def _archive_name(workspace: Path) -> str:
    """Return what the names of a workspace's archives begin with."""
    place = hashlib.sha256(str(workspace.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"nanobot-memory-{plain_name(workspace)}-{place}"


def _of_workspace(folder: Path, name: str) -> list[Path]:
    ours = re.compile(rf"{re.escape(name)}-\d{{8}}\.zip(?:{re.escape(SUFFIX)})?")
    try:
        return sorted(path for path in folder.iterdir() if ours.fullmatch(path.name) and path.is_file())
    except OSError:
        return []
