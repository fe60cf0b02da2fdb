"""What holds in every framework: the tests of an adapter subclass `TurnContract`, and say how its agents are asked."""

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
    ASKED,
    OPTIONS,
    PORT,
    QUIET,
    ROOT,
    SECRET,
    TOLD,
    Wired,
    beside,
    calls,
    searchable,
    unfenced,
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
    """Agents of one framework with a memory, which are terse. Their sessions go on for as long as this lives.

    ``memory`` may be set to another one, as in a new process, and to None for agents without.
    """

    helper_argument: ClassVar[str] = "task"
    """How the framework names what an agent that is a tool is asked."""
    recalls_inside: ClassVar[bool] = True
    """Whether it is recalled for what such an agent is asked."""

    def __init__(self, memory: MemoryService | None) -> None:
        self.memory = memory

    @abstractmethod
    async def ask(self, text: str, session: str, *, user: str = "ana", tools: Tools = ()) -> object:
        """Ask an agent that has the memory's tools and these, and return what the framework keeps of the session."""

    @abstractmethod
    async def ask_with_helper(self, text: str, session: str, tools: Tools) -> None:
        """Ask an agent whose tool ``helper`` asks another one, "the inner one", that has the memory and these tools."""

    @abstractmethod
    async def ask_until_approval(self, text: str, session: str, tool: Callable[..., Any]) -> None:
        """Ask an agent with a tool that somebody has to approve."""

    @abstractmethod
    async def approve(self) -> None:
        """Approve it, and let the run go on, with the memory of now."""


class TurnContract:
    """Takes a fixture ``talk_with``, which makes the `Talk` of a memory."""

    @pytest.mark.smoke
    async def test_what_one_session_told_stands_beside_the_question_of_the_next_and_in_no_history(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        await talk.ask(TOLD, "told")
        await asyncio.to_thread(searchable, memory)
        assert unfenced([await talk.ask(ASKED, "asked")])
        assert PORT in beside(wired.last, ASKED)
        assert unfenced([await talk.ask("Thanks.", "asked")])
        assert unfenced([one for one in wired.last.messages if ASKED in json.dumps(one)])
        memory.close()
        assert wired.said(session="asked") == [ASKED, "Understood.", "Thanks.", "Understood."]

    async def test_what_is_known_for_long_stands_in_the_system_prompt_the_same_in_every_request(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        wired.server.rules = [calls("remember", text=TOLD, said=PORT)]
        await talk.ask(TOLD, "one")
        await asyncio.to_thread(searchable, memory)
        wired.server.rules = [calls("clock")]
        await talk.ask("Hello, what time is it?", "two", tools=[clock])
        first, second = wired.server.requests[-2:]
        assert "You are terse." in first.system
        assert PORT in first.system
        assert first.system == second.system

    async def test_two_users_do_not_share_what_is_recalled_known_or_searched(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        await talk.ask(TOLD, "told", user="ana")
        await asyncio.to_thread(searchable, memory)
        for user in ("bob", "ana"):
            wired.server.rules = [calls("memory_search", query="staging database port")]
            await talk.ask(ASKED, user, user=user)
            assert (PORT in wired.last.text) == (user == "ana")
            assert any(PORT in str(one) for one in wired.last.messages if one["role"] == "tool") == (user == "ana")
        assert PORT in beside(wired.server.requests[-2], ASKED)

    @pytest.mark.smoke
    async def test_a_tool_is_noted_with_its_error_and_without_its_secret(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        for to in ("staging", "production"):
            wired.server.rules = [calls("deploy", to=to)]
            with suppress(ValueError):  # an error ends the run in some frameworks
                await talk.ask(f"Deploy to {to}.", to, tools=[deploy])
        memory.close()
        notes = wired.notes()
        assert "build 77" in notes
        assert "12 machines" in notes
        assert notes.count("### ") == 2
        assert wired.holds(SECRET) == []

    async def test_a_session_goes_quiet_after_its_last_run_also_one_that_failed_or_was_cancelled(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk], installed_plugin: Callable[..., None]
    ):
        installed_plugin("quiet", QUIET)
        talk = talk_with(wired.service(idle_seconds=0.5))
        await talk.ask("Hello.", "whole")
        wired.server.rules = [
            ReplyRule(lambda one: "long job" in one.last_user, Reply("Late.", delay=2), 1),
            ReplyRule(lambda one: "fails" in one.last_user, Reply(status=400)),
        ]
        with pytest.raises(Exception, match="scripted failure"):
            await talk.ask("This fails.", "failed")
        run = asyncio.create_task(talk.ask("Begin the long job.", "cut"))
        while not any("long job" in one.last_user for one in wired.server.requests):
            await asyncio.sleep(0.02)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert "Begin the long job." in wired.said("user")
        sessions = {"whole", "failed", "cut"}
        for _ in range(200):
            if set(re.findall(r"Quiet: (?:\S*:)?(\w+)", wired.notes())) == sessions:
                return
            await asyncio.sleep(0.05)
        pytest.fail(wired.notes())

    async def test_a_session_that_began_without_memory_is_taken_in_once(
        self, wired: Wired, talk_with: Callable[[MemoryService | None], Talk]
    ):
        talk = talk_with(None)
        await talk.ask(TOLD, "one")
        memory = talk.memory = wired.service()
        await talk.ask("Thank you for that.", "one")
        await talk.ask("And thanks once more.", "one")
        memory.close()
        assert wired.said("user") == [TOLD, "Thank you for that.", "And thanks once more."]

    async def test_what_a_sub_agent_is_asked_is_nobodys_word_and_its_tools_are_noted_with_the_user(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        await talk.ask(TOLD, "told")
        await asyncio.to_thread(searchable, memory)
        task = f"The user lives in Ulm and likes harps. {ASKED}"
        wired.server.rules = [calls("helper", **{talk.helper_argument: task}), calls("deploy", to="staging")]
        await talk.ask_with_helper("Please have somebody look.", "asked", [deploy])
        await talk.ask("And now?", "afterwards")
        memory.close()
        inside = next(one for one in wired.server.requests if "inner one" in one.system and task in one.last_user)
        if talk.recalls_inside:
            assert PORT in beside(inside, task)
        else:
            assert unfenced(inside.messages)
        assert sorted(wired.said("user")) == ["And now?", TOLD, "Please have somebody look."]
        assert wired.notes().count("build 77") == 1
        assert wired.said(session="asked") == ["Please have somebody look.", "Understood."]

    async def test_a_run_that_waited_for_somebody_has_its_block_again_and_keeps_the_message_once(
        self, wired: Wired, talk_with: Callable[[MemoryService], Talk]
    ):
        memory = wired.service()
        talk = talk_with(memory)
        await talk.ask(TOLD, "told")
        await asyncio.to_thread(searchable, memory)
        wired.server.rules = [calls("deploy", to="staging")]
        await talk.ask_until_approval(ASKED, "asked", deploy)
        memory.close()
        assert wired.notes() == ""
        again = talk.memory = wired.service()
        await talk.approve()
        assert PORT in beside(wired.last, ASKED)
        again.close()
        assert wired.said(session="asked") == [ASKED, "Understood."]
        assert "build 77" in wired.notes()


WINDOW = 1_500
HARBOURS = [
    f"In harbour {number} lie {number * 7} ships with salt, tar and rope on board. " * 8 + "So it is."
    for number in range(12)
]


def count(harbour: str) -> str:
    """Count the ships."""
    return f"There are 21 ships in {harbour}. " * 10


class WindowContract:
    """Takes a fixture ``talk_with_window``, which makes the `Talk` of a memory and a small window."""

    async def test_a_history_that_fills_the_window_becomes_a_summary_and_the_question_stays(
        self, wired: Wired, talk_with_window: Callable[[MemoryService, int], Talk]
    ):
        memory = wired.service()
        talk = talk_with_window(memory, WINDOW)
        wired.server.rules = [calls("count", harbour="three")]
        for text in HARBOURS:
            kept = await talk.ask(text, "long", tools=[count])
            assert text in str(kept)
        sent = wired.last.messages
        assert "You are terse." in wired.last.system
        assert sum("[Summary of the earlier conversation]" in str(one["content"]) for one in sent) == 1
        assert len(sent) < len(HARBOURS)
        assert HARBOURS[-1] in str(sent[-1])
        assert len(str(sent)) // 3 < WINDOW
        # What calls a tool and what answers stand together.
        called = {one["id"] for message in sent for one in message.get("tool_calls") or ()}
        assert called == {message["tool_call_id"] for message in sent if message["role"] == "tool"}
        assert unfenced([kept])
        memory.close()
        assert wired.said("user") == HARBOURS  # once each, and no summary among them


class ExampleContract:
    """The example of a framework, in a process of its own."""

    script: ClassVar[str]
    is_dialog: ClassVar[bool]
    """Whether it reads its standard input, where "/new" begins a session, and else has a session and a text given."""

    def test_a_new_process_remembers(self, wired: Wired, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        options = tmp_path / "config.json"
        options.write_text(json.dumps({"memoryPlugins": {"core": OPTIONS["core"], **OPTIONS["plugins"]}}))
        monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(options))
        for session, text in (("told", TOLD), ("asked", ASKED)):
            words = () if self.is_dialog else (session, text)
            answer = wired.run_script(ROOT / "examples" / self.script, *words, lines=f"/new\n{text}\n")
        assert answer == "Understood.\n"
        assert PORT in beside(wired.last, ASKED)
