"""What each view shows, at 80 by 24 and on wide terminals, in both languages."""

import json
import re
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Static

from docs import picture_workspace
from docs.picture_workspace import make_workspace
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.panel.app import VIEWS

from ..cli.test_in_chinese import english_in
from ..support.chinese import simplified_only, turned
from .conftest import driven


def uses_on_disk(workspace: Path) -> list[dict[str, int]]:
    files = workspace.glob("memory/.usage/*")
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.accept("NC-12")
async def test_memories_are_shown_by_score_with_age_group_and_a_chart(
    workspace: Path, config: Path, clock: ManualClock
):
    async with driven(workspace, config, clock, size=(160, 50)) as panel:
        rows = panel.app.views["memories"].list.rows
        scores = [entry.score for entry in rows]
        assert scores == sorted(scores, reverse=True)
        assert len(rows) == 13
        await panel.go_to("called Lin")
        await panel.sees("used 4 times")
        screen = panel.screen()
        assert "10w life" in screen
        assert "▇" in screen or "█" in screen
        assert "2026-01-09" in screen  # where the chart begins
        assert "added extraction: remember" in screen or "added user: remember" in screen


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


@pytest.mark.slow
async def test_notes_sessions_cost_and_history_are_shown(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, size=(160, 50)) as panel:
        await panel.view("notes")
        await panel.press("down", "down")
        await panel.sees("Chose a 16 mm end plate")
        await panel.sees("Two bolts less")
        await panel.view("sessions")
        await panel.sees("telegram:4711")
        await panel.press("down", "down")
        await panel.sees("EN 1993-2. You decided that in January.")
        await panel.view("cost")
        await panel.sees("Tokens by day")
        rows = panel.app.views["cost"].list.rows
        recorded = uses_on_disk(workspace)
        assert sum(row.uses for row in rows) == len(recorded)
        assert sum(row.prompt_tokens for row in rows) == sum(row["prompt_tokens"] for row in recorded)
        await panel.view("history")
        await panel.sees("The old office was on Coolsingel")


async def test_plugins_and_health_are_shown(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, size=(160, 50)) as panel:
        await panel.view("plugins")
        rows = {row.report.name: row for row in panel.app.views["plugins"].list.rows}
        assert rows["consolidation"].wanted
        assert rows["consolidation"].report.state.value == "active"
        assert rows["recall"].report.state.value == "disabled"  # the environment leaves it out
        await panel.view("health")
        await panel.sees("Level 2: words only")
        await panel.sees("scored entries")
        assert "0 bytes to index" in panel.screen() or "bytes to index" in panel.screen()


@pytest.mark.parametrize(
    ("size", "language"),
    [((80, 24), "en"), ((80, 24), "zh"), ((80, 24), "zh_Hant"), ((160, 50), "zh")],
    ids=["narrow", "chinese", "traditional", "wide"],
)
async def test_every_view_fits(workspace: Path, config: Path, clock: ManualClock, size: tuple[int, int], language: str):
    async with driven(workspace, config, clock, size=size, language=language) as panel:
        for name, view in VIEWS.items():
            await panel.view(name)
            await panel.until(lambda name=name: name == "search" or panel.app.views[name].list.rows)
            lines = panel.lines()
            assert len(lines) == size[1]
            assert {cell_len(line) for line in lines} == {size[0]}
            for other in VIEWS.values():  # no name of a view is cut
                assert panel.app.words(other.name_of_view) in lines[1] + lines[2]
            assert panel.app.words("All keys") in lines[-1]
            assert panel.app.words(view.name_of_view) in lines[1] + lines[2]


async def test_columns_stand_in_line_whatever_the_script(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as panel:
        rows = panel.app.views["memories"].list
        starts = set()
        for number, entry in enumerate(rows.rows[:8]):
            line = rows.render_line(number + 1).text
            start = line.index(entry.text[:4])
            starts.add(cell_len(line[:start]))
        assert len(starts) == 1


async def test_the_mouse_does_what_keys_do(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as panel:
        await panel.pilot.click(panel.app.views["memories"].list, offset=(10, 4))
        assert panel.app.views["memories"].list.cursor == 3
        await panel.pilot.click(panel.app.view_bar, offset=(panel.lines()[1].index("3 Notes") + 2, 0))
        await panel.until(lambda: panel.app.current.id == "notes")
        await panel.pilot.click(panel.app.view_bar, offset=(2, 0))
        await panel.until(lambda: panel.app.current.id == "memories")
        await panel.pilot.click(panel.app.key_bar, offset=(panel.lines()[-1].index("Forget") + 1, 0))
        await panel.sees("Forget this?")


async def test_what_agents_write_appears_by_itself(
    workspace: Path, config: Path, clock: ManualClock, repository: EntryRepository
):
    async with driven(workspace, config, clock, poll_seconds=0.05) as panel:
        chosen = await panel.go_to("metric units")
        remember(repository, NewEntry("The agent has learned this just now"), who="extraction")
        await panel.sees("The agent has learned this")
        assert panel.entry.id == chosen.id  # the cursor stays where it was
        await panel.view("notes")
        with (workspace / "memory" / "2026-03-21.md").open("w", encoding="utf-8") as file:
            file.write("### 2026-03-21 10:00\ntype: note\ntl;dr: a note of tomorrow\n\n")
        await panel.sees("a note of tomorrow")


async def test_a_locked_file_holds_up_neither_panel_nor_agent(
    workspace: Path, config: Path, clock: ManualClock, repository: EntryRepository
):
    async with driven(workspace, config, clock, poll_seconds=0.05) as panel:
        with repository.locked():
            for name in VIEWS:
                await panel.view(name)
            await panel.view("memories")
            await panel.press("down", "down")
            await panel.sees("Prefers metric units")
        assert remember(repository, NewEntry("written beside the panel"), who="extraction").is_new


async def test_help_names_every_key_of_every_view(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, size=(100, 50)) as panel:
        await panel.press("question_mark")
        await panel.sees("Everywhere")
        await panel.sees("Merge")
        await panel.press("escape")
        await panel.until(lambda: "Everywhere" not in panel.screen())


async def test_p_tells_what_is_known_by_kind_and_about_a_name_under_its_other_names(
    workspace: Path, config: Path, clock: ManualClock
):
    repository, session = EntryRepository(workspace, clock=clock), "cli:ana"
    said = TranscriptRecord("user", "Ana runs a bakery.", session, Scope(), Origin.USER, "m1", clock.now())
    repository.paths.transcript(session).write_bytes(render_transcript_line(said))
    for text in ("Anastasia (also called Ana) is allergic to nuts", "The user's sister Ana runs a bakery"):
        remember(repository, NewEntry(text, source_session=session), who="user")
    async with driven(workspace, config, clock, size=(120, 40)) as panel:
        await panel.press("p")
        await panel.sees("preference:")
        await panel.press(*"anastasia")
        await panel.sees("is also called Ana")
        await panel.sees("runs a bakery (since 2026-03-20; “Ana runs a")
        assert "preference:" not in panel.screen()
        await panel.press(*" x")
        await panel.sees("Nothing is known about anastasia x.")
        await panel.press("escape", "question_mark")
        await panel.sees("Profile")


async def test_timeline_profile_and_stats_are_shown(workspace: Path, config: Path, clock: ManualClock):
    sessions = workspace / "memory" / "sessions"
    for session, day, texts in (
        ("old", "2026-01-05", ("I sold the blue boat", "OK, noted.")),
        ("new", "2026-03-01", ("The kiln fires at 900 degrees",)),
    ):
        (sessions / f"{session}.jsonl").write_bytes(
            b"".join(
                render_transcript_line(
                    TranscriptRecord(
                        "assistant" if number else "user",
                        text,
                        session,
                        Scope(session=session),
                        Origin.ASSISTANT if number else Origin.USER,
                        id=f"{session}{number}",
                        time=datetime.fromisoformat(f"{day}T10:0{number}:00+00:00"),
                    )
                )
                for number, text in enumerate(texts)
            )
        )
    async with driven(workspace, config, clock, size=(160, 50)) as panel:
        await panel.press("9")
        await panel.until(lambda: panel.app.views["timeline"].seen is not None)
        rows = {(f"{row.one.day}", row.one.session): row for row in panel.app.views["timeline"].list.rows}
        assert rows["2026-01-05", "old"].one.messages == 2
        days = [row.one.day for row in panel.app.views["timeline"].list.rows]
        assert days == sorted(days, reverse=True)
        text = await panel.app.views["timeline"].detail(rows["2026-01-05", "old"])
        assert "I sold the blue boat" in text.plain
        assert "OK, noted." in text.plain
        await panel.press("0")
        profile = panel.app.views["profile"]
        await panel.until(lambda: profile.seen is not None)
        assert any("Lin" in row.one.entry.text for row in profile.list.rows)
        await panel.press("minus")
        stats = panel.app.views["stats"]
        await panel.until(lambda: stats.seen is not None)
        assert {row.name: row.messages for row in stats.list.rows}["2026-01"] >= 2
        await panel.sees("messages,")
        await panel.view("search")
        await panel.app.memory.store.flush()
        found = await panel.app.memory.search("noted boat", 20)
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        assert any("blue boat" in hit.text for hit in found.hits)
        assert not any(hit.text == "OK, noted." for hit in found.hits)


async def test_on_a_screen_as_narrow_as_a_telephones_every_list_shows_its_texts_and_the_bars_every_name(
    workspace: Path, config: Path, clock: ManualClock
):
    texts = {
        "memories": "Buys bread",
        "notes": "Ask Marijke whether",
        "sessions": "Here it is; Marijke",
        "plugins": "disabled",
        "health": "good",
        "cost": "extraction",
        "history": "The bri",
        "timeline": "Draft the mail about",
        "profile": "Buys bread",
        "stats": "New in",
    }
    async with driven(workspace, config, clock, size=(48, 44)) as panel:
        for name, text in texts.items():
            await panel.view(name)
            rows = panel.app.views[name].list
            await panel.until(lambda: text in "\n".join(panel.lines()[rows.region.y : rows.region.bottom]), name)  # noqa: B023
            bar = " ".join(panel.screen().split("\n")[1:5])
            assert [view.name_of_view for view in VIEWS.values() if view.name_of_view not in bar] == []
        await panel.view("memories")
        labels = [key.label for key in panel.app.views["memories"].key_list()]
        await panel.until(lambda: all(label in "\n".join(panel.lines()[-4:]) for label in labels), "every key")
        await panel.view("search")
        await panel.press(*"bridge")
        await panel.until(lambda: panel.app.views["search"].list.rows)
        await panel.sees("The bridge at Maassluis is che")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "language"),
    [((80, 24), "zh"), ((160, 50), "zh"), ((160, 50), "zh_Hant")],
    ids=["narrow", "wide", "traditional"],
)
async def test_no_view_speaks_english_or_the_other_script_in_chinese(
    tmp_path: Path, config: Path, size: tuple[int, int], language: str, monkeypatch: pytest.MonkeyPatch
):
    if language == "zh_Hant":
        life = picture_workspace.LIVES["zh"]
        parts = {one.name: turned(getattr(life, one.name)) for one in fields(life)}
        monkeypatch.setitem(picture_workspace.LIVES, "zh", replace(life, **parts))
    workspace = tmp_path / "chinese"
    workspace.mkdir()
    clock = make_workspace(workspace, "zh")
    async with driven(workspace, config, clock, size=size, language=language) as panel:
        for name, view in panel.app.views.items():
            await panel.view(name)
            if name == "search":
                await panel.until(lambda: panel.app.memory.store is not None)
                await panel.app.memory.store.flush()
                await panel.press(*"周三")
                await panel.until(lambda: panel.app.views["search"].list.rows)
            for _ in range(min(3, max(1, len(view.list.rows)))):
                await panel.pilot.pause(0.2)
                # What stands side by side is no one sentence.
                shown = "\n".join(re.split(r" {2,}|[│▁-█]", panel.screen().replace(str(workspace), "")))
                told = view.pane.query_one(Static).content
                assert english_in(re.sub(r"[^\n ]*nanobot-memory[^\n ]*", "", shown)) == [], name
                assert english_in(str(told)) == [], name
                assert language == "zh" or simplified_only(shown + str(told)) == set(), name
                view.list.action_move(1)
        await panel.press("question_mark")
        await panel.pilot.pause(0.3)
        told = str(panel.app.screen.query("Static").last(Static).content)
        assert english_in(told) == []
        assert language == "zh" or simplified_only(told) == set()
        await panel.press("escape")
        await panel.view("memories")
        await panel.press("p")
        await panel.sees(panel.app.words("{kind}:", kind=panel.app.words("preference")))
        assert english_in(panel.screen()) == []
        assert language == "zh" or simplified_only(panel.screen()) == set()
