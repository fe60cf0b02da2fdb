"""The entries that were forgotten for good: known by core's fingerprints, and not taken up again.

``memory/.entries/purged``, which earlier versions wrote, is read as well: a line for each text, a salt, and the SHA-256
of the salt and the text without case, width, space and punctuation.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable

from nanobot_memory_plugins.consolidation.journal import entries_folder
from nanobot_memory_plugins.consolidation.keeping import read_file
from nanobot_memory_plugins.core.erasure import Removal, remember_forgotten
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints
from nanobot_memory_plugins.core.erasure.letters import plain
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.text import clean

_LINE = re.compile(r"([0-9a-f]{16}) ([0-9a-f]{64})")
# What a disk leaves of a line; other printable lines are of a version that is not known.
_DAMAGED = re.compile(r"[0-9a-f]{0,16}(?: [0-9a-f]{0,64})?|.*[^\x20-\x7e].*")


class Tombstones:
    """The texts that were purged from one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._path = entries_folder(paths) / "purged"
        self._fingerprints = Fingerprints(paths)
        self._known: tuple[int, int, list[tuple[str, str]]] | None = None

    def add(self, texts: Iterable[str]) -> None:
        """Remember texts by their fingerprints; what is short enough to be guessed is not. Raises `MemoryFileError`."""
        remember_forgotten(self._paths, [Removal("", tuple(texts))])

    def holds(self, text: str) -> bool:
        """Return whether a text was purged, in these words, and not said again since.

        Raises `MemoryFileError` when that cannot be read, or when a newer version wrote it down: what was forgotten for
        good must not come back for want of knowing it.
        """
        earlier = _plain(text)
        if any(_hash(salt, earlier) == digest for salt, digest in self._read()):
            return True
        known = self._fingerprints.known()
        record = known.texts.get(known.key(plain(text))) if known is not None else None
        return known is not None and record is not None and not known.is_said_again(record.id)

    def _read(self) -> list[tuple[str, str]]:
        try:
            status = os.stat(self._path)
        except OSError:
            return []
        if self._known is None or self._known[:2] != (status.st_mtime_ns, status.st_size):
            text = (read_file(self._path) or b"").decode("ascii", "replace")
            if any(not _DAMAGED.fullmatch(line) for line in text.splitlines()):
                raise MemoryFileError(
                    "A newer version wrote the list of what was forgotten for good.",
                    mend="Update nanobot-memory-consolidation; nothing was written.",
                )
            found = [(match[1], match[2]) for match in _LINE.finditer(text)]
            self._known = (status.st_mtime_ns, status.st_size, found)
        return self._known[2]


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", clean(text)).casefold()
    return "".join(character for character in folded if character.isalnum())


def _hash(salt: str, plain: str) -> str:
    return hashlib.sha256(f"{salt}{plain}".encode()).hexdigest()
