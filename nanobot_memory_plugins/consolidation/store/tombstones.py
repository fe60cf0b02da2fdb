"""The entries that were forgotten for good: known by digests of their ids and words, and not taken up again.

The state database holds the digests. One of a short text is no secret, so that there is none.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.state import StateDatabase

# Characters of a text from which on a digest of it is kept.
_LEAST_HASHED = 20
_ID, _TEXT = "entry", "text"


class Tombstones:
    """What was purged from the entries of one workspace. Everything here blocks, and raises `StoreError`."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._state = StateDatabase.of(paths)

    def add(self, texts: Iterable[str], ids: Iterable[str], when: datetime) -> None:
        """Remember texts, but for what is short enough to be guessed, and entries by their ids."""
        from nanobot_memory_plugins.core.erasure.matching import folded  # with what reads sentences

        rows = [(_ID, id_) for id_ in ids]
        rows += [(_TEXT, plain) for text in texts if len(plain := folded(text)) >= _LEAST_HASHED]
        for kind, text in rows:
            sql = "INSERT INTO forgotten (kind, digest, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            self._state.execute(sql, (kind, _digest(text), when.isoformat()))

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry was purged, by its id or its words."""
        from nanobot_memory_plugins.core.erasure.matching import folded

        sql = "SELECT 1 FROM forgotten WHERE (kind, digest) IN (VALUES (?, ?), (?, ?))"
        return bool(self._state.read(sql, (_ID, _digest(entry.id), _TEXT, _digest(folded(entry.content)))))

    def holds_id(self, id_: str) -> bool:
        """Return whether the entry of an id was purged."""
        return bool(self._state.read("SELECT 1 FROM forgotten WHERE kind = ? AND digest = ?", (_ID, _digest(id_))))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
