"""The entries that were forgotten for good: known by digests of their ids and words, and not taken up again."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.markdown import clean

_KIND = "entry"
# Letters of a text from which on a digest of it is kept: a shorter one could be guessed.
_LEAST_HASHED = 20


class Tombstones:
    """What was purged from the entries of one workspace. Raises `StoreError` where another process holds the state."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._state = StateDatabase.of(paths)

    def add(self, texts: Iterable[str], ids: Iterable[str], when: datetime) -> None:
        """Remember texts, but for what is short enough to be guessed, and entries by their ids."""
        plain = [one for text in texts if len(one := _plain(text)) >= _LEAST_HASHED]
        rows = [(_KIND, _hash(one), when.isoformat()) for one in {*plain, *map(_of_id, ids)}]
        sql = "INSERT INTO forgotten (kind, digest, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._state.write(lambda connection: connection.executemany(sql, rows) and None)

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry was purged, by its id or its words."""
        return self._has(_of_id(entry.id), _plain(entry.content))

    def holds_id(self, id_: str) -> bool:
        """Return whether the entry of an id was purged."""
        return self._has(_of_id(id_))

    def _has(self, *letters: str) -> bool:
        sql = "SELECT 1 FROM forgotten WHERE kind = ? AND digest IN (SELECT value FROM json_each(?)) LIMIT 1"
        return bool(self._state.read(sql, (_KIND, json.dumps([_hash(one) for one in letters]))))


def _of_id(id_: str) -> str:
    """Return what stands for an id; a text without punctuation is never the same."""
    return f"id:{id_}"


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", clean(text)).casefold()
    return "".join(character for character in folded if character.isalnum())


def _hash(letters: str) -> str:
    return hashlib.sha256(letters.encode()).hexdigest()
