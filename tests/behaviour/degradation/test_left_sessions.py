"""Sessions that a process abandoned are reported and read by the next one, once, and not for ever."""

import asyncio
import json
from datetime import timedelta
from typing import Any

from nanobot_memory_plugins.core import LanguageModelError, MemoryConfig, MemoryHost, load_config
from nanobot_memory_plugins.core.testing import ManualClock
from tests.behaviour.kit.life import DAY, KEY, START, Conversation, Life
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

BOAT = "My boat lies at pier 97 in Marzipan Alley."
HEARS = """
from nanobot_memory_plugins.core import Note, hookimpl

@hookimpl
def on_session_idle(session_key):
    return Note(tldr=f"{session_key} has gone quiet")
"""


def told(life: Life) -> int:
    return sum(path.read_text(encoding="utf-8").count("has gone quiet") for path in life.memory.glob("2*.md"))


async def leave(life: Life) -> None:
    """Send a message in a process that ends before the session goes quiet."""
    async with life.host() as memory:
        await Conversation(memory).turn(BOAT)
        await memory.session_continues(session_key=KEY)


async def test_plugins_are_told_once_of_an_abandoned_session_even_if_its_reading_fails(life: Life, model, install):
    install("hears", HEARS)
    await leave(life)
    async with life.host():  # that may be going on elsewhere
        await asyncio.sleep(0.1)
    assert (told(life), model.asked("reading")) == (0, [])
    life.clock.advance(DAY)
    for start in range(1, 4):
        async with MemoryHost(life.workspace, config=configuration(life), llm=busy, clock=life.clock):
            await until(lambda: told(life) == 1)
            await asyncio.sleep(0.1 * start)
        life.clock.advance(DAY)
    assert told(life) == 1
    model.learn(BOAT, BOAT)
    async with life.host():
        await until(lambda: life_knows(life))
    assert len(model.asked("reading")) == 1


async def test_only_one_of_two_starting_processes_reports_an_abandoned_session(life: Life, install):
    install("hears", HEARS)
    await leave(life)
    life.clock.advance(DAY)
    async with life.host(), life.host():
        await until(lambda: told(life))
        await asyncio.sleep(0.5)
    assert told(life) == 1


async def test_messages_during_a_reading_are_read_as_well(life: Life, model: ReadingModel):
    asked, answer = asyncio.Event(), asyncio.Event()

    async def slow(_messages, **_how):
        asked.set()
        await answer.wait()
        return '{"entries": []}'

    async with MemoryHost(life.workspace, config=configuration(life), llm=slow, clock=life.clock) as memory:
        talk = Conversation(memory)
        await talk.turn("My bicycle is green, and stands in the cellar of the house in Oslo.")
        reading = asyncio.create_task(talk.idle())
        await asyncio.wait_for(asked.wait(), 20)
        await talk.turn(BOAT)
        await memory.session_continues(session_key=KEY)
        answer.set()
        await reading
    life.clock.advance(DAY)
    model.learn(BOAT, BOAT)
    async with life.host():
        await until(lambda: life_knows(life))
    assert len(model.asked("reading")) == 1


async def test_a_question_is_given_up_after_its_process_was_killed_each_time(life: Life):
    await leave(life)
    calls = []

    async def killed(_messages, **_how):
        calls.append(1)
        await asyncio.Event().wait()

    hosts = []
    for day in range(1, 6):
        clock = ManualClock(START + timedelta(days=day))  # of its own: the one before never gets further
        hosts.append(MemoryHost(life.workspace, config=configuration(life), llm=killed, clock=clock))
        await hosts[-1].start()
        await asyncio.sleep(0.5)
    assert len(calls) == 2
    for host in hosts:
        await host.close()


async def busy(_messages: Any, **_how: Any) -> str:
    raise LanguageModelError("busy")


def configuration(life: Life) -> MemoryConfig:
    file = life.folder / "own.json"
    file.write_text(json.dumps({"memoryPlugins": life.configuration()}), encoding="utf-8")
    return load_config(file)


def life_knows(life: Life) -> bool:
    path = life.memory / "ENTRIES.md"
    return path.exists() and "Marzipan" in path.read_text(encoding="utf-8")
