"""The panel shows what is remembered, and each of its actions changes the files as a command would."""

import json
import time
from pathlib import Path

import pytest

from tests.behaviour.kit.life import Conversation, Life, keep_notes
from tests.behaviour.kit.model import remember_call
from tests.behaviour.kit.panel import panel_of


@pytest.fixture
async def config(life: Life, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Live through a conversation, and return the configuration."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    said = "I keep bees in Lisbon."
    async with life.host() as memory:
        await Conversation(memory).turn(said, "Noted.", remember_call("The user keeps bees in Lisbon.", said))
        await keep_notes(memory, "The boiler was mended.")
        await memory.flush_index()
    file = life.folder / "panel.json"
    options = life.configuration()
    file.write_text(json.dumps({"channels": {"memoryPlugins": options, "x": 1}}, indent=4), encoding="utf-8")
    return file


def kept(life: Life) -> str:
    return (life.memory / "ENTRIES.md").read_text(encoding="utf-8")


@pytest.mark.accept("NC-12")
async def test_entries_are_added_edited_forgotten_restored_and_undone(life: Life, config: Path):
    async with panel_of(life.workspace, config, life.clock) as panel:
        await panel.sees("keeps bees")
        before = kept(life)
        await panel.press("e")
        await panel.sees("Edit")
        await panel.type_at_once(*"xx", "escape")
        assert kept(life) == before, "cancelled"
        await panel.press("e")
        await panel.sees("Edit")
        await panel.type_at_once(*" now", "ctrl+s")
        await panel.until(lambda: "Lisbon. now" in kept(life), "the edit")
        await panel.press("u")
        await panel.sees("Undo this?")
        await panel.press("y")
        await panel.until(lambda: "Lisbon. now" not in kept(life), "the undoing")
        await panel.press("n")
        await panel.sees("Remember")
        await panel.press(*"Swims", "tab", *"life/sport", "ctrl+s")
        await panel.until(lambda: "Swims" in kept(life), "the new entry")
        await panel.sees("Swims")
        await panel.sees("/ Filter")
        await panel.type_at_once("slash", *"Swims", "enter")
        await panel.press("f")
        await panel.sees("Forget this?")
        await panel.press("n", "f")
        await panel.sees("Forget this?")
        await panel.press("y")
        await panel.until(lambda: len(life_of(life)) == 1, "the forgetting")
        await panel.press("escape", "u")
        await panel.sees("Undo this?")
        await panel.press("y")
        await panel.until(lambda: len(life_of(life)) == 2, "the restoring")
    assert {entry["group"] for entry in life.entries() if entry["content"] == "Swims"} == {"life/sport"}


def life_of(life: Life) -> list[str]:
    """Return the active entries as they stand in the file."""
    active = kept(life).partition("## Archived")[0]
    return [line for line in active.splitlines() if line.startswith("### [")]


@pytest.mark.accept("NC-12")
async def test_every_view_shows_what_is_there_and_search_finds_while_one_types(life: Life, config: Path):
    assert life.command("entries", "group", life.entries()[0]["id"], "--to", "hives").status == 0
    async with panel_of(life.workspace, config, life.clock) as panel:
        for name in panel.app.views:
            await panel.show(name)
        await panel.show("sessions")
        await panel.sees("boiler was mended")
        await panel.press("down")
        await panel.sees("I keep bees in Lisbon.")
        await panel.show("history")
        await panel.sees("remember", "none → hives")
        await panel.show("search")
        await panel.type_at_once(*"boiler")
        await panel.sees("2026-02-16.md")
    async with panel_of(life.workspace, config, life.clock, language="zh") as panel:
        assert "记忆" in panel.screen()


async def test_a_session_and_words_are_forgotten_for_good_after_a_look(life: Life, config: Path):
    def holding(words: str) -> list[str]:
        files = [file for file in life.memory.rglob("*") if file.is_file()]
        return [file.name for file in files if words.encode() in file.read_bytes()]

    async with panel_of(life.workspace, config, life.clock) as panel:
        await panel.show("sessions")
        rows = panel.app.views["sessions"].rows
        session = next(number for number, row in enumerate(rows) if row.path.suffix == ".jsonl")
        await panel.press(*["down"] * session, "f")
        await panel.sees("lines would go", "bees in Lisbon")
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.press("n")
        assert holding("I keep bees"), "only asked"
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.press("y")
        await panel.until(lambda: not holding("I keep bees"), "the forgetting")
        await panel.type_at_once("slash", *"boiler was mended", "enter")
        await panel.sees("2026-02-16.md")
        await panel.press("f")
        await panel.sees("Forget this for good?")
        await panel.press("y")
        await panel.until(lambda: not holding("boiler was mended"), "the forgetting of words")


async def test_the_memory_is_paused_and_resumed_by_a_key(life: Life, config: Path):
    for told, is_paused in (("is paused", True), ("goes on", False)):
        async with panel_of(life.workspace, config, life.clock) as panel:
            await panel.press("ctrl+p")
            await panel.until(lambda panel=panel, told=told: told in panel.said(), told)
        assert life.command("pause", "--session", "x", "--json").json["all"] is is_paused
