"""Reads sessions with the language model: one question made of the plugins' parts, each of which handles its answer.

This happens in the background, in one process at a time, for messages that have not been read. A part that fails does
not affect the others. A host that closes does not wait for the answer: the messages are read at the next start.
"""

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import LanguageModelError, StoreError
from nanobot_memory_plugins.core.files.entry_lines import hidden_records
from nanobot_memory_plugins.core.files.fields import read_time
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.isolation.answers import accepted_values
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.session_reading.question import read_answer, reading_prompt
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.conversation import excerpt, message_time
from nanobot_memory_plugins.core.values import Message, Note, Origin, Receipt, Scope
from nanobot_memory_plugins.core.values.conversation import message_key
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, SUMMARY, ReadingPart, SessionReading

PURPOSE = "reading"
# Only this many records at the end of a session are read.
_MAX_RECORDS = 400
_ANSWER_TOKENS = 2_000
# Tokens of the excerpt of a message that was read before.
_EXCERPT_TOKENS = 60
_PART_SECONDS = 60.0
# Attempts to get an answer about the same messages.
_MAX_ATTEMPTS = 2
_TASK = "reading"
_MAX_POSITIONS = 1_000
# After this time a process that reads a session is assumed to have ended.
_BUSY_TIME = timedelta(seconds=300)

CollectParts = Callable[[dict[str, Any], Scope], Awaitable[Sequence[ReadingPart]]]
KeepNotes = Callable[[Sequence[Note], Scope], Awaitable[tuple[Receipt, ...]]]


@dataclass(frozen=True, slots=True)
class Position:
    """How far a session has been read: ``read`` is the id of the last message for each field of the answer.

    ``asked`` counts the unanswered questions about later messages, ``busy`` is the time when a process began to ask.
    ``expected`` means that a reading is due, and ``scope`` is the owner of the session. After the time ``left`` the
    process that timed the session is assumed to have ended, so that another one must report it as idle.
    """

    read: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    busy: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)
    expected: bool = False
    left: str = ""


class Positions:
    """The reading positions of one workspace, in the state database; they contain no text of a conversation.

    A process that ends while it waits for an answer leaves its count behind; the next one asks once more, then gives
    up. All methods block: call them in a thread.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._state = StateDatabase.of(paths)
        self._clock = clock

    def of(self, session_key: str) -> Position:
        """Return the position of a session."""
        try:
            return _position(self._state.task(_TASK, session_key))
        except StoreError as error:
            logger.warning("the position of a session cannot be read: {}", error.cause)
            return Position()

    def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions that must be read or reported as idle, the longest waiting first."""
        positions = ((key, _position(row)) for key, row in self._state.tasks(_TASK))
        return [(key, Scope(**one.scope)) for key, one in positions if one.asked or one.expected or self._is_left(one)]

    def expect(self, session_key: str, scope: Scope) -> None:
        """Record that a session must be read; if this process ends before, the next one reads it."""
        self._change(session_key, lambda position: replace(position, expected=True, scope=_scope_row(scope)))

    def hold(self, session_key: str, scope: Scope, seconds: float) -> None:
        """Record that this process is timing a session, for a number of seconds."""
        self._change(
            session_key, lambda position: replace(position, left=self._time_in(seconds), scope=_scope_row(scope))
        )

    def claim(self, session_key: str, seconds: float) -> bool:
        """Hold a session for a number of seconds if its last process has ended, and return whether it had."""

        def change(position: Position) -> Position | None:
            return replace(position, left=self._time_in(seconds)) if self._is_left(position) else None

        return self._change(session_key, change) is not None

    def release(self, session_key: str) -> None:
        """Record that a session has been reported as idle."""
        self._change(session_key, lambda position: replace(position, left="") if position.left else None)

    def settle(self, session_key: str) -> None:
        """Record that a reading is no longer due, because no plugin asks anything."""
        self._change(session_key, lambda position: replace(position, expected=False) if position.expected else None)

    def begin(self, session_key: str, scope: Scope, read: Mapping[str, str]) -> Position | None:
        """Record the start of a reading; return None if another process is reading the session, or has just read it.

        ``read`` is the id of the last read message for each field when the caller looked for new ones.
        """
        now = self._clock.now()

        def change(position: Position) -> Position | None:
            since = read_time(position.busy)
            is_busy = since is not None and timedelta() <= now - since < _BUSY_TIME
            if is_busy or any(position.read.get(name, "") != id_ for name, id_ in read.items()):
                return None
            return replace(
                position, asked=position.asked + 1, busy=now.isoformat(), scope=_scope_row(scope), expected=False
            )

        return self._change(session_key, change)

    def finish(self, session_key: str, fields: Collection[str], last_id: str) -> None:
        """Record that a session has been read up to a message, for some fields of the answer."""
        self._change(session_key, lambda position: _mark_read(position, fields, last_id))
        try:
            self._state.keep_newest_tasks(_TASK, _MAX_POSITIONS)
        except StoreError as error:
            logger.debug("old positions could not be deleted: {}", error.cause)

    def give_up(self, session_key: str, fields: Collection[str], last_id: str, *, counts: bool) -> None:
        """Record that no answer came; after the last attempt the messages up to ``last_id`` count as read.

        An attempt ``counts`` only if the model could be asked.
        """

        def change(position: Position) -> Position:
            if counts and position.asked >= _MAX_ATTEMPTS:
                return _mark_read(position, fields, last_id)
            return replace(position, busy="", asked=position.asked - (not counts), expected=True)

        self._change(session_key, change)

    def _time_in(self, seconds: float) -> str:
        return (self._clock.now() + timedelta(seconds=seconds)).isoformat()

    def _is_left(self, position: Position) -> bool:
        return (left := read_time(position.left)) is not None and left <= self._clock.now()

    def _change(self, session_key: str, change: Callable[[Position], Position | None]) -> Position | None:
        """Change a position and return the new one; None if it stays the same, or cannot be written."""

        def transaction(_connection: object) -> Position | None:
            changed = change(_position(self._state.task(_TASK, session_key)))
            if changed is not None:
                self._state.set_task(_TASK, session_key, asdict(changed))
            return changed

        try:
            return self._state.write(transaction)
        except StoreError as error:
            logger.warning("the position of a session cannot be written: {}", error.cause)
            return None


def _scope_row(scope: Scope) -> dict[str, str]:
    return {name: value for name, value in asdict(scope).items() if value}


def _mark_read(position: Position, fields: Collection[str], last_id: str) -> Position:
    return replace(position, read={**position.read, **dict.fromkeys(fields, last_id)}, asked=0, busy="")


def _position(row: Mapping[str, Any] | None) -> Position:
    return Position(**row) if row else Position()


@dataclass(frozen=True, slots=True)
class _UnreadSession:
    """The unread records of a session, and the parts that ask about them.

    ``messages`` are the records as plugins see them. For each field of the answer, ``read`` is the id of the last read
    message, and ``unread`` the number of new ones.
    """

    session_key: str
    records: Sequence[TranscriptRecord]
    messages: tuple[Message, ...]
    read: Mapping[str, str]
    unread: Mapping[str, int]
    scope: Scope = Scope()
    parts: tuple[ReadingPart, ...] = ()


class SessionReader:
    """Reads the sessions of one workspace; ``positions`` records how far each was read, and which are waiting."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        collect_parts: CollectParts,
        keep_notes: KeepNotes,
        complete: Complete | None,
        wishes: str,
        clock: Clock,
    ) -> None:
        self._paths = paths
        self.positions = Positions(paths, clock)
        self._collect_parts = collect_parts
        self._keep_notes = keep_notes
        self._complete = complete
        self._wishes = wishes
        self._clock = clock
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    async def read(
        self, session_key: str, scope: Scope, reason: str, *, given: Sequence[Message] = ()
    ) -> tuple[Receipt, ...]:
        """Read the new messages of a session if any plugin asks about them; return the receipts of the notes.

        ``reason`` is ``turn``, ``idle``, ``ended``, ``compaction`` or ``start``. ``given`` is the host's history, which
        is read if there is no transcript.
        """
        async with self._locks.setdefault(session_key, asyncio.Lock()):
            session = await run_in_daemon_thread(self._unread_session, session_key, given)
            model_parts: list[ReadingPart] = []
            receipts: tuple[Receipt, ...] = ()
            if session.records:
                arguments = {
                    "session_key": session_key,
                    "messages": session.messages,
                    "unread": session.unread,
                    "reason": reason,
                }
                session = replace(session, scope=scope, parts=tuple(await self._collect_parts(arguments, scope)))
                model_parts = [part for part in session.parts if part.asks and self._complete is not None]
                receipts = await self._run_without_model(
                    session, [part for part in session.parts if part not in model_parts]
                )
            if not model_parts:
                await run_in_daemon_thread(self.positions.settle, session_key)
                return receipts
            return receipts + await self._ask(replace(session, parts=tuple(model_parts)))

    async def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions that earlier processes left unread or unanswered; none without a model."""
        return await run_in_daemon_thread(self.positions.waiting) if self._complete is not None else []

    def _unread_session(self, session_key: str, given: Sequence[Message]) -> _UnreadSession:
        """Return the records that have not been read for some field of the answer. This blocks."""
        read = self.positions.of(session_key).read
        records: Sequence[TranscriptRecord] = ()
        try:
            records = last_records(self._paths.transcript(session_key), session_key, _MAX_RECORDS)
        except OSError as error:
            logger.warning("a transcript cannot be read: {}", type(error).__name__)
        hidden = hidden_records(self._paths)
        records = [one for one in records or self._as_records(session_key, given) if one.text.strip()]
        records = [one for one in records if one.id not in hidden]
        places: dict[str, int] = {}
        for place, one in enumerate(records, 1) if read else ():
            places[one.id] = place
            places.setdefault(message_key(one.role, one.text), place)  # for a message read before it was recorded
        unread = {name: len(records) - places.get(id_, 0) for name, id_ in read.items()}
        start = len(records) - max(unread.values()) if unread and set(unread) >= {ENTRIES, SUMMARY} else 0
        return _UnreadSession(session_key, records[start:], tuple(map(_message, records[start:])), read, unread)

    def _as_records(self, session_key: str, given: Sequence[Message]) -> list[TranscriptRecord]:
        now = self._clock.now()
        return [
            TranscriptRecord(
                one.role,
                one.text,
                session_key,
                Scope(session=session_key),
                Origin.USER if one.role == "user" else Origin.ASSISTANT,
                id=message_key(one.role, one.text),
                time=message_time(one) or now,
            )
            for one in given[-_MAX_RECORDS:]
            if one.role in ("user", "assistant") and not one.tool_calls
        ]

    async def _run_without_model(self, session: _UnreadSession, parts: Sequence[ReadingPart]) -> tuple[Receipt, ...]:
        """Run the fallbacks of some parts, and keep their notes; a field with notes counts as read."""
        notes: list[Note] = []
        for part in parts:
            part_notes = await _call_part(part, part.without_model, Note)
            notes += part_notes
            if part_notes:
                await self._finish(session, [part.field])
        return await self._keep_notes(notes, session.scope)

    async def _ask(self, session: _UnreadSession) -> tuple[Receipt, ...]:
        """Claim the session for this process, ask the model, and let the parts handle the answer."""
        read = {part.field: session.read.get(part.field, "") for part in session.parts}
        beginning = asyncio.ensure_future(
            run_in_daemon_thread(self.positions.begin, session.session_key, session.scope, read)
        )
        try:
            if (position := await asyncio.shield(beginning)) is None:
                return ()
            if position.asked <= _MAX_ATTEMPTS:
                return await self._ask_model(session)
            receipts = await self._run_without_model(session, session.parts)  # the process was killed at each attempt
            await self._give_up(session)
            return receipts
        except asyncio.CancelledError:
            # The process ends, perhaps with an unused answer: let the next one read the session immediately.
            if await beginning is not None:
                await self._give_up(session)
            raise

    async def _ask_model(self, session: _UnreadSession) -> tuple[Receipt, ...]:
        early: dict[str, Sequence[Note]] = {}
        answering = asyncio.ensure_future(self._answer(session))
        counts, reading = True, None
        try:
            for part in session.parts:
                if part.patience is not None and not (await asyncio.wait({answering}, timeout=part.patience))[0]:
                    early[part.field] = await _call_part(part, part.without_model, Note)
            reading = await answering
        except LanguageModelError as error:
            logger.debug("a session is not read now: {}", type(error).__name__)
            counts = False
        finally:
            answering.cancel()
            await asyncio.wait({answering})
        early = {name: part_notes for name, part_notes in early.items() if part_notes}
        late = [part for part in session.parts if part.field not in early]
        notes = [note for part_notes in early.values() for note in part_notes]
        await self._finish(session, early)
        if reading is None:
            receipts = await self._keep_notes(notes, session.scope) + await self._run_without_model(session, late)
            await self._give_up(session, counts=counts)
            return receipts
        for part in late:
            notes += await _call_part(part, partial(part.take, _without_read_entries(part, reading, session)), Note)
        receipts = await self._keep_notes(notes, session.scope)
        await self._finish(session, [part.field for part in session.parts])
        return receipts

    async def _give_up(self, session: _UnreadSession, *, counts: bool = True) -> None:
        fields, last_id = [part.field for part in session.parts], session.records[-1].id
        await run_in_daemon_thread(lambda: self.positions.give_up(session.session_key, fields, last_id, counts=counts))

    async def _finish(self, session: _UnreadSession, fields: Collection[str]) -> None:
        if fields:
            await run_in_daemon_thread(self.positions.finish, session.session_key, fields, session.records[-1].id)

    async def _answer(self, session: _UnreadSession) -> SessionReading | None:
        """Ask the model and return the parsed answer, None if it is not an answer. Raises `LanguageModelError`."""
        assert self._complete is not None  # noqa: S101  # checked in `read`
        # The fields may have been read up to different messages; ask about those that any of them lacks.
        most = max(session.unread.get(part.field, len(session.records)) for part in session.parts)
        records = session.records[-most:] if most else session.records[-1:]
        messages = session.messages[-len(records) :]
        fields = frozenset(part.field for part in session.parts)
        # For the summary, excerpts of the messages that were read for the entries are enough.
        new = max(session.unread.get(name, len(messages)) for name in (fields | {ENTRIES}) - {SUMMARY})
        old = max(0, len(messages) - new)
        excerpts = [replace(one, text=excerpt(one.text, _EXCERPT_TOKENS)) for one in messages[:old]]
        when = records[-1].time or self._clock.now()
        known: dict[str, str] = {}
        for part in session.parts:
            for texts in await _call_part(part, part.known, Mapping):
                known |= {str(id_): str(text) for id_, text in texts.items()}
        today = when.astimezone().date()
        prompt = reading_prompt(session.parts, known, (*excerpts, *messages[old:]), self._wishes, today)
        answer = await self._complete(prompt, max_tokens=_ANSWER_TOKENS, purpose=PURPOSE)
        return await run_in_daemon_thread(
            lambda: read_answer(answer, messages, Quotations(records), when, known=frozenset(known), asked=fields)
        )


def _without_read_entries(part: ReadingPart, reading: SessionReading, session: _UnreadSession) -> SessionReading:
    """Return a reading without the entries that quote messages which were read for a part before."""
    old = len(session.records) - session.unread.get(part.field, len(session.records))
    old_ids = {one.id for one in session.records[:old]}
    entries = tuple(one for one in reading.entries if one.quote is None or one.quote.record not in old_ids)
    return replace(reading, entries=entries)


async def _call_part(part: ReadingPart, call: Callable[[], Awaitable[object]], kind: type) -> tuple[Any, ...]:
    """Return the values of a ``kind`` that a part answers; none if it fails, so that the other parts continue."""
    try:
        async with asyncio.timeout(_PART_SECONDS):
            return accepted_values(await call(), "contribute_reading", (kind,))
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
    except (Exception, SystemExit) as error:
        logger.warning("the part {!r} of a session's reading failed: {}", part.field, type(error).__name__)
    return ()


def _message(record: TranscriptRecord) -> Message:
    """Return a record as plugins see it: a message that the host wrote in the user's place is the assistant's."""
    role = "user" if record.origin is Origin.USER else "assistant"
    return Message(role, record.text, raw={"time": record.time.isoformat()} if record.time else {})
