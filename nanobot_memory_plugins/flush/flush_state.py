"""What is remembered of a session from one cut to the next, in a file, so that restarts and processes agree."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from nanobot_memory_plugins.core import Message, PluginContext
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.seen_messages import MessageMarks, SeenMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_T = TypeVar("_T")

# This cycle has had its reading, which came to nothing; one is due behind the cut that ended the last one.
_TAKEN, _FAILED, _DUE = "turn_taken", "failed", "due"
_SESSIONS = 1_000


class FlushCycles:
    """The cycles of all sessions of a workspace."""

    def __init__(self) -> None:
        self._marks: MessageMarks | None = None
        # Sessions whose cycle has had its reading: known without a file after every turn.
        self._taken: BoundedDict[str, None] = BoundedDict(_SESSIONS)

    async def take(self, session_key: str, context: PluginContext) -> bool:
        """Take the one reading of this cycle; False where it has had it."""
        if session_key in self._taken:
            return False

        def change(marks: SeenMessages) -> bool:
            is_free = not marks.values.get(_TAKEN)
            marks.values[_TAKEN] = True
            return is_free

        is_free = await self._change(session_key, context, change)
        self._taken[session_key] = None
        return is_free

    async def fail(self, session_key: str, context: PluginContext) -> None:
        """Note that the reading of this cycle came to nothing: it is made good behind the cut."""

        def change(marks: SeenMessages) -> None:
            marks.values[_FAILED] = True

        await self._change(session_key, context, change)

    async def end(self, session_key: str, messages: Sequence[Message], context: PluginContext) -> list[Message]:
        """Begin a new cycle, and return what was captured in no earlier one; nothing where this one had its reading."""
        self._taken.pop(session_key, None)

        def change(marks: SeenMessages) -> list[Message]:
            new = marks.is_new(messages)
            is_taken, has_failed = marks.values.pop(_TAKEN, False), marks.values.pop(_FAILED, False)
            marks.values[_DUE] = has_failed or not is_taken
            marks.add(messages)
            return [one for one, is_new in zip(messages, new, strict=True) if is_new and marks.values[_DUE]]

        return await self._change(session_key, context, change)

    async def is_due(self, session_key: str, context: PluginContext) -> bool:
        """Return, once, whether a reading is due behind a cut."""
        return await self._change(session_key, context, lambda marks: bool(marks.values.pop(_DUE, False)))

    async def _change(self, session_key: str, context: PluginContext, change: Callable[[SeenMessages], _T]) -> _T:
        if self._marks is None:
            paths = MemoryPaths.of(context.workspace)
            self._marks = MessageMarks(paths.index_folder / "flush", below=paths.workspace)
        store = self._marks
        return await run_in_daemon_thread(lambda: store.change(session_key, change))
