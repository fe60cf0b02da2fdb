"""Adapter for the OpenAI Agents SDK: arguments for a run, tools for its agents, and a compacting session.

`AgentsMemory.turn` returns hooks and a filter that work together: the hooks see messages and tools, while only the
filter can change a request. `AgentsMemory.session` wraps the SDK's session.
"""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core import MemoryService, logger
from nanobot_memory_plugins.core.host.framework_calls import none_on_failure
from nanobot_memory_plugins.core.host.history import HISTORY_SHARE, last_user_message, tokens_of
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.hosts.framework import framework

with framework("openai-agents"):
    from agents import FunctionTool, RunConfig, RunHooks
    from agents.run import CallModelData, ModelInputData
    from pydantic_core import to_json

# How the SDK's message to the model about a failed tool begins.
_TOOL_FAILED = "An error occurred while running the tool"
_NO_RUN = "Error: this run was started without the memory. Answer without it."


class AgentsMemory:
    """One memory for the runs of the SDK.

    ``context_window`` is the model's, in tokens. Without it nothing is compacted, and the hook ``on_turn_finished`` is
    not called.
    """

    def __init__(self, memory: MemoryService, *, context_window: int = 0) -> None:
        self._memory = memory
        self._context_window = context_window

    def turn(
        self,
        session: Any,
        *,
        scope: ScopeLike = None,
        hooks: "RunHooks[Any] | None" = None,
        run_config: "RunConfig | dict[str, Any] | None" = None,
    ) -> dict[str, Any]:
        """Return keyword arguments for the run of one turn: ``Runner.run(agent, text, **memory.turn(session))``.

        ``session`` is a session of the SDK, or a name without one. Make a turn for each run; a resumed run may use its
        first turn again. ``scope`` is the session's owner, as ``{"user": "ana"}``. ``hooks`` and ``run_config`` are the
        caller's own, and are called as well.
        """
        config = RunConfig(**run_config) if isinstance(run_config, dict) else run_config or RunConfig()
        scope = getattr(session, "scope", None) if scope is None else scope
        turn = self._memory.turn(_key(session), scope=scope)
        run = _Run(self._memory, turn, hooks or RunHooks(), config, self._context_window)
        return {
            "hooks": run,
            "run_config": replace(config, call_model_input_filter=run, tool_error_formatter=run.tool_failed),
            **({} if isinstance(session, str) else {"session": session}),
        }

    def tools(self) -> "list[FunctionTool]":
        """Return the memory's tools, to be given to agents. It blocks until the memory has started."""
        return [_function_tool(tool) for tool in self._memory.tools()]

    def nested_hooks(self) -> "RunHooks[Any]":
        """Return hooks for an agent that is another's tool, so that its tools are reported for the calling session.

        ``agent.as_tool("research", "Looks things up.", hooks=memory.nested_hooks())``: the hooks of the outer run are
        not called for it.
        """
        return _NestedHooks()

    def session(
        self, session: Any, *, session_key: str = "", scope: ScopeLike = None, full_at: float = HISTORY_SHARE
    ) -> "CompactedSession":
        """Wrap a session of the SDK, so that a summary replaces its oldest items before the window is full.

        ``session_key`` is the memory's name of the session, by default its own; ``scope`` is its owner.
        """
        key, window = session_key or _key(session), self._context_window
        return CompactedSession(session, self._memory, key, window=window, full_at=full_at, scope=scope)


class CompactedSession:
    """A session of the SDK in which the memory's summary replaces the oldest items before the window is full.

    The SDK calls ``run_compaction`` when responses have ids; ``get_items`` compacts in any case. Clearing the session
    ends it for the memory.
    """

    def __init__(
        self, session: Any, memory: MemoryService, session_key: str, *, window: int, full_at: float, scope: ScopeLike
    ) -> None:
        self.session_key, self.scope = session_key, scope
        self.session_id: str = session.session_id
        self.session_settings = getattr(session, "session_settings", None)
        self.add_items, self.pop_item = session.add_items, session.pop_item
        self._session = session
        self._memory = memory
        self._context_window, self._max_tokens = window, window * full_at

    async def get_items(self, limit: int | None = None) -> "list[Any]":
        """Return the items, compacted first if they have become too many."""
        if limit is None:
            await self._compact()
        return list(await self._session.get_items(limit))

    async def clear_session(self) -> None:
        """Remove all items, which ends the session. The memory keeps its messages."""
        items = list(await self._session.get_items())
        await self._session.clear_session()
        self._memory.ended(self.session_key, items, scope=self.scope)

    async def run_compaction(self, args: Mapping[str, Any] | None = None) -> None:
        """Replace the oldest items by a summary if there are too many, or if ``args`` sets ``force``."""
        await self._compact(is_forced=bool((args or {}).get("force")))

    async def _compact(self, *, is_forced: bool = False) -> None:
        items = list(await self._session.get_items())
        if not items or self._context_window <= 0 or not (is_forced or sum(map(tokens_of, items)) > self._max_tokens):
            return
        if _call_ids(items, "function_call") - _call_ids(items, "function_call_output"):
            return  # a suspended run will continue from these items
        reason = "manual" if is_forced else "token_pressure"
        options: dict[str, Any] = {"context_window": self._context_window, "reason": reason, "scope": self.scope}
        if (summary := await self._memory.before_compaction(self.session_key, items, **options)) is None:
            return
        kept = summary.keep_from
        while kept and items[kept - 1].get("type") == "reasoning":  # it must stay with the item that follows it
            kept -= 1
        replacement = asyncio.ensure_future(self._replace(items, {"role": "system", "content": summary.text}, kept))
        try:
            await asyncio.shield(replacement)
        except asyncio.CancelledError:
            await replacement  # a cancelled run must not leave its session empty
            raise

    async def _replace(self, items: "list[Any]", summary: Mapping[str, Any], kept: int) -> None:
        now = list(await self._session.get_items())
        if now[: len(items)] != items:
            logger.debug("the session has changed while its summary was made; it is left as it is")
            return
        await self._session.clear_session()
        try:
            await self._session.add_items([dict(summary), *now[kept:]])
        except Exception:
            await self._session.add_items(now)
            raise


class _Run(RunHooks[Any]):
    """The hooks of one run, and as a callable its input filter. Both call the caller's own as well."""

    def __init__(self, memory: MemoryService, turn: Turn, hooks: Any, config: "RunConfig", window: int) -> None:
        self.turn = turn
        self._memory, self._hooks, self._config, self._context_window = memory, hooks, config, window
        self._is_started = self._is_begun = False
        self._entries = ""
        self._request: Sequence[Any] = ()
        self._tokens: int | None = None

    async def __call__(self, data: "CallModelData[Any]") -> "ModelInputData":
        """Return the input for the model, with the block in the user's message and the entries in the instructions."""
        original = data.model_data
        if (own := self._config.call_model_input_filter) is not None:
            answer = own(data)
            original = await answer if inspect.isawaitable(answer) else answer
        if not self._is_begun:
            await self._begin(original.input)
        instructions = "\n\n".join(filter(None, (original.instructions, self._entries))) or None
        items = self.turn.with_block(original.input)
        if self._request and _is_continuation(original.input):  # the server has the message without the block
            items = [item for item, plain in zip(items, original.input, strict=True) if item is plain]
        return ModelInputData(input=items, instructions=instructions)

    @none_on_failure
    async def _begin(self, messages: Sequence[Any]) -> None:
        """Begin the turn before the first request, which shows whether calls were made already.

        A resumed run has had its user message before. A nested agent's request may come first, and its prompt is not
        the user's.
        """
        question = last_user_message(messages)
        if self._is_started and question.is_unanswered:
            self._entries = await self._memory.open_turn(self.turn, question.text, question.preceding, unknown=True)
        else:
            self._entries = await self._memory.continue_turn(self.turn, messages)
        self._is_begun = self._is_started

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        """Record that the next request is this run's own, not a nested agent's."""
        self._is_started = True
        await self._hooks.on_agent_start(context, agent)

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: "list[Any]") -> None:
        """Remember the items of the live context."""
        self._request = input_items
        await self._hooks.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Remember the tokens of the last request, since the usage of a run is a sum."""
        self._tokens = getattr(response.usage, "input_tokens", 0) or None
        await self._hooks.on_llm_end(context, agent, response)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        """Store the answer, and end the turn."""
        await self._end_turn(output)
        await self._hooks.on_agent_end(context, agent, output)

    @none_on_failure
    async def _end_turn(self, output: object) -> None:
        reply = output if isinstance(output, str) else to_json(output, fallback=str).decode()
        await self.turn.replied(reply)
        messages = [*self._request, {"role": "assistant", "content": reply}]
        self.turn.finished(messages, context_window=self._context_window, context_tokens=self._tokens)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Call the caller's own hook, with the parameter names that the SDK uses."""
        await self._hooks.on_handoff(context, from_agent=from_agent, to_agent=to_agent)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Start the tool's timer."""
        self.turn.tool_began(_call_details(context, tool)[0])
        await self._hooks.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Report the tool."""
        await _report_tool(self.turn, context, tool, result)
        await self._hooks.on_tool_end(context, agent, tool, result)

    async def tool_failed(self, failure: Any) -> "str | None":
        """Report why a tool failed, also a nested agent's. Hooks get no reason for it, or are not called."""
        if failure.kind != "approval_rejected":
            arguments = getattr(failure.run_context, "tool_arguments", "")
            error = getattr(failure, "error", None) or failure.default_message
            await self.turn.tool_finished(failure.call_id, failure.tool_name, arguments, error=error)
        answer = own(failure) if (own := self._config.tool_error_formatter) is not None else None
        return await answer if inspect.isawaitable(answer) else answer


class _NestedHooks(RunHooks[Any]):
    """The hooks of an agent that is a tool, shared by all callers. They report its tools for the calling run's turn."""

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Start the tool's timer."""
        if (run := _run_of(context)) is not None:
            run.turn.tool_began(_call_details(context, tool)[0])

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Report the tool."""
        if (run := _run_of(context)) is not None:
            await _report_tool(run.turn, context, tool, result)


def _key(session: Any) -> str:
    return session if isinstance(session, str) else getattr(session, "session_key", "") or str(session.session_id)


def _function_tool(tool: ServiceTool) -> "FunctionTool":
    async def invoke(context: Any, arguments: str) -> str:
        if (run := _run_of(context)) is None:
            return _NO_RUN
        return await tool.run(arguments, session_key=run.turn.session_key)

    schema = dict(tool.parameters)
    return FunctionTool(tool.name, tool.description, schema, on_invoke_tool=invoke, strict_json_schema=False)


def _run_of(context: Any) -> _Run | None:  # nested runs share the outer run's configuration
    run = getattr(getattr(context, "run_config", None), "call_model_input_filter", None)
    return run if isinstance(run, _Run) else None


def _call_details(context: Any, tool: Any) -> tuple[str, str, str]:
    call_id = getattr(context, "tool_call_id", "") or tool.name
    return str(call_id), tool.name, getattr(context, "tool_arguments", "")


async def _report_tool(turn: Turn, context: Any, tool: Any, result: object) -> None:
    error = result if isinstance(result, str) and result.startswith(_TOOL_FAILED) else None
    await turn.tool_finished(*_call_details(context, tool), result=result, error=error)


def _is_continuation(items: Sequence[Any]) -> bool:
    """Return whether a request answers calls that it does not contain, so that the server holds the earlier items."""
    call_ids = {item.get("call_id") for item in items if not str(item.get("type")).endswith("_output")}
    return any(str(item.get("type")).endswith("_output") and item.get("call_id") not in call_ids for item in items)


def _call_ids(items: Sequence[Any], kind: str) -> set[str]:
    return {item.get("call_id", "") for item in items if item.get("type") == kind}
