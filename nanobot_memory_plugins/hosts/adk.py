"""The memory in Google's Agent Development Kit: a plugin of an app. `adk_services` has summaries and a service."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from nanobot_memory_plugins.core import BoundedDict, MemoryService, Scope
from nanobot_memory_plugins.core.host import ServiceTool, Turn, asked_by, asked_in, asking_session, guarded
from nanobot_memory_plugins.hosts.adk_contents import live_messages, messages_of, plain, said_in, text_of
from nanobot_memory_plugins.hosts.framework import framework

with framework("adk"):
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.genai import types

WhoseSession = Callable[[Any], Scope]
# Runs that are remembered; one that was cancelled is told of by nobody.
_RUNS = 1_000
# Invocations whose session is known, for the summaries: events do not name it.
_INVOCATIONS = 20_000
# How the kit hands a conversation over to another agent: no tool that does anything.
_TRANSFER = "transfer_to_agent"
_KEY = "adk:"


def of_user(session: Any) -> Scope:
    """Return whose a session is: its user's, in every app, so that the memory is shared with other hosts."""
    return Scope(user=session.user_id)


def session_key(session: Any) -> str:
    """Return the name of a session: its id alone is unique within an app and a user only."""
    return f"{_KEY}{session.app_name}:{session.user_id}:{session.id}"


@dataclass(slots=True)
class _Run:
    """One invocation: its turn, what it last asked, and the tools that it runs, each with what ends its asking."""

    turn: Turn
    is_told: bool = False
    known: str | None = None
    sent: Sequence[Any] = ()
    tokens: int | None = None
    heard: int | None = None
    """Of a live run, which no hook tells what the user says: how many of the session's events were looked at."""
    running: dict[str, AbstractContextManager[None]] = field(default_factory=dict)


class MemoryPlugin(BasePlugin):
    """The memory, for all agents of an app: ``App(plugins=[MemoryPlugin(memory)])``.

    ``context_window`` is the model's, in tokens: without it the memory does not look ahead. ``whose`` says whose a
    session is. With ``tools`` off the model is offered none of the memory's. The memory is the caller's to close.
    """

    def __init__(
        self,
        memory: MemoryService,
        *,
        name: str = "nanobot_memory",
        context_window: int = 0,
        whose: WhoseSession = of_user,
        tools: bool = True,
    ) -> None:
        super().__init__(name=name)
        self.memory = memory
        self.context_window = context_window
        self.whose = whose
        self._with_tools = tools
        self._tools: list[_Tool] = []
        self._runs: BoundedDict[str, _Run] = BoundedDict(_RUNS)
        self._sessions: BoundedDict[str, tuple[str, Scope]] = BoundedDict(_INVOCATIONS)

    def session_of(self, events: Sequence[Any]) -> tuple[str, Scope] | None:
        """Return the key of the session of which some events are, and whose it is, or None."""
        return next((known for event in events if (known := self._sessions.get(event.invocation_id))), None)

    @guarded
    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> None:
        """Keep the user's message. An answer of a tool has no text, and what another agent asks is not the user's."""
        run = self._run(invocation_context)
        if text := text_of(user_message):
            run.is_told = True
            before = live_messages(invocation_context.session.events)
            run.known = await self.memory.open_turn(run.turn, text, before, unknown=not run.turn.parent)

    @guarded
    async def before_run_callback(self, *, invocation_context: Any) -> None:
        """Know a live run, in which the user goes on speaking."""
        if invocation_context.live_request_queue is not None:
            self._run(invocation_context).heard = len(invocation_context.session.events)

    @guarded
    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Put the block beside the user's message, and what is known for long into the instructions."""
        run = self._run(callback_context)
        if run.heard is not None:
            return  # what is sent to a live model is another object
        contents = list(llm_request.contents)
        before = [plain(content) for content in contents]
        if not run.is_told:  # a run that is resumed was told of before
            asked = asked_in(before)
            await run.turn.taken_up(asked.text, asked.before)
        for index, made in enumerate(run.turn.beside(before)):
            if made is not before[index]:
                parts = [*(contents[index].parts or ()), types.Part(text=run.turn.block)]
                contents[index] = types.Content(role=contents[index].role, parts=parts)
        llm_request.contents = run.sent = contents
        if run.known is None:
            key, scope = run.turn.session_key, run.turn.scope
            run.known = (await self.memory.prompt_entries(session_key=key, scope=scope)).text
        if run.known:
            llm_request.append_instructions([run.known])
        if self._with_tools and not run.turn.was_late and _takes_tools(llm_request.config):
            if not self._tools and await self.memory.start():
                self._tools = [_Tool(tool) for tool in self.memory.tools()]
            llm_request.append_tools([tool for tool in self._tools if tool.name not in llm_request.tools_dict])

    @guarded
    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Start the tool's clock."""
        run, call_id = self._run(tool_context), tool_context.function_call_id or tool.name
        run.turn.tool_began(call_id, "" if tool.name == _TRANSFER else tool.name, tool_args)
        run.turn.watch()  # an older kit does not tell of a tool that is cut off
        run.running[call_id] = asking = asked_by(run.turn.parent or run.turn.session_key)
        asking.__enter__()  # the tool runs in this context, between two callbacks

    @guarded
    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        """Note a tool; not one that waits for somebody."""
        failed = result.get("error") if isinstance(result, dict) else None
        await self._note(tool, tool_args, tool_context, result=result, error=str(failed) if failed else None)

    @guarded
    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
        """Note a tool that failed, one that does not exist, or one that was cancelled."""
        await self._note(tool, tool_args, tool_context, error=error)

    @guarded
    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Keep what an agent answers, when it is whole."""
        run = self._runs.get(invocation_context.invocation_id)
        if run is None or event.partial or event.author == "user":
            return
        await self._hear(run, invocation_context.session)
        if event.usage_metadata is not None:
            run.tokens = event.usage_metadata.prompt_token_count or run.tokens
        if event.is_final_response() and (text := said_in(event)):
            await run.turn.replied(text)

    @guarded
    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """End the turn; a nested agent's ends with the tool that asked it."""
        run = self._runs.pop(invocation_context.invocation_id, None)
        if run is None or run.turn.parent:
            return
        await self._hear(run, invocation_context.session)
        window = self.context_window
        messages = [one for content in run.sent for one in messages_of(content)] if window else []
        run.turn.finished(messages, context_window=window, context_tokens=run.tokens)

    @guarded
    async def on_run_error_callback(self, *, invocation_context: Any, error: Exception) -> None:
        """Abandon the turn."""
        if (run := self._runs.pop(invocation_context.invocation_id, None)) is not None and not run.turn.parent:
            run.turn.abandoned()

    async def _hear(self, run: _Run, session: Any) -> None:
        """Keep what the user of a live run has typed or said since the last look."""
        if run.heard is None:
            return
        new, begin, run.heard = session.events[run.heard :], run.heard, len(session.events)
        for place, event in enumerate(new, begin):
            if event.author == "user" and not event.partial and (text := said_in(event)):
                before = live_messages(session.events[:place])
                await self.memory.open_turn(run.turn, text, before, unknown=not run.turn.parent)

    def _run(self, context: Any) -> _Run:
        """Return what is remembered of an invocation; one that is not known begins."""
        if (run := self._runs.get(context.invocation_id)) is None:
            session = context.session
            key, whose, asking = session_key(session), self.whose(session), asking_session()
            if asking and asking != key and self._is_asking(asking):
                turn = self.memory.turn(key, parent=asking)
            else:
                turn = self.memory.turn(key, scope=whose)
                self.memory.touch(key, whose)  # a run that is cancelled does not say so
            run = self._runs[context.invocation_id] = _Run(turn)
            for one in {context.invocation_id, *(event.invocation_id for event in session.events)}:
                self._sessions[one] = key, whose
        return run

    def _is_asking(self, key: str) -> bool:
        """Say whether a session runs a tool: of one that was cut off the context may tell still."""
        if not key.startswith(_KEY):
            return True
        return any(run.running and key in (run.turn.session_key, run.turn.parent) for run in self._runs.values())

    async def _note(self, tool: Any, tool_args: Any, context: Any, **outcome: Any) -> None:
        run, call_id = self._run(context), context.function_call_id or tool.name
        if (asking := run.running.pop(call_id, None)) is not None:
            asking.__exit__(None, None, None)
        waits = call_id in context.actions.requested_tool_confirmations
        if (
            tool.name != _TRANSFER
            and not waits
            and (outcome.get("result") or outcome["error"] or not tool.is_long_running)
        ):
            await run.turn.tool_finished(call_id, tool.name, tool_args, **outcome)
        else:
            run.turn.tool_waits(call_id)


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


def _takes_tools(config: Any) -> bool:
    """Say whether a request may have functions: not beside a schema of the answer, or the model's own tools."""
    tools = config.tools or ()
    return config.response_schema is None and all(getattr(one, "function_declarations", None) for one in tools)
