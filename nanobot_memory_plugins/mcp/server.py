"""The server: the SDK's own, with the tools of the plugins and one prompt."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from mcp import types
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks, run_in_daemon_thread
from nanobot_memory_plugins.mcp.claude_code.hooks import HOOK_TOOL, Hooks
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.tools import (
    INSTRUCTIONS,
    INSTRUCTIONS_BESIDE_HOOKS,
    bounded,
    listed,
    reads_only,
    run_tool,
)

try:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    IS_VERSION_1 = True
except ImportError:  # version 2 of the SDK has renamed it
    from mcp.server.mcpserver import MCPServer as FastMCP  # type: ignore[import-not-found, no-redef]
    from mcp.server.mcpserver.exceptions import ToolError  # type: ignore[import-not-found, no-redef]

    IS_VERSION_1 = False

NAME = "nanobot-memory"
# Seconds within which every request has an answer.
CALL_SECONDS = 25.0
# Seconds for what is left at the end.
_CLOSING_SECONDS = 5.0
_LONGEST_TOPIC = 2_000
_LATE_READING = " Ask again in a moment."
_LATE_WRITING = " It may still be done: look before you ask for it again."

_T = TypeVar("_T")


class UnansweredError(ToolError):
    """A request without an answer. The message is for the client, in English, and contains no value of the memory."""

    def __init__(self, *, message: str) -> None:
        super().__init__(message)


class MemoryServer(FastMCP[Any]):
    """Serves one memory. ``client_of`` returns the client of the request that runs; ``options`` are those of the SDK.

    It begins to open the memory with the first request and holds up nobody who only says hello.
    """

    def __init__(
        self,
        memory: ServedMemory,
        client_of: Callable[[], Client],
        *,
        hooks: Hooks | None = None,
        call_seconds: float = CALL_SECONDS,
        **options: Any,
    ) -> None:
        instructions = INSTRUCTIONS if hooks is None else INSTRUCTIONS_BESIDE_HOOKS
        # What goes wrong is the answer to the client, and is in our own log; the SDK's would show requests.
        super().__init__(NAME, instructions=instructions, log_level="CRITICAL", **options)
        self.memory = memory
        self._client_of = client_of
        self._hooks = hooks
        self._call_seconds = call_seconds
        self._tasks = OwnedTasks()
        self.prompt(
            name="recall",
            title="Recall",
            description="Bring what is remembered of a topic, or without one of the user, into the conversation.",
        )(self._recall)

    def begin(self) -> None:
        """Begin to open the memory; what is asked for meanwhile waits for it."""
        self._tasks.begin(self._start())

    async def close(self) -> None:
        """Finish what was begun, and close the memory."""
        if self._hooks is not None:
            await self._hooks.close()
        await self._tasks.finish(_CLOSING_SECONDS)
        await self._tasks.cancel()
        await self.memory.close()

    async def list_tools(self) -> list[types.Tool]:
        """Return the tools of the plugins, which bring their own schemas."""

        async def tools(_client: Client) -> list[types.Tool]:
            has_hooks = self._hooks is not None
            return [types.Tool.model_validate(listed(tool, hears_user=has_hooks)) for tool in self.memory.tools()]

        return await self._in_time(tools)

    async def call_tool(self, name: str, arguments: Mapping[str, Any], *context: Any) -> Any:
        """Run a tool. What goes wrong with it is its answer, so that the model can read it."""
        if self._hooks is not None and name == HOOK_TOOL:
            return _text_result(await self._hooks.answer(arguments))

        async def run(client: Client) -> str | None:
            tool = self.memory.tool(name)
            return await run_tool(tool, client, arguments) if tool is not None else None

        answer = await self._in_time(run, reads=reads_only(name))
        return await super().call_tool(name, dict(arguments), *context) if answer is None else _text_result(answer)

    async def _recall(self, topic: str = "") -> str:
        topic = " ".join(topic.split())[:_LONGEST_TOPIC]

        async def found(client: Client) -> str:
            search = self.memory.tool("memory_search")
            return await search.run({"query": topic}, session_key=client.session) if search is not None else ""

        text = bounded(await self._in_time(found), "memory_search finds more.")
        about = f"what is remembered of {topic}" if topic else "what is remembered below"
        request = f"Take {about} into account for the rest of this conversation. Call memory_search for more."
        return f"{request}\n\n{text}".strip()

    async def _in_time(self, work: Callable[[Client], Coroutine[Any, Any, _T]], *, reads: bool = True) -> _T:
        """Return what some work for the client of this request returns. Raises `UnansweredError` where it is late.

        A client that goes away, or that loses patience, ends what only reads. What writes goes on.
        """
        task = self._tasks.begin(self._run_for_client(work, self._client_of()))
        try:
            return await asyncio.wait_for(task if reads else asyncio.shield(task), self._call_seconds)
        except TimeoutError:
            task.add_done_callback(_log_late_failure)
            more = _LATE_READING if reads else _LATE_WRITING
            raise UnansweredError(message=f"There is no answer within {self._call_seconds:g} seconds.{more}") from None

    async def _run_for_client(self, work: Callable[[Client], Coroutine[Any, Any, _T]], client: Client) -> _T:
        if not await self._start():
            raise UnansweredError(message="The memory could not be started; `nanobot-memory doctor` says why.")
        await run_in_daemon_thread(self.memory.enter, client)
        return await work(client)

    async def _start(self) -> bool:
        try:
            await self.memory.start()
        except Exception as error:  # its message is left out: it can carry values of the configuration
            logger.warning("the memory could not be started: {}", type(error).__name__)
            return False
        return True


def _text_result(text: str) -> types.CallToolResult:
    content = {"content": [{"type": "text", "text": text}], "isError": text.startswith("Error:")}
    return types.CallToolResult.model_validate(content)


def _log_late_failure(task: "asyncio.Task[Any]") -> None:
    """Read how a task ended that nobody waits for any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("a call that came late failed: {}", type(error).__name__)
