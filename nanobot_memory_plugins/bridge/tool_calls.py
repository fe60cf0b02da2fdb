"""Offers the memory's tools to nanobot, and reports nanobot's tool calls to the memory."""

import json
from collections.abc import Callable
from typing import Any

from nanobot.agent.hook import AgentHook
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import current_request_session_key

from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn import Turn

_TEMPORARY_ERROR = "Error: this chat is temporary, nothing of it is kept."


class OfferedTool(Tool):  # type: ignore[misc]  # nanobot publishes no types
    """A tool of the memory as a nanobot tool. In a session that ``is_temporary`` it may only read."""

    def __init__(self, tool: ServiceTool, is_temporary: Callable[[str], bool]) -> None:
        self._tool = tool
        self._is_temporary = is_temporary

    @property
    def name(self) -> str:
        """The tool's name, as the model calls it."""
        return self._tool.name

    @property
    def description(self) -> str:
        """When to use the tool, for the model."""
        return self._tool.description

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments, as plain dicts and lists."""
        plain: dict[str, Any] = json.loads(json.dumps(self._tool.parameters, default=dict))
        return plain

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing, so that it may run at the same time as other tools."""
        return self._tool.reads_only

    async def execute(self, **kwargs: Any) -> Any:
        """Run the tool in the memory's thread. A failure is returned as an error text."""
        session_key = current_request_session_key() or ""
        if not self.read_only and self._is_temporary(session_key):
            return Tool.error(_TEMPORARY_ERROR)
        answer = await self._tool.run(kwargs, session_key=session_key)
        return Tool.error(answer) if answer.startswith("Error:") else answer


class ToolHook(AgentHook):  # type: ignore[misc]  # nanobot publishes no types
    """Reports every tool call of one turn to the memory, including failed calls and unknown tools.

    It only observes, and changes no call and no result.
    """

    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self._turn = turn

    async def before_execute_tools(self, context: Any) -> None:
        """Start the clock of the calls of one step."""
        for call in context.tool_calls:
            self._turn.tool_began(call.id)

    async def after_iteration(self, context: Any) -> None:
        """Report the calls of one step. nanobot's hooks around a single tool miss calls that were never executed."""
        for call, result, event in zip(context.tool_calls, context.tool_results, context.tool_events, strict=False):
            failed = event.get("status") == "error"
            error = str(result if isinstance(result, str) else event.get("detail", "")) if failed else None
            await self._turn.tool_finished(
                call.id, call.name, call.arguments, result=None if failed else result, error=error
            )
