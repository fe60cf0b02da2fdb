"""A workspace contains few files of ours, and few of them are opened at a time."""

import sys

import pytest

from tests.behaviour.kit.life import DAY, Conversation, Life, keep_notes
from tests.behaviour.kit.model import ReadingModel, forget_call, remember_call, search_call

MOST = 14


async def test_ten_sessions_leave_at_most_fourteen_files_besides_transcripts_and_notes(life: Life, model: ReadingModel):
    model.learn("The user takes the ferry.", "I take the ferry")
    for number in range(10):
        async with life.host() as memory:
            talk = Conversation(memory, f"cli:{number}")
            said = f"My boat number {number} lies at pier {number}7."
            await talk.turn(said, "Noted.", remember_call(f"Boat {number} lies at pier {number}7", said))
            await talk.turn("I take the ferry on Mondays.", "Fine.", search_call("boat"))
            await memory.tool_executed(session_key=talk.key, tool_name="exec", arguments={"a": number}, result="done")
            await keep_notes(memory, f"Note {number}", session=talk.key)
            if number == 4:
                await talk.call(forget_call("Boat 2 lies at pier 27"))
            if number == 5:
                await talk.turn("/private My therapist is called Quorvex.", "Fine.")
            await memory.turn_finished(session_key=talk.key, messages=talk.history, context_window=300)
            await talk.compact(window=400)
            await talk.idle(ended=True)
            await memory.flush_index()
        life.clock.advance(DAY)
    assert life.command("purge", "--text", "boat number 3", "--yes").status == 0
    life.command("entries", "undo")
    life.command("pause", "--session", "cli:1")
    async with life.host() as memory:
        await Conversation(memory, "cli:1").turn("The bicycle is green.")
        await memory.flush_index()
    ours = [
        str(path.relative_to(life.workspace))
        for path in life.workspace.rglob("*")
        if path.is_file()
        and path.parent != life.memory / "sessions"
        and not (path.parent == life.memory and path.name.startswith("2026-"))
    ]
    assert len(ours) <= MOST, sorted(ours)


async def test_a_new_entry_opens_at_most_eight_files(life: Life, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")  # no index follows the files beside it
    opened: list[str] = []

    def audit(event: str, given: tuple[object, ...]) -> None:
        if event in ("open", "sqlite3.connect") and str(given[0]).startswith(str(life.memory)):
            opened.append(str(given[0]))

    sys.addaudithook(audit)  # it stays as long as the process
    each_time = []
    async with life.host() as memory:
        talk = Conversation(memory)
        for said in ("My boat lies at pier 7.", "My sister lives in Lund.", "I have two dogs.", "We own a ladder."):
            await talk.hear(said)
            opened.clear()
            assert "Kept" in await talk.call(remember_call(said, said))
            each_time.append(list(opened))
    fewest = min(each_time[1:], key=len)  # the first makes the file, and what was said is synced once a second
    assert 4 <= len(fewest) <= 8, fewest
