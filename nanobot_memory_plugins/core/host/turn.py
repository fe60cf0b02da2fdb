"""One turn of a host: what an adapter reports of it, however often its hooks fire."""

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

    Everything may be reported twice: by a hook for each step, for each hand-off, or for each part of an answer. Nothing
    raises for what goes wrong in the memory. The turn of a sub-agent has a ``parent``, the session that asked: what it
    is asked is not the user's word, and its tools are noted there.
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
        """The fenced text to put next to the user's message, once it was recalled."""
        self.was_late = False
        """Whether the memory failed or had no answer in time, so that the turn goes on without it."""
        # When each tool began, and None once it was noted.
        self._tools: dict[str, float | None] = {}
        self._asking: dict[str, AbstractContextManager[None]] = {}
        self._replies: Counter[str] = Counter()
        self._over = False

    def restore(self, text: str, block: str | None = None) -> Self:
        """Go on with a turn that another object began, in another process perhaps: nothing is kept or recalled anew.

        ``text`` is the user's message, ``block`` what was recalled for it.
        """
        if not self.parent:
            self._service.touch(self.session_key, self.scope)
        context: Future[MessageContext | None] = Future()
        context.set_result(MessageContext(block, Receipt(stored=False)))
        self._received.setdefault(_folded(text), context)
        self.block = block
        return self

    def received(self, text: str, history: History = ()) -> Answer[str | None]:
        """Keep the user's message, once, and return the fenced block that belongs next to it, or None.

        ``history`` precedes it in the live context.
        """
        future = self.begin(text, history)
        if future is None or (self.was_late and not future.done()):  # it is waited for once
            return self._service.answer(lambda: None)
        return self._service.answer(lambda _: self.note_block(text), future)

    @log_failures()
    def begin(self, text: str, history: History = (), *, known: bool = False) -> "Future[MessageContext | None] | None":
        """Begin what `received` does, and wait for nothing; None where there is nothing to recall for.

        A ``known`` message was kept before, as that of a run that goes on in another turn.
        """
        key = _folded(text)
        if not key:
            return None
        if key not in self._received:

            async def receive(memory: "MemoryHost") -> MessageContext:
                return await memory.message_received(
                    session_key=self.session_key,
                    text=text,
                    history=history() if callable(history) else history,
                    scope=self._scope_in(memory),
                    spoken=not self.parent,
                    known=known,
                )

            self._received[key] = self._service.submit(receive)
        return self._received[key]

    def note_block(self, text: str) -> str | None:
        """Return the block of a message whose recall was waited for: from now on it is part of the request."""
        key = _folded(text)
        future = self._received.get(key)
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
        """Return the messages of a request with the block next to the user's, in a new list.

        The messages are dicts as chat completions, Responses or Anthropic have them; those of the host stay as they
        are. Where the user's message of this turn is not among them (for example in the request of a nested agent)
        nothing is added.
        """
        with log_failures():
            return with_block(messages, self.block, self._is_asked)
        return list(messages)

    def tool_began(self, call_id: str) -> None:
        """Start the clock of a tool. Some providers give the calls of each step the same ids: it is a new call."""
        self._tools[call_id] = time.perf_counter()

    def tool_entered(self, call_id: str) -> None:
        """Start the clock of a tool that runs in this context until its end, and know the agent that it asks.

        It is for hosts that have a hook before a tool and one behind it; `tool` does the same around one.
        """
        self.tool_began(call_id)
        self._asking[call_id] = asking = tool_call_of(self.parent or self.session_key)
        asking.__enter__()

    @property
    def has_running_tool(self) -> bool:
        """Whether a tool that was entered runs still."""
        return bool(self._asking)

    def tool_suspended(self, call_id: str) -> None:
        """Say of a tool that began that it waits for somebody: it is called again."""
        self._leave(call_id)
        self._tools.pop(call_id, None)

    def tool_finished(
        self,
        call_id: str,
        name: str,
        arguments: object,
        *,
        result: object = None,
        error: "BaseException | str | None" = None,
    ) -> Answer[None]:
        """Note a tool that finished, or that failed with ``error``; once for each id, and none of the memory's own."""
        self._leave(call_id)
        now = time.perf_counter()
        began, self._tools[call_id] = self._tools.get(call_id, now), None
        if began is None:
            return self._service.answer(_nothing)
        milliseconds = (now - began) * 1000

        async def note(memory: "MemoryHost") -> None:
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

        noting = self._service.submit(note)
        return self._service.answer(_nothing, noting, limit=self._service.config.core.tool_limit)

    def tool(self, name: str, arguments: object, *, call_id: str = "", waits: ExceptionTypes = ()) -> "ToolExecution":
        """Measure a tool that runs inside (``async with``, or ``with``), and note it. What it raises goes on.

        What ``waits`` names is no failure: such a tool is called again, once somebody has answered.
        """
        return ToolExecution(self, name, arguments, call_id or f"{name}-{time.perf_counter_ns()}", waits)

    def compact(self, messages: Sequence[object], *, context_window: int) -> Answer[Summary | None]:
        """Return what replaces the history before the user's message of this turn once it fills the window, else None.

        ``messages`` are those of the next request. The message itself and what follows it stay, so ``keep_from`` leads
        to it at most.
        """
        cut = compaction_arguments(messages, self._is_asked, context_window)
        if cut is None:
            return self._service.answer(lambda: None)
        return self._service.before_compaction(self.session_key, **cut, scope=self.scope)

    def replied(self, reply: str | Sequence[object]) -> Answer[None]:
        """Keep what the assistant said: a text, or what is new in a list of messages since the user's. Once each."""
        begun = []
        seen: Counter[str] = Counter()
        with log_failures():
            for text in [reply] if isinstance(reply, str) else self._replies_in(reply):
                key = _folded(text)
                seen[key] += 1
                # In a list the same may be said again, and counts again.
                if key and seen[key] > self._replies[key]:
                    self._replies[key] += 1
                    begun.append(self._service.submit(partial(self._send, text)))
        return self._service.answer(_nothing, *begun)

    @log_failures()
    def finished(
        self, messages: Sequence[object] = (), *, context_window: int = 0, context_tokens: int | None = None
    ) -> None:
        """Say that the turn is over, once, and return at once. A sub-agent's ends with the tool that asked it.

        ``messages`` are in the live context now, ``context_window`` is the model's in tokens, and ``context_tokens``
        what the last request held, where the host knows that. Without a window only the session's clock begins anew, as
        behind a turn that was cancelled.
        """
        if self._over:
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
        self._over = True
        if self._service.is_running and not self.parent:  # a memory that was closed is not started again for it
            self._service.touch(self.session_key, self.scope)

    # --- what the calls have in common

    def _is_asked(self, message: Message) -> bool:
        return message.role == "user" and _folded(without_media(message).text) in self._received

    def _leave(self, call_id: str) -> None:
        if (asking := self._asking.pop(call_id, None)) is not None:
            asking.__exit__(None, None, None)

    def _scope_in(self, memory: "MemoryHost") -> ScopeLike:
        if self.scope is not None or not self.parent:
            return self.scope
        return memory.child_scope(self.parent, self.session_key)

    async def _send(self, text: str, memory: "MemoryHost") -> None:
        await memory.message_sent(session_key=self.session_key, text=text, scope=self._scope_in(memory))

    def _replies_in(self, messages: Sequence[object]) -> list[str]:
        """Return what the assistant said behind the user's last message of this turn."""
        replies: list[str] = []
        for message in reversed(messages_from_chat(messages)):
            if self._is_asked(message):
                break
            if message.role == "assistant" and not message.tool_calls:
                replies.append(message.text)
        return replies[::-1]


class ToolExecution:
    """One execution of a tool. Whoever runs it sets ``result``, or ``error`` where the tool says that it failed."""

    def __init__(self, turn: Turn, name: str, arguments: object, call_id: str, waits: ExceptionTypes) -> None:
        self.result: object = None
        self.error: str | None = None
        self._turn, self._name, self._arguments, self._id, self._waits = turn, name, arguments, call_id, waits

    def __enter__(self) -> Self:
        self._turn.tool_entered(self._id)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if (noting := self._ended(error)) is not None:
            noting.now()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if (noting := self._ended(error)) is not None:
            await noting

    def _ended(self, error: BaseException | None) -> Answer[None] | None:
        """Note the end; return what is to be waited for, which a cancelled turn does not."""
        if error is not None and isinstance(error, self._waits):
            self._turn.tool_suspended(self._id)
            return None
        failed = self.error if error is None else error
        noting = self._turn.tool_finished(self._id, self._name, self._arguments, result=self.result, error=failed)
        return noting if error is None or isinstance(error, Exception) else None


def _nothing(*_answers: object) -> None:
    """Answer nothing."""


def _folded(text: str) -> str:
    """Return a text as it is compared: hosts trim and wrap what they hand over, and our block may be in it."""
    return " ".join(remove_fenced(text).split())
