"""Every action of the panel, checked on the bytes of the files."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.values import Origin

from .conftest import Driven, driven


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@pytest.fixture
def broken_config(config: Path) -> Path:
    config.write_text('{"channels": {', encoding="utf-8")
    return config


def on_disk(workspace: Path) -> str:
    return (workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")


async def changed(panel: Driven, workspace: Path, before: str) -> str:
    """Wait until the file is another one, and return it."""
    await panel.until(lambda: on_disk(workspace) != before, "a change")
    return on_disk(workspace)


@pytest.mark.accept("NC-12")
async def test_an_entry_is_edited_and_the_edit_undone(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("spare key")
        await panel.press("e")
        await panel.sees(f"Edit {entry.id}")
        await panel.press(*" now", "tab", *"home", "tab", "tab", *["backspace"] * 4, *"0.9", "ctrl+s")
        after = await changed(panel, workspace, before)
        assert f"### [{entry.id}] fact | 0.90 | " in after
        assert "The spare key is with the neighbour on the second floor now\n" in after
        assert "group: home" in after
        await panel.until(lambda: "Changed." in panel.said())
        await panel.press("u")
        await panel.sees("Undo this?")
        await panel.press("y")
        assert await changed(panel, workspace, after) == before


async def test_before_it_is_forgotten_the_lines_are_shown_that_keep_it(
    workspace: Path, config: Path, clock: ManualClock
):
    sessions = workspace / "memory" / "sessions"
    sessions.mkdir(exist_ok=True)
    said = "The spare key is with the neighbour on the second floor"
    row = {"role": "user", "session": "cli:one", "text": f"By the way. {said}. Bye."}
    (sessions / "cli_one.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("spare key")
        await panel.press("f")
        await panel.sees("Forget this?")
        await panel.sees("cli_one.jsonl, line 1")
        await panel.sees(f"purge {entry.id}")
        await panel.press("n")


async def test_an_edit_that_was_cancelled_or_is_wrong_writes_nothing(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        await panel.press("e")
        await panel.sees("Save")
        await panel.press(*"xyz", "escape")
        await panel.press("e")
        await panel.sees("Save")
        await panel.press("tab", "tab", "tab", *"x", "ctrl+s")
        await panel.until(lambda: "A score is a number between 0 and 1." in panel.said())
        await panel.press("backspace", *"0.5", "shift+tab", *"unheard", "ctrl+s")  # the form is there still
        await panel.until(lambda: any("There is no category" in said for said in panel.said()))
        assert on_disk(workspace) == before
        await panel.press("escape")
        assert on_disk(workspace) == before


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


async def test_a_new_text_is_remembered(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        await panel.press("n")
        await panel.sees("Remember")
        await panel.press(*"Swims", "tab", *"life/sport", "ctrl+s")
        after = await changed(panel, workspace, before)
        assert "\nSwims\n" in after
        assert "group: life/sport" in after
        await panel.sees("Swims")


async def test_marked_entries_are_merged_into_one(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        await panel.go_to("wants drawings in A2")
        await panel.press("space")
        await panel.go_to("Reports go to Marijke")
        await panel.press("space", "m")
        await panel.sees("Merge 2 memories into one")
        await panel.press("f7", *"A2 goes to Marijke", "ctrl+s")
        after = await changed(panel, workspace, before)
        assert after.count("### [") == before.count("### [") - 1
        assert "A2 goes to Marijke\n" in after
        assert "wants drawings in A2" not in after
        await panel.until(lambda: not panel.app.views["memories"].list.marked)
        await panel.press("u")
        await panel.sees("Undo this?")
        await panel.press("y")
        assert await changed(panel, workspace, after) == before


async def test_what_a_model_noted_is_confirmed_and_that_is_undone(workspace: Path, config: Path, clock: ManualClock):
    noted = NewEntry("Prefers trams to buses", origin=Origin.SUMMARY)
    remember(EntryRepository(workspace, clock=clock), noted, who="tool")
    before = on_disk(workspace)
    assert "origin: summary" in before
    async with driven(workspace, config, clock) as panel:
        await panel.go_to("trams to buses")
        await panel.press("c")
        after = await changed(panel, workspace, before)
        assert "origin: summary" not in after
        await panel.press("c")
        await panel.until(lambda: any("your own word already" in said for said in panel.said()))
        await panel.press("u")
        await panel.sees("Undo this?")
        await panel.press("y")
        assert await changed(panel, workspace, after) == before


async def test_one_entry_is_not_merged(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as panel:
        await panel.press("m")
        await panel.until(lambda: any("Mark two or more" in said for said in panel.said()))


@pytest.mark.accept("NC-12")
async def test_an_entry_is_forgotten_and_restored(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("bakery")
        await panel.press("f")
        await panel.sees("Forget this?")
        await panel.press("n")
        assert on_disk(workspace) == before
        await panel.press("f")
        await panel.sees("Forget this?")
        await panel.press("y")
        after = await changed(panel, workspace, before)
        assert "bakery" not in after
        await panel.until(lambda: all("bakery" not in row.text for row in panel.app.views["memories"].list.rows))
        await panel.press("a", "a")
        assert (await panel.go_to("bakery")).gone
        await panel.press("r")
        restored = await changed(panel, workspace, after)
        assert f"### [{entry.id}] preference | 0.80 | " in restored
        assert "Buys bread at the bakery on Witte de Withstraat\n" in restored


async def test_marked_entries_are_forgotten_together_and_undone_from_the_history(
    workspace: Path, config: Path, clock: ManualClock
):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        for words in ("bakery", "spare key", "metric units"):
            await panel.go_to(words)
            await panel.press("space")
        await panel.press("f")
        await panel.sees("Forget these 3?")
        await panel.press("enter")
        after = await changed(panel, workspace, before)
        assert after.count("### [") == before.count("### [") - 3
        await panel.view("history")
        await panel.sees("forget")
        await panel.press("home", "u")
        await panel.sees("Undo this?")
        await panel.press("y")
        assert await changed(panel, workspace, after) == before
        await panel.until(lambda: "Undone." in panel.said())
        await panel.press("home", "u")  # the undoing itself is not offered
        await panel.until(lambda: any("cannot be undone" in said for said in panel.said()))


async def test_what_cannot_be_written_is_said_and_nothing_is_lost(
    workspace: Path, config: Path, clock: ManualClock, repository: EntryRepository
):
    async with driven(workspace, config, clock) as panel:
        entry = await panel.go_to("bakery")
        before = on_disk(workspace)
        await panel.press("f")
        await panel.sees("Forget this?")
        access = panel.app.memory.entries
        assert access is not None
        access.forget([entry.id])  # somebody is faster
        await panel.press("y")
        await panel.until(lambda: any("There is no entry" in said for said in panel.said()))
        access.undo()
        assert on_disk(workspace) == before


async def test_two_panels_change_the_same_memory(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock) as one, driven(workspace, config, clock) as other:
        before = on_disk(workspace)
        await one.go_to("bakery")
        await other.go_to("spare key")
        await one.press("f")
        await other.press("f")
        await one.sees("Forget this?")
        await other.sees("Forget this?")
        await one.press("y")
        await other.press("y")
        await one.until(lambda: on_disk(workspace).count("### [") == before.count("### [") - 2)
        assert "bakery" not in on_disk(workspace)
        assert "spare key" not in on_disk(workspace)


@pytest.mark.accept("PL-03")
async def test_a_plugin_is_switched_in_the_configuration_file(workspace: Path, config: Path, clock: ManualClock):
    before = text_of(config)
    async with driven(workspace, config, clock) as panel:
        await panel.view("plugins")
        rows = panel.app.views["plugins"].list
        rows.action_move_to(next(n for n, row in enumerate(rows.rows) if row.report.name == "recall"))
        await panel.press("space")
        await panel.until(lambda: text_of(config) != before)
        written = json.loads(text_of(config))
        assert written["channels"]["memoryPlugins"] == {
            "storage": {"embeddingProvider": "none"},
            "recall": {"enabled": False},
        }
        assert text_of(config).startswith(before[: before.index("        }\n")])
        assert text_of(config.with_name("config.json.bak")) == before
        await panel.until(lambda: rows.current is not None and not rows.current.wanted)
        await panel.until(lambda: any("switched off" in said for said in panel.said()))
        await panel.press("enter")
        await panel.until(lambda: rows.current is not None and rows.current.wanted)
        assert json.loads(text_of(config))["channels"]["memoryPlugins"]["recall"] == {"enabled": True}


@pytest.mark.slow
@pytest.mark.accept("PL-03")
async def test_a_broken_configuration_is_left_as_it_is_with_a_word(
    workspace: Path, broken_config: Path, clock: ManualClock
):
    config = broken_config
    async with driven(workspace, config, clock) as panel:
        await panel.view("plugins")
        await panel.press("space")
        await panel.until(lambda: any("not JSON" in said for said in panel.said()))
        assert text_of(config) == '{"channels": {'


async def test_without_a_configuration_the_mend_is_named(workspace: Path, clock: ManualClock, tmp_path: Path):
    async with driven(workspace, None, clock) as panel:
        await panel.view("plugins")
        await panel.press("space")
        await panel.until(lambda: any("nanobot-memory init" in said for said in panel.said()))


async def test_secrets_that_are_typed_are_not_stored(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        await panel.press("n")
        await panel.sees("Remember")
        await panel.press(*"the printer stands in room 7 and its password is hunter2hunter2", "ctrl+s")
        written = await changed(panel, workspace, before)
        assert "the printer stands in room 7" in written
        assert "hunter2" not in written


async def test_an_agent_that_writes_meanwhile_loses_nothing(
    workspace: Path, config: Path, clock: ManualClock, repository: EntryRepository
):
    async with driven(workspace, config, clock) as panel:
        await panel.go_to("bakery")
        await panel.press("e")
        await panel.sees("Save")
        remember(repository, NewEntry("learned while the form was open"), who="extraction")
        before = on_disk(workspace)
        await panel.press(*"!", "ctrl+s")
        after = await changed(panel, workspace, before)
        assert "learned while the form was open" in after
        assert "Withstraat!" in after


async def test_what_did_not_help_is_said_in_the_search_and_taken_back(
    workspace: Path, config: Path, clock: ManualClock
):
    marks = workspace / "memory" / ".usage" / "unhelpful"
    async with driven(workspace, config, clock) as panel:
        await panel.view("search")
        await panel.press(*"spare key", "down")
        hits = panel.app.views["search"].list
        await panel.until(lambda: hits.current is not None, "a hit")
        found = hits.current.id
        await panel.press("x")
        await panel.until(lambda: panel.app.memory.unhelpful.ids() == {found}, "the mark")
        await panel.press("x")
        await panel.until(lambda: not panel.app.memory.unhelpful.ids(), "its end")
    rows = [json.loads(line) for file in marks.iterdir() for line in text_of(file).splitlines()]
    assert rows == [{"id": found, "helped": False}, {"id": found, "helped": True}]


async def test_a_message_is_forgotten_for_good_after_a_look_at_its_lines(
    workspace: Path, config: Path, clock: ManualClock
):
    sessions = workspace / "memory" / "sessions"
    sessions.mkdir(exist_ok=True)
    file = sessions / "cli_one.jsonl"
    rows = [
        {"id": f"m{n}", "role": "user", "session": "cli:one", "text": text, "time": f"2026-03-0{n}T10:00:00+00:00"}
        for n, text in enumerate(("The safe stands behind the piano", "The piano is tuned in May"), 1)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    async with driven(workspace, config, clock) as panel:
        await panel.view("search")
        await panel.until(lambda: panel.app.memory.store is not None)
        await panel.app.memory.store.flush()
        await panel.press(*"safe behind", "down")
        hits = panel.app.views["search"].list
        await panel.until(lambda: hits.current is not None and "safe" in hits.current.text, "the hit")
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.sees("cli_one.jsonl, line 1")
        await panel.press("n")
        assert "behind the piano" in text_of(file)
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.press("y")
        await panel.until(lambda: "Forgotten for good." in panel.said())
        assert "behind the piano" not in text_of(file)
        assert "tuned in May" in text_of(file)
        await panel.until(lambda: not any("safe stands" in hit.text for hit in hits.rows), "its end in the list")


async def test_an_entry_is_not_forgotten_for_good_from_the_search(workspace: Path, config: Path, clock: ManualClock):
    before = on_disk(workspace)
    async with driven(workspace, config, clock) as panel:
        await panel.view("search")
        await panel.press(*"spare key", "down")
        hits = panel.app.views["search"].list
        await panel.until(lambda: hits.current is not None and hits.current.source == "long_term", "a hit")
        await panel.press("f")
        await panel.until(lambda: any("in their own view (1)" in one for one in panel.said()))
    assert on_disk(workspace) == before


async def test_a_note_is_forgotten_in_the_view_of_notes_whole_and_alone(
    workspace: Path, config: Path, clock: ManualClock
):
    file = workspace / "memory" / "2026-03-18.md"
    async with driven(workspace, config, clock) as panel:
        await panel.view("notes")
        days = panel.app.views["notes"].list
        days.action_move_to(next(n for n, day in enumerate(days.rows) if day.path == "memory/2026-03-18.md"))
        await panel.press("f")
        await panel.sees("Forget which one?")
        await panel.sees("end plate")
        await panel.press("enter")
        await panel.sees("Forget this for good?")
        await panel.press("n")
        assert "end plate" in text_of(file)
        await panel.press("f")
        await panel.sees("Forget which one?")
        await panel.press("enter")
        await panel.sees("Forget this for good?")
        await panel.press("y")
        await panel.until(lambda: "Forgotten for good." in panel.said())
        assert "end plate" not in text_of(file)
        assert "stays below 20 kg" not in text_of(file)
        assert "the certificate had expired" in text_of(file)
        await panel.until(lambda: "end plate" not in days.current.first, "its end in the list")
        await panel.press("f")  # of the two notes one is left
        await panel.sees("Forget this for good?")
        await panel.sees("certificate")


async def test_a_note_with_details_is_forgotten_whole_from_the_search(
    workspace: Path, config: Path, clock: ManualClock
):
    async with driven(workspace, config, clock) as panel:
        await panel.view("search")
        await panel.until(lambda: panel.app.memory.store is not None)
        await panel.app.memory.store.flush()
        await panel.press(*"end plate joint", "down")
        hits = panel.app.views["search"].list
        await panel.until(lambda: hits.current is not None and "end plate" in hits.current.text, "the hit")
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.press("y")
        await panel.until(lambda: "Forgotten for good." in panel.said())
    left = text_of(workspace / "memory" / "2026-03-18.md")
    assert "end plate" not in left
    assert "stays below 20 kg" not in left


@pytest.mark.parametrize("view", ["sessions", "timeline"])
async def test_a_message_is_forgotten_where_one_reads_it(workspace: Path, config: Path, clock: ManualClock, view: str):
    (file,) = (workspace / "memory" / "sessions").glob("cli_direct*.jsonl")
    async with driven(workspace, config, clock) as panel:
        await panel.view(view)
        rows = panel.app.views[view].list
        keys = [row.key if view == "sessions" else row.one.session for row in rows.rows]
        rows.action_move_to(keys.index("cli:direct"))
        await panel.press("f")
        await panel.sees("Forget which one?")
        choices = panel.app.screen.query_one("#choices")
        choices.action_move_to(next(n for n, row in enumerate(choices.rows) if "Maassluis bridge" in row[2]))
        await panel.press("enter")
        await panel.sees("Forget this for good?")
        await panel.sees("line 1")
        await panel.press("y")
        await panel.until(lambda: "Forgotten for good." in panel.said())
        assert "Maassluis bridge" not in text_of(file)
        assert "You decided that in January" in text_of(file)


async def test_what_a_person_wrote_into_a_day_is_left_to_them(workspace: Path, config: Path, clock: ManualClock):
    file = workspace / "memory" / "2026-03-21.md"
    file.write_text("The boat lies in the second harbour basin\n", encoding="utf-8")
    async with driven(workspace, config, clock) as panel:
        await panel.view("notes")
        await panel.press("f")
        await panel.until(lambda: any("change the file itself" in one for one in panel.said()))
    assert text_of(file) == "The boat lies in the second harbour basin\n"
