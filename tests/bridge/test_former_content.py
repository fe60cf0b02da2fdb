"""A running nanobot whose file of entries is put back as git, a backup or a sync tool has kept it: nothing newer goes.

``NANOBOT_MEMORY_LONG=1`` puts back each of the 20 states, at once and a second later, as it was and with two edits.
"""

import asyncio
import os
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ToolCall
from nanobot_memory_plugins.core.values import Origin

IS_LONG = bool(os.environ.get("NANOBOT_MEMORY_LONG"))
OPTIONS = {
    "core": {"messageLimit": 20, "toolLimit": 20},
    "storage": {"embeddingProvider": "none"},
    "consolidation": {"consolidationSchedule": False, "promptEntries": 200, "promptTokens": 20_000},
}
LATE = f"### [late] fact | 0.60 | {date.today()} | 0\nadded late\n".encode()
EDITS: dict[str, Callable[[bytes], bytes]] = {
    "as it was": lambda data: data,
    "with a line": lambda data: data + b"\nmine\n",
    "with an entry": lambda data: data.replace(b"## Active Memories\n\n", b"## Active Memories\n\n" + LATE + b"\n", 1),
}


class Life:
    """A running nanobot in which every kind of write happens, with the file as each of them left it."""

    def __init__(self, nanobot: Any, server: Any) -> None:
        self.loop = nanobot.loop()
        self.server = server
        self.workspace = nanobot.workspace
        self.repository = EntryRepository(nanobot.workspace)
        self.states: list[bytes] = []

    async def live(self) -> None:
        for number in range(5):
            await self.kept(self.say(f"Remember that my shelf {number} holds jar {number}."))
        await self.kept(self.tool("remember", text="The user's drawer holds thread."))
        await self.kept(self.say("Forget that my shelf 1 holds jar 1."))
        await self.kept(self.tool("forget", query="The user's drawer holds thread."))
        await self.kept(self.command("restore", self.id_of("my shelf 1")))
        await self.kept(self.by_hand(b"jar 2", b"jar two"))
        await self.kept(self.command("remember", "The cellar is damp"))
        await self.kept(self.command("group", self.id_of("The cellar"), "--to", "home"))
        await self.kept(self.say("记住：我的书架在窗边。"))
        await self.kept(self.command("forget", self.id_of("The cellar")))
        await self.kept(self.command("undo"))
        await self.kept(self.tool("remember", text="The attic holds maps."))
        await self.kept(
            self.by_hand(b"## Active Memories\n\n", b"## Active Memories\n\n" + LATE.replace(b"late", b"hand") + b"\n")
        )
        for number in range(5, 8):
            await self.kept(self.say(f"Remember that my shelf {number} holds jar {number}."))
        assert len(self.states) == 20
        assert len(set(self.states)) > 17

    async def kept(self, write: Any) -> None:
        await write
        self.states.append(self.repository.path.read_bytes())

    async def say(self, text: str) -> str:
        """Say something, and return the system prompt that the model was shown."""
        before = len(self.server.requests)
        await self.loop.process_direct(text, session_key=f"cli:{before}")
        return str(next(one.system for one in self.server.requests[before:] if one.tool_names))

    async def tool(self, name: str, **arguments: str) -> None:
        def reply(request: Request) -> Reply:
            done = request.last.get("role") == "tool"
            return Reply("Done.") if done else Reply(tools=(ToolCall(name, arguments),))

        self.server.rules = [ReplyRule(lambda request: True, reply)]
        await self.say("Do it now.")
        self.server.rules = []

    async def command(self, *arguments: str) -> None:
        where = ["--workspace", str(self.workspace)]
        assert await asyncio.to_thread(run_command_line, ["entries", *arguments, *where]) == 0

    async def by_hand(self, old: bytes, new: bytes) -> None:
        path = self.repository.path
        assert old in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(old, new, 1))
        await self.say("Hello there.")

    def id_of(self, text: str) -> str:
        runs = self.repository.journal.runs()
        found = (one for run in runs for change in run.changes for one in (change.before, change.after) if one)
        return next(one.id for one in found if text in one.content)

    def texts(self) -> set[str]:
        return {one.content for one in self.entries()}

    def entries(self) -> list[Entry]:
        return list(self.repository.load().entries.values())


@pytest.mark.parametrize("seconds", [0.0, 1.1] if IS_LONG else [0.0], ids=lambda seconds: f"{seconds} s later")
async def test_no_state_that_is_put_back_takes_an_entry_from_a_running_nanobot(install, server, seconds: float):
    life = Life(install(OPTIONS), server)
    await life.live()
    probe = 0
    for number, state in list(enumerate(life.states[:-1]))[:: 1 if IS_LONG else 9]:
        for how, edit in EDITS.items():
            before = life.texts()
            known = {one.content for one in life.entries() if one.origin is Origin.USER}
            await asyncio.sleep(seconds)
            life.repository.path.write_bytes(edit(state))
            await asyncio.sleep(seconds)
            probe += 1
            prompt = await life.say(f"Remember that my probe {probe} is out.")
            after = life.texts()
            case = (number, how)
            assert before <= after, case
            assert f"my probe {probe} is out" in after, case
            assert [text for text in known if text not in prompt] == [], case
            data = life.repository.path.read_bytes()
            assert {text for text in before if text.encode() not in data} == set(), case
            if how == "with a line":
                assert b"\nmine\n" in data, case
    await life.loop.aclose()
