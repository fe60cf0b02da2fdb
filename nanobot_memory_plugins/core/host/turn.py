"""One turn of a host, as an adapter reports it, no matter how often its hooks fire."""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from nanobot_memory_plugins.core.host.framework_calls import (
    ExceptionTypes,
    History,
    arguments_of,
    log_failures,
    tool_call_of,
)
from nanobot_memory_plugins.core.host.history import compaction_arguments, with_block, without_media
from nanobot_memory_plugins.core.host.memory_thread import Answer
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.values import Message, Receipt, Summary
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from nanobot_memory_plugins.core.values.notes import MessageContext

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost
    from nanobot_memory_plugins.core.host.memory_service import MemoryService


class Turn:
    """One turn: the user's message, the tools, the reply, the end.

    Everything may be reported more than once, by hooks for each step, hand-off or part of an answer. A failure in the
    memory never raises. The turn of a sub-agent has a ``parent``, the session that called it: its message is not the
    user's, and its tool calls belong to the parent.
    """

    def __init__(
        self, service: "MemoryService", session_key: str, *, scope: ScopeLike = None, parent: str = ""
    ) -> None:
        self.session_key = session_key
        self.scope = scope
        self.parent = parent
        self._service = service
        self._received: dict[str, Future[MessageContext | None]] = {}
        self.block: str | None = None
        """The fenced text to put next to the user's message, after recall."""
        self.was_late = False
        """Whether the memory failed or did not answer in time, so that the turn continues without it."""
        # The start time of each tool call, None once it is reported.
        self._tool_starts: dict[str, float | None] = {}
        self._running_tools: dict[str, AbstractContextManager[None]] = {}
        self._replies: Counter[str] = Counter()
        self._is_finished = False

    def restore(self, text: str, block: str | None = None) -> Self:
        """Continue a turn that another object began, perhaps in another process, without a second recall.

        ``text`` is the user's message, ``block`` the result of its recall.
        """
        if not self.parent:
            self._service.touch(self.session_key, self.scope)
        context: Future[MessageContext | None] = Future()
        context.set_result(MessageContext(block, Receipt(stored=False)))
        self._received.setdefault(_message_key(text), context)
        self.block = block
        return self

    def received(self, text: str, history: History = ()) -> Answer[str | None]:
        """Keep the user's message once, and return the fenced block to put next to it, or None.

        ``history`` is what precedes it in the live context.
        """
        future = self.begin(text, history)
        if future is None or (self.was_late and not future.done()):  # wait for it only once
            return self._service.answer(lambda: None)
        return self._service.answer(lambda _: self.take_block(text), future)

    @log_failures()
    def begin(self, text: str, history: History = (), *, known: bool = False) -> "Future[MessageContext | None] | None":
        """Start what `received` does, and return its future; None for an empty message.

        A ``known`` message was kept before, for example in a run that this turn continues.
        """
        key = _message_key(text)
        if not key:
            return None
        if key not in self._received:

            async def receive(memory: "MemoryHost") -> MessageContext:
                return await memory.message_received(
                    session_key=self.session_key,
                    text=text,
                    history=history() if callable(history) else history,
                    scope=self._scope_for(memory),
                    spoken=not self.parent,
                    known=known,
                )

            self._received[key] = self._service.submit(receive)
        return self._received[key]

    def take_block(self, text: str) -> str | None:
        """Set and return the block of a message after waiting for its recall; a notice if that is not done yet."""
        future = self._received.get(_message_key(text))
        if future is None:
            return None
        context = future.result() if future.done() else None
        if context is None:
            self.was_late = True
            self.block = None if future.done() else self._service.late_notice(text)
        else:
            self.block = context.block
        return self.block

    def with_block(self, messages: Sequence[Any]) -> list[Any]:
        """Return a new list of the messages of a request, with the block next to the user's message.

        The messages are dicts of chat completions, Responses or Anthropic; the host's own are not changed. If the
        message of this turn is not among them (as in the request of a nested agent), nothing is added.
        """
        with log_failures():
            return with_block(messages, self.block, self._is_own_message)
        return list(messages)

    def tool_began(self, call_id: str) -> None:
        """Start timing a tool call. A repeated id means a new call: some providers reuse ids in each step."""
        self._tool_starts[call_id] = time.perf_counter()

    def tool_entered(self, call_id: str) -> None:
        """Start timing a tool that runs in this context, and mark agents that it starts as sub-agents.

        This is for hosts with hooks before and after a tool; `tool` does the same as a context manager.
        """
        self.tool_began(call_id)
        self._running_tools[call_id] = running = tool_call_of(self.parent or self.session_key)
        running.__enter__()

    @property
    def has_running_tool(self) -> bool:
        """Whether a tool that was entered is still running."""
        return bool(self._running_tools)

    def tool_suspended(self, call_id: str) -> None:
        """Discard the call of a tool that waits for somebody and will be called again."""
        self._leave_tool(call_id)
        self._tool_starts.pop(call_id, None)

    def tool_finished(
        self,
        call_id: str,
        name: str,
        arguments: object,
        *,
        result: object = None,
        error: "BaseException | str | None" = None,
    ) -> Answer[None]:
        """Report a tool that finished or failed with ``error``, once for each id; the memory's own are skipped."""
        self._leave_tool(call_id)
        now = time.perf_counter()
        start, self._tool_starts[call_id] = self._tool_starts.get(call_id, now), None
        if start is None:
            return self._service.answer(_nothing)
        milliseconds = (now - start) * 1000

        async def report(memory: "MemoryHost") -> None:
            if memory.tool(name) is None:
                await memory.tool_executed(
                    session_key=self.parent or self.session_key,
                    tool_name=name,
                    arguments=arguments_of(arguments),
                    result=result,
                    error=f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error,
                    duration_ms=milliseconds,
                    scope=self.scope,
                )

        reported = self._service.submit(report)
        return self._service.answer(_nothing, reported, limit=self._service.config.core.tool_limit)

    def tool(
        self, name: str, arguments: object, *, call_id: str = "", suspensions: ExceptionTypes = ()
    ) -> "ToolExecution":
        """Time and report the tool that runs inside ``with`` or ``async with``; its exceptions are passed on.

        An exception in ``suspensions`` is not a failure: that tool is called again after somebody has answered.
        """
        return ToolExecution(self, name, arguments, call_id or f"{name}-{time.perf_counter_ns()}", suspensions)

    def compact(self, messages: Sequence[object], *, context_window: int) -> Answer[Summary | None]:
        """Return a summary of the history before this turn's message if the request fills the window, else None.

        ``messages`` are those of the next request. The user's message and everything after it stay, so ``keep_from`` is
        at most its index.
        """
        arguments = compaction_arguments(messages, self._is_own_message, context_window)
        if arguments is None:
            return self._service.answer(lambda: None)
        return self._service.before_compaction(self.session_key, **arguments, scope=self.scope)

    def replied(self, reply: str | Sequence[object]) -> Answer[None]:
        """Keep the assistant's replies, each once: a text, or those after the user's message in a list of messages."""
        sends = []
        seen: Counter[str] = Counter()
        with log_failures():
            for text in [reply] if isinstance(reply, str) else self._replies_in(reply):
                key = _message_key(text)
                seen[key] += 1
                # A text that occurs twice in one list is two replies.
                if key and seen[key] > self._replies[key]:
                    self._replies[key] += 1
                    sends.append(self._service.submit(partial(self._send, text)))
        return self._service.answer(_nothing, *sends)

    @log_failures()
    def finished(
        self, messages: Sequence[object] = (), *, context_window: int = 0, context_tokens: int | None = None
    ) -> None:
        """Report the end of the turn and return immediately; ignored for a sub-agent and after the first call.

        ``messages`` are the live context now, ``context_window`` is the model's, in tokens, and ``context_tokens`` the
        size of the last request if the host knows it. Without a window, as after a cancelled turn, only the session's
        idle timer restarts.
        """
        if self._is_finished:
            return
        if context_window > 0 and not self.parent and self._service.is_running:

            async def finish(memory: "MemoryHost") -> None:
                memory.turn_finished(
                    session_key=self.session_key,
                    messages=messages,
                    context_window=context_window,
                    context_tokens=context_tokens,
                    scope=self.scope,
                )

            self._service.submit(finish)
        self._is_finished = True
        if self._service.is_running and not self.parent:  # do not restart a closed memory for this
            self._service.touch(self.session_key, self.scope)

    # --- shared by the calls

    def _is_own_message(self, message: Message) -> bool:
        return message.role == "user" and _message_key(without_media(message).text) in self._received

    def _leave_tool(self, call_id: str) -> None:
        if (running := self._running_tools.pop(call_id, None)) is not None:
            running.__exit__(None, None, None)

    def _scope_for(self, memory: "MemoryHost") -> ScopeLike:
        if self.scope is not None or not self.parent:
            return self.scope
        return memory.child_scope(self.parent, self.session_key)

    async def _send(self, text: str, memory: "MemoryHost") -> None:
        await memory.message_sent(session_key=self.session_key, text=text, scope=self._scope_for(memory))

    def _replies_in(self, messages: Sequence[object]) -> list[str]:
        """Return the assistant's texts after the user's last message of this turn."""
        replies: list[str] = []
        for message in reversed(messages_from_chat(messages)):
            if self._is_own_message(message):
                break
            if message.role == "assistant" and not message.tool_calls:
                replies.append(message.text)
        return replies[::-1]


class ToolExecution:
    """One execution of a tool. The caller sets ``result``, or ``error`` if the tool reports a failure."""

    def __init__(self, turn: Turn, name: str, arguments: object, call_id: str, suspensions: ExceptionTypes) -> None:
        self.result: object = None
        self.error: str | None = None
        self._turn, self._name, self._arguments, self._id = turn, name, arguments, call_id
        self._suspensions = suspensions

    def __enter__(self) -> Self:
        self._turn.tool_entered(self._id)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if (report := self._finish(error)) is not None:
            report.now()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if (report := self._finish(error)) is not None:
            await report

    def _finish(self, error: BaseException | None) -> Answer[None] | None:
        """Report the end of the tool, and return the answer to wait for; None if the tool waits or was cancelled."""
        if error is not None and isinstance(error, self._suspensions):
            self._turn.tool_suspended(self._id)
            return None
        failure = self.error if error is None else error
        report = self._turn.tool_finished(self._id, self._name, self._arguments, result=self.result, error=failure)
        return report if error is None or isinstance(error, Exception) else None


def _nothing(*_answers: object) -> None:
    """Return None, whatever the answers are."""


def _message_key(text: str) -> str:
    """Return the form of a text that is compared: hosts trim and wrap texts, which may contain our block."""
    return " ".join(remove_fenced(text).split())
