"""The entries that were forgotten for good: known by core's fingerprints and by their ids, and not taken up again.

``memory/.entries/purged`` has a line for each id: a salt, and the SHA-256 of the salt and the id.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Mapping

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import MemoryFileError, MemoryPaths
from nanobot_memory_plugins.core.erasure import Fingerprints
from nanobot_memory_plugins.core.files import make_folder

_LINE = re.compile(r"([0-9a-f]{16}) ([0-9a-f]{64})")
# What a disk leaves of a line; other printable lines are of a version that is not known.
_DAMAGED = re.compile(r"[0-9a-f]{0,16}(?: [0-9a-f]{0,64})?|.*[^\x20-\x7e].*")


class Tombstones:
    """What was purged from the entries of one workspace."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._path = entries_folder(paths) / "purged"
        self._fingerprints = Fingerprints(paths)
        self._known: tuple[int, int, Mapping[str, frozenset[str]]] | None = None

    def add(self, texts: Iterable[str], ids: Iterable[str] = ()) -> None:
        """Remember texts by their fingerprints, but for what is short enough to be guessed, and entries by their ids.

        Hold the lock of the entries. Raises `MemoryFileError`.
        """
        from nanobot_memory_plugins.core.erasure import Removal, remember_forgotten

        # What core has written down keeps the time of its order.
        removal = Removal("", tuple(one for one in texts if not self._is_known(one)))
        remember_forgotten(self._paths, [removal] if removal.words else [])
        known = self._read()
        new = [id_ for id_ in sorted(set(ids)) if not _is_among(known, _of_id(id_))]
        if new:
            make_folder(self._paths, self._path.parent)
            salt = secrets.token_hex(8)
            lines = "".join(f"{salt} {_hash(salt, _of_id(id_))}\n" for id_ in new).encode("ascii")
            before = read_file(self._path) or b""
            write_private(
                self._path, before + (b"\n" if before and not before.endswith(b"\n") else b"") + lines, durable=True
            )

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry was purged, or holds purged words that were not said again since.

        Raises `MemoryFileError` when that cannot be read, or when a newer version wrote it down: what was forgotten for
        good must not come back for want of knowing it.
        """
        purged = self._read()
        if _is_among(purged, _of_id(entry.id)):
            return True
        known = self._fingerprints.known()
        if known is None:
            return False
        from nanobot_memory_plugins.core.erasure import Letters, matches_in

        return any(not known.is_said_again(one.record.id) for one in matches_in(Letters(entry.content), known))

    def holds_id(self, id_: str) -> bool:
        """Return whether the entry of an id was purged. Raises `MemoryFileError` as `holds` does."""
        return _is_among(self._read(), _of_id(id_))

    def _is_known(self, text: str) -> bool:
        from nanobot_memory_plugins.core.erasure import plain

        known = self._fingerprints.known()
        record = known.texts.get(known.key(plain(text))) if known is not None else None
        return known is not None and record is not None and not known.is_said_again(record.id)

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
    """Return what stands for an id."""
    return f"id:{id_}"


def _hash(salt: str, letters: str) -> str:
    return hashlib.sha256(f"{salt}{letters}".encode()).hexdigest()
