"""What is remembered of a session from one cut to the next, in a file, so that restarts and processes agree."""

import asyncio
import weakref
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from nanobot_memory_plugins.core import BoundedDict, MemoryPaths, Message, Note, PluginContext, run_in_daemon_thread
from nanobot_memory_plugins.core.files.seen_messages import MessageMarks, SeenMessages, digest
from nanobot_memory_plugins.flush.entries import folded

# The names of what is remembered beside the messages.
TURN_TAKEN = "turn_taken"
TURN_FAILED = "turn_failed"
ASKED_AT = "asked"
_NOTES = "notes"

# Notes whose words are remembered, so that nothing is noted twice.
_REMEMBERED_NOTES = 500
_SESSIONS = 1_000


class FlushCycles:
    """The cycles of all sessions of a workspace. One use of a session at a time."""

    def __init__(self) -> None:
        self._marks: MessageMarks | None = None
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        # Sessions whose cycle has had its silent turn: known without reading a file after every turn.
        self._had_turn: BoundedDict[str, None] = BoundedDict(_SESSIONS)

    def had_turn(self, session_key: str) -> bool:
        """Return whether this process knows that the session's cycle has had its silent turn."""
        return session_key in self._had_turn

    @asynccontextmanager
    async def of(self, session_key: str, context: PluginContext) -> AsyncIterator["Cycle"]:
        """Have a session's cycle to oneself."""
        if self._marks is None:
            paths = MemoryPaths.of(context.workspace)
            self._marks = MessageMarks(paths.index_folder / "flush", below=paths.workspace)
        lock = self._locks.setdefault(session_key, asyncio.Lock())
        async with lock:
            yield Cycle(session_key, self._marks, context, self._had_turn)


class Cycle:
    """One session from one cut to the next."""

    def __init__(
        self, session_key: str, marks: MessageMarks, context: PluginContext, had_turn: BoundedDict[str, None]
    ) -> None:
        self._session_key = session_key
        self._marks = marks
        self._context = context
        self._had_turn = had_turn

    async def read(self) -> SeenMessages:
        """Return what is remembered."""
        return await run_in_daemon_thread(lambda: self._marks.read(self._session_key))

    async def take_turn(self, messages: Sequence[Message], notes: list[Note]) -> list[Note]:
        """Remember that the messages were captured by the cycle's silent turn.

        Returns the notes that nobody else has taken meanwhile.
        """
        kept = await self._remember(messages, notes, turn_taken=True, asked=True)
        self.note_turn()
        return kept

    async def fail_turn(self) -> None:
        """Remember that the silent turn failed: it is not tried again before the cut."""

        def change(marks: SeenMessages) -> None:
            marks.values[TURN_FAILED] = True

        await run_in_daemon_thread(lambda: self._marks.change(self._session_key, change))
        self.note_turn()

    async def end(self, messages: Sequence[Message], notes: list[Note], *, asked: bool) -> list[Note]:
        """Remember that the messages were captured at the cut; the next cycle begins.

        ``asked``: by the model. Returns the notes that nobody else has taken meanwhile.
        """
        self._had_turn.pop(self._session_key, None)
        return await self._remember(messages, notes, turn_taken=False, asked=asked)

    def note_turn(self) -> None:
        """Know without a file that this cycle has had its silent turn."""
        self._had_turn[self._session_key] = None

    async def _remember(
        self, messages: Sequence[Message], notes: list[Note], *, turn_taken: bool, asked: bool
    ) -> list[Note]:
        now = self._context.clock.now().isoformat()

        def change(marks: SeenMessages) -> list[Note]:
            known = dict.fromkeys(marks.values.get(_NOTES) or ())
            left: list[Note] = []
            # Another process may have captured the same messages while the model was thinking.
            for note in notes if any(marks.is_new(messages)) else ():
                words = digest(folded(f"{note.tldr} {note.details}"))
                if words not in known:
                    known[words] = None
                    left.append(note)
            marks.add(messages)
            marks.values |= {TURN_TAKEN: turn_taken, TURN_FAILED: False, _NOTES: list(known)[-_REMEMBERED_NOTES:]}
            if asked:
                marks.values[ASKED_AT] = now
            return left

        return await run_in_daemon_thread(lambda: self._marks.change(self._session_key, change))
