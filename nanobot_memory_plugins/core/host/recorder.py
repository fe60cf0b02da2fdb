"""Capture: messages and notes on their way into files, whatever becomes of the call that brought them."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.missed_turns import note_missed
from nanobot_memory_plugins.core.host.recall_log import RecallLedger
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.isolation.threads import LINGER_SECONDS, DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import ContextBlock, Note, Origin, Receipt, Scope

_T = TypeVar("_T")


class TurnRecorder:
    """Owns the writes that have begun. They end even when the caller is cancelled; no time limit reaches them."""

    def __init__(self, files: MemoryFiles, *, keep_transcripts: bool, clock: Clock | None = None) -> None:
        self._files = files
        self._keep_transcripts = keep_transcripts
        self._writing = OwnedTasks()
        self._clock = clock or SystemClock()
        self._recalls = RecallLedger(files.paths.workspace, self._clock)
        self._turns: list[tuple[list[str], list[str]]] = []
        # The tokens of the tools, and the text of the entries, that stand in a request of this turn.
        self.beside: Callable[[], tuple[int, str]] = lambda: (0, "")
        self._recording = DaemonThreadPool(1, "nanobot-memory-usage", linger=LINGER_SECONDS)

    def begin_message(
        self, session_key: str, text: str, *, role: str, origin: Origin, scope: Scope
    ) -> asyncio.Task[Receipt]:
        """Begin to write a message to its transcript; the task ends with the receipt."""
        return self._writing.begin(self._message(session_key, text, role, origin, scope))

    def begin(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin to write something else; it ends as everything here does."""
        return self._writing.begin(work)

    async def keep_notes(self, notes: Sequence[Note], *, scope: Scope) -> tuple[Receipt, ...]:
        """Write every note, in order, and return where each one stands."""
        tasks = [self._writing.begin(self._files.keep_note(note, scope=scope)) for note in notes]
        return tuple(await asyncio.shield(asyncio.gather(*tasks))) if tasks else ()

    def note_recall(self, blocks: Sequence[ContextBlock]) -> None:
        """Take down what a turn got, to be recorded when it is answered: only then is it known what stood beside."""
        self.finish_turns()
        ids = list(dict.fromkeys(hit for block in blocks for hit in block.hit_ids))
        self._turns.append((ids, [block.text for block in blocks]))

    def finish_turns(self) -> None:
        """Begin to record the turns that were taken down: in a thread, which nobody waits for before the close."""
        turns, self._turns = self._turns, []
        if not turns:
            return
        tools, entries = self.beside()

        def write() -> None:
            for ids, texts in turns:
                self._recalls.record(ids, sum(map(estimate_tokens, texts)), tools, estimate_tokens(entries))

        self._record(write)

    def note_missed(self, missed: Mapping[str, str]) -> None:
        """Begin to record that a turn goes without what these plugins would have answered, and why."""
        self._record(lambda: note_missed(self._files.paths.workspace, self._clock, missed))

    def _record(self, write: Callable[[], None]) -> None:
        async def record() -> None:
            await run_in_pool(self._recording, write)

        self._writing.begin(record())

    async def drain(self) -> None:
        """Return once every write that has begun has ended, also of messages that are still being redacted."""
        self.finish_turns()
        await self._writing.finish()
        await self._files.drain()

    async def close(self) -> None:
        """Return once every write that has begun has ended, and let the thread end."""
        await self.drain()
        self._recording.shutdown()

    async def _message(self, session_key: str, text: str, role: str, origin: Origin, scope: Scope) -> Receipt:
        if not self._keep_transcripts:
            return Receipt(stored=False, reason="core.keepTranscripts is off")
        if not text.strip():
            return Receipt(stored=False, reason="the message is empty")
        record = TranscriptRecord(role=role, text=text, session_key=session_key, scope=scope, origin=origin)
        return await self._files.keep_message(record)


def combined_receipt(receipts: tuple[Receipt, ...]) -> Receipt:
    """Return one receipt for a call that kept several notes: that of the first, with all of them inside."""
    if not receipts:
        return Receipt(stored=False, reason="no plugin took a note")
    first = receipts[0]
    return Receipt(
        stored=all(receipt.stored for receipt in receipts),
        id=first.id,
        path=first.path,
        line=first.line,
        reason=next((receipt.reason for receipt in receipts if receipt.reason), ""),
        notes=receipts,
    )
