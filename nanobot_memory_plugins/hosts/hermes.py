"""The memory as a provider of Hermes Agent: a plugin of three lines in its home registers ``HermesMemory()``.

Hermes calls a provider from threads of its own, and waits for none of them but the recall before a turn.
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

# The agents of one process (a gateway has one for each chat) share the memory of a workspace, and how many they are.
_services: dict[Path, tuple[MemoryService, int]] = {}
_lock = threading.Lock()


class HermesMemory(MemoryProvider):
    """Recalls for each message of the user's, keeps what is said, notes tools, and offers the memory's own.

    ``workspace`` is the folder of the memory, by default ``nanobot-memory`` in the home of Hermes, which its backup
    takes along. ``config.json`` there holds the options; without it those of the usual places hold. The owner is the
    user of the gateway's platform, where there is one. Background work asks the model of Hermes, as its auxiliary task
    ``memory``. Hermes shortens its history itself: what it is about to drop has been kept, and is read then.
    """

    def __init__(self, workspace: str | Path | None = None) -> None:
        self._workspace = Path(workspace) if workspace else None
        self._memory: MemoryService | None = None
        self._session = ""
        self._scope: Scope | None = None
        self._turn: Turn | None = None
        self._history: Messages = ()
        # What is known for long, as this session was told it last.
        self._known = ""

    @property
    def name(self) -> str:
        """The name of the provider."""
        return "nanobot-memory"

    def is_available(self) -> bool:
        """Return True: the memory needs no key and no network."""
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Start the memory of the workspace, for the agent of a user. Agents of Hermes' own work get none."""
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
        """Close the memory with the last agent that uses it."""
        if self._memory is not None:
            _release(self._memory)
            self._memory = None

    def backup_paths(self) -> list[str]:
        """Return the workspace where it was named, and may lie outside of Hermes' home."""
        return [str(self._workspace.expanduser().absolute())] if self._workspace else []

    # --- a turn

    def system_prompt_block(self) -> str:
        """Return what is known for long about the owner. Hermes keeps its prompt for a whole session."""
        if self._memory is None:
            return ""
        session, scope = self._session, self._scope

        async def know(memory: Any) -> str:
            return str(memory.prompt_entries(session_key=session, scope=scope).text)

        self._known = self._memory.call(know).now() or ""
        return self._known

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Keep the user's message, and return what was recalled for it, behind what has become known since the prompt.

        ``session_id`` is empty in Hermes: `on_session_switch` says which it is.
        """
        if self._memory is None:
            return ""
        if self._turn is not None:
            self._turn.finished()  # Hermes reports no end of a turn that was interrupted
        self._turn = self._memory.turn(self._session, scope=self._scope)
        known = self._memory.open_turn(self._turn, query, self._history).now()
        news, self._known = "" if known == self._known else known, known
        return "\n\n".join(filter(None, (news, self._turn.block)))

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Keep the answer of a whole turn, and note the tools that ran in it."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        self._history = messages or ()
        turn.replied(assistant_content)
        for call, answer in _tools_of(self._history):
            turn.tool_finished(call["id"], call["function"]["name"], call["function"]["arguments"], result=answer)
        turn.finished()

    # --- a session

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Read what the session said."""
        if self._memory is not None and messages:
            self._memory.ended(self._session, messages, scope=self._scope)

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Read what was said before Hermes drops it. The summary is its own: nothing is added."""
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
        """Go on in another session; behind a compression it is the same one by another name."""
        self._history = ()
        if kwargs.get("reason") != "compression":
            self._session = f"hermes:{new_session_id}"

    # --- tools

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the memory's tools. Hermes asks for them before it starts the provider."""
        return [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in self._start().tools()
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Return the answer of a tool, as JSON."""
        tool = next(one for one in self._start().tools() if one.name == tool_name)
        answer = tool.run(args, session_key=self._session).now()
        return json.dumps({"result": answer}, ensure_ascii=False)


def _acquire(workspace: Path) -> MemoryService:
    """Return the memory of a workspace, which is started with its first agent."""
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
    own = workspace / "config.json"
    config = load_config(own if own.is_file() else None)
    return MemoryService(workspace, config=config, llm=_complete)


async def _complete(messages: Sequence[Mapping[str, Any]], /, *, max_tokens: int, purpose: str) -> str:
    """Ask the model of Hermes, in a thread: its asynchronous clients outlive the loop that they belong to."""
    asked = [dict(message) for message in messages]
    answer = await run_in_daemon_thread(lambda: call_llm("memory", messages=asked, max_tokens=max_tokens))
    return str(answer.choices[0].message.content or "")


def _tools_of(messages: Messages) -> Iterator[tuple[Mapping[str, Any], object]]:
    """Yield the calls behind the user's last message, with what the tools answered."""
    turn = list(takewhile(lambda one: one["role"] != "user", reversed(messages)))
    answers = {one.get("tool_call_id"): one["content"] for one in turn if one["role"] == "tool"}
    for message in reversed(turn):
        for call in message.get("tool_calls") or ():
            if call["id"] in answers:
                yield call, answers[call["id"]]
