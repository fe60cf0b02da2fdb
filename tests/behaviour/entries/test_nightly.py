"""The daily consolidation: it merges a week's notes into the entries, and names itself as the author."""

import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryHost, Note, Origin
from nanobot_memory_plugins.tools.scripted_model import Reply
from tests.behaviour.kit.life import DAY, Life
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

NIGHTLY: dict[str, dict[str, Any]] = {
    "consolidation": {"consolidationSchedule": True, "consolidationDelay": 0},
    "core": {"languageModel": {"attempts": 1}},
}
Night = Callable[[], Awaitable[None]]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")


async def night(life: Life, done: Callable[[], object], *, nights: int = 4, seconds: float = 80.0) -> bool:
    """Let nights pass until ``done``; the very first start only begins to count the days."""
    for _ in range(nights):
        life.clock.advance(DAY)
        async with life.host(**NIGHTLY):
            with suppress(TimeoutError):
                await until(done, seconds=seconds / nights)
                return True
    return False


async def begin(life: Life) -> None:
    """Start for the first time, so that later nights are counted."""
    await night(life, lambda: False, nights=1, seconds=0.3)


async def note(life: Life, text: str, origin: Origin = Origin.USER) -> None:
    async with life.host() as memory:
        await keep(memory, text, origin)


async def keep(memory: MemoryHost, text: str, origin: Origin = Origin.USER) -> None:
    await memory.keep(Note(text, origin=origin), session_key="cli:direct")


def git(life: Life, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=life.workspace, check=True, capture_output=True, text=True).stdout


def runs(life: Life) -> list[dict[str, Any]]:
    return [
        run
        for run in life.command("entries", "history", "--json").json["runs"]
        if run["who"] == "consolidation" and any(one["after"] != one["before"] for one in run["changes"])
    ]


@pytest.mark.accept("NC-06")
async def test_a_consolidation_adds_merges_updates_and_archives_in_one_run_that_can_be_undone(
    life: Life, model: ReadingModel
):
    for text in (
        "The user drinks green tea in the morning",
        "The user has a dog named Bruno",
        "Bruno is the dog of the user",
        "The printer is being repaired this week",
    ):
        life.command("entries", "remember", text, "--importance", "medium")
    file = life.memory / "ENTRIES.md"
    file.write_text(file.read_text(encoding="utf-8") + "\n## Mine\n\nOffice: Paris.\n", encoding="utf-8")
    for arguments in (("init", "-q"), ("config", "user.email", "a@b.c"), ("config", "user.name", "a")):
        git(life, *arguments)
    life.options["consolidation"] = {"gitCommit": True}
    await begin(life)
    async with life.host() as memory:
        await keep(memory, "The user's sister Hanna lives in Lisbon")
        await keep(memory, "The user drinks coffee in the morning since March")
        await keep(memory, "A page says that the user likes gambling", Origin.WEB)
    model.nightly = [
        {"text": "The user's sister Hanna lives in Lisbon", "kind": "fact", "importance": "high"},
        {"text": "The user drinks coffee in the morning since March", "ends": ["green tea"]},
        {"text": "The user has a dog named Bruno, a beagle", "ends": ["named Bruno", "Bruno is"]},
        {"text": "The user likes gambling", "kind": "fact", "importance": "high"},
    ]
    model.nightly_archive = ["printer"]
    branch = life.workspace / ".git" / "refs" / "heads"
    assert await night(life, lambda: runs(life) and any(branch.iterdir()))  # the commit follows the run
    (asked,) = model.asked("consolidation")
    assert all(words in asked.last_user for words in ("Hanna lives in Lisbon", "named Bruno", "Office: Paris."))
    active = {one["content"] for one in life.entries() if one["section"] == "active"}
    assert active == {
        "The user's sister Hanna lives in Lisbon",
        "The user drinks coffee in the morning since March",
        "The user has a dog named Bruno, a beagle",
    }
    archived = {one["content"]: one["superseded_by"] != "" for one in life.entries() if one["section"] == "archived"}
    assert archived == {
        "The user drinks green tea in the morning": True,
        "The user has a dog named Bruno": True,
        "Bruno is the dog of the user": True,
        "The printer is being repaired this week": False,
    }
    assert "Office: Paris." in file.read_text(encoding="utf-8")
    assert "consolidation" in git(life, "log", "--format=%B")
    (run,) = runs(life)
    assert life.command("entries", "undo", run["run"]).status == 0
    assert {one["content"] for one in life.entries() if one["section"] == "active"} >= {
        "The user drinks green tea in the morning",
        "Bruno is the dog of the user",
    }


@pytest.mark.accept("NC-06")
async def test_a_consolidation_reads_seven_days_and_makes_no_call_without_news(life: Life, model: ReadingModel):
    await begin(life)
    async with life.host() as memory:
        for day in range(9):
            await keep(memory, f"The note of day {day} is here")
            life.clock.advance(DAY)
    model.nightly = [{"text": "The note of day 8 is here", "importance": "high"}]
    assert await night(life, lambda: runs(life))
    shown = model.asked("consolidation")[0].last_user
    assert "day 8" in shown
    assert "day 4" in shown
    assert "day 0" not in shown
    assert not await night(life, lambda: len(model.asked("consolidation")) > 1, nights=2, seconds=1)
    await note(life, "The user's sister Hanna lives in Lisbon")
    assert await night(life, lambda: len(model.asked("consolidation")) > 1)


async def test_a_consolidation_that_fails_or_would_drop_many_entries_changes_nothing(life: Life, model: ReadingModel):
    facts = [f"Fact number {number} about the user" for number in range(12)]
    file = life.memory / "ENTRIES.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"- {fact}\n" for fact in facts), encoding="utf-8")
    assert len(life.entries()) == len(facts)
    await begin(life)
    await note(life, "The user's sister Hanna lives in Lisbon")
    model.nightly_archive = [f"number {number} " for number in range(8)]
    assert await night(life, lambda: model.asked("consolidation"))
    model.fails["consolidation"] = Reply("I'm sorry, I cannot help with that.")
    await note(life, "The user's brother Emil lives in Porto")
    assert await night(life, lambda: len(model.asked("consolidation")) > 1)
    assert {one["content"] for one in life.entries() if one["section"] == "active"} == set(facts)
    del model.fails["consolidation"]  # unanswered notes are read again with the next ones
    await note(life, "The user's cat is called Mimi")
    model.nightly_archive = []
    model.nightly = [{"text": "The user's brother Emil lives in Porto", "importance": "high"}]
    assert await night(life, lambda: runs(life))
    assert "The user's brother Emil lives in Porto" in {one["content"] for one in life.entries()}


async def test_an_interrupted_consolidation_is_not_repeated_at_each_start(life: Life, model: ReadingModel):
    await begin(life)
    await note(life, "The user's sister Hanna lives in Lisbon")
    model.fails["consolidation"] = Reply("{}", delay=3.0)
    assert await night(life, lambda: model.asked("consolidation"), nights=1)
    del model.fails["consolidation"]
    model.nightly = [{"text": "The user's sister Hanna lives in Lisbon", "importance": "high"}]
    async with life.host(**NIGHTLY):
        with pytest.raises(TimeoutError):
            await until(lambda: len(model.asked("consolidation")) > 1, seconds=1.0)
    await note(life, "The user's cat is called Mimi")
    assert await night(life, lambda: runs(life), nights=1, seconds=3)
