"""Backups: an archive a day in one folder, looked at byte by byte, and the oldest ones given up."""

import contextlib
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer.archive import opened_archive
from nanobot_memory_plugins.core.transfer.exporting import ExportReport, export_to
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.redaction.script.messages import Sentence

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
) -> Backup:
    """Write today's archive into a folder, unless it is there and whole, and keep the last ``keep``. It blocks.

    ``now`` is local. No older archive goes before every byte of today's has been read back. Raises `InputError` and
    `MemoryFileError` as `export_to` does.
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
    place = hashlib.sha256(str(workspace.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    name = f"nanobot-memory-{plain_name(workspace)}-{place}"
    target = folder / f"{name}-{now:%Y%m%d}.zip"
    report = None
    if not (target.exists() and _is_whole(target)):
        if target.exists():
            target.replace(target.with_name(f"{target.name}.damaged"))
        report = export_to(target, workspace, now=now, progress=progress)
        try:
            _check(target)
        except InputError:
            with contextlib.suppress(OSError):
                target.unlink()  # the disk has lost it already; those of before stay
            raise
    return Backup(target, report, _given_up(folder, name, keep))


def _check(path: Path) -> None:
    """Read an archive back. Raises `InputError` where a byte is not what its hash says."""
    with opened_archive(path) as archive:
        for _ in archive.check():
            pass


def _is_whole(path: Path) -> bool:
    try:
        _check(path)
    except InputError:
        return False
    return True


def _given_up(folder: Path, name: str, keep: int) -> tuple[Path, ...]:
    """Remove the archives of a workspace but for the last ones; what cannot be removed stays."""
    ours = re.compile(rf"{re.escape(name)}-\d{{8}}\.zip")
    found = sorted(path for path in folder.iterdir() if ours.fullmatch(path.name) and path.is_file())
    removed = []
    for path in found[:-keep]:
        with contextlib.suppress(OSError):
            path.unlink()
            removed.append(path)
    return tuple(removed)
