"""Replacing a file of another program's, whole or not at all, and leaving nothing beside it but a copy."""

import os
import secrets
import shutil
from pathlib import Path

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def write_whole(file: Path, text: str) -> Path | None:
    """Put a text in the place of a file, whole or not at all, and return the copy that is kept of it, if any.

    No copy takes the place of an earlier one. Raises `ConfigurationError`.
    """
    temporary, kept = file.with_name(f".{file.name}.{secrets.token_hex(6)}.tmp"), None
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as new:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
        if file.exists():
            shutil.copymode(file, temporary)
            kept = _free_backup(file)
            shutil.copy2(file, kept)
        os.replace(temporary, file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ConfigurationError(
            Sentence("{path} cannot be written: {reason}.", path=file, reason=error.strerror),
            hint="Name another one with --file.",
        ) from error
    return kept


def _free_backup(file: Path) -> Path:
    """Return a name beside a file that nothing has yet, not even a link that leads nowhere."""
    number, name = 1, file.with_name(f"{file.name}.bak")
    while os.path.lexists(name):
        number += 1
        name = file.with_name(f"{file.name}.bak{number}")
    return name
