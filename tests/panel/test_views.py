"""What each view shows, at 80 by 24 and on wide terminals, in both languages."""

from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
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


async def test_of_many_memories_a_thousand_are_shown_and_words_find_the_others(workspace: Path, config: Path):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    entries = {f"id{n:06}": Entry(f"id{n:06}", f"Crate number {n}", "fact", 0.5, now, 0, now) for n in range(3_000)}
    EntryRepository(workspace, clock=ManualClock(now)).update(lambda _: entries, who="test", why="fill")
    async with driven(workspace, config, ManualClock(now)) as panel:
        view = panel.app.views["memories"]
        await panel.sees("1,000 are shown")
        assert (view.table.row_count, len(view.rows)) == (1_000, 1_000)
        await panel.press("slash", *"number 2999")
        await panel.until(lambda: [entry.text for entry in view.rows] == ["Crate number 2999"])


async def test_archived_and_forgotten_memories_have_sections_of_their_own(
    workspace: Path, config: Path, clock: ManualClock
):
    async with driven(workspace, config, clock) as panel:
        view = panel.app.views["memories"]
        await panel.press("a")
        assert [entry.archived for entry in view.rows] == [True]
        await panel.press("a")
        assert [(entry.gone, entry.text) for entry in view.rows] == [(True, "The old office was on Coolsingel")]
        await panel.press("a")
        assert len(view.rows) == 15


async def test_the_search_finds_while_one_types_and_marks_what_hit(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, size=(120, 30)) as panel:
        await panel.app.action_show("search")
        await panel.until(lambda: panel.app.memory.store is not None)
        await panel.app.memory.store.flush()  # type: ignore[union-attr]
        await panel.press(*"certificate")
        await panel.sees("memory/2026-03-18.md:13")
        view = panel.app.views["search"]
        hit = view.rows[0]
        cell = view.table.get_row_at(0)[-1]
        assert {cell.plain[span.start : span.end] for span in cell.spans} == {"certificate"}
        text = await view.detail(hit)
        assert any(text.plain[span.start : span.end] == "certificate" for span in text.spans)
        await panel.press("escape", "slash", *["backspace"] * 11, *"乌龙茶")
        await panel.until(lambda: view.rows and "乌龙茶" in view.rows[0].text)
        assert "ENTRIES.md:" in panel.screen()
