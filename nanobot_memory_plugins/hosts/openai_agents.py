"""The memory in the OpenAI Agents SDK: what a run is given, tools for its agents, and a session that is compacted.

`AgentsMemory.turn` gives a run its hooks and its filter, which have to meet: hooks see the message and the tools, the
filter alone reaches a request. `AgentsMemory.session` wraps the SDK's session.
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

# How the SDK tells the model of a tool that failed.
_FAILED = "An error occurred while running the tool"
_NO_RUN = "Error: this run was started without the memory. Answer without it."


class AgentsMemory:
    """One memory for the runs of the SDK.

    ``context_window`` is the model's, in tokens: without it nothing is compacted, and the memory does not look ahead.
    """

    def __init__(self, memory: MemoryService, *, context_window: int = 0) -> None:
        self._memory = memory
        self._window = context_window

    def turn(
        self,
        session: Any,
        *,
        scope: ScopeLike = None,
        hooks: "RunHooks[Any] | None" = None,
        run_config: "RunConfig | dict[str, Any] | None" = None,
    ) -> dict[str, Any]:
        """Return what a run of one turn is given: ``Runner.run(agent, text, **memory.turn(session))``.

        ``session`` is one of the SDK's, or a name where there is none. Make a turn for each run; a run that is resumed
        may have that of before. ``scope`` says whose the session is, as ``{"user": "ana"}``. ``hooks`` and
        ``run_config`` are the caller's own, and go on working.
        """
        config = RunConfig(**run_config) if isinstance(run_config, dict) else run_config or RunConfig()
        scope = getattr(session, "scope", None) if scope is None else scope
        turn = self._memory.turn(_key(session), scope=scope)
        run = _Run(self._memory, turn, hooks or RunHooks(), config, self._window)
        return {
            "hooks": run,
            "run_config": replace(config, call_model_input_filter=run, tool_error_formatter=run.tool_failed),
            **({} if isinstance(session, str) else {"session": session}),
        }

    def tools(self) -> "list[FunctionTool]":
        """Return the memory's tools, for every agent that shall have them. It blocks until the memory has started."""
        return [_tool(tool) for tool in self._memory.tools()]

    def nested_hooks(self) -> "RunHooks[Any]":
        """Return hooks for an agent that is another's tool, so that what it does is noted in the session that asked.

        ``agent.as_tool("research", "Looks things up.", hooks=memory.nested_hooks())``: the hooks of the outer run do
        not reach there.
        """
        return _NestedHooks()

    def session(
        self, session: Any, *, session_key: str = "", scope: ScopeLike = None, full_at: float = HISTORY_SHARE
    ) -> "CompactedSession":
        """Wrap a session of the SDK, so that its oldest items give way to a summary before the window is full.

        ``session_key`` is the memory's name of it, where that is another than its own; ``scope`` says whose it is.
        """
        key, window = session_key or _key(session), self._window
        return CompactedSession(session, self._memory, key, window=window, full_at=full_at, scope=scope)


class CompactedSession:
    """A session of the SDK whose oldest items give way to the memory's summary, before the window is full.

    The SDK asks for it where responses have ids; else it asks itself. Clearing it ends the session for the memory.
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
        self._window, self._full = window, window * full_at

    async def get_items(self, limit: int | None = None) -> "list[Any]":
        """Return the items, after making room where they have become too many."""
        if limit is None:
            await self._shorten()
        return list(await self._session.get_items(limit))

    async def clear_session(self) -> None:
        """Remove all items: the session has ended. The memory keeps what was said."""
        items = list(await self._session.get_items())
        await self._session.clear_session()
        self._memory.ended(self.session_key, items, scope=self.scope)

    async def run_compaction(self, args: Mapping[str, Any] | None = None) -> None:
        """Replace the oldest items by a summary, where there are too many or ``force`` is set in ``args``."""
        await self._shorten(forced=bool((args or {}).get("force")))

    async def _shorten(self, *, forced: bool = False) -> None:
        items = list(await self._session.get_items())
        if not items or self._window <= 0 or not (forced or sum(map(tokens_of, items)) > self._full):
            return
        if _ids(items, "function_call") - _ids(items, "function_call_output"):
            return  # a run waits for somebody, and will go on from here
        reason = "manual" if forced else "token_pressure"
        more: dict[str, Any] = {"context_window": self._window, "reason": reason, "scope": self.scope}
        if (summary := await self._memory.before_compaction(self.session_key, items, **more)) is None:
            return
        kept = summary.keep_from
        while kept and items[kept - 1].get("type") == "reasoning":  # it may not be parted from what follows it
            kept -= 1
        replacing = asyncio.ensure_future(self._replace(items, {"role": "system", "content": summary.text}, kept))
        try:
            await asyncio.shield(replacing)
        except asyncio.CancelledError:
            await replacing  # a run that is cancelled in between must not find its session empty
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
    """One run: its hooks, and called by the SDK its filter. The caller's own are called as well."""

    def __init__(self, memory: MemoryService, turn: Turn, hooks: Any, config: "RunConfig", window: int) -> None:
        self.turn = turn
        self._memory, self._hooks, self._config, self._window = memory, hooks, config, window
        self._started = self._begun = False
        self._known = ""
        self._sent: Sequence[Any] = ()
        self._tokens: int | None = None

    async def __call__(self, data: "CallModelData[Any]") -> "ModelInputData":
        """Return what is sent to the model: the block in the user's message, and what is known for long."""
        given = data.model_data
        if (own := self._config.call_model_input_filter) is not None:
            answer = own(data)
            given = await answer if inspect.isawaitable(answer) else answer
        if not self._begun:
            await self._begin(given.input)
        instructions = "\n\n".join(filter(None, (given.instructions, self._known))) or None
        items = self.turn.with_block(given.input)
        if self._sent and _is_held_by_server(given.input):  # with the block it is not known there as sent
            items = [item for item, plain in zip(items, given.input, strict=True) if item is plain]
        return ModelInputData(input=items, instructions=instructions)

    @none_on_failure
    async def _begin(self, messages: Sequence[Any]) -> None:
        """Receive the user's message before the first request, where calls that were made already can be seen.

        A run that is resumed has been given it before; and a nested agent may be the first to ask there, whose prompt
        is nobody's word.
        """
        question = last_user_message(messages)
        if self._started and question.is_unanswered:
            self._known = await self._memory.open_turn(self.turn, question.text, question.preceding, unknown=True)
        else:
            self._known = await self._memory.continue_turn(self.turn, messages)
        self._begun = self._started

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        """Know that the next request is this run's own, and no nested agent's."""
        self._started = True
        await self._hooks.on_agent_start(context, agent)

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: "list[Any]") -> None:
        """Remember what is in the live context."""
        self._sent = input_items
        await self._hooks.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Remember what the request took: the usage of a run is a sum."""
        self._tokens = getattr(response.usage, "input_tokens", 0) or None
        await self._hooks.on_llm_end(context, agent, response)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        """Keep the answer, and end the turn."""
        await self._end_turn(output)
        await self._hooks.on_agent_end(context, agent, output)

    @none_on_failure
    async def _end_turn(self, output: object) -> None:
        reply = output if isinstance(output, str) else to_json(output, fallback=str).decode()
        await self.turn.replied(reply)
        messages = [*self._sent, {"role": "assistant", "content": reply}]
        self.turn.finished(messages, context_window=self._window, context_tokens=self._tokens)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Pass it on. The SDK calls it by these names."""
        await self._hooks.on_handoff(context, from_agent=from_agent, to_agent=to_agent)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Start the tool's clock."""
        self.turn.tool_began(_call(context, tool)[0])
        await self._hooks.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Note the tool."""
        await _note(self.turn, context, tool, result)
        await self._hooks.on_tool_end(context, agent, tool, result)

    async def tool_failed(self, failure: Any) -> "str | None":
        """Note why a tool failed, also a nested agent's: hooks get a sentence without the reason, or are not called."""
        if failure.kind != "approval_rejected":
            arguments = getattr(failure.run_context, "tool_arguments", "")
            error = getattr(failure, "error", None) or failure.default_message
            await self.turn.tool_finished(failure.call_id, failure.tool_name, arguments, error=error)
        answer = own(failure) if (own := self._config.tool_error_formatter) is not None else None
        return await answer if inspect.isawaitable(answer) else answer


class _NestedHooks(RunHooks[Any]):
    """The hooks of an agent that is a tool, shared by all that ask it: its tools are noted in the asking run's turn."""

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Start the clock."""
        if (run := _run_of(context)) is not None:
            run.turn.tool_began(_call(context, tool)[0])

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Note the tool."""
        if (run := _run_of(context)) is not None:
            await _note(run.turn, context, tool, result)


def _key(session: Any) -> str:
    return session if isinstance(session, str) else getattr(session, "session_key", "") or str(session.session_id)


def _tool(tool: ServiceTool) -> "FunctionTool":
    async def invoke(context: Any, arguments: str) -> str:
        if (run := _run_of(context)) is None:
            return _NO_RUN
        return await tool.run(arguments, session_key=run.turn.session_key)

    schema = dict(tool.parameters)
    return FunctionTool(tool.name, tool.description, schema, on_invoke_tool=invoke, strict_json_schema=False)


def _run_of(context: Any) -> _Run | None:  # nested runs have the configuration of the outer one
    run = getattr(getattr(context, "run_config", None), "call_model_input_filter", None)
    return run if isinstance(run, _Run) else None


def _call(context: Any, tool: Any) -> tuple[str, str, str]:
    called = getattr(context, "tool_call_id", "") or tool.name
    return str(called), tool.name, getattr(context, "tool_arguments", "")


async def _note(turn: Turn, context: Any, tool: Any, result: object) -> None:
    error = result if isinstance(result, str) and result.startswith(_FAILED) else None
    await turn.tool_finished(*_call(context, tool), result=result, error=error)


def _is_held_by_server(items: Sequence[Any]) -> bool:
    """Whether a request answers calls that none of its items contains: the server has them, and what led there."""
    called = {item.get("call_id") for item in items if not str(item.get("type")).endswith("_output")}
    return any(str(item.get("type")).endswith("_output") and item.get("call_id") not in called for item in items)


def _ids(items: Sequence[Any], kind: str) -> set[str]:
    return {item.get("call_id", "") for item in items if item.get("type") == kind}
