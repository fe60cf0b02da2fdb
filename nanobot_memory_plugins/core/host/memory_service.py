"""The memory of one workspace as adapters use it: from one event loop, several, or none."""

import atexit
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.entry_points import is_selected
from nanobot_memory_plugins.core.host.framework_calls import History, ToolMetadata, arguments_of, calling_session
from nanobot_memory_plugins.core.host.history import last_user_message, unanswered_messages
from nanobot_memory_plugins.core.host.memory_thread import Answer, MemoryCall, MemoryThread, is_memory_thread
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.host.turn_records import LATE_NOTICE, notice_language
from nanobot_memory_plugins.core.isolation.fork import at_fork, never_collect
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete, MemoryTool
from nanobot_memory_plugins.core.scopes.people import UNKNOWN_SENDERS, Senders
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.core.values import Summary
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

_T = TypeVar("_T")

# The number of opened sessions that are remembered; the history of a forgotten one is compared once more.
_MAX_SESSIONS = 1_000
# Seconds in addition to the plugins' own limit, for writing messages and notes.
_WRITE_SECONDS = 0.5
# Seconds in addition to the limit of a compaction, for recording a history that the memory has never seen.
_HISTORY_SECONDS = 5.0
# Seconds that a fork waits for a memory that is starting.
_FORK_SECONDS = 5.0
_NO_ARGUMENTS = "Error: the arguments are no JSON object. Call the tool again with one."
NOT_READY = "Error: the memory is not available now. Answer without it, and say so if it matters."
"""The tool result for the model when the memory does not answer."""


class MemoryService:
    """A `MemoryHost` in a thread of its own, callable from any event loop, from any thread, and after a fork.

    The arguments are those of `MemoryHost`; ``llm`` is called on the memory's event loop. The limits are in seconds:
    ``start_limit`` for how long a call waits for the memory to start, ``close_limit`` for a close, ``tool_limit`` for a
    tool that the model calls. The memory starts with the first call, and again with the first call after a close. If it
    is never closed, it is closed when the interpreter exits. Calls return an `Answer`: await it, or wait for it with
    ``.now()``. A failure in the memory never raises; the answer is None, and the log says why.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        config: MemoryConfig | None = None,
        llm: Complete | None = None,
        clock: Clock | None = None,
        senders: Callable[[], Senders] = lambda: UNKNOWN_SENDERS,
        project: str = "",
        hookspecs: Sequence[ModuleType] = (),
        start_limit: float = 10.0,
        close_limit: float = 5.0,
        tool_limit: float = 30.0,
    ) -> None:
        self.workspace = Path(workspace).expanduser().absolute()
        self.config = config or load_config()
        self._host_options: dict[str, Any] = {
            "config": self.config,
            "llm": llm,
            "clock": clock,
            "senders": senders,
            "project": project,
            "hookspecs": hookspecs,
        }
        self._clock = clock or SystemClock()
        self._start_limit = start_limit
        self._close_limit = close_limit
        self.tool_limit = tool_limit
        self._lock = threading.Lock()
        self._thread: MemoryThread | None = None
        self._opened: BoundedDict[str, None] = BoundedDict(_MAX_SESSIONS)
        _services.add(self)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        self.start().now()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # --- the thread

    async def _open(self) -> "MemoryHost":
        from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # a slow import, so in the memory's thread

        memory = MemoryHost(self.workspace, **self._host_options)
        await memory.start()
        # Registered again to run before the exit hooks that the memory's parts registered during the start.
        atexit.unregister(_close_all)
        atexit.register(_close_all)
        return memory

    @property
    def is_running(self) -> bool:
        """Whether the memory is starting or has started, and was not closed."""
        return self._thread is not None

    @property
    def started(self) -> "MemoryHost | None":
        """The memory once it has started, else None; calls made before that wait for it."""
        return self._thread.started if self._thread is not None else None

    def submit(self, call: MemoryCall[_T]) -> "Future[_T | None]":
        """Schedule a call of the memory from any thread, and return a future of its result, None if it fails.

        A close finishes the calls that were submitted before it.
        """
        with self._lock:
            if self._thread is None:
                self._thread = MemoryThread(self._open)
            return self._thread.submit(call)

    def start(self) -> Answer[bool]:
        """Start the memory, and return whether it started in time. Calls start it by themselves."""

        async def started(_memory: "MemoryHost") -> bool:
            return True

        return self.answer(bool, self.submit(started), limit=0.0)

    def close(self) -> bool:
        """Finish pending calls, close the memory, and return whether that was done in time. This blocks."""
        return self._close().now()

    async def aclose(self) -> bool:
        """Close the memory as `close` does, without blocking the event loop."""
        return await self._close()

    def _close(self) -> Answer[bool]:
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return self.answer(lambda: True)
        ended = thread.stop(self._close_limit)

        def is_ended(_: object) -> bool:
            if not ended.done():
                logger.warning("the memory did not close in time; what is left is picked up at the next start")
            return ended.done()

        return Answer([ended], self._close_limit, is_ended, self._clock)

    # --- calls

    def call(self, call: MemoryCall[_T], *, limit: float | None = None) -> Answer[_T | None]:
        """Run ``call`` with the memory in its thread, and return its result; None if it fails or is late.

        ``limit`` is in seconds, by default that of a message. A late call, and one whose caller is cancelled, still
        runs to its end.
        """
        return self.answer(lambda result: result, self.submit(call), limit=limit)

    def answer(
        self, finish: Callable[..., _T], *futures: "Future[Any] | None", limit: float | None = None
    ) -> Answer[_T]:
        """Return an `Answer` that calls ``finish`` with the results of the futures; ``limit`` is that of `call`."""
        calls = [one for one in futures if one is not None]
        return Answer(calls, self.limit_of(limit), finish, self._clock)

    def limit_of(self, seconds: float | None) -> float:
        """Return the time limit of a call whose hook may take ``seconds``, including the start if it is pending."""
        starting = 0.0 if self.started is not None else self._start_limit
        return starting + (self.config.core.message_limit if seconds is None else seconds) + _WRITE_SECONDS

    def late_notice(self, text: str) -> str | None:
        """Return the fenced notice for a turn whose message still waits for the memory, or None without recall."""
        if not (self.config.enabled("recall") and is_selected("recall")):
            return None
        language = notice_language(self.config.core.language, text)
        return fence([LATE_NOTICE[language]], language=language)

    def turn(self, session_key: str, *, scope: ScopeLike = None, parent: str = "") -> Turn:
        """Return a new turn; for a sub-agent, ``parent`` is the session that called it."""
        return Turn(self, session_key, scope=scope, parent=parent)

    def open_turn(self, turn: Turn, text: str, history: Sequence[object] = (), *, unknown: bool = False) -> Answer[str]:
        """Begin a turn, and return the entries about its owner for the system prompt.

        The message is kept, and recall runs for it, as `Turn.received` does. Messages that the memory has never seen
        are recorded in the background: the whole ``history`` at the first turn of an ``unknown`` session, else the
        user's unanswered messages before this one. The session's idle timer restarts here, since frameworks do not
        report a cancelled run.
        """
        received, is_first = turn.begin(text, history), self._is_first_turn(turn)
        if not turn.parent:
            self._record_history(turn, history if unknown and is_first else unanswered_messages(history))
        return self._prompt_entries(turn, text, received)

    def continue_turn(self, turn: Turn, messages: Sequence[object]) -> Answer[str]:
        """Continue a turn that another run began, with the user's last message; return the same as `open_turn`."""
        last = last_user_message(messages)
        return self._prompt_entries(turn, last.text, turn.begin(last.text, last.preceding, known=True))

    def _prompt_entries(self, turn: Turn, text: str, received: "Future[Any] | None") -> Answer[str]:
        async def entries(memory: "MemoryHost") -> str:
            return memory.prompt_entries(session_key=turn.parent or turn.session_key, scope=turn.scope).text

        if not turn.parent:
            self.touch(turn.session_key, turn.scope)

        def finish(*answers: Any) -> str:
            turn.take_block(text)
            return answers[-1] or ""

        return self.answer(finish, received, self.submit(entries))

    def record_history(self, turn: Turn, history: Callable[[], Sequence[object]]) -> None:
        """Record the missing messages of a session in the background, at its first turn in this process.

        Call it after `Turn.received`. ``history`` returns the messages before that one, and is called in a thread. A
        close may interrupt this; the first turn in the next process then records the rest.
        """
        if self._is_first_turn(turn):
            self._record_history(turn, history)

    def _record_history(self, turn: Turn, history: History) -> None:
        async def record(memory: "MemoryHost") -> None:
            messages = await run_in_daemon_thread(history) if callable(history) else history
            await memory.resume(session_key=turn.session_key, messages=messages, scope=turn.scope, precedes_turn=True)

        if history:
            self.submit(record)

    def _is_first_turn(self, turn: Turn) -> bool:
        """Return whether a turn is the first of its session in this process, and remember the session."""
        is_first = turn.session_key not in self._opened
        self._opened[turn.session_key] = None
        return is_first

    def before_compaction(
        self,
        session_key: str,
        messages: Sequence[object],
        *,
        context_window: int,
        room: int | None = None,
        reason: str = "token_pressure",
        scope: ScopeLike = None,
    ) -> Answer[Summary | None]:
        """Return the summary that replaces a session's oldest messages, or None to keep them.

        The messages may contain an earlier summary. The arguments are those of `MemoryHost.before_compaction`.
        """
        return self.call(
            lambda memory: memory.before_compaction(
                session_key=session_key,
                messages=messages,
                context_window=context_window,
                room=room,
                reason=reason,
                scope=scope,
            ),
            limit=self.config.core.compaction_limit + _HISTORY_SECONDS,
        )

    def tools(self) -> "list[ServiceTool]":
        """Return the tools to offer to the model. This blocks until the memory has started."""
        self.start().now()
        memory = self.started
        return [ServiceTool(self, tool) for tool in memory.tools()] if memory is not None else []

    def ended(self, session_key: str, history: Sequence[object] = (), *, scope: ScopeLike = None) -> None:
        """Report the end of a session and return immediately; without a ``history`` its transcript is used."""
        self.submit(
            lambda memory: memory.session_idle(session_key=session_key, history=history, ended=True, scope=scope)
        )

    def touch(self, session_key: str, scope: ScopeLike = None) -> None:
        """Restart the idle timer of a session: the plugins are notified once it has been quiet for a while."""
        self.submit(lambda memory: memory.session_continues(session_key=session_key, scope=scope))


_services: "weakref.WeakSet[MemoryService]" = weakref.WeakSet()


def _close_all() -> None:
    for service in list(_services):
        service.close()


def _wait_for_starts() -> None:
    """Wait briefly for memories that are starting: a forked process could not finish their imports."""
    for service in list(_services):
        if service._thread is not None and not is_memory_thread():
            service._thread.opened.wait(_FORK_SECONDS)


def _reset_after_fork() -> None:
    """Forget the threads, which exist only in the parent process."""
    for service in list(_services):
        service._lock = threading.Lock()
        if service._thread is not None:
            never_collect(service._thread)
        service._thread = None


at_fork(_reset_after_fork, before=_wait_for_starts)
atexit.register(_close_all)  # also for a memory that has not finished starting


class ServiceTool(ToolMetadata):
    """A memory tool that an adapter offers to its model."""

    def __init__(self, service: MemoryService, tool: MemoryTool) -> None:
        super().__init__(tool)
        self._service = service

    def run(self, arguments: Mapping[str, Any] | str, *, session_key: str = "") -> Answer[str]:
        """Run the tool from any event loop or thread; a failure is described in the answer.

        The arguments may be the model's JSON text. Inside `Turn.tool` the session is that of the turn.
        """
        session = session_key or calling_session()

        async def run(memory: "MemoryHost") -> str | None:
            given = arguments_of(arguments)
            if given.keys() == {"arguments"}:  # `arguments_of` found no object; no tool has a parameter of this name
                return _NO_ARGUMENTS
            tool = memory.tool(self.name)
            return await tool.run(given, session_key=session) if tool is not None else None

        running = self._service.submit(run)
        return self._service.answer(
            lambda answer: NOT_READY if answer is None else answer, running, limit=self._service.tool_limit
        )
