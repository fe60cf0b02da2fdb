"""Tools that ran, as nanobot's turn hook sees them."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from nanobot.agent.hook import AgentHook

from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.host import MemoryThread

# Seconds on top of the plugins' own limit, for writing what they took down.
_GRACE = 0.5


class ToolHook(AgentHook):  # type: ignore[misc]  # nanobot publishes no types
    """Hands every tool execution of one turn to the memory, failed ones and unknown tools included.

    It observes: nothing that it does changes a call or its result. The memory's own tools are left out, or
    what was recalled would be remembered again.
    """

    def __init__(
        self, thread: MemoryThread, scope: Scope, *, limit: float, ignored: Callable[[], Collection[str]]
    ) -> None:
        super().__init__()
        self._thread = thread
        self._scope = scope
        self._limit = limit + _GRACE
        self._ignored = ignored
        self._began: dict[str, float] = {}
        self._batch_began = 0.0
        self._seen: set[str] = set()

    async def before_execute_tools(self, context: Any) -> None:
        """Start the clock for calls that never execute."""
        self._batch_began = time.perf_counter()

    async def before_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any) -> None:
        """Start the clock of one call."""
        self._began[tool_call.id] = time.perf_counter()

    async def after_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any, result: Any) -> None:
        """Note a tool that finished."""
        await self._note(tool_call, params, result=result, error=None)

    async def on_execute_tool_error(self, context: Any, tool_call: Any, tool: Any, params: Any, error: Any) -> None:
        """Note a tool that failed: it raised, or it returned an error."""
        said = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else str(error)
        await self._note(tool_call, params, result=None, error=said)

    async def after_iteration(self, context: Any) -> None:
        """Note the calls that none of the others saw: unknown tools and arguments that do not fit."""
        for call, result, event in zip(context.tool_calls, context.tool_results, context.tool_events, strict=False):
            if call.id in self._seen:
                self._seen.discard(call.id)
                continue
            failed = event.get("status") == "error"
            error = str(result if isinstance(result, str) else event.get("detail", "")) if failed else None
            await self._note(call, call.arguments, result=None if failed else result, error=error, repeated=True)

    async def _note(self, call: Any, params: Any, *, result: object, error: str | None, repeated: bool = False) -> None:
        if not repeated:
            self._seen.add(call.id)
        began = self._began.pop(call.id, self._batch_began)
        if call.name in self._ignored():
            return
        arguments: Mapping[str, Any] = params if isinstance(params, Mapping) else {"arguments": params}
        milliseconds = (time.perf_counter() - began) * 1000
        await self._thread.call(
            lambda memory: memory.tool_executed(
                session_key=self._scope.session,
                tool_name=str(call.name),
                arguments=arguments,
                result=result,
                error=error,
                duration_ms=milliseconds,
                scope=self._scope,
            ),
            limit=self._limit,
        )
