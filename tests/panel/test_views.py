"""What each view shows, at 80 by 24 and on wide terminals, in both languages."""

from pathlib import Path

from nanobot_memory_plugins.core.clock import ManualClock

from .conftest import driven


async def test_memories_are_sorted_grouped_and_filtered_by_keys(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as panel:
        rows = panel.app.views["memories"].list
        await panel.press("s")
        ages = [entry.created_at for entry in rows.rows]
        assert ages == sorted(ages, reverse=True)
        await panel.press("s")
        groups = [entry.group for entry in rows.rows]
        assert groups[0] == "life"
        assert groups[-1] == ""
        await panel.press("g")
        await panel.sees("Show which group?")
        await panel.press("down", "down", "down", "down", "enter")
        await panel.until(lambda: {entry.group for entry in rows.rows} == {"work", "work/clients", "work/site"})
        await panel.press("slash", *"drawings")
        await panel.until(lambda: [entry.text for entry in rows.rows] == [
            "The client at Vlaardingen wants drawings in A2"
        ])  # fmt: skip
        await panel.press("enter", "escape")
        await panel.until(lambda: len(rows.rows) == 13)


async def test_archived_and_forgotten_memories_have_sections_of_their_own(
    workspace: Path, config: Path, clock: ManualClock
):
    async with driven(workspace, config, clock) as panel:
        rows = panel.app.views["memories"].list
        await panel.press("a")
        assert [entry.archived for entry in rows.rows] == [True]
        await panel.press("a")
        assert [(entry.gone, entry.text) for entry in rows.rows] == [(True, "The old office was on Coolsingel")]
        await panel.press("a")
        assert len(rows.rows) == 15


async def test_the_search_finds_while_one_types_and_marks_what_hit(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, size=(120, 30)) as panel:
        await panel.app.action_show("search")
        await panel.until(lambda: panel.app.memory.store is not None)
        await panel.app.memory.store.flush()  # type: ignore[union-attr]
        await panel.press(*"certificate")
        await panel.sees("memory/2026-03-18.md:13")
        view = panel.app.views["search"]
        hit = view.list.rows[0]
        cell = view.list._cells(hit)[-1]
        assert {cell.plain[span.start : span.end] for span in cell.spans} == {"certificate"}
        text = await view.detail(hit)
        assert any(text.plain[span.start : span.end] == "certificate" for span in text.spans)
        await panel.press("escape", "slash", *["backspace"] * 11, *"乌龙茶")
        await panel.until(lambda: view.list.rows and "乌龙茶" in view.list.rows[0].text)
        assert "ENTRIES.md:" in panel.screen()
