"""What was forgotten on somebody's order and could be brought back: until then conversations do not bring it up."""

import os
import threading
from collections.abc import Collection
from pathlib import Path

from nanobot_memory_plugins.consolidation.journal import entries_folder
from nanobot_memory_plugins.consolidation.keeping import read_file, write_private
from nanobot_memory_plugins.consolidation.operations import FORGET
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.core.erasure import Wanted
from nanobot_memory_plugins.core.errors import MemoryFileError

_NAME = "said-again"


class WithheldTexts:
    """The texts of the entries that were forgotten, and neither brought back, purged nor said again. It blocks.

    ``memory/.entries/said-again`` names the entries whose words were said again: ids, and no words.
    """

    def __init__(self, repository: EntryRepository) -> None:
        self._repository = repository
        self._file = entries_folder(repository.paths) / _NAME
        self._lock = threading.Lock()
        self._known: tuple[tuple[str, ...], dict[str, str]] = ((), {})

    def texts(self) -> tuple[str, ...]:
        """Return the texts, each once. Raises `MemoryFileError`."""
        return tuple(dict.fromkeys(self._forgotten().values()))

    def hear(self, text: str) -> None:
        """Learn what the user says: what is said again is not withheld any longer. Raises `MemoryFileError`."""
        again = [id_ for id_, content in self._forgotten().items() if Wanted([content]).count(text)]
        if again:
            with self._repository.locked():
                write_private(self._file, "".join(f"{id_}\n" for id_ in {*self._said_again(), *again}).encode())

    def _forgotten(self) -> dict[str, str]:
        stamp = tuple(map(_stamp, (self._repository.journal.path, self._repository.path, self._file)))
        with self._lock:
            if self._known[0] != stamp:
                self._known = (stamp, self._read())
            return self._known[1]

    def _read(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for run in self._repository.journal.runs():
            for change in run.changes:
                if change.after is not None:
                    found.pop(change.id, None)
                elif run.why == FORGET and change.before is not None:
                    found[change.id] = change.before.content
        if not found:
            return {}
        there = self._repository.load().entries
        again: Collection[str] = self._said_again()
        known = Wanted([entry.content for entry in there.values()])
        return {
            id_: text for id_, text in found.items() if id_ not in there and id_ not in again and not known.count(text)
        }

    def _said_again(self) -> frozenset[str]:
        try:
            return frozenset((read_file(self._file) or b"").decode("ascii", "replace").split())
        except MemoryFileError:
            return frozenset()


def _stamp(path: Path) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
