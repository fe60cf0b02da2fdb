"""Memories of which somebody has said that they did not help: recall puts them behind others, one step and no more.

It is kept by the memory's id, without a word of what was said.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values import Hit

_TASK = "unhelpful"
# What the step leaves of a score, and with that of the odds that a memory helps.
STEP = 0.25


class Unhelpful:
    """What did not help in one workspace. It blocks, for any thread, and raises the state's `StoreError`."""

    def __init__(self, workspace: str | Path, clock: Clock | None = None) -> None:
        self._state = StateDatabase.of(workspace)
        self._clock = clock or SystemClock()

    def ids(self) -> frozenset[str]:
        """Return the ids of the memories that did not help."""
        return frozenset(row[0] for row in self._state.read("SELECT subject FROM task WHERE name = ?", (_TASK,)))

    def say(self, hit_id: str, *, helped: bool) -> bool:
        """Remember that a memory did not help, or with ``helped`` take that back; say whether anything is new."""
        if (hit_id in self.ids()) is not helped:
            return False
        if helped:
            self._state.execute("DELETE FROM task WHERE name = ? AND subject = ?", (_TASK, hit_id))
        else:
            row = (_TASK, hit_id, self._clock.now().isoformat())
            self._state.execute("INSERT OR REPLACE INTO task VALUES (?, ?, '{}', ?)", row)
        return True


def demoted(hits: Sequence[Hit], unhelpful: frozenset[str]) -> tuple[Hit, ...]:
    """Return hits with those that did not help one step lower, best first."""
    if unhelpful.isdisjoint(hit.id for hit in hits):
        return tuple(hits)
    scored = [replace(hit, score=hit.score * STEP) if hit.id in unhelpful else hit for hit in hits]
    return tuple(sorted(scored, key=lambda hit: -hit.score))
