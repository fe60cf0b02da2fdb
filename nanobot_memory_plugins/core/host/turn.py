"""One turn of a host: what an adapter tells of it, however often its hooks fire."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from nanobot_memory_plugins.core.host.answer import Answer, Steps, answers
from nanobot_memory_plugins.core.host.framework_calls import History, Raised, arguments_of, asked_by, never_raises
from nanobot_memory_plugins.core.host.memory_thread import Use
from nanobot_memory_plugins.core.host.requests import FILL, history_to_cut, with_block
from nanobot_memory_plugins.core.host.said_before import without_media
from nanobot_memory_plugins.core.host.service_tool import own_tool
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.fence import is_fenced, remove_fenced
from nanobot_memory_plugins.core.values import Message, Receipt, Summary, messages_from_chat
from nanobot_memory_plugins.core.values.message_context import MessageContext

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost
    from nanobot_memory_plugins.core.host.memory_service import MemoryService


class Turn:
    """One turn: the user's message, the tools, the reply, the end.

    Everything may be told twice: by a hook for each step, for each hand-off, or for each part of an answer. Nothing
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
        self._given_up: set[str] = set()
        self._block: str | None = None
        self._tools_began: dict[str, tuple[float, str, object]] = {}
        self._tools_done: set[str] = set()
        self._asking: dict[str, AbstractContextManager[None]] = {}
        self._watched: asyncio.Task[Any] | None = None
        self._replies: Counter[str] = Counter()
        self._over = False

    @property
    def block(self) -> str | None:
        """The fenced text to put beside the user's message, once it was recalled, or None."""
        return self._block

    def restore(self, text: str, block: str | None = None) -> Self:
        """Go on with a turn that another object began, in another process perhaps: nothing is kept or recalled anew.

        ``text`` is the user's message, ``block`` what was recalled for it.
        """
        context: Future[MessageContext | None] = Future()
        context.set_result(MessageContext(block, Receipt(stored=False)))
        self._received.setdefault(_folded(text), context)
        self._block = block
        return self

    @property
    def was_late(self) -> bool:
        """Whether the memory failed or had no answer in time, so that the turn goes on without it."""
        return bool(self._given_up)

    @answers
    def received(self, text: str, history: History = (), *, spoken: bool | None = None) -> Steps[str | None]:
        """Keep the user's message, once, and return the fenced block that belongs beside it, or None.

        ``history`` stands in the live context before it. What the host says in the user's place is not ``spoken``, and
        nor is what a sub-agent is asked.
        """
        future = self.begin(text, history, spoken=spoken)
        if future is None or self._is_given_up(text, future):
            return None
        answer: MessageContext | None = yield self._service.waiting(future)
        return self._noted(text, answer, future)

    @answers
    def taken_up(self, text: str, history: History = ()) -> Steps[str | None]:
        """Recall for a message whose run goes on in another turn: the transcript holds it, and it is not kept again.

        What nobody said in the session (a nested agent's prompt, say) is not recalled for.
        """
        if _folded(text) not in self._received:
            held = self._service.thread.submit(_holding(self.session_key, text))
            if not (yield self._service.waiting(held)):
                return None
        self.begin(text, history, known=True)
        return (yield from self.received(text, history).steps)

    @never_raises
    def begin(
        self, text: str, history: History = (), *, spoken: bool | None = None, known: bool = False
    ) -> "Future[MessageContext | None] | None":
        """Begin what `received` does, and wait for nothing; None where there is nothing to recall for.

        What is ``known`` stands in the transcript.
        """
        key = _folded(text)
        if not key:
            return None
        if key not in self._received:

            async def receive(memory: "MemoryHost") -> MessageContext:
                before = history() if callable(history) else history
                return await memory.message_received(
                    session_key=self.session_key,
                    text=text,
                    history=before,
                    scope=self._scope_in(memory),
                    spoken=not self.parent if spoken is None else spoken,
                    known=known,
                )

            self._received[key] = self._service.thread.submit(receive)
        return self._received[key]

    def beside(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages of a request with the block beside the user's, in a new list.

        The messages are dicts as chat completions, Responses or Anthropic have them; those of the host stay as they
        are. Where the user's message of this turn does not stand among them (a nested agent's request, say) nothing is
        added.
        """
        made = self._with_block(messages)
        return list(messages) if made is None else made

    def tool_began(self, call_id: str, name: str = "", arguments: object = None) -> None:
        """Start the clock of a tool. Some providers give the calls of each step the same ids: it is a new call.

        With its ``name`` it is noted also where it is cut off and nobody tells (`watch`).
        """
        self._tools_began[call_id] = time.perf_counter(), name, arguments
        self._tools_done.discard(call_id)

    def tool_entered(self, call_id: str, name: str = "", arguments: object = None) -> None:
        """Start the clock of a tool that runs in this context until its end is told: an agent that it asks is known.

        It is for hosts that have a hook before a tool and one behind it; `tool` does the same around one.
        """
        self.tool_began(call_id, name, arguments)
        self._asking[call_id] = asking = asked_by(self.parent or self.session_key)
        asking.__enter__()

    @property
    def is_asking(self) -> bool:
        """Whether a tool that was entered runs still."""
        return bool(self._asking)

    def tool_waits(self, call_id: str) -> None:
        """Say of a tool that began that it waits for somebody, and is not cut off: it is called again."""
        self._leave(call_id)
        self._tools_began.pop(call_id, None)

    def watch(self) -> None:
        """Note, once the task that runs here was cancelled, the tools that began and of whose end nobody has told.

        It is for hosts that call no hook for what a cancellation cuts off. A tool that waits for somebody stays open
        where nothing was cancelled, or is said to wait.
        """
        task = asyncio.current_task()
        if task is not None and task is not self._watched:
            self._watched = task
            task.add_done_callback(self._note_cut_off)

    @answers
    def tool_finished(
        self,
        call_id: str,
        name: str,
        arguments: object,
        *,
        result: object = None,
        error: "BaseException | str | None" = None,
        duration_ms: float | None = None,
    ) -> Steps[None]:
        """Note a tool that finished, or that failed with ``error``; once for each id, and none of the memory's own.

        ``duration_ms`` is how long it took where the host has measured that itself.
        """
        future = self._note_tool(call_id, name, arguments, result, error, duration_ms)
        if future is not None:
            yield self._service.waiting(future, self._service.config.core.tool_limit)

    def tool(self, name: str, arguments: object, *, call_id: str = "", waits: Raised = ()) -> "ToolExecution":
        """Measure a tool that runs inside (``async with``, or ``with``), and note it. What it raises goes on.

        What ``waits`` names is no failure: such a tool is called again, once somebody has answered.
        """
        return ToolExecution(self, name, arguments, call_id or f"{name}-{time.perf_counter_ns()}", waits)

    @answers
    def compacted(
        self, messages: Sequence[object], *, context_window: int, fill: float = FILL
    ) -> Steps[Summary | None]:
        """Return what replaces the history before the user's message of this turn once it fills the window, else None.

        ``messages`` are those of the next request; ``fill`` is the share of the window from which on they are too many.
        The message itself and what follows it stay, so ``keep_from`` leads to it at most.
        """
        cut = history_to_cut(messages, self._is_asked, context_window, fill)
        if cut is None:
            return None
        compacting = self._service.before_compaction(self.session_key, cut.messages, **cut.more, scope=self.scope)
        return (yield from compacting.steps)

    @answers
    def replied(self, reply: str | Sequence[object]) -> Steps[None]:
        """Keep what the assistant said: a text, or what is new in a list of messages since the user's. Once each."""
        for future in self.begin_reply(reply) or ():
            yield self._service.waiting(future)

    @never_raises
    def begin_reply(self, reply: str | Sequence[object]) -> "list[Future[Any]]":
        """Begin what `replied` does, and wait for nothing."""
        begun = []
        seen: Counter[str] = Counter()
        for text in [reply] if isinstance(reply, str) else self._replies_in(reply):
            key = _folded(text)
            seen[key] += 1
            # In a list the same may be said again, and counts again.
            if key and seen[key] > self._replies[key]:
                self._replies[key] += 1
                begun.append(self._service.thread.submit(self._sending(text)))
        return begun

    @never_raises
    def finished(
        self, messages: Sequence[object] = (), *, context_window: int = 0, context_tokens: int | None = None
    ) -> None:
        """Say that the turn is over, once, and return at once.

        ``messages`` stand in the live context now, ``context_window`` is the model's in tokens, and ``context_tokens``
        what the last request held, where the host knows that. Without a window only the session's clock begins anew.
        """
        if self._over:
            return
        self._over = True
        if not self._service.thread.running:  # a memory that was closed is not started again for it
            return
        if context_window > 0:

            async def follow(memory: "MemoryHost") -> None:
                await memory.turn_finished(
                    session_key=self.session_key,
                    messages=messages,
                    context_window=context_window,
                    context_tokens=context_tokens,
                    scope=self.scope,
                )

            self._service.thread.submit(follow, background=True)
        self._service.touch(self.session_key, self.scope)

    @never_raises
    def abandoned(self) -> None:
        """Say that the turn was cancelled: what was kept of it stays, and nothing is awaited any more."""
        self._over = True
        if self._service.thread.running:
            self._service.touch(self.session_key, self.scope)

    # --- what the calls have in common

    @never_raises
    def _with_block(self, messages: Sequence[Any]) -> list[Any]:
        return with_block(messages, self._block, self._is_asked)

    def _is_asked(self, message: Message) -> bool:
        """Return whether a message of the user's is one of this turn."""
        return message.role == "user" and _folded(without_media(message).text) in self._received

    def _is_given_up(self, text: str, future: "Future[Any]") -> bool:
        """Return whether a recall was waited for in vain: a turn waits for each once."""
        return _folded(text) in self._given_up and not future.done()

    def _noted(self, text: str, answer: MessageContext | None, future: "Future[Any]") -> str | None:
        if answer is None:
            self._given_up.add(_folded(text))
            self._block = None if future.done() else self._service.told_of_late(text)
            return self._block
        if answer.block and not is_fenced(answer.block):
            logger.warning("the recall block is not a whole fence: not injected")
            return None
        self._block = answer.block
        return answer.block

    @never_raises
    def _note_cut_off(self, task: "asyncio.Task[Any]") -> None:
        was_cancelled = task.cancelled() or task.cancelling()
        if was_cancelled and self._service.thread.running:  # one that was closed is not started again for it
            for call_id, (_, name, arguments) in list(self._tools_began.items()):
                if name:
                    self._note_tool(call_id, name, arguments, None, asyncio.CancelledError())

    @never_raises
    def _note_tool(
        self,
        call_id: str,
        name: str,
        arguments: object,
        result: object,
        error: "BaseException | str | None",
        duration_ms: float | None = None,
    ) -> "Future[Any] | None":
        self._leave(call_id)
        began = self._tools_began.pop(call_id, None)
        if call_id in self._tools_done:
            return None
        self._tools_done.add(call_id)
        measured = (time.perf_counter() - began[0]) * 1000 if began is not None else 0.0
        milliseconds = measured if duration_ms is None else duration_ms
        said = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error
        given = arguments_of(arguments)

        async def note(memory: "MemoryHost") -> None:
            if own_tool(memory, name) is not None:
                return
            await memory.tool_executed(
                session_key=self.parent or self.session_key,
                tool_name=name,
                arguments=given,
                result=result,
                error=said,
                duration_ms=milliseconds,
                scope=self.scope,
            )

        return self._service.thread.submit(note)

    def _leave(self, call_id: str) -> None:
        if (asking := self._asking.pop(call_id, None)) is not None:
            asking.__exit__(None, None, None)

    def _scope_in(self, memory: "MemoryHost") -> ScopeLike:
        """Return whose the turn is: a sub-agent's is whose that of its parent is."""
        if self.scope is not None or not self.parent:
            return self.scope
        return memory.child_scope(self.parent, self.session_key)

    def _sending(self, text: str) -> Use[Any]:
        async def send(memory: "MemoryHost") -> None:
            await memory.message_sent(session_key=self.session_key, text=text, scope=self._scope_in(memory))

        return send

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

    def __init__(self, turn: Turn, name: str, arguments: object, call_id: str, waits: Raised) -> None:
        self.result: object = None
        self.error: str | None = None
        self._turn, self._name, self._arguments, self._id, self._waits = turn, name, arguments, call_id, waits
        self._asking = asked_by(turn.parent or turn.session_key)

    def __enter__(self) -> Self:
        self._turn.tool_began(self._id)
        self._asking.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (noting := self._ended(error)) is not None:
            noting.now()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (noting := self._ended(error)) is not None:
            await noting

    def _ended(self, error: BaseException | None) -> Answer[None] | None:
        """Note the end; return what is to be waited for, which a cancelled turn does not."""
        self._asking.__exit__(None, None, None)
        if error is not None and isinstance(error, self._waits):
            return None
        if error is not None and not isinstance(error, Exception):
            self._turn._note_tool(self._id, self._name, self._arguments, None, error)
            return None
        failed = self.error if error is None else error
        return self._turn.tool_finished(self._id, self._name, self._arguments, result=self.result, error=failed)


def _folded(text: str) -> str:
    """Return a text as it is compared: hosts trim and wrap what they hand over, and our block may stand in it."""
    return " ".join(remove_fenced(text).split())


def _holding(session_key: str, text: str) -> Use[bool]:
    async def hold(memory: "MemoryHost") -> bool:
        return await run_in_daemon_thread(memory.was_said, session_key, text)

    return hold
