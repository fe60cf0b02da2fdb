"""The runs of a host whose callbacks share nothing but an id: what is remembered of each while it goes on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.host.framework_calls import asking_session
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_service import MemoryService

# Runs that are remembered: some hosts do not report one that was cancelled. And runs whose session is known.
_RUNS, _SESSIONS = 1_000, 20_000


@dataclass(slots=True)
class HostRun:
    """One run: its turn, what is known for long once that was opened, and what its model was asked last.

    ``events_read`` counts the session's events that were read, in a run in which the user goes on speaking.
    """

    memory: "MemoryService"
    turn: Turn
    known: str | None = None
    sent: Sequence[object] = ()
    tokens: int | None = None
    events_read: int | None = None

    async def open(self, text: str, history: Sequence[object]) -> None:
        """Keep the user's message, and recall for it. What a nested agent is asked is not the user's."""
        self.known = await self.memory.open_turn(self.turn, text, history, unknown=not self.turn.parent)

    async def beside(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages of a request with the block; a run that was not opened goes on with a turn of before."""
        self.sent = messages
        if self.known is None:
            self.known = await self.memory.go_on(self.turn, messages)
        return self.turn.beside(messages)

    def finish(self, context_window: int) -> None:
        """End the turn; a nested agent's ends with the tool that asked it."""
        if not self.turn.parent:
            self.turn.finished(self.sent, context_window=context_window, context_tokens=self.tokens)

    def abandon(self) -> None:
        """Say that the run has failed."""
        if not self.turn.parent:
            self.turn.abandoned()


class Runs:
    """The runs that go on, and the sessions of those that were. The keys of sessions begin with ``prefix``."""

    def __init__(self, memory: "MemoryService", *, prefix: str) -> None:
        self._memory = memory
        self._prefix = prefix
        self._runs: BoundedDict[str, HostRun] = BoundedDict(_RUNS)
        self._sessions: BoundedDict[str, tuple[str, ScopeLike]] = BoundedDict(_SESSIONS)

    def of(self, run_id: str, session_key: str, scope: ScopeLike, *, earlier: Iterable[str] = ()) -> HostRun:
        """Return what is remembered of a run; one that is not known begins, a nested agent's where a tool asks it.

        ``earlier`` are other runs of that session.
        """
        if (run := self._runs.get(run_id)) is None:
            asking = asking_session()
            if asking not in ("", session_key) and self._is_asking(asking):
                turn = self._memory.turn(session_key, parent=asking)
            else:
                turn = self._memory.turn(session_key, scope=scope)
                self._memory.touch(session_key, scope)  # a run that is cancelled does not say so
            run = self._runs[run_id] = HostRun(self._memory, turn)
            for id_ in {run_id, *earlier}:
                self._sessions[id_] = session_key, scope
        return run

    def get(self, run_id: str) -> HostRun | None:
        """Return a run that goes on, or None."""
        return self._runs.get(run_id)

    def pop(self, run_id: str) -> HostRun | None:
        """Return a run that goes on, which ends, or None."""
        return self._runs.pop(run_id, None)

    def session_of(self, run_ids: Iterable[str]) -> tuple[str, ScopeLike] | None:
        """Return the key and the scope of the session that some runs belong to, or None."""
        return next((known for run_id in run_ids if (known := self._sessions.get(run_id))), None)

    def _is_asking(self, key: str) -> bool:
        """Return whether a session runs a tool: of one that was cut off the context may tell still."""
        turns = [run.turn for run in self._runs.values() if run.turn.is_asking]
        return not key.startswith(self._prefix) or any(key in (turn.session_key, turn.parent) for turn in turns)
