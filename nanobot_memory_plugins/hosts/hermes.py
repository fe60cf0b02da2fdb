"""Adapter for Hermes Agent: a memory provider. A plugin of three lines in Hermes' home registers ``HermesMemory()``.

Hermes calls a provider from its own threads, and waits only for the recall before a turn.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import MemoryService, Scope, load_config
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.hosts.framework import framework

with framework("hermes"):
    from agent.auxiliary_client import call_llm
    from agent.memory_provider import MemoryProvider
    from hermes_constants import get_hermes_home

Messages = Sequence[Mapping[str, Any]]

# The memory of each workspace, with the number of its agents. A gateway runs one agent for each chat in one process.
_services: dict[Path, tuple[MemoryService, int]] = {}
_lock = threading.Lock()


class HermesMemory(MemoryProvider):
    """A provider that recalls for each user message, stores messages and tool calls, and offers the memory's tools.

    ``workspace`` is the memory's folder, by default ``nanobot-memory`` in the home of Hermes, which Hermes backs up.
    Options come from its ``config.json``, else from the usual places. The owner is the user of the gateway's platform,
    if there is one. Background work calls Hermes' model as the auxiliary task ``memory``. Hermes shortens its history
    itself; the memory learns from the messages before they are dropped.
    """

    def __init__(self, workspace: str | Path | None = None) -> None:
        self._workspace = Path(workspace) if workspace else None
        self._memory: MemoryService | None = None
        self._session = ""
        self._scope: Scope | None = None
        self._turn: Turn | None = None
        self._history: Messages = ()
        # The entries that this session's prompt holds.
        self._entries = ""

    @property
    def name(self) -> str:
        """The name of the provider."""
        return "nanobot-memory"

    def is_available(self) -> bool:
        """Return True, since the memory needs no key and no network."""
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Start the memory of the workspace for a user's agent. Hermes' internal agents get no memory."""
        if kwargs.get("agent_context", "primary") != "primary":
            self.shutdown()
            return
        self._start()
        self._session = f"hermes:{session_id}"
        if user := kwargs.get("user_id"):
            self._scope = Scope(user=f"{kwargs.get('platform', 'hermes')}:{user}")

    def _start(self) -> MemoryService:
        if self._memory is None:
            workspace = self._workspace or get_hermes_home() / "nanobot-memory"
            self._memory = _acquire(workspace.expanduser().absolute())
        return self._memory

    def shutdown(self) -> None:
        """Close the memory if this is the last agent that uses it."""
        if self._memory is not None:
            _release(self._memory)
            self._memory = None

    def backup_paths(self) -> list[str]:
        """Return the workspace if it was set, since it may lie outside of Hermes' home."""
        return [str(self._workspace.expanduser().absolute())] if self._workspace else []

    # --- a turn

    def system_prompt_block(self) -> str:
        """Return the entries about the owner. Hermes keeps its prompt for a whole session."""
        if self._memory is None:
            return ""
        session, scope = self._session, self._scope

        async def prompt_entries(memory: Any) -> str:
            return str(memory.prompt_entries(session_key=session, scope=scope).text)

        self._entries = self._memory.call(prompt_entries).now() or ""
        return self._entries

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Store the user's message, and return the entries if they have changed, followed by the recalled block.

        ``session_id`` is always empty in Hermes; `on_session_switch` gets it.
        """
        if self._memory is None:
            return ""
        if self._turn is not None:
            self._turn.finished()  # Hermes does not report the end of an interrupted turn
        self._turn = self._memory.turn(self._session, scope=self._scope)
        entries = self._memory.open_turn(self._turn, query, self._history).now()
        new_entries, self._entries = "" if entries == self._entries else entries, entries
        return "\n\n".join(filter(None, (new_entries, self._turn.block)))

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Store the answer of a complete turn, and report the tools that ran in it."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        self._history = messages or ()
        turn.replied(assistant_content)
        for call, answer in _finished_calls(self._history):
            turn.tool_finished(call["id"], call["function"]["name"], call["function"]["arguments"], result=answer)
        turn.finished()

    # --- a session

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Have the memory learn from the session that has ended."""
        if self._memory is not None and messages:
            self._memory.ended(self._session, messages, scope=self._scope)

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Have the memory learn from messages that Hermes is about to drop. Nothing is added to Hermes' summary."""
        self.on_session_end(messages)
        return ""

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Continue in another session. After a compression it is the same session under a new id."""
        self._history = ()
        if kwargs.get("reason") != "compression":
            self._session = f"hermes:{new_session_id}"

    # --- tools

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the memory's tools. Hermes requests them before it starts the provider."""
        return [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in self._start().tools()
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool and return its answer as JSON."""
        tool = next(one for one in self._start().tools() if one.name == tool_name)
        answer = tool.run(args, session_key=self._session).now()
        return json.dumps({"result": answer}, ensure_ascii=False)


def _acquire(workspace: Path) -> MemoryService:
    """Return the memory of a workspace, and start it for the first agent."""
    with _lock:
        memory, users = _services.get(workspace) or (_new_memory(workspace), 0)
        _services[workspace] = memory, users + 1
    memory.start().now()
    return memory


def _release(memory: MemoryService) -> None:
    with _lock:
        users = _services[memory.workspace][1] - 1
        if users:
            _services[memory.workspace] = memory, users
        else:
            del _services[memory.workspace]
    if not users:
        memory.close()


def _new_memory(workspace: Path) -> MemoryService:
    file = workspace / "config.json"
    config = load_config(file if file.is_file() else None)
    return MemoryService(workspace, config=config, llm=_complete)


async def _complete(messages: Sequence[Mapping[str, Any]], /, *, max_tokens: int, purpose: str) -> str:
    """Call the model of Hermes in a thread, since Hermes keeps its asynchronous clients beyond an event loop's life."""
    rows = [dict(message) for message in messages]
    answer = await run_in_daemon_thread(lambda: call_llm("memory", messages=rows, max_tokens=max_tokens))
    return str(answer.choices[0].message.content or "")


def _finished_calls(messages: Messages) -> Iterator[tuple[Mapping[str, Any], object]]:
    """Yield the tool calls after the user's last message, with their answers."""
    turn = list(takewhile(lambda one: one["role"] != "user", reversed(messages)))
    answers = {one.get("tool_call_id"): one["content"] for one in turn if one["role"] == "tool"}
    for message in reversed(turn):
        for call in message.get("tool_calls") or ():
            if call["id"] in answers:
                yield call, answers[call["id"]]
