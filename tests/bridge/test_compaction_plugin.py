"""The compaction plugin on a real nanobot, for every way in which nanobot cuts history."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, text_of
from tests.support.token_counts import count_like_a_model

WINDOW, ANSWER = 32_000, 2_048
NOTES = "- Decision: the staging database is PostgreSQL\n- TODO: rotate the certificates\n- Open question: message 3"
FACT = (
    "We decided that the staging database is PostgreSQL on host db-7.example.org. "
    "Remind Anna Berg to rotate the certificates."
)


def asks_for_notes(request: Any) -> bool:
    return request.system.startswith(("You take notes of conversations", "你负责为对话做笔记"))


@pytest.fixture
def nanobot(install, plugins, server, monkeypatch, tmp_path):
    """Make an installation with the compaction plugin, a small window and a model that takes good notes."""
    count_like_a_model(monkeypatch, tmp_path / "tokens")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,compaction")
    server.rules = [ReplyRule(asks_for_notes, Reply(NOTES))]
    return install(contextWindowTokens=WINDOW, maxTokens=ANSWER)


def token_count(request: Any) -> int:
    """Return nanobot's count of a request's tokens."""
    from nanobot.utils.helpers import estimate_prompt_tokens

    return estimate_prompt_tokens(request.messages, request.body.get("tools"))


def history_file(nanobot: Any) -> str:
    file = nanobot.workspace / "memory" / "history.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return "\n".join(json.loads(line)["content"] for line in lines)


async def hold_long_conversation(loop: Any, turns: int, words: int = 400) -> list[str]:
    replies = []
    for number in range(turns):
        done = await loop.process_direct(f"message {number}: " + f"word{number} and more " * (words // 3))
        replies.append(done.content)
    return replies


@pytest.mark.slow
@pytest.mark.accept("AC-07")
async def test_under_token_pressure_the_prompt_never_passes_the_window(nanobot, server):
    loop = nanobot.loop()
    await loop.process_direct(FACT)
    replies = await hold_long_conversation(loop, 36, words=900)
    await loop.aclose()
    assert set(replies) == {"Understood."}  # nothing of it reaches the user
    turns = [request for request in server.requests if not asks_for_notes(request)]
    notes = [request for request in server.requests if asks_for_notes(request)]
    assert len(notes) >= 2
    assert max(map(token_count, server.requests)) <= WINDOW - ANSWER
    assert sum(map(token_count, notes)) <= 0.15 * sum(map(token_count, turns))
    last = turns[-1]
    assert NOTES.splitlines()[0] in last.system
    assert "db-7.example.org" in last.system  # carried on, though the model leaves it out
    assert last.system.count("[Summary of the earlier conversation]") == 1
    # The messages before the cut stay word by word, the last ones as messages.
    said = "\n".join(text_of(message) for message in last.messages)
    assert all(f"message {number}:" in said for number in range(30, 36))
    assert "the staging database is PostgreSQL" in history_file(nanobot)


async def become_idle(loop: Any) -> None:
    """Make the session look idle for a day, and have nanobot check for idle sessions."""
    session = loop.sessions.get_or_create("cli:direct")
    session.updated_at = datetime.now() - timedelta(days=1)
    loop.sessions.save(session)
    loop.auto_compact._ttl = 15
    loop.auto_compact.check_expired(loop.schedule_background, loop.runtime_for_session)


async def compact_by_sdk(loop: Any) -> None:
    await loop.consolidator.compact_idle_session("cli:direct", runtime=loop.llm_runtime())


TRIGGERS = {
    "/compact": lambda loop: loop.process_direct("/compact"),
    "/new": lambda loop: loop.process_direct("/new"),
    "idle": become_idle,
    "SDK": compact_by_sdk,
}


@pytest.mark.accept("AC-03", "NC-08")
@pytest.mark.parametrize(
    ("trigger", "model"),
    [
        ("/compact", "fine"),
        ("idle", "junk"),
        ("SDK", "down"),
        ("/new", "NO_REPLY"),
    ],
)
async def test_every_other_way_ends_with_a_summary(nanobot, server, trigger: str, model: str):
    answers = {
        "fine": Reply(NOTES),
        "NO_REPLY": Reply("NO_REPLY"),
        "junk": Reply("kjfd wpoq zmxn bvcl asdf qwer zxcv"),
        "down": Reply(status=400),
    }
    server.rules = [ReplyRule(asks_for_notes, answers[model])]
    loop = nanobot.loop()
    replies = [(await loop.process_direct(FACT)).content]
    replies += await hold_long_conversation(loop, 6, words=60)
    await TRIGGERS[trigger](loop)
    await background_work_done(loop)
    replies.append((await loop.process_direct("what now?")).content)
    await loop.aclose()
    assert set(replies) == {"Understood."}
    texts = [record["text"] for record in nanobot.transcript()]
    assert [text[:9] for text in texts[2:-2:2]] == [f"message {number}" for number in range(6)]
    assert "db-7.example.org" in history_file(nanobot)
    assert "kjfd" not in history_file(nanobot)
    assert (NOTES in history_file(nanobot)) == (model == "fine")
    last = server.requests[-1]
    assert ("db-7.example.org" in last.system) == (trigger != "/new")
    if trigger != "/new":
        assert "message 5:" in last.system  # stays as it was
        assert all("message 5:" not in text_of(message) for message in last.messages[1:])


async def background_work_done(loop: Any) -> None:
    """Wait for the background work that nanobot has scheduled."""
    import asyncio

    await asyncio.gather(*loop._background_tasks, return_exceptions=True)


@pytest.mark.accept("AC-05")
async def test_messages_that_stayed_are_messages_again_at_the_next_compaction(nanobot, server):
    loop = nanobot.loop()
    await loop.process_direct(FACT)
    await hold_long_conversation(loop, 6, words=60)
    await loop.process_direct("/compact")
    await loop.process_direct("something new")
    await loop.process_direct("/compact")
    await loop.aclose()
    first, second = [request.last_user for request in server.requests if asks_for_notes(request)]
    assert "message 0:" in first
    assert "message 5:" not in first
    earlier, _, conversation = second.partition("Conversation, up to")
    assert NOTES in earlier
    assert "message 4:" not in earlier
    assert "user: message 4:" in conversation


async def test_trap_6_a_flush_asks_the_model_in_the_middle_of_a_compaction(install, recorder, server):
    """A request through the session's own loop would deadlock."""
    calls = recorder(ask="what matters?")
    server.rules = [ReplyRule(lambda request: request.last_user == "what matters?", Reply("PostgreSQL matters."))]
    loop = install().loop()
    await loop.process_direct("We choose PostgreSQL.")
    await loop.process_direct("/compact")
    await loop.aclose()
    (call,) = calls.calls("compaction")
    assert call["answer"] == "PostgreSQL matters."
