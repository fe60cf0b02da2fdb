"""Tests for every framework. An adapter's tests subclass `TurnContract` and implement a `Talk` with its agents."""

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule
from tests.support.hosts import (
    FACT,
    IDLE_PLUGIN,
    OPTIONS,
    PORT,
    QUESTION,
    ROOT,
    SECRET,
    HostEnvironment,
    block_for,
    calls,
    has_no_block,
    wait_for_index,
)

Tools = Sequence[Callable[..., Any]]


def deploy(to: str) -> str:
    """Deploy."""
    if to == "production":
        raise ValueError("the quota of 12 machines is exceeded")
    return f"deployed build 77 to {to} with {SECRET}"


def clock() -> str:
    """Tell the time."""
    return "noon"


class Talk(ABC):
    """Terse agents of one framework that share a memory. Their sessions live as long as this object.

    ``memory`` may be replaced, as in a new process, or set to None for agents without memory.
    """

    helper_argument: ClassVar[str] = "task"
    """The framework's parameter name for the request to an agent that is a tool."""
    recalls_inside: ClassVar[bool] = True
    """Whether such an agent's request gets recall."""

    def __init__(self, memory: MemoryService | None) -> None:
        self.memory = memory

    @abstractmethod
    async def ask(self, text: str, session: str, *, user: str = "ana", tools: Tools = ()) -> object:
        """Ask an agent with the memory's tools and ``tools``, and return the framework's record of the session."""

    @abstractmethod
    async def ask_with_helper(self, text: str, session: str, tools: Tools) -> None:
        """Ask an agent whose tool ``helper`` is another agent, "the inner one", with the memory and ``tools``."""

    @abstractmethod
    async def ask_until_approval(self, text: str, session: str, tool: Callable[..., Any]) -> None:
        """Ask an agent whose tool needs an approval, and return when it waits for it."""

    @abstractmethod
    async def approve(self) -> None:
        """Approve the tool, and let the run continue with the current ``memory``."""


class TurnContract:
    """Requires a fixture ``talk_with``, which makes the `Talk` with a memory."""

    @pytest.mark.smoke
    async def test_a_fact_of_one_session_is_recalled_in_the_next_and_is_in_no_history(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        await talk.ask(FACT, "told")
        await asyncio.to_thread(wait_for_index, memory)
        assert has_no_block([await talk.ask(QUESTION, "asked")])
        assert PORT in block_for(env.last, QUESTION)
        assert has_no_block([await talk.ask("Thanks.", "asked")])
        assert has_no_block([one for one in env.last.messages if QUESTION in json.dumps(one)])
        memory.close()
        assert env.said(session="asked") == [QUESTION, "Understood.", "Thanks.", "Understood."]

    async def test_entries_are_in_the_system_prompt_and_the_same_in_every_request(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        env.server.rules = [calls("remember", text=FACT, said=PORT)]
        await talk.ask(FACT, "one")
        await asyncio.to_thread(wait_for_index, memory)
        env.server.rules = [calls("clock")]
        await talk.ask("Hello, what time is it?", "two", tools=[clock])
        first, second = env.server.requests[-2:]
        assert "You are terse." in first.system
        assert PORT in first.system
        assert first.system == second.system

    async def test_two_users_share_no_recall_no_entries_and_no_search(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        await talk.ask(FACT, "told", user="ana")
        await asyncio.to_thread(wait_for_index, memory)
        for user in ("bob", "ana"):
            env.server.rules = [calls("memory_search", query="staging database port")]
            await talk.ask(QUESTION, user, user=user)
            assert (PORT in env.last.text) == (user == "ana")
            assert any(PORT in str(one) for one in env.last.messages if one["role"] == "tool") == (user == "ana")
        assert PORT in block_for(env.server.requests[-2], QUESTION)

    @pytest.mark.smoke
    async def test_a_tool_call_is_noted_with_its_error_and_without_its_secret(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        for to in ("staging", "production"):
            env.server.rules = [calls("deploy", to=to)]
            with suppress(ValueError):  # an error ends the run in some frameworks
                await talk.ask(f"Deploy to {to}.", to, tools=[deploy])
        memory.close()
        notes = env.notes()
        assert "build 77" in notes
        assert "12 machines" in notes
        assert notes.count("### ") == 2
        assert env.holds(SECRET) == []

    async def test_a_session_becomes_idle_also_after_a_failed_or_cancelled_run(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk], installed_plugin: Callable[..., None]
    ):
        installed_plugin("quiet", IDLE_PLUGIN)
        talk = talk_with(env.service(idle_seconds=0.5))
        await talk.ask("Hello.", "whole")
        env.server.rules = [
            ReplyRule(lambda one: "long job" in one.last_user, Reply("Late.", delay=2), 1),
            ReplyRule(lambda one: "fails" in one.last_user, Reply(status=400)),
        ]
        with pytest.raises(Exception, match="scripted failure"):
            await talk.ask("This fails.", "failed")
        run = asyncio.create_task(talk.ask("Begin the long job.", "cut"))
        while not any("long job" in one.last_user for one in env.server.requests):
            await asyncio.sleep(0.02)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert "Begin the long job." in env.said("user")
        sessions = {"whole", "failed", "cut"}
        for _ in range(200):
            if set(re.findall(r"Quiet: (?:\S*:)?(\w+)", env.notes())) == sessions:
                return
            await asyncio.sleep(0.05)
        pytest.fail(env.notes())

    async def test_the_messages_of_a_session_that_began_without_memory_are_stored_once(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService | None], Talk]
    ):
        talk = talk_with(None)
        await talk.ask(FACT, "one")
        memory = talk.memory = env.service()
        await talk.ask("Thank you for that.", "one")
        await talk.ask("And thanks once more.", "one")
        memory.close()
        assert env.said("user") == [FACT, "Thank you for that.", "And thanks once more."]

    async def test_a_sub_agents_request_is_not_the_users_and_its_tools_are_noted_for_the_user(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        await talk.ask(FACT, "told")
        await asyncio.to_thread(wait_for_index, memory)
        task = f"The user lives in Ulm and likes harps. {QUESTION}"
        env.server.rules = [calls("helper", **{talk.helper_argument: task}), calls("deploy", to="staging")]
        await talk.ask_with_helper("Please have somebody look.", "asked", [deploy])
        await talk.ask("And now?", "afterwards")
        memory.close()
        inside = next(one for one in env.server.requests if "inner one" in one.system and task in one.last_user)
        if talk.recalls_inside:
            assert PORT in block_for(inside, task)
        else:
            assert has_no_block(inside.messages)
        assert sorted(env.said("user")) == ["And now?", FACT, "Please have somebody look."]
        assert env.notes().count("build 77") == 1
        assert env.said(session="asked") == ["Please have somebody look.", "Understood."]

    async def test_a_run_that_waited_for_an_approval_gets_its_block_again_and_stores_the_message_once(
        self, env: HostEnvironment, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = env.service()
        talk = talk_with(memory)
        await talk.ask(FACT, "told")
        await asyncio.to_thread(wait_for_index, memory)
        env.server.rules = [calls("deploy", to="staging")]
        await talk.ask_until_approval(QUESTION, "asked", deploy)
        memory.close()
        assert env.notes() == ""
        again = talk.memory = env.service()
        await talk.approve()
        assert PORT in block_for(env.last, QUESTION)
        again.close()
        assert env.said(session="asked") == [QUESTION, "Understood."]
        assert "build 77" in env.notes()


WINDOW = 1_500
HARBOURS = [
    f"In harbour {number} lie {number * 7} ships with salt, tar and rope on board. " * 8 + "So it is."
    for number in range(12)
]


def count(harbour: str) -> str:
    """Count the ships."""
    return f"There are 21 ships in {harbour}. " * 10


class WindowContract:
    """Requires a fixture ``talk_with_window``, which makes the `Talk` with a memory and a small window."""

    async def test_a_summary_replaces_a_history_that_fills_the_window_and_the_question_stays(
        self, env: HostEnvironment, talk_with_window: Callable[[MemoryService, int], Talk]
    ):
        memory = env.service()
        talk = talk_with_window(memory, WINDOW)
        env.server.rules = [calls("count", harbour="three")]
        for text in HARBOURS:
            kept = await talk.ask(text, "long", tools=[count])
            assert text in str(kept)
        sent = env.last.messages
        assert "You are terse." in env.last.system
        assert sum("[Summary of the earlier conversation]" in str(one["content"]) for one in sent) == 1
        assert len(sent) < len(HARBOURS)
        assert HARBOURS[-1] in str(sent[-1])
        assert len(str(sent)) // 3 < WINDOW
        # Every tool call is still followed by its answer.
        called = {one["id"] for message in sent for one in message.get("tool_calls") or ()}
        assert called == {message["tool_call_id"] for message in sent if message["role"] == "tool"}
        assert has_no_block([kept])
        memory.close()
        assert env.said("user") == HARBOURS  # once each, and no summary among them


class ExampleContract:
    """Runs the example of a framework in a separate process."""

    script: ClassVar[str]
    is_dialog: ClassVar[bool]
    """Whether it reads messages and "/new" from standard input, rather than a session and a message as arguments."""

    def test_a_new_process_remembers(self, env: HostEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        options = tmp_path / "config.json"
        options.write_text(json.dumps({"memoryPlugins": {"core": OPTIONS["core"], **OPTIONS["plugins"]}}))
        monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(options))
        for session, text in (("told", FACT), ("asked", QUESTION)):
            words = () if self.is_dialog else (session, text)
            answer = env.run_script(ROOT / "examples" / self.script, *words, lines=f"/new\n{text}\n")
        assert answer == "Understood.\n"
        assert PORT in block_for(env.last, QUESTION)
