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
from nanobot_memory_plugins.core.files.long_messages import LongMessages
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.record_ids import new_record_id
from nanobot_memory_plugins.core.files.thread import SerialThread
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.files.writing import Writer
from nanobot_memory_plugins.core.log import import_log, logger
from nanobot_memory_plugins.core.values import Note, Origin, Receipt, Scope

Result = TypeVar("Result")

LONGEST_WAIT = 0.5
"""Seconds that a call waits for a message that is still being redacted."""

_PENDING = "The message is long, and is still being redacted; it will be in its file in a while."
_CLOSED = Receipt(stored=False, reason="The memory files are closed.")

# How long the end of the interpreter waits for records that were accepted, in seconds, when nobody called
# `close`.
_LAST_SECONDS = 2.0


class MemoryFiles:
    """Writes notes and messages to a workspace's files, and reads them back for the host.

    Everything is written by one thread, in the order of the calls, but that a long message, and what follows it in its
    session, waits until it is redacted. Nothing here blocks the event loop, and no
    failure to write raises: the receipt says it. A call that is cancelled is written all the same.

    ``redact`` is called in that thread with each value, before it is encoded; ``redact_by_origin`` has others by who
    said it. ``lock_seconds`` bounds the
    wait for a file that another process has locked. ``on_append`` is called in that thread with each file
    that has grown. ``timezone`` is the zone of the day files and headings, the machine's own by default.
    ``new_id`` makes the ids. ``longest_wait`` is how many seconds a call waits for a message that is being redacted.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        redact: Callable[[str], str],
        redact_by_origin: Mapping[Origin, Callable[[str], str]] = MappingProxyType({}),
        clock: Clock | None = None,
        timezone: tzinfo | None = None,
        lock_seconds: float = 0.05,
        on_append: Callable[[Path], None] | None = None,
        new_id: Callable[[], str] | None = None,
        longest_wait: float = LONGEST_WAIT,
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
        self._long = LongMessages(self._thread)
        self._longest_wait = longest_wait
        self._pending: set[asyncio.Future[Receipt]] = set()
        self._warned: set[str] = set()
        # Also runs when the interpreter ends: daemon threads are not waited for.
        self._finalizer = weakref.finalize(self, _end, os.getpid(), self._long, self._thread, self._writer)

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

        return await self._run(write, (_CLOSED,) * len(accepted))

    async def keep_message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. A missing id or time is filled in.

        A long one may take seconds to be redacted: after `LONGEST_WAIT` the receipt says that it is pending.
        """
        accepted = dataclasses.replace(record, id=record.id or self._new_id(), time=self._local(record.time))
        if not self._long.takes(accepted):
            return await self._run(partial(self._kept, partial(self._writer.message, accepted)), _CLOSED)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Receipt] = loop.create_future()
        write = self._writer.redacted_message

        def keep(redacted: TranscriptRecord) -> Receipt:
            return self._kept(partial(write, redacted))

        if not self._long.submit(accepted, self._writer.without_secrets, keep, _deliver_to(loop, done)):
            return _CLOSED
        self._pending.add(done)
        done.add_done_callback(self._pending.discard)
        await asyncio.wait({done}, timeout=self._longest_wait)
        return await done if done.done() else Receipt(stored=False, id=accepted.id, pending=True, reason=_PENDING)

    async def drain(self) -> None:
        """Return once the messages that were accepted are written, also those that are still being redacted."""
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
        texts = [self._long_term_text(path) for path in (self.paths.long_term, self.paths.entries)]
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

    async def merge_spills(self) -> int:
        """Bring home what earlier processes could not write, each record exactly once; return how many."""
        return await self._run(self._writer.merge_abandoned, 0)

    async def close(self) -> None:
        """Write what was accepted, merge what waits, sync the files and end the thread."""
        loop = asyncio.get_running_loop()
        for end in (self._long.end, partial(self._thread.end, self._writer.finish)):
            ended: asyncio.Future[None] = loop.create_future()
            end(partial(_deliver_to(loop, ended), None, None))
            await ended
        self._long.join(_LAST_SECONDS)  # they have done everything, and only return
        self._thread.join(_LAST_SECONDS)
        self._finalizer.detach()

    async def _run(self, job: Callable[[], Result], when_closed: Result) -> Result:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()
        if not self._thread.submit(job, _deliver_to(loop, done)):
            return when_closed
        return await done

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


def _end(process: int, long: LongMessages, thread: SerialThread, writer: Writer) -> None:
    """End the threads of memory files that nobody closed, in the process that has them."""
    if process != os.getpid():
        return
    long.end(lambda: None)
    long.join(_LAST_SECONDS)
    thread.end(writer.finish, lambda: None)
    thread.join(_LAST_SECONDS)
