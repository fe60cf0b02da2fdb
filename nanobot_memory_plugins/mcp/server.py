"""The MCP server: the SDK's own server with the tools of the plugins.

Its memory uses no language model. Work that needs one is left to a host that has one.
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
from nanobot_memory_plugins.mcp.tools import INSTRUCTIONS, INSTRUCTIONS_WITH_HOOKS, protocol_tool, shorten_answer

try:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    IS_VERSION_1 = True
except ImportError:  # version 2 of the SDK has renamed it
    from mcp.server.mcpserver import MCPServer as FastMCP  # type: ignore[import-not-found, no-redef]
    from mcp.server.mcpserver.exceptions import ToolError  # type: ignore[import-not-found, no-redef]

    IS_VERSION_1 = False

NAME = "nanobot-memory"
# How many seconds a request waits for the memory to start, and a call for its answer.
_START_SECONDS = _CALL_SECONDS = 25.0
# Who may write when no host says so: only the owner.
_ONLY_OWNER = Senders(owner=frozenset({OWNER}))
# Switched off here: the bridge, without its host, and the daily consolidation, which needs a language model.
_DISABLED_PLUGINS = {"nanobot": {"enabled": False}}
_SCHEDULE = ("consolidation_schedule", "consolidationSchedule")


class MemoryServer(FastMCP[Any]):
    """Serves one memory. ``client_of`` returns the session and person of a request; ``options`` go to the SDK.

    The memory starts in its own thread, so that a client's handshake does not wait. Requests that need the memory do.
    """

    def __init__(
        self, memory: MemoryService, client_of: Callable[[], Scope], *, hooks: Hooks | None = None, **options: Any
    ) -> None:
        instructions = INSTRUCTIONS if hooks is None else INSTRUCTIONS_WITH_HOOKS
        # Failures are answered to the client and logged by us; the SDK's log would show requests.
        super().__init__(NAME, instructions=instructions, log_level="CRITICAL", **options)
        self.memory = memory
        self._client_of = client_of
        self._hooks = hooks

    def begin(self) -> None:
        """Start the memory in the background."""
        self.memory.start()

    async def close(self) -> None:
        """End the hooks' sessions, finish pending work and close the memory."""
        if self._hooks is not None:
            self._hooks.close()
        await self.memory.aclose()

    async def list_tools(self) -> list[types.Tool]:
        """Return the tools of the plugins, with their own schemas. Raises `ToolError` without a memory."""
        await self.memory.start()
        if (memory := self.memory.started) is None:
            raise ToolError(NOT_READY)
        has_hooks = self._hooks is not None
        return [types.Tool.model_validate(protocol_tool(tool, has_hooks=has_hooks)) for tool in memory.tools()]

    async def call_tool(self, name: str, arguments: Mapping[str, Any], *context: Any) -> Any:
        """Run a tool. A failure is its answer, so that the model can read it."""
        if self._hooks is not None and name == HOOK_TOOL:
            return _text_result(await self._hooks.answer(arguments))
        client = self._client_of()
        await self.memory.start()
        if (memory := self.memory.started) is None:
            return _text_result(NOT_READY)
        if (tool := memory.tool(name)) is None:
            return await super().call_tool(name, dict(arguments), *context)
        memory.learn_scope(session_key=client.session, scope=client)
        return _text_result(
            shorten_answer(await ServiceTool(self.memory, tool).run(arguments, session_key=client.session))
        )


def _text_result(text: str) -> types.CallToolResult:
    content = {"content": [{"type": "text", "text": text}], "isError": text.startswith("Error:")}
    return types.CallToolResult.model_validate(content)


def served_memory(workspace: Path, config: MemoryConfig, *, project: str = "") -> MemoryService:
    """Return the memory of one workspace for all clients of a server."""
    read_senders = cached_senders(workspace, config)

    def senders() -> Senders:
        senders_now = read_senders()
        return _ONLY_OWNER if senders_now is UNKNOWN_SENDERS else senders_now

    options = config.plugins.get("consolidation", {})
    consolidation = {key: value for key, value in options.items() if key not in _SCHEDULE}
    plugins = {**config.plugins, **_DISABLED_PLUGINS, "consolidation": {**consolidation, _SCHEDULE[0]: False}}
    return MemoryService(
        workspace,
        config=config.model_copy(update={"plugins": plugins}),
        senders=senders,
        project=project,
        start_limit=_START_SECONDS,
        tool_limit=_CALL_SECONDS,
    )
