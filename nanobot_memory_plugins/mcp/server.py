"""The server: the SDK's own, with the tools of the plugins, over a memory that uses no language model.

It leaves to a host with one what that does better.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp import types
from nanobot_memory_plugins.core import MemoryConfig, MemoryService, Scope
from nanobot_memory_plugins.core.host.memory_service import NOT_READY, ServiceTool
from nanobot_memory_plugins.core.scopes.people import UNKNOWN_SENDERS, Senders
from nanobot_memory_plugins.core.scopes.scopes import cached_senders
from nanobot_memory_plugins.mcp.claude_code.hooks import HOOK_TOOL, Hooks
from nanobot_memory_plugins.mcp.clients import OWNER
from nanobot_memory_plugins.mcp.tools import INSTRUCTIONS, INSTRUCTIONS_BESIDE_HOOKS, bounded, listed

try:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    IS_VERSION_1 = True
except ImportError:  # version 2 of the SDK has renamed it
    from mcp.server.mcpserver import MCPServer as FastMCP  # type: ignore[import-not-found, no-redef]
    from mcp.server.mcpserver.exceptions import ToolError  # type: ignore[import-not-found, no-redef]

    IS_VERSION_1 = False

NAME = "nanobot-memory"
# Seconds that a request waits for the memory to open, and a call for its answer.
_START_SECONDS = _CALL_SECONDS = 25.0
# Where no host says who may write: the owner by the name that they have here.
_OWN = Senders(owner=frozenset({OWNER}))
# The bridge into a host that is not here, and the daily consolidation, which is for a process with a language model.
_LEFT_OUT = {"nanobot": {"enabled": False}}
_SCHEDULE = ("consolidation_schedule", "consolidationSchedule")


class MemoryServer(FastMCP[Any]):
    """Serves one memory. ``client_of`` returns session and person of a request; ``options`` are those of the SDK.

    The memory is opened in a thread of its own, which holds up nobody who only says hello. What is asked for meanwhile
    waits for it.
    """

    def __init__(
        self, memory: MemoryService, client_of: Callable[[], Scope], *, hooks: Hooks | None = None, **options: Any
    ) -> None:
        instructions = INSTRUCTIONS if hooks is None else INSTRUCTIONS_BESIDE_HOOKS
        # What goes wrong is the answer to the client, and is in our own log; the SDK's would show requests.
        super().__init__(NAME, instructions=instructions, log_level="CRITICAL", **options)
        self.memory = memory
        self._client_of = client_of
        self._hooks = hooks

    def begin(self) -> None:
        """Begin to open the memory."""
        self.memory.start()

    async def close(self) -> None:
        """Finish what was begun, and close the memory."""
        if self._hooks is not None:
            self._hooks.close()
        await self.memory.aclose()

    async def list_tools(self) -> list[types.Tool]:
        """Return the tools of the plugins, which bring their own schemas. Raises `ToolError` without a memory."""
        await self.memory.start()
        if (memory := self.memory.started) is None:
            raise ToolError(NOT_READY)
        hears_user = self._hooks is not None
        return [types.Tool.model_validate(listed(tool, hears_user=hears_user)) for tool in memory.tools()]

    async def call_tool(self, name: str, arguments: Mapping[str, Any], *context: Any) -> Any:
        """Run a tool. What goes wrong with it is its answer, so that the model can read it."""
        if self._hooks is not None and name == HOOK_TOOL:
            return _text_result(await self._hooks.answer(arguments))
        client = self._client_of()
        await self.memory.start()
        if (memory := self.memory.started) is None:
            return _text_result(NOT_READY)
        if (tool := memory.tool(name)) is None:
            return await super().call_tool(name, dict(arguments), *context)
        memory.learn_scope(session_key=client.session, scope=client)
        return _text_result(bounded(await ServiceTool(self.memory, tool).run(arguments, session_key=client.session)))


def _text_result(text: str) -> types.CallToolResult:
    content = {"content": [{"type": "text", "text": text}], "isError": text.startswith("Error:")}
    return types.CallToolResult.model_validate(content)


def served_memory(workspace: Path, config: MemoryConfig, *, project: str = "") -> MemoryService:
    """Return the memory of one workspace, for many clients."""
    read_senders = cached_senders(workspace, config)

    def senders() -> Senders:
        senders_now = read_senders()
        return _OWN if senders_now is UNKNOWN_SENDERS else senders_now

    options = config.plugins.get("consolidation", {})
    consolidation = {key: value for key, value in options.items() if key not in _SCHEDULE}
    plugins = {**config.plugins, **_LEFT_OUT, "consolidation": {**consolidation, _SCHEDULE[0]: False}}
    return MemoryService(
        workspace,
        config=config.model_copy(update={"plugins": plugins}),
        senders=senders,
        project=project,
        start_limit=_START_SECONDS,
        tool_limit=_CALL_SECONDS,
    )
