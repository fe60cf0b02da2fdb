"""What a message means is handed to every plugin that asks for it, in every hook, and worked out once."""

import re
from collections import Counter

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text import acts, authored

pytestmark = pytest.mark.leaving

SOURCE = """
import asyncio
from nanobot_memory_plugins.core import ContextBlock, hookimpl


@hookimpl
async def on_message_received(reading):
    said = "; ".join(f"{clause.act}: {clause.text}" for clause in reading.clauses)
    return ContextBlock(text=f"same {id(reading)} | own: {reading.own_word.splitlines()[0]} | {said}")
"""
EVERYWHERE = """
from nanobot_memory_plugins.core import Note, hookimpl

HANDED = []


@hookimpl
async def on_message_received(text, reading, context):
    HANDED.append(reading)
    assert context.reading(text) is reading


@hookimpl
def on_draft_written(text, history, context):
    HANDED.append(context.reading(text))


@hookimpl
def on_turn_finished(messages, context):
    HANDED.append(context.reading(messages[0]))


@hookimpl
def on_session_idle(history, context):
    HANDED.append(context.reading(history[0]))
    return Note(tldr=f"{len(HANDED)} readings, {len(set(map(id, HANDED)))} of them others")


@hookimpl
async def before_compaction(messages, context):
    HANDED.append(context.reading(messages[0]))
    answer = context.reading(messages[1])
    assert [clause.act for clause in answer.clauses] == ["asks"]
"""
PAST = [
    "Hi! My name is Ana and I live in Lisbon. I take warfarin, is ibuprofen ok?",
    "Please remember that my budget is 1500 euros. We decided to use PostgreSQL for the backend.",
    "我住在杭州，我每天六点半起床。请帮我写一个脚本好吗？",
    "Here is what he wrote:\n> the server is down\nThe second plan is cheaper. My sister Kim moved to Porto.",
]


async def test_every_plugin_is_handed_the_one_reading_of_a_message(memory_workspace, installed_plugin, monkeypatch):
    for name in ("reader", "second"):
        installed_plugin(name, SOURCE)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "reader,second")
    text = "I take warfarin, is ibuprofen ok?\n\nHere is a mail I got:\nI live in Bonn."
    async with MemoryHost(memory_workspace.path, config=MemoryConfig(core={"message_limit": 30})) as memory:
        block = (await memory.message_received(session_key="cli:direct", text=text)).block or ""
    assert block.count("own: I take warfarin | states: I take warfarin,; asks: is ibuprofen ok?") == 2
    assert "Bonn" not in block
    assert len(set(re.findall(r"same (\d+)", block))) == 1


async def test_the_context_hands_the_same_reading_to_every_hook(memory_workspace, installed_plugin, monkeypatch):
    installed_plugin("everywhere", EVERYWHERE)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "everywhere")
    history = [{"role": "user", "content": PAST[0]}, {"role": "assistant", "content": "Shall I look it up?"}]
    async with MemoryHost(memory_workspace.path, config=MemoryConfig(core={"message_limit": 30})) as memory:
        await memory.message_received(session_key="cli:direct", text=PAST[0])
        await memory.review_draft(session_key="cli:direct", text=PAST[0], draft="Perhaps.", history=[])
        await memory.turn_finished(session_key="cli:direct", messages=history, context_tokens=9, context_window=1_000)
        await memory.before_compaction(
            session_key="cli:direct", messages=history, context_window=1_000, reason="overflow"
        )
        await memory.session_idle(session_key="cli:direct", history=history)
    (day,) = (memory_workspace.path / "memory").glob("20*.md")
    assert "5 readings, 1 of them others" in day.read_text("utf-8")


async def test_the_shipped_plugins_work_out_once_what_a_message_says(memory_workspace, monkeypatch):
    """Whose words a text is, and what its sentences do, along all hooks of a session."""
    quoted, clauses = Counter(), Counter()
    strip, read = authored.strip_quoted_content, acts._clauses
    monkeypatch.setattr(authored, "strip_quoted_content", lambda text: quoted.update([text]) or strip(text))
    monkeypatch.setattr(acts, "_clauses", lambda sentence: clauses.update([sentence]) or read(sentence))
    authored._without_quoted.cache_clear()
    acts._short_clauses.cache_clear()

    async def complete(messages, *, max_tokens: int, purpose: str) -> str:
        return "[]"

    history: list[dict[str, str]] = []
    async with MemoryHost(memory_workspace.path, config=MemoryConfig(), llm=complete) as memory:
        for text in PAST:
            await memory.message_received(session_key="cli:direct", text=text, history=list(history))
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": "Sure. Shall I go on?"}]
            await memory.message_sent(session_key="cli:direct", text="Sure. Shall I go on?")
        await memory.before_compaction(
            session_key="cli:direct", messages=history, context_window=2_000, reason="token_pressure"
        )
        await memory.session_idle(session_key="cli:direct", history=history)
    assert len(quoted) >= len(PAST)
    assert len(clauses) > len(PAST)
    assert set(quoted.values()) | set(clauses.values()) == {1}, (quoted, clauses)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_what_others_say_is_read_as_it_stands(role: str, plugin_context):
    from nanobot_memory_plugins.core import Message

    reading = plugin_context().reading(Message(role, "Here is the article:\n\nI live in Bonn, do you?"))
    assert "Bonn" in reading.authored
    assert reading.asks
