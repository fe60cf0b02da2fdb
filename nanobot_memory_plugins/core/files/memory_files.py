"""The memory files of one workspace, for the host."""

import asyncio
import contextlib
import dataclasses
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

# Commands do without it until they lock a file. Whoever writes has it: a host may give up the right to read it later.
import filelock  # noqa: F401

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.files.damage import damage_in
from nanobot_memory_plugins.core.files.entries import exact_time
from nanobot_memory_plugins.core.files.hidden_records import without_forgotten
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.record_ids import new_record_id
from nanobot_memory_plugins.core.files.thread import SerialThread
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.files.writing import Writer
from nanobot_memory_plugins.core.log import import_log, logger
from nanobot_memory_plugins.core.values import Note, Origin, Receipt, Scope

Result = TypeVar("Result")

LONG = 32_768
"""Characters from which on a text may take seconds to be redacted."""

# Seconds that the thread waits for the lock, and that a call waits for what it wrote, and for a long text.
_LOCK_SECONDS, _LONGEST_WAIT, _WAIT_FOR_LONG = 5.0, 8.0, 0.5
_PENDING = "It is still being redacted, or waits for what is; it will be in its file in a while."
_CLOSED = Receipt(stored=False, reason="The memory files are closed.")

# How long the end of the interpreter waits for records that were accepted, in seconds, when nobody called
# `close`.
_LAST_SECONDS = 2.0


class MemoryFiles:
    """Writes notes and messages to a workspace's files, and reads them back for the host.

    Everything is written by one thread, in the order of the calls. Nothing here blocks the event loop, and no
    failure to write raises: the receipt says it. A call that is cancelled is written all the same.

    ``redact`` is called in that thread with each text, before it is encoded; ``redact_by_origin`` has others by who
    said it. ``lock_seconds`` bounds the wait for files that another process has locked. ``on_append`` is called in
    that thread with each file that has grown. ``timezone`` is the zone of the day files and headings, the machine's
    own by default. ``new_id`` makes the ids.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        redact: Callable[[str], str],
        redact_by_origin: Mapping[Origin, Callable[[str], str]] = MappingProxyType({}),
        clock: Clock | None = None,
        timezone: tzinfo | None = None,
        lock_seconds: float = _LOCK_SECONDS,
        on_append: Callable[[Path], None] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        import_log()
        self.paths = MemoryPaths.of(workspace)
        self._clock = its_clock = clock or SystemClock()
        self._timezone = timezone
        self._new_id = new_id or (lambda: new_record_id(its_clock.now()))
        self._writer = Writer(
            self.paths,
            redact=redact,
            redact_by_origin=redact_by_origin,
            lock_seconds=lock_seconds,
            on_append=on_append,
        )
        self._thread = SerialThread("memory-writer", self._writer.tick)
        self._pending: set[asyncio.Future[Any]] = set()
        self._warned: set[str] = set()
        # Also runs when the interpreter ends: daemon threads are not waited for.
        self._finalizer = weakref.finalize(self, _end, os.getpid(), self._thread, self._writer)

    async def keep_note(self, note: Note, *, scope: Scope) -> Receipt:
        """Write a note to its day's file or to long-term memory; the note's own scope and time win."""
        (receipt,) = await self.keep_notes([note], scope=scope)
        return receipt

    async def keep_notes(self, notes: Sequence[Note], *, scope: Scope) -> tuple[Receipt, ...]:
        """Write several notes in their order and return a receipt for each."""
        accepted = [
            (note, self._new_id(), self._local(note.time), note.scope if note.scope is not None else scope)
            for note in notes
        ]

        def write() -> tuple[Receipt, ...]:
            return tuple(
                self._kept(partial(self._writer.note, note, id=id_, time=time, scope=whose))
                for note, id_, time, whose in accepted
            )

        waits = tuple(Receipt(stored=False, id=id_, pending=True, reason=_PENDING) for _, id_, _, _ in accepted)
        length = max((len(note.details) for note in notes if isinstance(note.details, str)), default=0)
        return await self._run(write, (_CLOSED,) * len(accepted), waits, length)

    async def keep_message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. A missing id or time is filled in.

        A long one may take seconds to be redacted: after half a second the receipt says that it is pending.
        """
        accepted = dataclasses.replace(record, id=record.id or self._new_id(), time=self._local(record.time))
        write = partial(self._kept, partial(self._writer.message, accepted))
        waits = Receipt(stored=False, id=accepted.id, pending=True, reason=_PENDING)
        return await self._run(write, _CLOSED, waits, len(accepted.text))

    async def drain(self) -> None:
        """Return once what was accepted is written, also what is still being redacted."""
        while self._pending:
            await asyncio.wait(set(self._pending))

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session, oldest first, as ``{"role", "content", "time"}``.

        The transcript is read from its end and no further than needed. ``time`` is in ISO 8601, or empty.
        """
        try:
            records = last_records(self.paths.transcript(session_key), session_key, limit)
        except OSError as error:
            self._warn_once("history", f"A transcript cannot be read: {error.strerror}")
            return []
        return [{"role": r.role, "content": r.text, "time": exact_time(r.time) if r.time else ""} for r in records]

    def base_context(self) -> str:
        """Return the text of MEMORY.md and of ENTRIES.md; of one that is missing, or a link out of the workspace, none.

        When a disk or a crash has damaged one, that of its copy, as ``MEMORY.md.bak``, where that is sound.
        """
        texts = self._long_term_text(self.paths.long_term), without_forgotten(self._long_term_text(self.paths.entries))
        return "\n".join(filter(None, texts))

    def _long_term_text(self, path: Path) -> str:
        name = path.name
        try:
            data = read_inside(path)
        except FileNotFoundError:
            return ""
        except OSError as error:
            self._warn_once(f"unreadable {name}", f"{name} cannot be read: {error.strerror}")
            return ""
        if damage := damage_in(data):
            data = self._sound_copy(path) or data
            self._warn_once(
                f"damaged {name}", f"{name} is damaged ({damage}); its last sound copy is used where there is one"
            )
        data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self._warn_once(f"undecodable {name}", f"{name} is not UTF-8; what cannot be read is replaced")
            return data.decode("utf-8", "replace")

    @staticmethod
    def _sound_copy(path: Path) -> bytes:
        try:
            copy = read_inside(path.with_name(f"{path.name}.bak"))
        except OSError:
            return b""
        return b"" if damage_in(copy) else copy

    async def close(self) -> None:
        """Write what was accepted, sync the files and end the thread."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        self._thread.end(self._writer.finish, partial(_deliver_to(loop, ended), None, None))
        await ended
        self._thread.join(_LAST_SECONDS)  # it has done everything, and only returns
        self._finalizer.detach()

    async def _run(self, job: Callable[[], Result], when_closed: Result, when_late: Result, length: int) -> Result:
        """Run a job in the thread, and return what it returns, or something else where it is late for its length."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()
        if not self._thread.submit(job, _deliver_to(loop, done)):
            return when_closed
        self._pending.add(done)
        done.add_done_callback(self._pending.discard)
        await asyncio.wait({done}, timeout=_WAIT_FOR_LONG if length > LONG else _LONGEST_WAIT)
        return await done if done.done() else when_late

    def _kept(self, write: Callable[[], Receipt]) -> Receipt:
        """Run one write in the thread; whatever it meets becomes a receipt."""
        try:
            return write()
        except Exception as error:
            return self._writer.refused(error)

    def _local(self, time: datetime | None) -> datetime:
        when = time
        if not isinstance(when, datetime):
            when = self._clock.now()
            when = when.replace(microsecond=when.microsecond // 1000 * 1000)  # for people; nothing needs more
        if when.tzinfo is None and self._timezone is not None:
            when = when.replace(tzinfo=self._timezone)
        try:
            return when.astimezone(self._timezone)
        except (OverflowError, OSError, ValueError):  # the ends of the calendar
            return when if when.tzinfo is not None else when.replace(tzinfo=UTC)

    def _warn_once(self, subject: str, message: str) -> None:
        if subject not in self._warned:
            self._warned.add(subject)
            logger.warning("Memory: {}", message)


def _deliver_to(
    loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]"
) -> Callable[[Any, BaseException | None], None]:
    """Return what hands a result from the thread to a future, if anybody still waits for it."""

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(RuntimeError(f"The memory writer met {type(error).__name__}"))

    def deliver(result: Any, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, error)

    return deliver


def _end(process: int, thread: SerialThread, writer: Writer) -> None:
    """End the thread of memory files that nobody closed, in the process that has it."""
    if process == os.getpid():
        thread.end(writer.finish, lambda: None)
        thread.join(_LAST_SECONDS)
