"""Memories of which somebody has said that they did not help: recall puts them behind others, one step and no more.

``memory/.usage/unhelpful`` has a line for each time: the memory's id, and whether it was said or taken back. It holds
nothing of what was said; the last line about an id counts.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.daily_rows import append_row, lines_since
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.values import Hit
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What the step leaves of a score, and with that of the odds that a memory helps.
STEP = 0.25


class Unhelpful:
    """What did not help in one workspace. It blocks; any thread's."""

    def __init__(self, workspace: str | Path, clock: Clock | None = None) -> None:
        self._memory = MemoryPaths.of(workspace).memory
        self._folder = self._memory / ".usage" / "unhelpful"
        self._clock = clock or SystemClock()
        self._known: tuple[tuple[tuple[str, int, int], ...], frozenset[str]] = ((), frozenset())

    def ids(self) -> frozenset[str]:
        """Return the ids of the memories that did not help. What cannot be read says nothing."""
        try:
            stamp = self._stamp()
            if stamp != self._known[0]:
                self._known = (stamp, self._read())
        except OSError:
            return frozenset()
        return self._known[1]

    def say(self, hit_id: str, *, helped: bool) -> bool:
        """Write that a memory did not help, or with ``helped`` take that back; say whether anything is new.

        Raises `MemoryFileError`.
        """
        if (hit_id in self.ids()) is not helped:
            return False
        try:
            row = {"id": hit_id, "helped": helped}
            append_row(self._folder, self._clock.now().date(), row, below=self._memory)
        except OSError as error:
            raise MemoryFileError(
                Sentence("That a memory did not help cannot be written: {why}.", why=error.strerror),
                hint="Give this user the right to write below memory/.usage, or free some space.",
            ) from error
        return True

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        try:
            with os.scandir(self._folder) as found:
                return tuple(sorted((one.name, one.stat().st_mtime_ns, one.stat().st_size) for one in found))
        except FileNotFoundError:
            return ()

    def _read(self) -> frozenset[str]:
        said: dict[str, bool] = {}
        for _, line in lines_since(self._folder, date.min):
            try:
                row = json.loads(line)
                said[str(row["id"])] = bool(row["helped"])
            except (ValueError, KeyError, TypeError):
                continue
        return frozenset(id_ for id_, helped in said.items() if not helped)


def lowered(hits: Sequence[Hit], unhelpful: frozenset[str]) -> tuple[Hit, ...]:
    """Return hits with those that did not help one step lower, best first."""
    if unhelpful.isdisjoint(hit.id for hit in hits):
        return tuple(hits)
    scored = [replace(hit, score=hit.score * STEP) if hit.id in unhelpful else hit for hit in hits]
    return tuple(sorted(scored, key=lambda hit: -hit.score))
