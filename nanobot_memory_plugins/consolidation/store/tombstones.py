"""The entries that were forgotten for good: known by digests of their ids and words, and not taken up again.

``memory/.entries/purged`` has a line for each: a salt, and the SHA-256 of the salt and the id or the text, without
case, width, space and punctuation. A hash of a short text is no secret, so that there is none.
"""

import hashlib
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, make_folder
from nanobot_memory_plugins.core.text.markdown import clean

# Letters of a text from which on a digest of it is kept.
_LEAST_HASHED = 20
_LINE = re.compile(r"([0-9a-f]{16}) ([0-9a-f]{64})")
# What a disk leaves of a line; other printable lines are of a version that is not known.
_DAMAGED = re.compile(r"[0-9a-f]{0,16}(?: [0-9a-f]{0,64})?|.*[^\x20-\x7e].*")


class Tombstones:
    """What was purged from the entries of one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._path = entries_folder(paths) / "purged"
        self._known: tuple[int, int, Mapping[str, frozenset[str]]] | None = None

    def add(self, texts: Iterable[str], ids: Iterable[str] = ()) -> None:
        """Remember texts, but for what is short enough to be guessed, and entries by their ids.

        Hold the lock of the entries. Raises `MemoryFileError`.
        """
        known = self._read()
        plain = [one for text in texts if len(one := _plain(text)) >= _LEAST_HASHED]
        new = [one for one in sorted({*plain, *map(_of_id, ids)}) if not _is_among(known, one)]
        if new:
            make_folder(self._paths, self._path.parent)
            salt = secrets.token_hex(8)
            lines = "".join(f"{salt} {_hash(salt, one)}\n" for one in new).encode("ascii")
            before = read_file(self._path) or b""
            write_private(
                self._path, before + (b"\n" if before and not before.endswith(b"\n") else b"") + lines, durable=True
            )

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry was purged, by its id or its words.

        Raises `MemoryFileError` when that cannot be read, or when a newer version wrote it down: what was forgotten for
        good must not come back for want of knowing it.
        """
        purged = self._read()
        return _is_among(purged, _of_id(entry.id)) or _is_among(purged, _plain(entry.content))

    def holds_id(self, id_: str) -> bool:
        """Return whether the entry of an id was purged. Raises `MemoryFileError` as `holds` does."""
        return _is_among(self._read(), _of_id(id_))

    def _read(self) -> Mapping[str, frozenset[str]]:
        """Return the digests by their salts."""
        try:
            status = os.stat(self._path)
        except OSError:
            return {}
        if self._known is None or self._known[:2] != (status.st_mtime_ns, status.st_size):
            text = (read_file(self._path) or b"").decode("ascii", "replace")
            if any(not _DAMAGED.fullmatch(line) for line in text.splitlines()):
                raise MemoryFileError(
                    "A newer version wrote the list of what was forgotten for good.",
                    hint="Update nanobot-memory-consolidation; nothing was written.",
                )
            found: dict[str, set[str]] = {}
            for match in _LINE.finditer(text):
                found.setdefault(match[1], set()).add(match[2])
            known = {salt: frozenset(digests) for salt, digests in found.items()}
            self._known = (status.st_mtime_ns, status.st_size, known)
        return self._known[2]


def _is_among(known: Mapping[str, frozenset[str]], letters: str) -> bool:
    return any(_hash(salt, letters) in digests for salt, digests in known.items())


def _of_id(id_: str) -> str:
    """Return what stands for an id; a text without punctuation is never the same."""
    return f"id:{id_}"


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", clean(text)).casefold()
    return "".join(character for character in folded if character.isalnum())


def _hash(salt: str, letters: str) -> str:
    return hashlib.sha256(f"{salt}{letters}".encode()).hexdigest()
