"""What an adapter holds: the memory of one workspace for a host with one event loop, several, or none."""

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
from nanobot_memory_plugins.core.host.memory_thread import Answer, MemoryThread, Use, is_own_thread
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

# Sessions of which is known that they were opened; of another one the history is compared once more.
_SESSIONS = 1_000
# Seconds on top of the plugins' own limit, for writing what was said and noted.
_GRACE = 0.5
# Seconds on top of that of a compaction, for taking in a history that was never seen.
_WRITING = 5.0
# Seconds that a fork waits for a memory that is starting.
_FORK_SECONDS = 5.0
_NO_ARGUMENTS = "Error: the arguments are no JSON object. Call the tool again with one."
NOT_READY = "Error: the memory is not available now. Answer without it, and say so if it matters."
"""The answer to a model whose call has none."""


class MemoryService:
    """A `MemoryHost` in a thread of its own. Its calls come from any event loop, from any thread, and after a fork.

    The arguments are those of `MemoryHost`; ``llm`` is called on the memory's event loop. ``start_limit`` is how many
    seconds a call waits for the memory to start, ``close_limit`` how many a close takes at most, ``tool_limit`` how
    many a tool that the model calls. It starts with the first call, and
    again with the first after a close; one that nobody has closed is closed when the interpreter ends. Calls give an
    `Answer`, which is awaited, or waited for with ``.now()`` where nothing can be. None raises for what goes wrong in
    the memory: the answer is None then, and the log says why.
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
        self._opened: BoundedDict[str, None] = BoundedDict(_SESSIONS)
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
        from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # in its thread: it takes a while

        memory = MemoryHost(self.workspace, **self._host_options)
        await memory.start()
        # Before the exit hooks of what the memory is made of, which were registered while it started.
        atexit.unregister(_close_all)
        atexit.register(_close_all)
        return memory

    @property
    def is_running(self) -> bool:
        """Whether the memory has been started, or is starting, and was not closed."""
        return self._thread is not None

    @property
    def started(self) -> "MemoryHost | None":
        """The memory, once it has finished starting; until then calls wait for it."""
        return self._thread.started if self._thread is not None else None

    def submit(self, use: Use[_T]) -> "Future[_T | None]":
        """Call the memory from any thread and return a future of the answer, which is None when it failed.

        A close finishes what was submitted before it.
        """
        with self._lock:
            if self._thread is None:
                self._thread = MemoryThread(self._open)
            return self._thread.submit(use)

    def start(self) -> Answer[bool]:
        """Start the memory, and say whether it has started in time. Calls do that by themselves."""

        async def started(_memory: "MemoryHost") -> bool:
            return True

        return self.answer(bool, self.submit(started), limit=0.0)

    def close(self) -> bool:
        """Finish what was accepted, close the memory, and say whether that was done in time. It blocks."""
        return self._closed().now()

    async def aclose(self) -> bool:
        """Do the same as `close`, awaited."""
        return await self._closed()

    def _closed(self) -> Answer[bool]:
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

    def call(self, use: Use[_T], *, limit: float | None = None) -> Answer[_T | None]:
        """Return what ``use`` makes of the memory, in its thread; None when it failed or was late.

        ``limit`` is in seconds, that of a message when None is given. What is late goes on, and so it does when the
        caller is cancelled.
        """
        return self.answer(lambda made: made, self.submit(use), limit=limit)

    def answer(
        self, finish: Callable[..., _T], *futures: "Future[Any] | None", limit: float | None = None
    ) -> Answer[_T]:
        """Return what ``finish`` makes of what was submitted to the thread; ``limit`` as in `call`, for each."""
        begun = [one for one in futures if one is not None]
        return Answer(begun, self.limit_of(limit), finish, self._clock)

    def limit_of(self, seconds: float | None) -> float:
        """Return how many seconds a call may take whose hook has so many; the start comes on top of it."""
        starting = 0.0 if self.started is not None else self._start_limit
        return starting + (self.config.core.message_limit if seconds is None else seconds) + _GRACE

    def late_notice(self, text: str) -> str | None:
        """Return the fenced block of a turn whose message waits for the memory still, or None."""
        if not (self.config.enabled("recall") and is_selected("recall")):
            return None
        language = notice_language(self.config.core.language, text)
        return fence([LATE_NOTICE[language]], language=language)

    def turn(self, session_key: str, *, scope: ScopeLike = None, parent: str = "") -> Turn:
        """Return a turn that begins; make one for each. ``parent`` is the session whose agent asked a sub-agent."""
        return Turn(self, session_key, scope=scope, parent=parent)

    def open_turn(self, turn: Turn, text: str, history: Sequence[object] = (), *, unknown: bool = False) -> Answer[str]:
        """Begin a turn, and return what is known for long about its owner, for the system prompt.

        The message is kept and recalled for, as `Turn.received` does. Behind it is taken in what memory never saw: at
        the first turn of an ``unknown`` session all of its ``history``, else what the user said before this message and
        nobody has answered. The session's clock starts anew: frameworks do not report a run that is cancelled.
        """
        received, is_first = turn.begin(text, history), self._opens(turn)
        if not turn.parent:
            self._take_in(turn, history if unknown and is_first else unanswered_messages(history))
        return self._known(turn, text, received)

    def continue_turn(self, turn: Turn, messages: Sequence[object]) -> Answer[str]:
        """Go on with a turn that another run began, by what its messages ask, and return what `open_turn` does."""
        asked = last_user_message(messages)
        return self._known(turn, asked.text, turn.begin(asked.text, asked.preceding, known=True))

    def _known(self, turn: Turn, text: str, received: "Future[Any] | None") -> Answer[str]:
        async def know(memory: "MemoryHost") -> str:
            return memory.prompt_entries(session_key=turn.parent or turn.session_key, scope=turn.scope).text

        if not turn.parent:
            self.touch(turn.session_key, turn.scope)

        def finish(*answers: Any) -> str:
            turn.note_block(text)
            return answers[-1] or ""

        return self.answer(finish, received, self.submit(know))

    def record_history(self, turn: Turn, history: Callable[[], Sequence[object]]) -> None:
        """Take in what memory never saw of a session, at its first turn here, and return at once.

        It is for a turn that has been received already. ``history`` makes the messages of before it, in the memory's
        thread. What the close cuts short is taken in at the first turn of the next process.
        """
        if self._opens(turn):
            self._take_in(turn, history)

    def _take_in(self, turn: Turn, history: History) -> None:
        async def take_in(memory: "MemoryHost") -> None:
            messages = await run_in_daemon_thread(history) if callable(history) else history
            await memory.resume(session_key=turn.session_key, messages=messages, scope=turn.scope, precedes_turn=True)

        if history:
            self.submit(take_in)

    def _opens(self, turn: Turn) -> bool:
        """Return whether a turn is the first of its session here, and know it from now on."""
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
        """Return what replaces the oldest of a session's messages, whatever they hold, or None: then they stay.

        An earlier summary may be among them. The arguments are those of `MemoryHost.before_compaction`.
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
            limit=self.config.core.compaction_limit + _WRITING,
        )

    def tools(self) -> "list[ServiceTool]":
        """Return the tools to offer to the model. It blocks until the memory has started, if it has not."""
        self.start().now()
        memory = self.started
        return [ServiceTool(self, tool) for tool in memory.tools()] if memory is not None else []

    def ended(self, session_key: str, history: Sequence[object] = (), *, scope: ScopeLike = None) -> None:
        """Say that a session has ended, with its last messages or those of its transcript, and return at once."""
        self.submit(
            lambda memory: memory.session_idle(session_key=session_key, history=history, ended=True, scope=scope)
        )

    def touch(self, session_key: str, scope: ScopeLike = None) -> None:
        """Start the clock of a session anew: the plugins are notified when it has been quiet for a while."""
        self.submit(lambda memory: memory.session_continues(session_key=session_key, scope=scope))


_services: "weakref.WeakSet[MemoryService]" = weakref.WeakSet()


def _close_all() -> None:
    for service in list(_services):
        service.close()


def _await_starts() -> None:
    """Wait a while for memories that are starting: what they import nobody would go on with in a fork."""
    for service in list(_services):
        if service._thread is not None and not is_own_thread():
            service._thread.opened.wait(_FORK_SECONDS)


def _reset_after_fork() -> None:
    """Leave the threads to the process that this one was forked off; here there are none."""
    for service in list(_services):
        service._lock = threading.Lock()
        if service._thread is not None:
            never_collect(service._thread)
        service._thread = None


at_fork(_reset_after_fork, before=_await_starts)
atexit.register(_close_all)  # also of one that has not finished starting


class ServiceTool(ToolMetadata):
    """A tool as an adapter offers it to its model."""

    def __init__(self, service: MemoryService, tool: MemoryTool) -> None:
        super().__init__(tool)
        self._service = service

    def run(self, arguments: Mapping[str, Any] | str, *, session_key: str = "") -> Answer[str]:
        """Run the tool from any event loop or thread; what goes wrong is the answer.

        The arguments may be the JSON text of the model. Inside of `Turn.tool` the session is that of the turn.
        """
        asking = session_key or calling_session()

        async def run(memory: "MemoryHost") -> str | None:
            given = arguments_of(arguments)
            if given.keys() == {"arguments"}:  # no parameter of a tool is called so
                return _NO_ARGUMENTS
            tool = memory.tool(self.name)
            return await tool.run(given, session_key=asking) if tool is not None else None

        running = self._service.submit(run)
        return self._service.answer(
            lambda answer: NOT_READY if answer is None else answer, running, limit=self._service.tool_limit
        )
