"""Once for the same messages, once a cycle, across restarts and processes."""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import LanguageModelError
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from tests.flush.conftest import TALK, WINDOW, Model, chat, cut, entries_json, notes

DECIDED = "They decided to use PostgreSQL 16 on port 5433 for Bluebird."
MORE = chat("The release is planned for 12 May.", "Noted: 12 May.")
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def ahead(host, messages, tokens: int = 180_000):
    return host.turn_finished(session_key="cli:direct", messages=messages, context_tokens=tokens, context_window=WINDOW)


@pytest.mark.accept("FL-06")
async def test_the_same_messages_are_flushed_once_across_restarts(memory, workspace):
    model = Model(entries_json(DECIDED))
    for _ in range(3):
        async with memory(model) as host:
            await cut(host, TALK)
            await cut(host, TALK[2:])
    assert len(model.asked) == 1
    assert len(notes(workspace)) == 1
    state = list((workspace / ".storage" / "flush").glob("*.json"))
    assert [file.stat().st_mode & 0o777 for file in state] == [0o600]


async def test_zero_calls_when_nothing_is_new(memory, workspace):
    model = Model(entries_json(DECIDED))
    async with memory(model) as host:
        await cut(host, TALK)
        for _ in range(5):
            await cut(host, [{"role": "system", "content": "Summary of the conversation before"}, *TALK])
            await ahead(host, TALK)
        await cut(host, [])
        await cut(host, [{"role": "system", "content": "only this"}])
    assert len(model.asked) == 1


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
async def test_what_an_earlier_compaction_put_there_is_not_taken_for_something_said(memory, workspace, role):
    summary = {"role": role, "content": marked_summary("They talked about the zeppelin hangar.", "en")}
    async with memory(None) as host:
        await cut(host, [summary])
        assert notes(workspace) == []
        await cut(host, [summary, *TALK])
    text = "".join(note.tldr + note.details for note in notes(workspace))
    assert "Marta" in text
    assert "zeppelin" not in text


async def test_of_a_history_that_went_on_only_the_new_part_is_flushed(memory, workspace):
    model, clock = Model(entries_json(DECIDED)), ManualClock(NOW)
    async with memory(model, clock=clock) as host:
        await cut(host, TALK)
        clock.advance(3_600)
        model.answer = entries_json("The release is planned for 12 May.")
        await cut(host, [*TALK[2:], *MORE])
    assert "12 May" in model.asked[1][1]["content"]
    assert "PostgreSQL" not in model.asked[1][1]["content"]
    assert len(notes(workspace)) == 2


@pytest.mark.accept("FL-01", "FL-06")
async def test_a_full_context_is_flushed_after_the_turn_once_a_cycle(memory, workspace):
    model = Model(entries_json(DECIDED))
    async with memory(model) as host:
        await ahead(host, TALK, tokens=175_999)
        assert model.asked == []
        await ahead(host, TALK, tokens=176_000)
        assert len(model.asked) == 1
        assert len(notes(workspace)) == 1
        await ahead(host, [*TALK, *MORE])
    async with memory(model) as host:  # a restart within the cycle
        await ahead(host, [*TALK, *MORE])
        assert len(model.asked) == 1
        await cut(host, [*TALK, *MORE])
        assert len(model.asked) == 1  # the cycle has had its turn: what came after it is archived
        assert "12 May" in notes(workspace)[-2].details
        model.answer = entries_json("The deadline moved to 30 June.")
        await ahead(host, chat("The deadline moved to 30 June.", "Noted."))  # the next cycle
    assert len(model.asked) == 2
    assert len({note.tldr for note in notes(workspace)}) == len(notes(workspace))


async def test_a_failure_ahead_of_the_cut_is_made_good_at_the_cut_and_not_repeated_before(memory, workspace):
    model = Model(LanguageModelError("no"))
    async with memory(model, core={"language_model": {"attempts": 1}}) as host:
        for _ in range(4):
            await ahead(host, TALK)
        assert len(model.asked) == 1
        assert notes(workspace) == []
        model.answer = entries_json(DECIDED)
        await cut(host, TALK)
    assert len(model.asked) == 2
    assert [note.tldr for note in notes(workspace)] == [DECIDED]


async def test_a_host_that_fails_to_cut_does_not_make_the_model_work_after_every_turn(memory, workspace):
    model, clock = Model(entries_json(DECIDED)), ManualClock(NOW)
    history = list(TALK)
    async with memory(model, clock=clock) as host:
        await cut(host, history)
        for number in range(8):
            clock.advance(20)
            history += chat(f"Small remark {number}: the code is {number}17.", "ok")
            await cut(host, history)
    assert len(model.asked) == 1
    text = "".join(note.details for note in notes(workspace))
    assert all(f"the code is {number}17" in text for number in range(8))


async def test_a_flush_that_is_cut_short_by_the_end_is_done_at_the_next_start(memory, workspace):
    async def never() -> str:
        await asyncio.sleep(60)
        return ""

    async with memory(Model(never)) as host:
        task = ahead(host, TALK)
        await asyncio.sleep(0.3)
    assert task.cancelled()
    model = Model(entries_json(DECIDED))
    async with memory(model) as host:
        await ahead(host, TALK)
    assert len(notes(workspace)) == 1


async def test_two_at_once_write_one_note(memory, workspace):
    asked = []

    async def slow() -> str:
        asked.append(1)
        own_words = "again " * len(asked)
        await asyncio.sleep(0.2)
        return entries_json(f"PostgreSQL 16 on port 5433 was decided {own_words}")

    model = Model(slow)
    async with memory(model) as one, memory(model) as other:
        await asyncio.gather(cut(one, TALK), cut(one, TALK), cut(other, TALK), cut(other, TALK))
    assert len(notes(workspace)) == 1


PROCESS = """
import asyncio, json, sys
from nanobot_memory_plugins.core import MemoryHost

async def complete(messages, *, max_tokens, purpose):
    await asyncio.sleep(0.5)
    return sys.argv[3]

async def main():
    async with MemoryHost(sys.argv[1], llm=complete) as memory:
        messages = json.loads(sys.argv[2])
        await memory.before_compaction(
            session_key="cli:direct", messages=messages, context_window=200_000, reason="archive"
        )

asyncio.run(main())
"""


def test_two_processes_write_one_note(memory, workspace):
    command = [sys.executable, "-c", PROCESS, str(workspace), json.dumps(TALK), entries_json(DECIDED)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [one.wait(60) for one in running] == [0, 0]
    assert len(notes(workspace)) == 1


async def test_the_same_words_of_the_model_are_noted_once(memory, workspace):
    model, clock = Model(entries_json(DECIDED)), ManualClock(NOW)
    async with memory(model, clock=clock) as host:
        await cut(host, TALK)
        clock.advance(3_600)
        await cut(host, chat("So PostgreSQL 16 on port 5433 for Bluebird, as we decided to use it?", "Yes."))
    assert len(model.asked) == 2
    assert len(notes(workspace)) == 1


async def test_what_stands_in_the_days_file_stays_its_exact_beginning(memory, workspace):
    async with memory(Model(entries_json(DECIDED))) as host:
        await cut(host, TALK)
    (file,) = (workspace / "memory").glob("????-??-??.md")
    before = file.read_bytes() + b"\nsomebody's own text without an end"
    file.write_bytes(before)
    async with memory(None) as host:
        await cut(host, MORE)
    assert file.read_bytes().startswith(before)
    assert "12 May" in file.read_text(encoding="utf-8")
