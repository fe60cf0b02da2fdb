"""Adapter for pydantic-ai: ``Agent(model, capabilities=[MemoryCapability(memory)])`` gives an agent a memory."""

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

# The exceptions of a tool that waits for a person or another process, and is called again later.
_SUSPENSIONS = (ApprovalRequired, CallDeferred)
# Marks a request of the history that holds our summary.
_SUMMARY_MARK = "memory_summary"


class MemoryCapability(AbstractCapability[Any]):
    """Recalls for each prompt, stores messages and tool calls, and shortens a history that fills the window.

    Agents and threads may share ``memory``. A session is the ``conversation_id`` of the run, or the result of
    ``session_key`` for its context; ``scope`` returns its owner. ``context_window`` is the model's, in tokens; without
    it history is never shortened. A run that begins inside a tool of another run is a sub-agent's.
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
        self._has_session_key = session_key is not None
        self._session_key = session_key or _conversation_key
        self._scope = scope or (lambda _ctx: None)
        self._turn: Turn | None = None
        self._entries: str | None = None

    async def for_run(self, ctx: Any) -> Self:
        """Return a copy, so that concurrent runs have separate turns."""
        return copy.copy(self)

    async def wrap_run(self, ctx: Any, *, handler: Callable[[], Awaitable[Any]]) -> Any:
        """Store the answer, and end the turn. A cancelled run or an abandoned stream has no answer."""
        turn = self._turn_of_run(ctx)
        try:
            result = await handler()
        except BaseException:
            turn.finished()
            raise
        messages = result.all_messages()
        chat = [message for _, message in _chat(messages)]
        await turn.replied(chat)
        last = next((message.usage for message in reversed(messages) if isinstance(message, ModelResponse)), None)
        context_tokens = last.total_tokens if last is not None else None
        turn.finished(chat, context_window=self.context_window, context_tokens=context_tokens or None)
        return result

    # --- model requests ---------------------------------------------------------------------------------------

    def get_instructions(self) -> Callable[[Any], Awaitable[str | None]]:
        """Return a function that returns the entries for the prompt, the same in each request of a run."""

        async def entries(ctx: Any) -> str | None:
            return await self._open_turn(ctx, ctx.messages) or None

        return entries

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the memory's tools."""
        return FunctionToolset(list(map(_toolset_tool, self.memory.tools())), id="memory")

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Recall at the first request of a run, and shorten a history that is too long, in the run's messages too."""
        turn, messages = self._turn_of_run(ctx), list(request_context.messages)
        await self._open_turn(ctx, messages)
        if ctx.run_step > 1:
            await _report_failed_calls(turn, messages)
        if (shortened := await self._shorten(turn, messages)) is not None:
            messages = ctx.messages[:] = shortened
        return replace(request_context, messages=_with_block(turn, messages))

    # --- tool calls -------------------------------------------------------------------------------------------

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Report the tool. Waiting for an approval or for execution elsewhere is no failure."""
        async with self._turn_of_run(ctx).tool(
            call.tool_name, args, call_id=call.tool_call_id, suspensions=_SUSPENSIONS
        ) as execution:
            execution.result = await handler(args)
        return execution.result

    async def on_tool_validate_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Any) -> Any:
        """Report a tool that was called with invalid arguments."""
        await self._turn_of_run(ctx).tool_finished(call.tool_call_id, call.tool_name, args, error=error)
        raise error

    # --- helpers of the hooks ---------------------------------------------------------------------------------

    def _turn_of_run(self, ctx: Any) -> Turn:
        """Return the turn. `wrap_run` creates it, before a tool of this run can be the calling session."""
        if self._turn is None:
            caller = calling_session()  # a sub-agent belongs to the calling session's owner
            scope = None if caller else self._scope(ctx)
            self._turn = self.memory.turn(self._session_key(ctx), scope=scope, parent=caller)
        return self._turn

    async def _open_turn(self, ctx: Any, messages: Sequence[ModelMessage]) -> str:
        """Begin the turn, once, and return the entries for the prompt."""
        if self._entries is None:
            turn, chat = self._turn_of_run(ctx), [message for _, message in _chat(messages)]
            question = last_user_message(chat)
            if ctx.prompt is None:  # the run continues after an approval, or after a tool was executed elsewhere
                self._entries = await self.memory.continue_turn(turn, chat)
                return self._entries
            text = spoken_text({"role": "user", "content": _content(ctx.prompt)})
            before = question.preceding if question.is_unanswered else chat
            # A conversation with a new id in each run cannot be told from a new one.
            is_stable = self._has_session_key or any(
                message.conversation_id == ctx.conversation_id for message in messages[:-1]
            )
            self._entries = await self.memory.open_turn(turn, text, before, unknown=is_stable)
        return self._entries

    async def _shorten(self, turn: Turn, messages: list[ModelMessage]) -> list[ModelMessage] | None:
        """Return a shortened history if it fills the window, else None."""
        indexed = _chat(messages)  # empty for a run with instructions and no prompt
        indexes, chat = [index for index, _ in indexed], [message for _, message in indexed]
        summary = await turn.compact(chat, context_window=self.context_window)
        if summary is None or (cut := indexes[min(summary.keep_from, len(indexes) - 1)]) <= 0:
            return None
        # System prompts are part of the history, and must survive the cut.
        system = [part for message in messages[:cut] for part in message.parts if part.part_kind == "system-prompt"]
        parts = [*system, UserPromptPart(summary.text)]
        first = next(message for message in messages if isinstance(message, ModelRequest))
        return [replace(first, parts=parts, metadata={_SUMMARY_MARK: True}), *messages[cut:]]


def _toolset_tool(tool: ServiceTool) -> Tool[Any]:
    async def run(**arguments: Any) -> str:
        return await tool.run(arguments)

    return Tool.from_schema(run, tool.name, tool.description, dict(tool.parameters))


def _conversation_key(ctx: Any) -> str:
    return f"pydantic-ai:{ctx.conversation_id}"


def _content(content: Any) -> Any:
    """Return a prompt's content in the format of chat completions: a text, or parts without the media's data."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = [part if isinstance(part, str) else getattr(part, "content", None) for part in content]
    kinds = [getattr(part, "kind", "file") for part in content]
    return [
        {"type": "text", "text": text} if isinstance(text, str) else {"type": kind}
        for text, kind in zip(texts, kinds, strict=True)
    ]


def _chat(messages: Sequence[ModelMessage]) -> list[tuple[int, dict[str, Any]]]:
    """Return messages in the format of chat completions, each with the index of the message that it is part of."""
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
        role = "system" if (message.metadata or {}).get(_SUMMARY_MARK) else "user"
        for part in message.parts:
            if part.part_kind == "system-prompt":
                chat.append((index, {"role": "system", "content": part.content}))
            elif part.part_kind == "user-prompt":
                time = part.timestamp.isoformat()
                chat.append((index, {"role": role, "content": _content(part.content), "timestamp": time}))
            elif getattr(part, "tool_name", None):
                answer = {"tool_call_id": part.tool_call_id, "name": part.tool_name}
                chat.append((index, {"role": "tool", "content": _tool_answer(part), **answer}))
    return chat


def _tool_answer(part: Any) -> str:
    response = part.model_response() if part.part_kind == "retry-prompt" else part.model_response_str()
    return str(response)


async def _report_failed_calls(turn: Turn, messages: Sequence[ModelMessage]) -> None:
    """Report calls of unknown tools, which reach no hook. A call that was reported before is not reported again."""
    calls = (part for message in messages[-2:-1] for part in message.parts if part.part_kind == "tool-call")
    arguments = {call.tool_call_id: call.args for call in calls}
    for part in messages[-1].parts:
        failed = part.part_kind == "retry-prompt" or getattr(part, "outcome", "") in ("retried", "failed")
        if failed and part.tool_name:
            await turn.tool_finished(
                part.tool_call_id, part.tool_name, arguments.get(part.tool_call_id), error=_tool_answer(part)
            )


def _with_block(turn: Turn, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return a copy of the messages with the block in this run's prompt; the run's own messages do not change."""
    copies = list(messages)
    for index in range(len(copies) - 1, -1, -1):
        parts = [_part_with_block(turn, part) for part in copies[index].parts]
        if any(new is not old for new, old in zip(parts, copies[index].parts, strict=True)):
            copies[index] = replace(copies[index], parts=parts)
            break
    return copies


def _part_with_block(turn: Turn, part: Any) -> Any:
    if part.part_kind != "user-prompt":
        return part
    prompt = {"role": "user", "content": _content(part.content)}
    (sent,) = turn.with_block([prompt])
    if sent is prompt:
        return part
    content = sent["content"] if isinstance(part.content, str) else [*part.content, turn.block]
    return replace(part, content=content)
