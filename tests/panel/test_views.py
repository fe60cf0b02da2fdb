"""What each view shows, at 80 by 24 and on wide terminals, in both languages."""

import asyncio
from pathlib import Path

from nanobot_memory_plugins.core.clock import ManualClock

from .conftest import driven


async def test_memories_are_sorted_and_filtered_by_keys(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as panel:
        view = panel.app.views["memories"]
        await panel.press("s")
        ages = [entry.created_at for entry in view.rows]
        assert ages == sorted(ages, reverse=True)
        await panel.press("s")
        groups = [entry.group for entry in view.rows]
        assert (groups[0], groups[-1]) == ("life", "")
        await panel.press("slash", *"drawings")
        await panel.until(lambda: [entry.text for entry in view.rows] == [
            "The client at Vlaardingen wants drawings in A2"
        ])  # fmt: skip
        await panel.press("enter", "escape")
        await panel.until(lambda: len(view.rows) == 13)


async def test_views_that_are_changed_faster_than_the_tabs_tell_of_it_settle_on_the_last(workspace, config, clock):
    async with driven(workspace, config, clock) as panel:
        for name in ("sessions", "history"):
            await panel.app.action_show(name)
        shown = set()
        for _ in range(20):
            await asyncio.sleep(0.02)
            shown.add(panel.app.current.id)
        assert shown == {"history"}
