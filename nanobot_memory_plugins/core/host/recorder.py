"""Capture: messages and notes on their way into files, whatever becomes of the call that brought them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks, run_in_daemon_thread
from nanobot_memory_plugins.core.values import Note, Receipt, Scope

_T = TypeVar("_T")


class TurnRecorder:
    """Owns the writes that have begun. They end even when the caller is cancelled; no time limit reaches them."""

    def __init__(self, files: MemoryFiles, *, keep_transcripts: bool) -> None:
        self._files = files
        self._keep_transcripts = keep_transcripts
        self._writing = OwnedTasks()

    def begin_message(
        self, record: TranscriptRecord, *, after: Iterable[asyncio.Task[Any]] = ()
    ) -> asyncio.Task[Receipt]:
        """Begin to write a message to its transcript, once the tasks ``after`` which it comes have ended.

        The task ends with the receipt.
        """
        loop = asyncio.get_running_loop()
        before = {task for task in after if task.get_loop() is loop}  # nothing ends those of another one
        return self._writing.begin(self._message(record, before))

    def begin(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin to write something else; it ends as everything here does."""
        return self._writing.begin(work)

    async def keep_notes(self, notes: Sequence[Note], *, scope: Scope) -> tuple[Receipt, ...]:
        """Write every note, in order, and return the place of each one."""
        tasks = [self._writing.begin(self._files.keep_note(note, scope=scope)) for note in notes]
        return tuple(await asyncio.shield(asyncio.gather(*tasks))) if tasks else ()

    def begin_in_thread(self, write: Callable[[], None]) -> None:
        """Begin to write something that blocks, in a thread of its own."""

        async def written() -> None:
            await run_in_daemon_thread(write)

        self._writing.begin(written())

    async def drain(self) -> None:
        """Return once every write that has begun has ended, also of messages that are still being redacted."""
        await self._writing.finish()
        await self._files.drain()

    async def _message(self, record: TranscriptRecord, before: set[asyncio.Task[Any]]) -> Receipt:
        if before:
            with suppress(asyncio.CancelledError):  # the event loop ends: it is written now
                await asyncio.wait(before)
        if not self._keep_transcripts:
            return Receipt(stored=False, reason="core.keepTranscripts is off")
        if not record.text.strip():
            return Receipt(stored=False, reason="the message is empty")
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
