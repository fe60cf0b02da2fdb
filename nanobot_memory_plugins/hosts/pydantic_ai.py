"""The memory as a capability of pydantic-ai's agents: ``Agent(model, capabilities=[MemoryCapability(memory)])``."""

import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from nanobot_memory_plugins.core import MemoryService, Scope
from nanobot_memory_plugins.core.host.framework_calls import calling_session
from nanobot_memory_plugins.core.host.history import last_user_message, spoken_text
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.hosts.framework import framework

with framework("pydantic-ai"):
    from pydantic_ai import FunctionToolset, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

# What a tool raises that waits for somebody else: it is called again.
_WAITS = (ApprovalRequired, CallDeferred)
# Marks a request of the history that is our summary.
_SUMMARY = "memory_summary"


class MemoryCapability(AbstractCapability[Any]):
    """Recalls for each prompt, keeps what is said, notes tools, and shortens what fills the window.

    ``memory`` may be shared by agents and threads. A session is the ``conversation_id`` of the run, or what
    ``session_key`` makes of its context; ``scope`` says whose it is. ``context_window`` is the model's in tokens; where
    it is given, history is shortened. A run that begins inside a tool of another is a sub-agent's.
    """

    def __init__(
        self,
        memory: MemoryService,
        *,
        session_key: Callable[[Any], str] | None = None,
        scope: Callable[[Any], Scope | Mapping[str, str] | None] | None = None,
        context_window: int = 0,
    ) -> None:
        self.memory = memory
        self.context_window = context_window
        self._has_own_key = session_key is not None
        self._session_key = session_key or _conversation
        self._scope = scope or (lambda _ctx: None)
        self._turn: Turn | None = None
        self._known: str | None = None

    async def for_run(self, ctx: Any) -> Self:
        """Return a copy: runs side by side have turns of their own."""
        return copy.copy(self)

    async def wrap_run(self, ctx: Any, *, handler: Callable[[], Awaitable[Any]]) -> Any:
        """Keep the answer; a run that is cancelled, or whose stream is left, has none."""
        turn = self._of_run(ctx)
        try:
            result = await handler()
        except BaseException:
            turn.finished()
            raise
        messages = result.all_messages()
        chat = [message for _, message in _chat(messages)]
        await turn.replied(chat)
        last = next((message.usage for message in reversed(messages) if isinstance(message, ModelResponse)), None)
        used = last.total_tokens if last is not None else None
        turn.finished(chat, context_window=self.context_window, context_tokens=used or None)
        return result

    # --- what the model is given ------------------------------------------------------------------------------

    def get_instructions(self) -> Callable[[Any], Awaitable[str | None]]:
        """Return what tells what is known for long, the same in each request of a run."""

        async def known(ctx: Any) -> str | None:
            return await self._open_turn(ctx, ctx.messages) or None

        return known

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the memory's tools."""
        return FunctionToolset(list(map(_offered, self.memory.tools())), id="memory")

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Recall, at the first request of a run, and shorten a history that is too long, in the run as well."""
        turn, messages = self._of_run(ctx), list(request_context.messages)
        await self._open_turn(ctx, messages)
        if ctx.run_step > 1:
            await _note_failed(turn, messages)
        if (shorter := await self._shortened(turn, messages)) is not None:
            messages = ctx.messages[:] = shorter
        return replace(request_context, messages=_with_block(turn, messages))

    # --- a tool runs ------------------------------------------------------------------------------------------

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Note the tool. One that waits for an approval, or is executed elsewhere, is no failure."""
        async with self._of_run(ctx).tool(call.tool_name, args, call_id=call.tool_call_id, waits=_WAITS) as noted:
            noted.result = await handler(args)
        return noted.result

    async def on_tool_validate_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Any) -> Any:
        """Note a tool that was called with bad arguments."""
        await self._of_run(ctx).tool_finished(call.tool_call_id, call.tool_name, args, error=error)
        raise error

    # --- what the hooks have in common ------------------------------------------------------------------------

    def _of_run(self, ctx: Any) -> Turn:
        """Return the turn, which begins in no tool of its own run: `wrap_run` is the first to ask for it."""
        if self._turn is None:
            asking = calling_session()  # the asking session says who owns a sub-agent's
            scope = None if asking else self._scope(ctx)
            self._turn = self.memory.turn(self._session_key(ctx), scope=scope, parent=asking)
        return self._turn

    async def _open_turn(self, ctx: Any, messages: Sequence[ModelMessage]) -> str:
        """Begin the turn, once, and return what is known for long."""
        if self._known is None:
            turn, chat = self._of_run(ctx), [message for _, message in _chat(messages)]
            question = last_user_message(chat)
            if ctx.prompt is None:  # a run that goes on: somebody approved, or a tool was executed elsewhere
                self._known = await self.memory.continue_turn(turn, chat)
                return self._known
            text = spoken_text({"role": "user", "content": _content(ctx.prompt)})
            before = question.preceding if question.is_unanswered else chat
            # Of a conversation that has a new name in each run nothing says what it was before.
            named = self._has_own_key or any(
                message.conversation_id == ctx.conversation_id for message in messages[:-1]
            )
            self._known = await self.memory.open_turn(turn, text, before, unknown=named)
        return self._known

    async def _shortened(self, turn: Turn, messages: list[ModelMessage]) -> list[ModelMessage] | None:
        """Return a shorter history, once it fills the window."""
        indexed = _chat(messages)  # nothing, of a run with instructions and no prompt
        places, chat = [index for index, _ in indexed], [message for _, message in indexed]
        summary = await turn.compact(chat, context_window=self.context_window)
        if summary is None or (cut := places[min(summary.keep_from, len(places) - 1)]) <= 0:
            return None
        # The history contains the system's prompts, and they would go with it.
        system = [part for message in messages[:cut] for part in message.parts if part.part_kind == "system-prompt"]
        parts = [*system, UserPromptPart(summary.text)]
        first = next(message for message in messages if isinstance(message, ModelRequest))
        return [replace(first, parts=parts, metadata={_SUMMARY: True}), *messages[cut:]]


def _offered(tool: ServiceTool) -> Tool[Any]:
    async def run(**arguments: Any) -> str:
        return await tool.run(arguments)

    return Tool.from_schema(run, tool.name, tool.description, dict(tool.parameters))


def _conversation(ctx: Any) -> str:
    return f"pydantic-ai:{ctx.conversation_id}"


def _content(content: Any) -> Any:
    """Return a prompt's content as chat completions have it: a text, or parts of which pictures are but marks."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = [part if isinstance(part, str) else getattr(part, "content", None) for part in content]
    kinds = [getattr(part, "kind", "file") for part in content]
    return [
        {"type": "text", "text": text} if isinstance(text, str) else {"type": kind}
        for text, kind in zip(texts, kinds, strict=True)
    ]


def _chat(messages: Sequence[ModelMessage]) -> list[tuple[int, dict[str, Any]]]:
    """Return messages as chat completions have them, each with the index of the one that it is a part of."""
    chat: list[tuple[int, dict[str, Any]]] = []
    for index, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            called = [part for part in message.parts if part.part_kind == "tool-call"]
            names = [(call.tool_call_id, {"name": call.tool_name, "arguments": call.args}) for call in called]
            calls = [{"id": id_, "type": "function", "function": function} for id_, function in names]
            text = "\n\n".join(part.content for part in message.parts if part.part_kind == "text")
            time = message.timestamp.isoformat()
            chat.append((index, {"role": "assistant", "content": text, "tool_calls": calls, "timestamp": time}))
            continue
        asks = "system" if (message.metadata or {}).get(_SUMMARY) else "user"
        for part in message.parts:
            if part.part_kind == "system-prompt":
                chat.append((index, {"role": "system", "content": part.content}))
            elif part.part_kind == "user-prompt":
                time = part.timestamp.isoformat()
                chat.append((index, {"role": asks, "content": _content(part.content), "timestamp": time}))
            elif getattr(part, "tool_name", None):
                answer = {"tool_call_id": part.tool_call_id, "name": part.tool_name}
                chat.append((index, {"role": "tool", "content": _tool_answer(part), **answer}))
    return chat


def _tool_answer(part: Any) -> str:
    response = part.model_response() if part.part_kind == "retry-prompt" else part.model_response_str()
    return str(response)


async def _note_failed(turn: Turn, messages: Sequence[ModelMessage]) -> None:
    """Note the calls that no hook reported: those of unknown tools. What was noted is not noted again."""
    calls = (part for message in messages[-2:-1] for part in message.parts if part.part_kind == "tool-call")
    arguments = {call.tool_call_id: call.args for call in calls}
    for part in messages[-1].parts:
        failed = part.part_kind == "retry-prompt" or getattr(part, "outcome", "") in ("retried", "failed")
        if failed and part.tool_name:
            await turn.tool_finished(
                part.tool_call_id, part.tool_name, arguments.get(part.tool_call_id), error=_tool_answer(part)
            )


def _with_block(turn: Turn, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return the messages with the block in the prompt of this run; those of the run stay as they are."""
    made = list(messages)
    for index in range(len(made) - 1, -1, -1):
        parts = [_part_with_block(turn, part) for part in made[index].parts]
        if any(new is not old for new, old in zip(parts, made[index].parts, strict=True)):
            made[index] = replace(made[index], parts=parts)
            break
    return made


def _part_with_block(turn: Turn, part: Any) -> Any:
    if part.part_kind != "user-prompt":
        return part
    prompt = {"role": "user", "content": _content(part.content)}
    (sent,) = turn.with_block([prompt])
    if sent is prompt:
        return part
    content = sent["content"] if isinstance(part.content, str) else [*part.content, turn.block]
    return replace(part, content=content)
