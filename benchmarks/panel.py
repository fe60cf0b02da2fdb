"""How a panel of 10,000 entries and 100,000 messages answers keys, beside an empty one: to the last on screen.

What is known of the row under the cursor follows when the cursor rests; it is measured by itself. Moving keys change
nothing in an empty panel: they are set beside a panel of one screenful.
"""

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any
from unittest import mock

from textual import events
from textual.pilot import Pilot

from benchmarks.measure import quiet
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.panel.app import PanelApp
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.memory import PanelMemory
from nanobot_memory_plugins.panel.views import base

SIZE = 10_000
# Messages a session, as many in each of a hundred.
MESSAGES, SESSIONS = 1_000, 100
SCREENFUL = 20
NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
MOVES = ("down", "down", "down", "pagedown", "pagedown", "up", "end", "pageup", "home")
# Keys that change what is drawn in every panel. After "/" come letters of a filter, which esc takes away.
OTHERS = ("s", "s", "s", "a", "a", "a", "a", "/", "p", "y", "t", "escape", "]", "[", "n", "escape", "?", "escape")
ROUNDS = 6
# To reach: the 95th percentile of the large panel beside the empty one.
MOST = 2.0
_NAMES = {"/": "slash", "?": "question_mark", "[": "left_square_bracket", "]": "right_square_bracket"}
_TEXT = ("用户偏好用 pytest 而非 unittest ({})", "Acme pays its invoices within {} days and asks for a copy by post")


def fill(workspace: Path, size: int) -> ManualClock:
    """Write entries into a workspace."""
    clock = ManualClock(NOW)
    (workspace / "memory").mkdir(parents=True)
    entries = {
        f"id{n:06}": Entry(
            f"id{n:06}",
            _TEXT[n % 2].format(n),
            "fact",
            0.25 + n % 70 / 100,
            NOW - timedelta(days=n % 7),
            n % 9,
            NOW - timedelta(days=n % 300),
            group=("", "work", "work/clients", "life")[n % 4],
        )
        for n in range(size)
    }
    EntryRepository(workspace, clock=clock).update(lambda _: entries, who="benchmark", why="fill")
    if size == SIZE:
        say(workspace)
    return clock


def say(workspace: Path) -> None:
    """Write transcripts into a workspace, a message a minute in each session."""
    folder = workspace / "memory" / "sessions"
    folder.mkdir()
    for number in range(SESSIONS):
        rows = (
            {
                "id": f"{number:08x}{n:08x}",
                "time": (NOW - timedelta(minutes=MESSAGES - n)).isoformat(),
                "role": "user",
                "text": _TEXT[n % 2].format(n),
                "origin": "user",
                "session": f"cli-{number}",
            }
            for n in range(MESSAGES)
        )
        lines = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        (folder / f"cli-{number}.jsonl").write_text(lines, encoding="utf-8")


class Stopwatch:
    """Presses keys and says when the last of their effect was drawn."""

    def __init__(self, app: PanelApp, pilot: Pilot[None]) -> None:
        self._app, self._pilot = app, pilot
        self._drawn = 0.0
        app._display = self._draw  # type: ignore[method-assign]

    def _draw(self, _screen: object, update: Any) -> None:
        """Make what a terminal would be sent; without one, the application leaves that out."""
        if hasattr(update, "render_segments"):
            update.render_segments(self._app.console)
        self._drawn = time.perf_counter()

    async def press(self, key: str) -> float | None:
        """Return the seconds from the key to the last of its effect, or None when it changes nothing."""
        begun = time.perf_counter()
        self._app.post_message(events.Key(_NAMES.get(key, key), key if len(key) == 1 else None))
        await self._pilot.pause()
        await self._pilot.pause(0.03)
        return self._drawn - begun if self._drawn > begun else None


async def times_of(
    workspace: Path, clock: ManualClock, keys: tuple[str, ...], *, delay: float, view: str = "memories"
) -> list[float]:
    """Return the seconds of each key that changed something in a view."""
    app = PanelApp(PanelMemory(workspace, clock=clock), PanelWords(), poll_seconds=0)
    with mock.patch.object(base, "_DETAIL_DELAY", delay):
        async with app.run_test(size=(80, 24)) as pilot:
            while app.views["memories"].seen is None:
                await pilot.pause(0.05)
            await app.action_show(view)
            while app.views[view].seen is None:
                await pilot.pause(0.05)
            await pilot.pause(0.3)
            watch = Stopwatch(app, pilot)
            found = []
            for number in range(ROUNDS + 1):
                for key in keys:
                    seconds = await watch.press(key)
                    if seconds is not None and number:  # the first round loads what was never used
                        found.append(seconds)
            return found


def percentile(values: list[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[-1]


@contextmanager
def workspace_of(size: int) -> Iterator[tuple[Path, ManualClock]]:
    """Make a workspace with entries, for a while."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        yield workspace, fill(workspace, size)


def measure(size: int, keys: tuple[str, ...], *, delay: float = 3_600.0, view: str = "memories") -> float:
    """Return the 95th percentile of the keys' answers over ``size`` entries, in seconds."""
    with workspace_of(size) as (workspace, clock), quiet():
        return percentile(asyncio.run(times_of(workspace, clock, keys, delay=delay, view=view)))


def main() -> None:
    """Print the figures, and the ratio that is to be reached."""
    with mock.patch.dict(os.environ, {"NANOBOT_MEMORY_PLUGINS": "consolidation"}):
        empty, many = measure(0, OTHERS), measure(SIZE, OTHERS)
        few, moved = measure(SCREENFUL, MOVES), measure(SIZE, MOVES)
        views = {name: measure(SIZE, MOVES, view=name) for name in ("timeline", "profile", "stats", "sessions")}
        detail = measure(SIZE, ("down",) * 4, delay=0.001)
    print(f"keys, p95: {many * 1e3:.1f} ms at {SIZE:,} entries, {empty * 1e3:.1f} ms in an empty panel: ", end="")
    print(f"{many / empty:.2f} (to reach: {MOST})")
    print(
        f"moving, p95: {moved * 1e3:.1f} ms at {SIZE:,} entries, {few * 1e3:.1f} ms at {SCREENFUL}: {moved / few:.2f}"
    )
    for name, seconds in views.items():
        print(f"moving in {name}, p95: {seconds * 1e3:.1f} ms, {seconds / few:.2f} of {SCREENFUL} memories")
    print(f"what is known of a row, p95: {detail * 1e3:.1f} ms after the key, without the wait for the cursor to rest")


if __name__ == "__main__":
    main()
