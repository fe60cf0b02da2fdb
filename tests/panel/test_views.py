"""The actions of the entry views, and the changes that they write."""

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
        await panel.type_at_once("slash", *"drawings")
        await panel.until(lambda: [entry.content for entry in view.rows] == [
            "The client at Vlaardingen wants drawings in A2"
        ])  # fmt: skip
        await panel.press("enter", "escape")
        await panel.until(lambda: len(view.rows) == 13)


async def test_what_was_typed_stays_until_it_is_written(workspace: Path, config: Path, clock: ManualClock):
    file = workspace / "memory" / "ENTRIES.md"
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("Reports go to Marijke")
        await panel.press("e")
        await panel.sees("Save")
        await panel.press(*" now", "tab", "tab", "tab", *"x", "ctrl+s")
        await panel.until(lambda: "A score is a number between 0 and 1." in panel.said())
        await panel.press("backspace", *"0.5", "ctrl+s")
        await panel.until(lambda: f"{entry.content} now\n" in file.read_text(encoding="utf-8"), "a change")


async def test_a_view_whose_plugin_is_not_there_is_missing(workspace: Path, config: Path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage")
    async with driven(workspace, config) as panel:
        assert list(panel.app.views) == ["search", "sessions", "forgetting", "health"]
        await panel.press("f3")
        await panel.sees("There are no sessions yet.")
