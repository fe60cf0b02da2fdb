"""Reading a session: who wants to know what, one use of the model, and each part's answer to its plugin.

It is done behind the turn, by one process at a time, about messages that were not read before. What fails in one part
costs the others nothing. A host that closes does not wait for an answer: the messages are read at the next start.
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
# Records of a session that are read at once, the last ones.
_MOST_RECORDS = 400
_ANSWER_TOKENS = 2_000
# Of a message that was read before, so many tokens are shown again.
_READ_TOKENS = 60
_PART_SECONDS = 60.0
# Times that the same messages are asked about where no answer comes.
_MOST_ASKED = 2
_TASK = "reading"
_SESSIONS = 1_000
# After this a process that said that it reads a session has ended, or has given up.
_BUSY = timedelta(seconds=300)

Contribute = Callable[[dict[str, Any], Scope], Awaitable[Sequence[ReadingPart]]]
Keep = Callable[[Sequence[Note], Scope], Awaitable[tuple[Receipt, ...]]]


@dataclass(frozen=True, slots=True)
class Position:
    """How far a session has been read: ``read`` gives by field of the answer the id of the last message.

    ``asked`` counts questions about what came since that were not answered, ``busy`` is when a process began to ask,
    ``expected`` says that it is to be read and was not looked at yet, and ``scope`` is the owner of the session. From
    ``left`` on whoever had it in hand has ended, and nobody will say that it has gone quiet.
    """

    read: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    busy: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)
    expected: bool = False
    left: str = ""


class Positions:
    """The positions of one workspace: rows of the state database, without a word of what was said.

    A process that ends while it waits for an answer leaves the count behind; the next one asks once more, and then goes
    on. Everything here blocks: call it in a thread.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._state = StateDatabase.of(paths)
        self._clock = clock

    def of(self, session_key: str) -> Position:
        """Return how far a session has been read."""
        try:
            return _position(self._state.task(_TASK, session_key))
        except StoreError as error:
            logger.warning("it cannot be read how far a session was read: {}", error.cause)
            return Position()

    def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions that wait for a process, be it to be read or to go quiet, longest first."""
        known = ((key, _position(row)) for key, row in self._state.tasks(_TASK))
        return [(key, Scope(**one.scope)) for key, one in known if one.asked or one.expected or self._is_left(one)]

    def expect(self, session_key: str, scope: Scope) -> None:
        """Note that a session is to be read, so that the next process does it where this one ends before."""
        self._change(session_key, lambda position: replace(position, expected=True, scope=_named(scope)))

    def hold(self, session_key: str, scope: Scope, seconds: float) -> None:
        """Note that this process has a session in hand, for so many seconds."""
        self._change(session_key, lambda position: replace(position, left=self._in(seconds), scope=_named(scope)))

    def claim(self, session_key: str, seconds: float) -> bool:
        """Have a session in hand for so many seconds, and return True, where whoever had it before has ended."""

        def change(position: Position) -> Position | None:
            return replace(position, left=self._in(seconds)) if self._is_left(position) else None

        return self._change(session_key, change) is not None

    def release(self, session_key: str) -> None:
        """Note that a session has gone quiet."""
        self._change(session_key, lambda position: replace(position, left="") if position.left else None)

    def settle(self, session_key: str) -> None:
        """Note that a session that was to be read was looked at, and nobody asks about it."""
        self._change(session_key, lambda position: replace(position, expected=False) if position.expected else None)

    def begin(self, session_key: str, scope: Scope, read: Mapping[str, str]) -> Position | None:
        """Note that a session is asked about now; return None while another process asks, and where one has asked.

        ``read`` gives by field the last message that had been read when it was looked what is new.
        """
        now = self._clock.now()

        def change(position: Position) -> Position | None:
            since = read_time(position.busy)
            is_busy = since is not None and timedelta() <= now - since < _BUSY
            if is_busy or any(position.read.get(name, "") != id_ for name, id_ in read.items()):
                return None
            return replace(
                position, asked=position.asked + 1, busy=now.isoformat(), scope=_named(scope), expected=False
            )

        return self._change(session_key, change)

    def finish(self, session_key: str, fields: Collection[str], read: str) -> None:
        """Note that a session has been read up to a message, for these fields of the answer."""
        self._change(session_key, lambda position: _read(position, fields, read))
        try:
            self._state.keep_newest_tasks(_TASK, _SESSIONS)
        except StoreError as error:
            logger.debug("old positions stay: {}", error.cause)

    def leave(self, session_key: str, fields: Collection[str], read: str, *, counts: bool) -> None:
        """Note that no answer came; after the last chance the messages up to one count as read.

        It is no chance where nothing could be asked after all.
        """

        def change(position: Position) -> Position:
            if counts and position.asked >= _MOST_ASKED:
                return _read(position, fields, read)
            return replace(position, busy="", asked=position.asked - (not counts), expected=True)

        self._change(session_key, change)

    def _in(self, seconds: float) -> str:
        return (self._clock.now() + timedelta(seconds=seconds)).isoformat()

    def _is_left(self, position: Position) -> bool:
        return (left := read_time(position.left)) is not None and left <= self._clock.now()

    def _change(self, session_key: str, change: Callable[[Position], Position | None]) -> Position | None:
        """Change a position, and return it as it is now; None where nothing was changed, or could be."""

        def transaction(_connection: object) -> Position | None:
            changed = change(_position(self._state.task(_TASK, session_key)))
            if changed is not None:
                self._state.set_task(_TASK, session_key, asdict(changed))
            return changed

        try:
            return self._state.write(transaction)
        except StoreError as error:
            logger.warning("it cannot be written down how far a session was read: {}", error.cause)
            return None


def _named(scope: Scope) -> dict[str, str]:
    return {name: value for name, value in asdict(scope).items() if value}


def _read(position: Position, fields: Collection[str], read: str) -> Position:
    return replace(position, read={**position.read, **dict.fromkeys(fields, read)}, asked=0, busy="")


def _position(row: Mapping[str, Any] | None) -> Position:
    return Position(**row) if row else Position()


@dataclass(frozen=True, slots=True)
class _Work:
    """What of a session is to be read, and for whom.

    ``messages`` are its records as plugins get them. ``read`` gives by field the last message that was read before,
    ``unread`` counts those that are new.
    """

    session_key: str
    records: Sequence[TranscriptRecord]
    messages: tuple[Message, ...]
    read: Mapping[str, str]
    unread: Mapping[str, int]
    scope: Scope = Scope()
    parts: tuple[ReadingPart, ...] = ()


class SessionReader:
    """Reads the sessions of one workspace. ``positions`` say how far each was read, and which wait for a process."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        contribute: Contribute,
        keep: Keep,
        complete: Complete | None,
        wishes: str,
        clock: Clock,
    ) -> None:
        self._paths = paths
        self.positions = Positions(paths, clock)
        self._contribute = contribute
        self._keep = keep
        self._complete = complete
        self._wishes = wishes
        self._clock = clock
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    async def read(
        self, session_key: str, scope: Scope, reason: str, *, given: Sequence[Message] = ()
    ) -> tuple[Receipt, ...]:
        """Read what is new in a session, if any plugin wants to know of it; return the receipts of the notes.

        ``reason`` is ``turn``, ``idle``, ``ended``, ``compaction`` or ``start``. ``given`` is the host's history, which
        is read where no transcript is kept.
        """
        async with self._locks.setdefault(session_key, asyncio.Lock()):
            work = await run_in_daemon_thread(self._unread, session_key, given)
            asking: list[ReadingPart] = []
            receipts: tuple[Receipt, ...] = ()
            if work.records:
                arguments = {
                    "session_key": session_key,
                    "messages": work.messages,
                    "unread": work.unread,
                    "reason": reason,
                }
                work = replace(work, scope=scope, parts=tuple(await self._contribute(arguments, scope)))
                asking = [part for part in work.parts if part.asks and self._complete is not None]
                receipts = await self._do_without(work, [part for part in work.parts if part not in asking])
            if not asking:
                await run_in_daemon_thread(self.positions.settle, session_key)
                return receipts
            return receipts + await self._ask(replace(work, parts=tuple(asking)))

    async def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions that an earlier process left unread, or without an answer; a model has to read them."""
        return await run_in_daemon_thread(self.positions.waiting) if self._complete is not None else []

    def _unread(self, session_key: str, given: Sequence[Message]) -> _Work:
        """Return what some field of the answer has not been read for. It blocks."""
        read = self.positions.of(session_key).read
        records: Sequence[TranscriptRecord] = ()
        try:
            records = last_records(self._paths.transcript(session_key), session_key, _MOST_RECORDS)
        except OSError as error:
            logger.warning("a transcript cannot be read: {}", type(error).__name__)
        hidden = hidden_records(self._paths)
        records = [one for one in records or self._as_records(session_key, given) if one.text.strip()]
        records = [one for one in records if one.id not in hidden]
        places: dict[str, int] = {}
        for place, one in enumerate(records, 1) if read else ():
            places[one.id] = place
            places.setdefault(message_key(one.role, one.text), place)  # it may have been read before it was recorded
        unread = {name: len(records) - places.get(id_, 0) for name, id_ in read.items()}
        start = len(records) - max(unread.values()) if unread and set(unread) >= {ENTRIES, SUMMARY} else 0
        return _Work(session_key, records[start:], tuple(map(_message, records[start:])), read, unread)

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
            for one in given[-_MOST_RECORDS:]
            if one.role in ("user", "assistant") and not one.tool_calls
        ]

    async def _do_without(self, work: _Work, parts: Sequence[ReadingPart]) -> tuple[Receipt, ...]:
        """Let parts do what is possible without the model; what they made notes of is read for their field."""
        notes: list[Note] = []
        for part in parts:
            made = await _guarded(part, part.without_model, Note)
            notes += made
            if made:
                await self._finish(work, [part.field])
        return await self._keep(notes, work.scope)

    async def _ask(self, work: _Work) -> tuple[Receipt, ...]:
        """Take the session for this process, ask, and let the parts have the answer."""
        before = {part.field: work.read.get(part.field, "") for part in work.parts}
        beginning = asyncio.ensure_future(
            run_in_daemon_thread(self.positions.begin, work.session_key, work.scope, before)
        )
        try:
            if (begun := await asyncio.shield(beginning)) is None:
                return ()
            if begun.asked <= _MOST_ASKED:
                return await self._answered(work)
            receipts = await self._do_without(work, work.parts)  # who asked was killed each time
            await self._leave(work)
            return receipts
        except asyncio.CancelledError:
            # The process ends, maybe with an answer that nobody has taken: the next one finds the session free at once.
            if await beginning is not None:
                await self._leave(work)
            raise

    async def _answered(self, work: _Work) -> tuple[Receipt, ...]:
        early: dict[str, Sequence[Note]] = {}
        asking = asyncio.ensure_future(self._answer(work))
        counts, reading = True, None
        try:
            for part in work.parts:
                if part.patience is not None and not (await asyncio.wait({asking}, timeout=part.patience))[0]:
                    early[part.field] = await _guarded(part, part.without_model, Note)
            reading = await asking
        except LanguageModelError as error:
            logger.debug("a session is not read now: {}", type(error).__name__)
            counts = False
        finally:
            asking.cancel()
            await asyncio.wait({asking})
        early = {name: made for name, made in early.items() if made}
        late = [part for part in work.parts if part.field not in early]
        notes = [note for made in early.values() for note in made]
        await self._finish(work, early)
        if reading is None:
            receipts = await self._keep(notes, work.scope) + await self._do_without(work, late)
            await self._leave(work, counts=counts)
            return receipts
        for part in late:
            notes += await _guarded(part, partial(part.take, _new_to(part, reading, work)), Note)
        receipts = await self._keep(notes, work.scope)
        await self._finish(work, [part.field for part in work.parts])
        return receipts

    async def _leave(self, work: _Work, *, counts: bool = True) -> None:
        fields, read = [part.field for part in work.parts], work.records[-1].id
        await run_in_daemon_thread(lambda: self.positions.leave(work.session_key, fields, read, counts=counts))

    async def _finish(self, work: _Work, fields: Collection[str]) -> None:
        if fields:
            await run_in_daemon_thread(self.positions.finish, work.session_key, fields, work.records[-1].id)

    async def _answer(self, work: _Work) -> SessionReading | None:
        """Ask, and return what the answer says; None where it is none. Raises `LanguageModelError`."""
        assert self._complete is not None  # noqa: S101  # `read` has looked
        # The fields may have been read to different messages; the question is about what any of them lacks.
        most = max(work.unread.get(part.field, len(work.records)) for part in work.parts)
        records = work.records[-most:] if most else work.records[-1:]
        messages = work.messages[-len(records) :]
        fields = frozenset(part.field for part in work.parts)
        # A summary does with excerpts of what was read for the entries.
        new = max(work.unread.get(name, len(messages)) for name in (fields | {ENTRIES}) - {SUMMARY})
        old = max(0, len(messages) - new)
        read = [replace(one, text=excerpt(one.text, _READ_TOKENS)) for one in messages[:old]]
        when = records[-1].time or self._clock.now()
        known: dict[str, str] = {}
        for part in work.parts:
            for texts in await _guarded(part, part.known, Mapping):
                known |= {str(id_): str(text) for id_, text in texts.items()}
        today = when.astimezone().date()
        prompt = reading_prompt(work.parts, known, (*read, *messages[old:]), self._wishes, today)
        answer = await self._complete(prompt, max_tokens=_ANSWER_TOKENS, purpose=PURPOSE)
        return await run_in_daemon_thread(
            lambda: read_answer(answer, messages, Quotations(records), when, known=frozenset(known), asked=fields)
        )


def _new_to(part: ReadingPart, reading: SessionReading, work: _Work) -> SessionReading:
    """Return a reading without the entries that rest on what had been read for a part before."""
    old = len(work.records) - work.unread.get(part.field, len(work.records))
    known = {one.id for one in work.records[:old]}
    entries = tuple(one for one in reading.entries if one.quote is None or one.quote.record not in known)
    return replace(reading, entries=entries)


async def _guarded(part: ReadingPart, call: Callable[[], Awaitable[object]], kind: type) -> tuple[Any, ...]:
    """Return what of a kind a part answers, and nothing where it fails: that costs no other part anything."""
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
    """Return a record as plugins get it; what a host said in the user's place is the assistant's."""
    role = "user" if record.origin is Origin.USER else "assistant"
    return Message(role, record.text, raw={"time": record.time.isoformat()} if record.time else {})
