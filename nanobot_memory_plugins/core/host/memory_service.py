"""What an adapter holds: the memory of one workspace for a host with one event loop, several, or none."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig, given_or_usual
from nanobot_memory_plugins.core.entry_points import is_selected
from nanobot_memory_plugins.core.host.answer import Answer, Steps, Waiting, answers
from nanobot_memory_plugins.core.host.memory_thread import IdleClock, MemoryThread, Use
from nanobot_memory_plugins.core.host.requests import asked_in, unanswered_in
from nanobot_memory_plugins.core.host.service_tool import ServiceTool, own_tool
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.host.unheard import OF_PLUGINS, told_in, unheard
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike, scope_of
from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary
from nanobot_memory_plugins.core.values import Hit, PromptEntries, Query, Summary, messages_from_chat
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

_T = TypeVar("_T")

# Sessions of which is known that they were opened; of another one the history is compared once more.
_SESSIONS = 1_000
# Messages of a quiet session that its plugins are shown.
_IDLE_HISTORY = 200
# Seconds on top of the plugins' own limit, for writing what was said and noted.
_GRACE = 0.5
# Nobody withholds anything under this name: what any plugin withholds is left out.
# Seconds on top of that of a compaction, for taking in a history that was never seen.
_WRITING = 5.0


class MemoryService:
    """A `MemoryHost` in a thread of its own. Its calls come from any event loop, from any thread, and after a fork.

    The arguments are those of `MemoryHost`; ``llm`` is called on the memory's event loop. ``start_limit`` is how many
    seconds a call waits for the memory to start, ``close_limit`` how many a close takes at most, ``tool_limit`` how
    many a tool that the model calls. ``at_start`` is background work of each
    start. It starts with the first call, and again with the first after a close. Calls give an `Answer`, which is
    awaited, or waited for with ``.now()`` where nothing can be. None raises for what goes wrong in the memory: the
    answer is None then, and the log says why.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        config: MemoryConfig | None = None,
        llm: Complete | None = None,
        clock: Clock | None = None,
        problems: Sequence[ConfigProblem] = (),
        senders: Callable[[], Senders] = lambda: UNSAID,
        project: str = "",
        hookspecs: Sequence[ModuleType] = (),
        start_limit: float = 10.0,
        close_limit: float = 5.0,
        tool_limit: float = 30.0,
        at_start: Use[None] | None = None,
    ) -> None:
        self.workspace = Path(workspace).expanduser().absolute()
        self.config, problems = given_or_usual(config, problems)
        self._start_limit = start_limit
        self._close_limit = close_limit
        self.tool_limit = tool_limit

        def build() -> "MemoryHost":
            from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # in its thread: it takes a while

            return MemoryHost(
                self.workspace,
                config=self.config,
                llm=llm,
                clock=clock,
                problems=problems,
                senders=senders,
                project=project,
                hookspecs=hookspecs,
            )

        self.thread = MemoryThread(build, at_start=at_start, exit_limit=close_limit, clock=clock)
        self.when_quiet: Callable[[str, Any], Use[Any]] = _tell_of_quiet
        """Makes for a session what is done once it has gone quiet: by default the plugins are told, with what the
        transcript holds."""
        self._opened: BoundedDict[str, None] = BoundedDict(_SESSIONS)
        self.idle = IdleClock(self.thread, seconds=self.config.core.idle_seconds)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        self.start().now()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> Answer[bool]:
        """Start the memory, and say whether it has started in time. Calls do that by themselves."""
        return self._started()

    def call(self, use: Use[_T], *, limit: float | None = None) -> Answer[_T | None]:
        """Return what ``use`` makes of the memory, in its thread; None when it failed or was late.

        ``limit`` is in seconds, that of a message when None is given. What is late goes on, and so it does when the
        caller is cancelled.
        """
        return self._called(use, limit)

    def call_now(self, use: Use[_T], *, limit: float | None = None) -> _T | None:
        """Do the same as `call` and wait for it, as ``call(use).now()`` does."""
        return self._called(use, limit).now()

    def waiting(self, future: "Future[Any]", limit: float | None = None) -> Waiting:
        """Return what a call waits for that was submitted to the thread; ``limit`` as in `call`."""
        return Waiting(self.thread, future, self.limit_of(limit))

    @answers
    def _called(self, use: Use[_T], limit: float | None) -> Steps[_T | None]:
        answer: _T | None = yield self.waiting(self.thread.submit(use), limit)
        return answer

    @answers
    def _started(self) -> Steps[bool]:
        async def started(_memory: "MemoryHost") -> bool:
            return True

        return bool((yield self.waiting(self.thread.submit(started), 0.0)))

    def told_of_late(self, text: str) -> str | None:
        """Return the fenced block of a turn whose message waits for the memory still, or None."""
        language = told_in(self.config.core.language, text)
        may_run = [plugin for plugin in OF_PLUGINS if self.config.enabled(plugin) and is_selected(plugin)]
        return fence((block.text for block in unheard(may_run, language)), language=language)

    def turn(self, session_key: str, *, scope: ScopeLike = None, parent: str = "") -> Turn:
        """Return a turn that begins; make one for each. ``parent`` is the session whose agent asked a sub-agent."""
        return Turn(self, session_key, scope=scope, parent=parent)

    @answers
    def open_turn(self, turn: Turn, text: str, history: Sequence[object] = (), *, unknown: bool = False) -> Steps[str]:
        """Begin a turn, and return what is known for long of whose it is, for the system prompt.

        The message is kept and recalled for, as `Turn.received` does. Of an ``unknown`` session, whose ``history``
        memory may never have seen, that is taken in before, at its first turn here; of others what the user said before
        this message and nobody has answered.
        """
        if missing := self._unseen(turn, history, unknown=unknown):
            yield from self.resume(turn.session_key, missing, scope=turn.scope).steps
        yield from turn.received(text, history).steps
        return (yield from self._known(turn))

    def take_in_behind(self, turn: Turn, history: Callable[[], Sequence[object]]) -> None:
        """Take in what memory never saw of a session, at its first turn here, and return at once.

        It is for a turn that has been received already. ``history`` makes the messages of before it, in the memory's
        thread. What the close cuts short is taken in at the first turn of the next process.
        """
        if self._opens(turn):

            async def take_in(memory: "MemoryHost") -> None:
                messages = await run_in_daemon_thread(history)
                await memory.resume(session_key=turn.session_key, messages=messages, scope=turn.scope, behind_turn=True)

            self.thread.submit(take_in)

    def _unseen(self, turn: Turn, history: Sequence[object], *, unknown: bool) -> Sequence[object]:
        """Return what of a history memory may not have seen: all of it in the first turn that was opened here."""
        is_first = self._opens(turn)
        if turn.parent:
            return ()
        return history if unknown and is_first else unanswered_in(history)

    def _opens(self, turn: Turn) -> bool:
        """Return whether a turn is the first of its session here, and know it from now on."""
        is_first = turn.session_key not in self._opened
        self._opened[turn.session_key] = None
        return is_first

    @answers
    def go_on(self, turn: Turn, messages: Sequence[object]) -> Steps[str]:
        """Go on with a turn that another run began, by what its messages ask, and return what `open_turn` does."""
        asked = asked_in(messages)
        yield from turn.taken_up(asked.text, asked.before).steps
        return (yield from self._known(turn))

    def _known(self, turn: Turn) -> Steps[str]:
        known = self.prompt_entries(session_key=turn.parent or turn.session_key, scope=turn.scope)
        return (yield from known.steps).text

    @answers
    def resume(
        self,
        session_key: str,
        messages: Sequence[object],
        *,
        parent: str = "",
        scope: ScopeLike = None,
        behind_turn: bool = False,
    ) -> Steps[int]:
        """Keep what is missing of a host's history, once, and return how many messages that were.

        What is taken in ``behind_turn`` is older than a turn that was begun before.
        """

        async def resume(memory: "MemoryHost") -> int:
            return await memory.resume(
                session_key=session_key, messages=messages, parent=parent, scope=scope, behind_turn=behind_turn
            )

        return (yield self.waiting(self.thread.submit(resume), self.config.core.compaction_limit)) or 0

    @answers
    def before_compaction(self, session_key: str, messages: Sequence[object], **more: Any) -> Steps[Summary | None]:
        """Save what matters before history is cut, and return what replaces it, as `MemoryHost.before_compaction`."""

        async def save(memory: "MemoryHost") -> Summary | None:
            return await memory.before_compaction(session_key=session_key, messages=messages, **more)

        summary: Summary | None = yield self.waiting(
            self.thread.submit(save), self.config.core.compaction_limit + _WRITING
        )
        return summary

    @answers
    def summary_of(
        self,
        session_key: str,
        messages: Sequence[object],
        *,
        context_window: int,
        reason: str = "token_pressure",
        scope: ScopeLike = None,
    ) -> Steps[Summary | None]:
        """Return what replaces the oldest of a session's messages, whatever they hold, or None: then they stay.

        An earlier summary may stand among them.
        """
        if not messages:
            return None
        earlier = find_earlier_summary(messages_from_chat(messages))
        known = 0 if earlier is None else earlier + 1
        more = {"context_window": context_window, "reason": reason, "known": known, "scope": scope}
        summary = yield from self.before_compaction(session_key, messages, **more).steps
        return summary if summary is not None and summary.text.strip() else None

    @answers
    def search(self, text: str, *, limit: int, scope: ScopeLike = None) -> Steps[Sequence[Hit]]:
        """Return the best memories that somebody may see."""

        async def search(memory: "MemoryHost") -> Sequence[Hit]:
            query = Query(text=text, limit=limit, scope=memory.visible_scope(scope_of(scope)))
            return (await memory.search(query)).hits

        return (yield self.waiting(self.thread.submit(search), self.tool_limit)) or () if text.strip() else ()

    @answers
    def prompt_entries(
        self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None
    ) -> Steps[PromptEntries]:
        """Return what is known of the user for long, for the system prompt, as `MemoryHost.prompt_entries`."""

        async def know(memory: "MemoryHost") -> PromptEntries:
            return memory.prompt_entries(long_term, session_key=session_key, scope=scope)

        return (yield self.waiting(self.thread.submit(know))) or PromptEntries("", long_term)

    def tools(self) -> list[ServiceTool]:
        """Return the tools to offer to the model. It blocks until the memory has started, if it has not."""
        self.start().now()
        memory = self.thread.started
        return [ServiceTool.of(self, tool) for tool in memory.tools()] if memory is not None else []

    def is_own(self, name: str) -> bool:
        """Return whether a tool is one of the memory's, also behind a client's prefix, once the memory has started."""
        memory = self.thread.started
        return memory is not None and own_tool(memory, name) is not None

    def ended(self, session_key: str, history: Sequence[object], *, scope: ScopeLike = None) -> None:
        """Say that a session has ended, with its last messages, and return at once."""

        async def tell(memory: "MemoryHost") -> None:
            await memory.session_idle(session_key=session_key, history=history, ended=True, scope=scope)

        self.idle.end(session_key, tell)

    def touch(self, session_key: str, scope: ScopeLike = None) -> None:
        """Start the clock of a session anew: the plugins are told when it has been quiet for a while."""
        self.idle.touch(session_key, self.when_quiet(session_key, scope))

    def limit_of(self, seconds: float | None) -> float:
        """Return how many seconds a call may take whose hook has so many; the start comes on top of it."""
        starting = 0.0 if self.thread.started is not None else self._start_limit
        return starting + (self.config.core.message_limit if seconds is None else seconds) + _GRACE

    async def aclose(self) -> bool:
        """Finish what was accepted, close the memory, and say whether that was done in time."""
        return await self.thread.aclose(self._close_limit)

    def close(self) -> bool:
        """Do the same as `aclose` where nothing can be awaited. It blocks."""
        return self.thread.close(self._close_limit)


def _tell_of_quiet(session_key: str, scope: ScopeLike) -> Use[object]:
    async def tell(memory: "MemoryHost") -> None:
        said = memory.history(session_key, limit=_IDLE_HISTORY)
        await memory.session_idle(session_key=session_key, history=said, scope=scope)

    return tell
