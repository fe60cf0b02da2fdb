"""Small files beside the entries: read whole, written whole, for their owner only."""

import contextlib
import errno
import os
import secrets
import stat
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import read_inside
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Between the name of a file and the moment at which it was kept aside.
ASIDE = ".aside-"

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def read_file(path: Path) -> bytes | None:
    """Return the bytes of a file, or None where there is none.

    Raises `MemoryFileError`, also for what is no regular file, and for a link that leads out of the workspace.
    """
    try:
        return read_inside(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        hint = "Put a regular file in its place." if error.errno in (errno.ELOOP, errno.EINVAL) else ""
        raise MemoryFileError(
            Sentence("{name} cannot be read: {why}.", name=path.name, why=error.strerror or type(error).__name__),
            hint=hint,
        ) from error


def write_private(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Put a file in place in one step, with mode 0600, or that of the file before it; no backup is made.

    ``durable`` waits until it is on the disk. Raises `MemoryFileError`.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
            if path.exists():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise MemoryFileError(
            Sentence("{name} cannot be written: {why}.", name=path.name, why=error.strerror or type(error).__name__)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def keep_aside(path: Path, data: bytes, now: datetime) -> Path:
    """Keep what cannot stay in ``path`` in a file beside it, and return that; the same bytes are kept once."""
    for kept in kept_aside(path):
        if read_file(kept) == data:
            return kept
    moment = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}{ASIDE}{moment}-{secrets.token_hex(2)}")
    write_private(aside, data)
    return aside


def kept_aside(path: Path) -> list[Path]:
    """Return the files that were kept aside for ``path``."""
    return sorted(path.parent.glob(f"{path.name}{ASIDE}*"))
