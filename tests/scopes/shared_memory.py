"""One memory of two agents, three users, two channels, two sessions and a group chat each, and who may see what."""

import asyncio
import itertools
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Origin, Scope
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.values import Destination

Result = TypeVar("Result")

_NAMED = [
    Scope(agent, user, channel, f"{channel}:{agent}.{user or 'nobody'}.{number}")
    for agent, user, channel, number in itertools.product(("desk", "clerk"), ("ana", "bob", ""), ("cli", "web"), "12")
] + [
    Scope(agent, user, "web", f"web:{agent}.team:{number}", f"web:{agent}.team")
    for agent, user, number in itertools.product(("desk", "clerk"), ("ana", "bob"), "12")
]
# Each session works in a project, or in none: that says what comes first, and never who sees it.
_SESSIONS = sorted({scope.session for scope in _NAMED})
SCOPES = [replace(scope, project=("", "red", "blue")[_SESSIONS.index(scope.session) % 3]) for scope in _NAMED]
# Callers of which nothing is known but a key, or not even that.
UNKNOWN = [Scope(session="never:seen"), Scope()]


def word_of(scope: Scope) -> str:
    """Return what only this scope knows: letters that stand in no id."""
    number = SCOPES.index(scope)
    return f"zy{chr(ord('g') + number // 5)}{chr(ord('l') + number % 5)}wort"


WORDS = {word_of(scope): scope for scope in SCOPES}


def told(text: str) -> list[Scope]:
    """Return whose secrets a text tells."""
    return [scope for word, scope in WORDS.items() if word in text]


def may_see(share: str, caller: Scope, owner: Scope) -> bool:
    """Say what docs/trust.md says, apart from the code under test."""
    if caller.agent != owner.agent:
        return False
    if share == "agent":
        return True
    if share != "session" and caller.group_chat:
        return caller.group_chat == owner.group_chat
    if share in ("auto", "user") and caller.user:
        return caller.user == owner.user
    if share == "channel" and caller.user:
        return (caller.user, caller.channel) == (owner.user, owner.channel)
    return caller.session == owner.session


class SharedMemory:
    """A host on an event loop of its own, so that tests that are no coroutines may ask it."""

    def __init__(self, workspace: Path, share: str) -> None:
        self.workspace = workspace
        self.share = share
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        plugins: dict[str, dict[str, Any]] = {
            "recall": {"recall_timeout": 20, "recall_memory_alias": True},
            "storage": {"embedding_provider": "none"},
            "consolidation": {"consolidation_schedule": False, "prompt_entries": 100, "prompt_tokens": 9_000},
        }
        core = {"message_limit": 30, "tool_limit": 30, "start_limit": 60, "share": share}
        self._config = MemoryConfig.model_validate({"core": core, "plugins": plugins})
        self.host = MemoryHost(workspace, config=self._config)

    def restart(self) -> None:
        """Go on with another host, which has heard of no session."""
        self.run(self.host.close())
        self.host = MemoryHost(self.workspace, config=self._config)
        self.run(self.host.start())

    def forget_sessions(self) -> None:
        """Let the host be as after a thousand other sessions."""
        self.host._scopes._sessions.clear()

    def run(self, work: Awaitable[Result]) -> Result:
        async def wait() -> Result:
            return await work

        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result(120)

    def tool(self, name: str, scope: Scope, **arguments: Any) -> str:
        if scope.group_chat:  # a tool runs in the turn of whoever wrote last
            self.run(self.host.message_sent(session_key=scope.session, text="Let me see.", scope=scope))
        tool = self.host.tool(name)
        assert tool is not None
        return self.run(tool.run(arguments, session_key=scope.session))

    def visible(self, scope: Scope) -> Scope:
        return self.host.visible_scope(scope)

    def entries(self) -> dict[str, Entry]:
        return EntryRepository(self.workspace).load().entries

    def fill(self) -> None:
        """Let every scope say, note and know its word."""
        self.run(self.host.start())
        known = {}
        for number, scope in enumerate(SCOPES):
            text = f"the code of the bicycle lock is {word_of(scope)}"
            self.run(self.host.message_received(session_key=scope.session, text=text, scope=scope))
            for destination in Destination:
                note = Note(tldr=f"{text}, says a note", tags=("lock",), origin=Origin.USER, destination=destination)
                self.run(self.host.keep(note, session_key=scope.session, scope=scope))
            entry = Entry(f"e{number:07}", text, "fact", 0.9, SystemClock().now(), scope=replace(scope))
            known[entry.id] = entry
        repository = EntryRepository(self.workspace)
        repository.update(lambda entries: {**entries, **known}, who="test", why="fill")
        self.run(self.host.flush_index())
        self.restart()

    def close(self) -> None:
        self.run(self.host.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@contextmanager
def shared_memory(workspace: Path, share: str) -> Iterator[SharedMemory]:
    memory = SharedMemory(workspace, share)
    try:
        memory.fill()
        yield memory
    finally:
        memory.close()
