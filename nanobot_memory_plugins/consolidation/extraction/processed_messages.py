"""Which messages of a session have been learned from, so that each is once, whoever asks and whatever breaks off.

One process at a time works on a session. Before the entries are written, the messages are noted together with a token
that the run in the journal carries: when a process ends between the two, the next one sees in the journal how far it
came.
"""

import asyncio
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from filelock import FileLock, Timeout

from nanobot_memory_plugins.consolidation.store.journal import BROKE_OFF, Journal, entries_folder
from nanobot_memory_plugins.core import MemoryPaths, Message, logger, run_in_daemon_thread
from nanobot_memory_plugins.core.files import private_folder, private_lock
from nanobot_memory_plugins.core.files.seen_messages import MessageMarks, SeenMessages

# Sessions share this many locks: a folder full of lock files would help nobody.
_LOCKS = 64
_POLL_SECONDS = 0.05
_WRITING = "writing"


class SessionLease:
    """The right to work on a session, which one thread at a time owns."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock
        self._handed_over = False

    def release(self) -> None:
        """Let others work on the session, unless the right was handed over."""
        if not self._handed_over:
            self._release()

    def hand_over(self) -> Callable[[], None]:
        """Hand the right over to whoever calls what is returned, in any thread."""
        self._handed_over = True
        return self._release

    def _release(self) -> None:
        with suppress(OSError):
            self._lock.release()


class ProcessedMessages:
    """The marks of all sessions of a workspace. Everything but `hold` blocks: call it in a thread."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._memory = paths.memory
        self._folder = entries_folder(paths) / "sessions"
        self._journal = Journal(paths)
        self._marks: dict[int, MessageMarks] = {}

    async def hold(self, session_key: str, *, seconds: float) -> SessionLease | None:
        """Wait for the right to work on a session, at most so long; None when somebody else has it all the time."""
        folder = self._folder / f"{self._part(session_key):02d}"
        try:
            await run_in_daemon_thread(lambda: private_folder(folder, below=self._memory))
        except OSError as error:
            logger.warning("a session cannot be learned from: {}", type(error).__name__)
            return None
        lock = private_lock(folder / ".busy.lock", thread_local=False)
        end = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                if asyncio.get_running_loop().time() >= end:
                    return None
                await asyncio.sleep(_POLL_SECONDS)
            except OSError as error:
                logger.warning("a session cannot be learned from: {}", type(error).__name__)
                return None
            else:
                return SessionLease(lock)

    def fresh(self, session_key: str, messages: Sequence[Message]) -> list[Message]:
        """Return the messages that nobody has learned from."""
        new = self._of(session_key).read(session_key).is_new(messages)
        return [message for message, is_new in zip(messages, new, strict=True) if is_new]

    def begin(self, session_key: str, messages: Sequence[Message], token: str) -> None:
        """Note that entries are about to be written which were learned from ``messages``, in a run with ``token``."""
        own = SeenMessages()
        own.add(messages)

        def change(marks: SeenMessages) -> None:
            marks.values[_WRITING] = {"token": token, "singles": list(own.singles), "pairs": list(own.pairs)}

        self._of(session_key).change(session_key, change)

    def finish(self, session_key: str, messages: Sequence[Message], only: Sequence[bool] | None = None) -> None:
        """Note that ``messages``, or ``only`` those of them, have been learned from."""

        def change(marks: SeenMessages) -> None:
            marks.add(messages, only)
            marks.values.pop(_WRITING, None)

        self._of(session_key).change(session_key, change)

    def recover(self, session_key: str, settle_entries: Callable[[], object]) -> None:
        """Settle what a process left that ended while it wrote. Hold the session.

        ``settle_entries`` makes the journal say which runs were not written after all.
        """
        store = self._of(session_key)
        left = store.read(session_key).values.get(_WRITING)
        if left is None:
            return
        settle_entries()
        written = self._is_written(left)

        def change(marks: SeenMessages) -> None:
            marks.values.pop(_WRITING, None)
            if written:
                marks.singles |= dict.fromkeys(map(str, left["singles"]))
                marks.pairs |= dict.fromkeys(map(str, left["pairs"]))

        store.change(session_key, change)

    def _is_written(self, left: Any) -> bool:
        try:
            token = str(left["token"])
            runs = self._journal.runs()
            broken_off = {run.undoes for run in runs if run.why == BROKE_OFF}
            return any(
                token in run.why and run.id not in broken_off and (self._memory / run.file).is_file() for run in runs
            )
        except (KeyError, TypeError):
            return False

    def _of(self, session_key: str) -> MessageMarks:
        # Each part has a folder of its own, with the lock of its marks: nobody waits for that but who holds the part.
        part = self._part(session_key)
        return self._marks.setdefault(part, MessageMarks(self._folder / f"{part:02d}", below=self._memory))

    @staticmethod
    def _part(session_key: str) -> int:
        return zlib.crc32(session_key.encode("utf-8", "surrogatepass")) % _LOCKS
