"""Adapter for Google's Agent Development Kit: a plugin of an app, and a summarizer of its events."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core import MemoryService, Scope
from nanobot_memory_plugins.core.host.framework_calls import calling_session, none_on_failure
from nanobot_memory_plugins.core.host.history import last_user_message
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.hosts.framework import framework

with framework("adk"):
    from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
    from google.adk.events.event import Event
    from google.adk.events.event_actions import EventActions, EventCompaction
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.genai import types

ScopeOfSession = Callable[[Any], Scope]
# The pseudo-tool with which the kit hands a conversation to another agent, and the prefix of session keys.
_TRANSFER_TOOL, _KEY_PREFIX = "transfer_to_agent", "adk:"
# Limits on the runs in progress (a cancelled run is never reported), and on the runs whose session is known.
_MAX_RUNS, _MAX_SESSIONS = 1_000, 20_000
# The window when the plugin got none, in tokens. It is small, so that summaries are short.
_DEFAULT_WINDOW = 32_000


def of_user(session: Any) -> Scope:
    """Return the scope of a session's user. It does not depend on the app, so that other hosts share the memory."""
    return Scope(user=session.user_id)


def session_key(session: Any) -> str:
    """Return the memory's key of a session. The session's id is unique only for one app and user."""
    return f"{_KEY_PREFIX}{session.app_name}:{session.user_id}:{session.id}"


def event_message(event: Any) -> dict[str, Any]:
    """Return an event as a chat message with its time. A compaction event becomes its summary."""
    content = compaction.compacted_content if (compaction := event.actions.compaction) else event.content
    return {**_message_dict(content), "timestamp": event.timestamp}


@dataclass(slots=True)
class _Run:
    """One run: its turn, the entries for its prompt (None before the turn is open), and its last model request."""

    turn: Turn
    entries: str | None = None
    request: Sequence[object] = ()
    tokens: int | None = None


class MemoryPlugin(BasePlugin):
    """A plugin that gives all agents of an app a memory: ``App(plugins=[MemoryPlugin(memory)])``.

    ``context_window`` is the model's, in tokens; without it the hook ``on_turn_finished`` is not called. ``scope``
    returns the owner of a session. ``tools`` says whether the model gets the memory's tools. The caller closes
    ``memory``.
    """

    def __init__(
        self, memory: MemoryService, *, name: str = "nanobot_memory", context_window: int = 0,
        scope: ScopeOfSession = of_user, tools: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.memory, self.context_window, self.scope = memory, context_window, scope
        self._offers_tools, self._tools = tools, list[_Tool]()
        # The callbacks of a run share nothing but its id.
        self._runs: BoundedDict[str, _Run] = BoundedDict(_MAX_RUNS)
        self._sessions: BoundedDict[str, tuple[str, Scope]] = BoundedDict(_MAX_SESSIONS)

    @none_on_failure
    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> None:
        """Store the user's message. A tool's answer has no text, and a calling agent's request is not the user's."""
        run = self._run(invocation_context)
        if text := last_user_message([_message_dict(user_message)]).text:
            history = _live_messages(invocation_context.session.events)
            run.entries = await self.memory.open_turn(run.turn, text, history, unknown=True)

    @none_on_failure
    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Add the recalled block to the user's message, the entries to the instructions, and the memory's tools."""
        run = self._run(callback_context)
        contents = llm_request.contents = list(llm_request.contents)
        run.request = plain = list(map(_message_dict, contents))
        if run.entries is None:  # it continues an earlier turn
            run.entries = await self.memory.continue_turn(run.turn, plain)
        for index, message in enumerate(run.turn.with_block(plain)):
            if message is not plain[index]:
                parts = [*(contents[index].parts or ()), types.Part(text=run.turn.block)]
                contents[index] = types.Content(role=contents[index].role, parts=parts)
        if run.entries:
            llm_request.append_instructions([run.entries])
        config = llm_request.config  # a response schema and built-in tools exclude functions
        allows_functions = all(getattr(tool, "function_declarations", None) for tool in config.tools or ())
        if self._offers_tools and allows_functions and config.response_schema is None and not run.turn.was_late:
            if not self._tools and await self.memory.start():
                self._tools = [_Tool(tool) for tool in self.memory.tools()]
            llm_request.append_tools([tool for tool in self._tools if tool.name not in llm_request.tools_dict])

    @none_on_failure
    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Start the tool's timer. The tool runs in this context, between two callbacks."""
        self._run(tool_context).turn.tool_entered(tool_context.function_call_id or tool.name)

    @none_on_failure
    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        """Report a tool that finished. One that waits for a person is only suspended."""
        failed = result.get("error") if isinstance(result, dict) else None
        waits = not result and not failed and tool.is_long_running
        await self._report_tool(tool, tool_args, tool_context, result, str(failed) if failed else None, waits=waits)

    @none_on_failure
    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
        """Report a tool that failed, does not exist, or was cancelled."""
        await self._report_tool(tool, tool_args, tool_context, None, error)

    @none_on_failure
    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Store an agent's final answer once it is complete."""
        run = self._runs.get(invocation_context.invocation_id)
        if run is None or event.partial or event.author == "user" or invocation_context.live_request_queue is not None:
            return
        if event.usage_metadata is not None:
            run.tokens = event.usage_metadata.prompt_token_count or run.tokens
        text = last_user_message([{**_message_dict(event.content), "role": "user"}]).text
        if text and event.is_final_response():
            await run.turn.replied(text)

    @none_on_failure
    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """End the turn."""
        if (run := self._runs.pop(invocation_context.invocation_id, None)) is not None:
            run.turn.finished(run.request, context_window=self.context_window, context_tokens=run.tokens)

    @none_on_failure
    async def on_run_error_callback(self, *, invocation_context: Any, error: Exception) -> None:
        """End the turn of a failed run."""
        if (run := self._runs.pop(invocation_context.invocation_id, None)) is not None:
            run.turn.finished()

    def session_of(self, events: Iterable[Any]) -> tuple[str, Scope] | None:
        """Return the key and the owner of the session of ``events``, or None when they are unknown."""
        return next((found for event in events if (found := self._sessions.get(event.invocation_id))), None)

    def _run(self, context: Any) -> _Run:
        """Return the state of a run, created at its first callback. A run inside a tool gets a sub-agent's turn."""
        if (run := self._runs.get(context.invocation_id)) is None:
            key, owner, caller = session_key(context.session), self.scope(context.session), calling_session()
            if caller not in ("", key) and self._runs_tool(caller):
                turn = self.memory.turn(key, parent=caller)
            else:
                turn = self.memory.turn(key, scope=owner)
            run = self._runs[context.invocation_id] = _Run(turn)
            for id_ in {context.invocation_id, *(event.invocation_id for event in context.session.events)}:
                self._sessions[id_] = key, owner
        return run

    def _runs_tool(self, key: str) -> bool:
        """Return whether a session runs a tool now; the context may still name one whose run was cut off."""
        turns = [run.turn for run in self._runs.values() if run.turn.has_running_tool]
        return not key.startswith(_KEY_PREFIX) or any(key in (turn.session_key, turn.parent) for turn in turns)

    async def _report_tool(
        self, tool: Any, args: Any, context: Any, result: Any, error: Any, *, waits: bool = False
    ) -> None:
        turn, call_id = self._run(context).turn, context.function_call_id or tool.name
        if waits or tool.name == _TRANSFER_TOOL or call_id in context.actions.requested_tool_confirmations:
            turn.tool_suspended(call_id)
        else:
            await turn.tool_finished(call_id, tool.name, args, result=result, error=error)


class MemorySummarizer(BaseEventsSummarizer):
    """A ``summarizer`` of an app that replaces old events by the memory's summary."""

    def __init__(self, plugin: MemoryPlugin) -> None:
        self._plugin = plugin

    @none_on_failure
    async def maybe_summarize_events(self, *, events: Sequence[Any]) -> Any:
        """Return an event that holds the summary, or None to keep the events."""
        if (session := self._plugin.session_of(events)) is None:
            return None
        (key, owner), window = session, self._plugin.context_window or _DEFAULT_WINDOW
        messages = list(map(event_message, events))
        summary = await self._plugin.memory.before_compaction(key, messages, context_window=window, scope=owner)
        if summary is None or not summary.keep_from:
            return None
        content = types.Content(role="model", parts=[types.Part(text=summary.text)])
        begin, end = events[0].timestamp, events[summary.keep_from - 1].timestamp
        compaction = EventCompaction(start_timestamp=begin, end_timestamp=end, compacted_content=content)
        return Event(author="user", actions=EventActions(compaction=compaction), invocation_id=Event.new_id())


class _Tool(BaseTool):
    """A tool of the memory, for the model of any agent."""

    def __init__(self, tool: ServiceTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> Any:
        schema = dict(self._tool.parameters)
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Run the tool for the calling session."""
        return {"result": await self._tool.run(args, session_key=session_key(tool_context.session))}


def _message_dict(content: Any) -> dict[str, Any]:
    excluded = {"parts": {"__all__": {"inline_data"}}}
    return content.model_dump(exclude_none=True, exclude=excluded) if content else {"role": "model", "parts": []}


def _live_messages(events: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the live context: each summary in place of the events that it replaces."""
    complete = [event for event in events if not event.partial and (event.content or event.actions.compaction)]
    ranges = [
        (compacted.start_timestamp, compacted.end_timestamp)
        for event in complete
        if (compacted := event.actions.compaction)
    ]
    return [
        event_message(event)
        for event in complete
        if event.actions.compaction or not any(start <= event.timestamp <= end for start, end in ranges)
    ]
