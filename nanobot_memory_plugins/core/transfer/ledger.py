"""What was imported before: a file of hashes in the memory folder."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Hexadecimal digits of a key: 128 bits.
KEY_DIGITS = 32
# Where the keys stand, below the memory folder.
TAKEN = ".imports/taken.txt"
_KEY = re.compile(rf"[0-9a-f]{{{KEY_DIGITS}}}")
# What a crash or a disk leaves of a key; other printable lines are of a version that is not known.
_DAMAGED = re.compile(rf"[0-9a-f]{{0,{KEY_DIGITS}}}|.*[^\x20-\x7e].*", re.DOTALL)


class Ledger:
    """The keys of everything that was ever imported into a workspace.

    It remembers what was deleted since, too: a second import does not bring it back. A key is a hash of what was
    written, after redaction, so that it says nothing of a secret.
    """

    def __init__(self, paths: MemoryPaths, appender: Appender) -> None:
        self.path = ledger_path(paths)
        self._appender = appender
        self._keys = read_keys(self.path)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def add(self, keys: Iterable[str]) -> None:
        """Remember keys. Raises `MemoryFileError`."""
        new = [key for key in dict.fromkeys(keys) if key not in self._keys]
        if new:
            self._appender.append(self.path, "".join(f"{key}\n" for key in new).encode("ascii"))
            self._keys.update(new)


def ledger_path(paths: MemoryPaths) -> Path:
    """Return the file of the keys."""
    return paths.memory / TAKEN


def read_keys(path: Path) -> set[str]:
    """Return the keys in a file; none where there is no file.

    Raises `MemoryFileError` when it cannot be read, or when a newer version wrote it.
    """
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise MemoryFileError(
            Sentence(
                "The list of what was imported before ({fspath}) cannot be read: {why}.",
                fspath=os.fspath(path),
                why=error.strerror,
            ),
            hint="Make it readable: without it everything would be imported twice.",
        ) from error
    if any(not _DAMAGED.fullmatch(line) for line in lines):
        raise MemoryFileError(
            Sentence("A newer version wrote the list of what was imported before ({fspath}).", fspath=os.fspath(path)),
            hint="Update nanobot-memory-core: without the list everything would be imported twice.",
        )
    # A line that a crash cut off is no key: what it stood for is known by its id in its file.
    return {line for line in lines if _KEY.fullmatch(line)}
