"""The memory in Google's Agent Development Kit: a plugin of an app, and summaries of its events."""

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
# How the kit hands a conversation over to another agent: no tool that does anything.
_TRANSFER, _KEY = "transfer_to_agent", "adk:"
# Runs that are remembered: a run that was cancelled is not reported. And runs whose session is known.
_RUNS, _SESSIONS = 1_000, 20_000
# Where the plugin was given no window: a small one, so that the summary is short.
_WINDOW = 32_000


def of_user(session: Any) -> Scope:
    """Return the owner of a session: its user, in every app, so that the memory is shared with other hosts."""
    return Scope(user=session.user_id)


def session_key(session: Any) -> str:
    """Return the name of a session: its id alone is unique within an app and a user only."""
    return f"{_KEY}{session.app_name}:{session.user_id}:{session.id}"


def event_message(event: Any) -> dict[str, Any]:
    """Return what an event says, with its time; that of a compaction is the summary."""
    content = compaction.compacted_content if (compaction := event.actions.compaction) else event.content
    return {**_plain(content), "timestamp": event.timestamp}


@dataclass(slots=True)
class _Run:
    """One run: its turn, what is known for long once that was opened, and what its model was asked last."""

    turn: Turn
    known: str | None = None
    sent: Sequence[object] = ()
    tokens: int | None = None


class MemoryPlugin(BasePlugin):
    """The memory, for all agents of an app: ``App(plugins=[MemoryPlugin(memory)])``.

    ``context_window`` is the model's, in tokens: without it the memory does not look ahead. ``scope`` returns the owner
    of a session. With ``tools`` off the model is offered none of the memory's. The memory is the caller's to close.
    """

    def __init__(
        self, memory: MemoryService, *, name: str = "nanobot_memory", context_window: int = 0,
        scope: ScopeOfSession = of_user, tools: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.memory, self.context_window, self.scope = memory, context_window, scope
        self._with_tools, self._tools = tools, list[_Tool]()
        # Callbacks share nothing but the id of their run.
        self._runs: BoundedDict[str, _Run] = BoundedDict(_RUNS)
        self._sessions: BoundedDict[str, tuple[str, Scope]] = BoundedDict(_SESSIONS)

    @none_on_failure
    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> None:
        """Keep the user's message. An answer of a tool has no text, and what another agent asks is not the user's."""
        run = self._run(invocation_context)
        if text := last_user_message([_plain(user_message)]).text:
            history = _live_messages(invocation_context.session.events)
            run.known = await self.memory.open_turn(run.turn, text, history, unknown=True)

    @none_on_failure
    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Put the block into the user's message, and what is known for long into the instructions."""
        run = self._run(callback_context)
        contents = llm_request.contents = list(llm_request.contents)
        run.sent = plain = list(map(_plain, contents))
        if run.known is None:  # it goes on with a turn of before
            run.known = await self.memory.continue_turn(run.turn, plain)
        for index, made in enumerate(run.turn.with_block(plain)):
            if made is not plain[index]:
                parts = [*(contents[index].parts or ()), types.Part(text=run.turn.block)]
                contents[index] = types.Content(role=contents[index].role, parts=parts)
        if run.known:
            llm_request.append_instructions([run.known])
        config = llm_request.config  # a schema of the answer, or tools of the model's own, allow of no functions
        functions = all(getattr(tool, "function_declarations", None) for tool in config.tools or ())
        if self._with_tools and functions and config.response_schema is None and not run.turn.was_late:
            if not self._tools and await self.memory.start():
                self._tools = [_Tool(tool) for tool in self.memory.tools()]
            llm_request.append_tools([tool for tool in self._tools if tool.name not in llm_request.tools_dict])

    @none_on_failure
    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Start the tool's clock: it runs in this context, between two callbacks."""
        self._run(tool_context).turn.tool_entered(tool_context.function_call_id or tool.name)

    @none_on_failure
    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        """Note a tool; not one that waits for somebody."""
        failed = result.get("error") if isinstance(result, dict) else None
        waits = not result and not failed and tool.is_long_running
        await self._note(tool, tool_args, tool_context, result, str(failed) if failed else None, waits=waits)

    @none_on_failure
    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
        """Note a tool that failed, one that does not exist, or one that was cancelled."""
        await self._note(tool, tool_args, tool_context, None, error)

    @none_on_failure
    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Keep what an agent answers, when it is whole."""
        run = self._runs.get(invocation_context.invocation_id)
        if run is None or event.partial or event.author == "user" or invocation_context.live_request_queue is not None:
            return
        if event.usage_metadata is not None:
            run.tokens = event.usage_metadata.prompt_token_count or run.tokens
        text = last_user_message([{**_plain(event.content), "role": "user"}]).text
        if text and event.is_final_response():
            await run.turn.replied(text)

    @none_on_failure
    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """End the turn."""
        if (run := self._runs.pop(invocation_context.invocation_id, None)) is not None:
            run.turn.finished(run.sent, context_window=self.context_window, context_tokens=run.tokens)

    @none_on_failure
    async def on_run_error_callback(self, *, invocation_context: Any, error: Exception) -> None:
        """Abandon the turn."""
        if (run := self._runs.pop(invocation_context.invocation_id, None)) is not None:
            run.turn.finished()

    def session_of(self, events: Iterable[Any]) -> tuple[str, Scope] | None:
        """Return the key and the owner of the session that events belong to, or None."""
        return next((known for event in events if (known := self._sessions.get(event.invocation_id))), None)

    def _run(self, context: Any) -> _Run:
        """Return what is remembered of a run; one that is not known begins, a nested agent's where a tool asks it."""
        if (run := self._runs.get(context.invocation_id)) is None:
            key, owner, asking = session_key(context.session), self.scope(context.session), calling_session()
            if asking not in ("", key) and self._is_asking(asking):
                turn = self.memory.turn(key, parent=asking)
            else:
                turn = self.memory.turn(key, scope=owner)
            run = self._runs[context.invocation_id] = _Run(turn)
            for id_ in {context.invocation_id, *(event.invocation_id for event in context.session.events)}:
                self._sessions[id_] = key, owner
        return run

    def _is_asking(self, key: str) -> bool:
        """Return whether a session runs a tool: of one that was cut off the context may tell still."""
        turns = [run.turn for run in self._runs.values() if run.turn.has_running_tool]
        return not key.startswith(_KEY) or any(key in (turn.session_key, turn.parent) for turn in turns)

    async def _note(self, tool: Any, given: Any, context: Any, result: Any, error: Any, *, waits: bool = False) -> None:
        turn, call_id = self._run(context).turn, context.function_call_id or tool.name
        if waits or tool.name == _TRANSFER or call_id in context.actions.requested_tool_confirmations:
            turn.tool_suspended(call_id)
        else:
            await turn.tool_finished(call_id, tool.name, given, result=result, error=error)


class MemorySummarizer(BaseEventsSummarizer):
    """The memory's summary in the place of old events, of which the last may stay: the ``summarizer`` of an app."""

    def __init__(self, plugin: MemoryPlugin) -> None:
        self._plugin = plugin

    @none_on_failure
    async def maybe_summarize_events(self, *, events: Sequence[Any]) -> Any:
        """Return the summary, or None: then the events stay."""
        if (known := self._plugin.session_of(events)) is None:
            return None
        (key, owner), window = known, self._plugin.context_window or _WINDOW
        messages = list(map(event_message, events))
        summary = await self._plugin.memory.before_compaction(key, messages, context_window=window, scope=owner)
        if summary is None or not summary.keep_from:
            return None
        content = types.Content(role="model", parts=[types.Part(text=summary.text)])
        begin, end = events[0].timestamp, events[summary.keep_from - 1].timestamp
        compaction = EventCompaction(start_timestamp=begin, end_timestamp=end, compacted_content=content)
        return Event(author="user", actions=EventActions(compaction=compaction), invocation_id=Event.new_id())


class _Tool(BaseTool):
    """A tool of the memory's, for the model of any agent."""

    def __init__(self, tool: ServiceTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> Any:
        schema = dict(self._tool.parameters)
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Run it in the session that asks."""
        return {"result": await self._tool.run(args, session_key=session_key(tool_context.session))}


def _plain(content: Any) -> dict[str, Any]:
    left_out = {"parts": {"__all__": {"inline_data"}}}
    return content.model_dump(exclude_none=True, exclude=left_out) if content else {"role": "model", "parts": []}


def _live_messages(events: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the live context: a summary in place of the events that it replaces."""
    shown = [event for event in events if not event.partial and (event.content or event.actions.compaction)]
    ranges = [
        (compacted.start_timestamp, compacted.end_timestamp)
        for event in shown
        if (compacted := event.actions.compaction)
    ]
    gone = [any(start <= event.timestamp <= end for start, end in ranges) for event in shown]
    return [event_message(event) for event, old in zip(shown, gone, strict=True) if event.actions.compaction or not old]
