"""Tools that ran, as nanobot's turn hook sees them."""

from typing import Any

from nanobot.agent.hook import AgentHook

from nanobot_memory_plugins.core.host.turn import Turn


class ToolHook(AgentHook):  # type: ignore[misc]  # nanobot publishes no types
    """Hands every tool execution of one turn to the memory, failed ones and unknown tools included.

    It observes: nothing that it does changes a call or its result. The memory's own tools are left out, or
    what was recalled would be remembered again.
    """

    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self._turn = turn

    async def before_execute_tools(self, context: Any) -> None:
        """Start the clock for calls that never execute."""
        for call in context.tool_calls:
            self._turn.tool_began(call.id)

    async def before_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any) -> None:
        """Start the clock of one call."""
        self._turn.tool_began(tool_call.id)

    async def after_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any, result: Any) -> None:
        """Note a tool that finished."""
        await self._turn.tool_finished(tool_call.id, tool_call.name, params, result=result)

    async def on_execute_tool_error(self, context: Any, tool_call: Any, tool: Any, params: Any, error: Any) -> None:
        """Note a tool that failed: it raised, or it returned an error."""
        await self._turn.tool_finished(tool_call.id, tool_call.name, params, error=error)

    async def after_iteration(self, context: Any) -> None:
        """Note the calls that none of the others saw: unknown tools and arguments that do not fit."""
        for call, result, event in zip(context.tool_calls, context.tool_results, context.tool_events, strict=False):
            failed = event.get("status") == "error"
            error = str(result if isinstance(result, str) else event.get("detail", "")) if failed else None
            await self._turn.tool_finished(
                call.id, call.name, call.arguments, result=None if failed else result, error=error
            )
