"""What is remembered of a session from one cut to the next, so that restarts and processes agree."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from nanobot_memory_plugins.core import PluginContext
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_T = TypeVar("_T")

_TASK = "flush"
# This cycle has had its reading, which came to nothing; one is due after the cut that ended the last one; the keys of
# the messages that were noted word for word: a part of them stands in the next history, too.
_TAKEN, _FAILED, _DUE, _NOTED = "taken", "failed", "due", "noted"
_SESSIONS, _MOST_NOTED = 1_000, 4_000


class FlushCycles:
    """The cycles of all sessions of a workspace."""

    def __init__(self) -> None:
        # Sessions whose cycle has had its reading: known without a look after every turn.
        self._taken: BoundedDict[str, None] = BoundedDict(_SESSIONS)

    async def take(self, session_key: str, context: PluginContext) -> bool:
        """Take the one reading of this cycle; False where it has had it."""
        if session_key in self._taken:
            return False

        def change(cycle: dict[str, Any]) -> bool:
            is_free = not cycle.get(_TAKEN)
            cycle[_TAKEN] = True
            return is_free

        is_free = await _change(session_key, context, change)
        self._taken[session_key] = None
        return is_free

    async def fail(self, session_key: str, context: PluginContext) -> None:
        """Note that the reading of this cycle came to nothing: it is made good behind the cut."""
        await _change(session_key, context, lambda cycle: cycle.update({_FAILED: True}))

    async def end(self, session_key: str, context: PluginContext, to_note: Collection[str] = ()) -> Collection[str]:
        """Begin a new cycle; a reading is due where this one had none that came to something.

        ``to_note`` are the keys of messages that are to be noted; those that were not noted before are returned.
        """
        self._taken.pop(session_key, None)

        def change(cycle: dict[str, Any]) -> Collection[str]:
            is_taken, has_failed = cycle.pop(_TAKEN, False), cycle.pop(_FAILED, False)
            cycle[_DUE] = has_failed or not is_taken
            noted = cycle.get(_NOTED, [])
            known = frozenset(noted)
            fresh = [key for key in to_note if key not in known]
            cycle[_NOTED] = [*noted, *fresh][-_MOST_NOTED:]
            return fresh

        return await _change(session_key, context, change)

    async def is_due(self, session_key: str, context: PluginContext) -> bool:
        """Return, once, whether a reading is due behind a cut."""
        return await _change(session_key, context, lambda cycle: bool(cycle.pop(_DUE, False)))


async def _change(session_key: str, context: PluginContext, change: Callable[[dict[str, Any]], _T]) -> _T:
    state = StateDatabase.of(context.workspace)

    def write(_connection: object) -> _T:
        cycle = state.task(_TASK, session_key) or {}
        answer = change(cycle)
        state.set_task(_TASK, session_key, cycle)
        return answer

    return await run_in_daemon_thread(lambda: state.write(write))
