"""A model that is away loses nothing; messages on which it fails alone are not asked about for ever."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Health
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import CompletionTimeoutError
from nanobot_memory_plugins.core.language_model import hook_deadline
from nanobot_memory_plugins.core.testing.http_model import over_http
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer
from nanobot_memory_plugins.core.values import messages_from_chat

from .learning import Model, chat, host, item, stored
from .test_process import DIRECT, processor

LEIPZIG = chat("I moved to Leipzig last week.", "Nice.")
REX = chat("My dog is called Rex.", "A fine name.")
KNOWN = {
    "Leipzig": item("The user lives in Leipzig", said="I moved to Leipzig"),
    "Rex": item("The user's dog is called Rex", said="My dog is called Rex"),
}
SECONDS = 1.0
CORE = {"language_model": {"purpose_timeouts": {"extraction": SECONDS}, "attempts": 1, "thinking_tokens": 0}}
LATE = Reply(delay=3 * SECONDS)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")


def learned(request: Request) -> Reply:
    told = request.last_user.rpartition("Conversation:")[2]
    return Reply(json.dumps([answer for word, answer in KNOWN.items() if word in told]))


def is_ready(request: Request) -> bool:
    return "ready" in request.last_user


def about(server: ScriptedServer, word: str) -> int:
    return sum(word in one.last_user.rpartition("Conversation:")[2] for one in server.requests)


def waiting(workspace: Path) -> list[Path]:
    return list((workspace / "memory" / ".entries" / "pending").glob("*.json"))


@pytest.mark.parametrize(
    "failure", [LATE, Reply(status=400, error="content filter"), Reply(cut=True)], ids=["late", "refused", "cut"]
)
async def test_messages_on_which_a_model_fails_that_answers_others_are_given_up(workspace: Path, failure: Reply):
    clock = ManualClock(datetime(2026, 3, 10, 12, tzinfo=UTC))
    fails = ReplyRule(lambda one: "Leipzig" in one.last_user and not is_ready(one), failure)
    with ScriptedServer([fails, ReplyRule(lambda _: True, learned)]) as server:
        async with host(workspace, server.complete, clock=clock, core=CORE) as memory:
            for _ in range(5):
                await memory.session_idle(session_key="cli:one", history=LEIPZIG)
                await memory.turn_finished(session_key="cli:one", messages=LEIPZIG, context_window=32_000)
                clock.advance(3_600)
            await memory.session_idle(session_key="cli:two", history=REX)
            findings = await memory.diagnose()
        assert (about(server, "Leipzig"), sum(map(is_ready, server.requests))) == (3, 2)
    assert set(stored(workspace)) == {"The user's dog is called Rex"}
    assert waiting(workspace) == []
    assert EntryRepository(workspace).journal.runs()[0].why.startswith("gave up 2 messages of session cli:one: the mod")
    (told,) = [one for one in findings if "given up" in one.state]
    assert (told.health, "purposeTimeouts" in told.hint) == (Health.DEGRADED, True)


@pytest.mark.parametrize(("kind", "times"), [("hangs", 3), ("fails", 24), ("is not there", 24)])
async def test_a_server_that_is_down_for_a_day_loses_nothing(workspace: Path, kind: str, times: int):
    clock = ManualClock(datetime(2026, 3, 10, 12, tzinfo=UTC))
    with ScriptedServer() as closed:
        nowhere = over_http(closed.base_url)
    with ScriptedServer() as server:
        server.rules = [ReplyRule(lambda _: True, LATE if kind == "hangs" else Reply(status=503))]
        complete = nowhere if kind == "is not there" else server.complete

        async def model(messages, **how) -> str:
            return await complete(messages, **how)

        async with host(workspace, model, clock=clock, core=CORE) as memory:
            for _ in range(times):
                await memory.session_idle(session_key="cli:one", history=LEIPZIG)
                clock.advance(timedelta(days=1).total_seconds() / times)
            assert len(waiting(workspace)) == 1
            server.rules, complete = [ReplyRule(lambda _: True, learned)], server.complete
            await memory.session_idle(session_key="cli:two", history=REX)
    assert set(stored(workspace)) == {"The user lives in Leipzig", "The user's dog is called Rex"}
    assert waiting(workspace) == []


async def test_a_failure_counts_where_the_model_had_its_time(workspace: Path):
    late = CompletionTimeoutError("late")
    model = Model(*[late, *["ready", late] * 4])
    work = processor(workspace, model)
    work._context = replace(work._context, time_limit=lambda hook: 180.0)
    left_waiting = []
    for left in (180, 100, 100, 180, 180):
        hook_deadline.set(time.monotonic() + left)
        await work.process_session(DIRECT, messages_from_chat(LEIPZIG))
        left_waiting.append(len(waiting(workspace)))
    assert left_waiting == [1, 1, 1, 1, 0]
