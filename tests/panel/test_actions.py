"""Every action of the panel, checked on the bytes of the files."""

import re
from pathlib import Path

from nanobot_memory_plugins.core.clock import ManualClock

from .conftest import Driven, driven


def on_disk(workspace: Path) -> str:
    """Return the file of the entries, but for the time at which it was written."""
    text = (workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
    return re.sub("<!-- Last updated: .* -->\n", "", text)


async def changed(panel: Driven, workspace: Path, before: str) -> str:
    """Wait until the file is another one, and return it."""
    await panel.until(lambda: on_disk(workspace) != before, "a change")
    return on_disk(workspace)


async def test_what_was_typed_stays_until_it_is_written(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("Reports go to Marijke")
        await panel.press("e")
        await panel.sees("Save")
        await panel.press(*" now", "tab", "tab", "tab", *"x", "ctrl+s")
        await panel.until(lambda: "A score is a number between 0 and 1." in panel.said())
        await panel.press("backspace", *"0.5", "ctrl+s")
        after = await changed(panel, workspace, before)
        assert f"{entry.text} now\n" in after
