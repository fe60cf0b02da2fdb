"""What an adapter holds: the memory of one workspace for a host with one event loop, several, or none."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig, given_or_usual
from nanobot_memory_plugins.core.entry_points import is_selected
from nanobot_memory_plugins.core.host.asked import asked_in, unanswered_in
from nanobot_memory_plugins.core.host.idle_clock import IdleClock
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread, Use
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
_NO_PLUGIN = ""
# Seconds on top of that of a compaction, for taking in a history that was never seen.
_WRITING = 5.0


class MemoryService:
    """A `MemoryHost` in a thread of its own. Its calls come from any event loop, from any thread, and after a fork.

    The arguments are those of `MemoryHost`; ``llm`` is called on the memory's event loop. ``start_limit`` is how many
    seconds a call waits for the memory to start, ``close_limit`` how many a close takes at most, ``tool_limit`` how
    many a tool that the model calls. ``at_start`` is background work of each
    start. It starts with the first call, and again with the first after a close. No call raises for what goes
    wrong in the memory: the answer is None then, and the log says why.
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
        self.start_now()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def start(self) -> bool:
        """Start the memory, and say whether it has started in time. Calls do that by themselves."""
        return bool(await self.call(_started, limit=0.0))

    def start_now(self) -> bool:
        """Do the same as `start` where nothing can be awaited. It blocks."""
        return bool(self.call_now(_started, limit=0.0))

    async def call(self, use: Use[_T], *, limit: float | None = None) -> _T | None:
        """Return what ``use`` makes of the memory, in its thread; None when it failed or was late.

        ``limit`` is in seconds, that of a message when None is given. What is late goes on, and so it does when the
        caller is cancelled.
        """
        return await self.wait(self.thread.submit(use), limit=limit)

    def call_now(self, use: Use[_T], *, limit: float | None = None) -> _T | None:
        """Do the same as `call` where nothing can be awaited. It blocks, also the event loop that runs here."""
        return self.wait_now(self.thread.submit(use), limit=limit)

    async def wait(self, future: "Future[_T | None]", *, limit: float | None = None) -> _T | None:
        """Wait as `call` does for what was submitted to the thread."""
        return await self.thread.wait(future, limit=self.limit_of(limit))

    def wait_now(self, future: "Future[_T | None]", *, limit: float | None = None) -> _T | None:
        """Wait as `call_now` does for what was submitted to the thread."""
        return self.thread.wait_now(future, limit=self.limit_of(limit))

    def told_of_late(self, text: str) -> str | None:
        """Return the fenced block of a turn whose message waits for the memory still, or None."""
        language = told_in(self.config.core.language, text)
        may_run = [plugin for plugin in OF_PLUGINS if self.config.enabled(plugin) and is_selected(plugin)]
        return fence((block.text for block in unheard(may_run, language)), language=language)

    def turn(self, session_key: str, *, scope: ScopeLike = None, parent: str = "") -> Turn:
        """Return a turn that begins; make one for each. ``parent`` is the session whose agent asked a sub-agent."""
        return Turn(self, session_key, scope=scope, parent=parent)

    async def open_turn(self, turn: Turn, text: str, history: Sequence[object] = (), *, unknown: bool = False) -> str:
        """Begin a turn, and return what is known for long of whose it is, for the system prompt.

        The message is kept and recalled for, as `Turn.received` does. Of an ``unknown`` session, whose ``history``
        memory may never have seen, that is taken in before, at its first turn here; of others what the user said before
        this message and nobody has answered.
        """
        if missing := self._unseen(turn, history, unknown=unknown):
            await self.resume(turn.session_key, missing, scope=turn.scope)
        await turn.received(text, history)
        return (await self.prompt_entries(session_key=turn.parent or turn.session_key, scope=turn.scope)).text

    def open_turn_now(self, turn: Turn, text: str, history: Sequence[object] = (), *, unknown: bool = False) -> str:
        """Do the same as `open_turn` where nothing can be awaited. It blocks."""
        if missing := self._unseen(turn, history, unknown=unknown):
            self.resume_now(turn.session_key, missing, scope=turn.scope)
        turn.now.received(text, history)
        return self.prompt_entries_now(session_key=turn.parent or turn.session_key, scope=turn.scope).text

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

    async def go_on(self, turn: Turn, messages: Sequence[object]) -> str:
        """Go on with a turn that another run began, by what its messages ask, and return what `open_turn` does."""
        asked = asked_in(messages)
        await turn.taken_up(asked.text, asked.before)
        return (await self.prompt_entries(session_key=turn.parent or turn.session_key, scope=turn.scope)).text

    async def resume(
        self,
        session_key: str,
        messages: Sequence[object],
        *,
        parent: str = "",
        scope: ScopeLike = None,
        behind_turn: bool = False,
    ) -> int:
        """Keep what is missing of a host's history, once, and return how many messages that were.

        What is taken in ``behind_turn`` is older than a turn that was begun before.
        """
        use = _resuming(session_key, messages, parent, scope, behind_turn=behind_turn)
        return await self.call(use, limit=self.config.core.compaction_limit) or 0

    def resume_now(
        self, session_key: str, messages: Sequence[object], *, parent: str = "", scope: ScopeLike = None
    ) -> int:
        """Do the same as `resume` where nothing can be awaited. It blocks."""
        use = _resuming(session_key, messages, parent, scope)
        return self.call_now(use, limit=self.config.core.compaction_limit) or 0

    async def before_compaction(self, session_key: str, messages: Sequence[object], **more: Any) -> Summary | None:
        """Save what matters before history is cut, and return what replaces it, as `MemoryHost.before_compaction`."""
        use = _compacting(session_key, messages, more)
        return await self.call(use, limit=self.config.core.compaction_limit + _WRITING)

    def before_compaction_now(self, session_key: str, messages: Sequence[object], **more: Any) -> Summary | None:
        """Do the same as `before_compaction` where nothing can be awaited. It blocks."""
        use = _compacting(session_key, messages, more)
        return self.call_now(use, limit=self.config.core.compaction_limit + _WRITING)

    async def summary_of(
        self,
        session_key: str,
        messages: Sequence[object],
        *,
        context_window: int,
        reason: str = "token_pressure",
        scope: ScopeLike = None,
    ) -> Summary | None:
        """Return what replaces the oldest of a session's messages, whatever they hold, or None: then they stay.

        An earlier summary may stand among them.
        """
        earlier = find_earlier_summary(messages_from_chat(messages))
        known = 0 if earlier is None else earlier + 1
        more = {"context_window": context_window, "reason": reason, "known": known, "scope": scope}
        summary = await self.before_compaction(session_key, messages, **more) if messages else None
        return summary if summary is not None and summary.text.strip() else None

    async def search(self, text: str, *, limit: int, scope: ScopeLike = None) -> Sequence[Hit]:
        """Return the best memories that somebody may see, without what is held back from them."""

        async def search(memory: "MemoryHost") -> Sequence[Hit]:
            whose = scope_of(scope)
            query = Query(text=text, limit=limit, scope=memory.visible_scope(whose))
            hits = (await memory.search(query)).hits
            return await memory.plugins.withholding.hits(_NO_PLUGIN, whose, list(hits))

        return await self.call(search, limit=self.tool_limit) or () if text.strip() else ()

    async def prompt_entries(
        self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None
    ) -> PromptEntries:
        """Return what is known of the user for long, for the system prompt, as `MemoryHost.prompt_entries`."""
        return await self.call(_knowing(long_term, session_key, scope)) or PromptEntries("", long_term)

    def prompt_entries_now(
        self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None
    ) -> PromptEntries:
        """Do the same as `prompt_entries` where nothing can be awaited. It blocks."""
        return self.call_now(_knowing(long_term, session_key, scope)) or PromptEntries("", long_term)

    def tools(self) -> list[ServiceTool]:
        """Return the tools to offer to the model. It blocks until the memory has started, if it has not."""
        self.start_now()
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


async def _started(_memory: "MemoryHost") -> bool:
    return True


def _resuming(
    session_key: str, messages: Sequence[object], parent: str, scope: ScopeLike, *, behind_turn: bool = False
) -> Use[int]:
    return lambda memory: memory.resume(
        session_key=session_key, messages=messages, parent=parent, scope=scope, behind_turn=behind_turn
    )


def _compacting(session_key: str, messages: Sequence[object], more: dict[str, Any]) -> Use[Summary | None]:
    return lambda memory: memory.before_compaction(session_key=session_key, messages=messages, **more)


def _knowing(long_term: str, session_key: str, scope: ScopeLike) -> Use[PromptEntries]:
    async def know(memory: "MemoryHost") -> PromptEntries:
        return memory.prompt_entries(long_term, session_key=session_key, scope=scope)

    return know


def _tell_of_quiet(session_key: str, scope: ScopeLike) -> Use[object]:
    async def tell(memory: "MemoryHost") -> None:
        said = memory.history(session_key, limit=_IDLE_HISTORY)
        await memory.session_idle(session_key=session_key, history=said, scope=scope)

    return tell
