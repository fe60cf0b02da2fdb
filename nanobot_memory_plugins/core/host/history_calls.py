"""The calls of a host outside turns: a session goes quiet or is resumed, or its history is about to be compacted.

Messages of the host's history that the transcript lacks are recorded once, with the host's times: hosts resume from
checkpoints, forks and files, a session may be older than this memory, and a call may have been missed. No recall runs
for these messages, and their tool calls are not noted.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta

from nanobot_memory_plugins.core.clock import sleep
from nanobot_memory_plugins.core.files.appending import FileBusyError, acquire_lock
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.framework_calls import log_failures
from nanobot_memory_plugins.core.host.history import tokens_of, without_media
from nanobot_memory_plugins.core.host.host_parts import combined_receipt
from nanobot_memory_plugins.core.host.message_calls import MAX_SHOWN, MessageCalls
from nanobot_memory_plugins.core.host.plugin_host import Answers, values_of
from nanobot_memory_plugins.core.host.privacy import omitted_message
from nanobot_memory_plugins.core.host.recorded_messages import RecordedMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.conversation import message_time
from nanobot_memory_plugins.core.text.private import keepable_messages
from nanobot_memory_plugins.core.text.summary_marker import MARKERS
from nanobot_memory_plugins.core.values import Message, Origin, Receipt, Scope, Summary
from nanobot_memory_plugins.core.values.conversation import message_key
from nanobot_memory_plugins.core.values.session_reading import ReadingRequest
from nanobot_memory_plugins.redaction.script.printable import printable

# Of a history that goes quiet or is compacted, only this many messages at the end are compared with the transcript:
# earlier calls have seen the others, or they are a matter for `resume` and the importers.
_RECENT_MESSAGES = 500
# Seconds to wait for another process that records a history or purges.
_LOCK_SECONDS = 5.0
# For this many idle times a session belongs to the process that may still be timing it.
_HOLD_IDLE_TIMES = 2
# Abandoned sessions of earlier processes that are handled at one start, at most.
_MAX_ABANDONED = 20
# The assumed time between a message and earlier ones for which the host gives no time.
_TIME_STEP = timedelta(milliseconds=1)
# Messages written at a time, so that new messages need not wait for a long history.
_BATCH_SIZE = 20


class HistoryCalls(MessageCalls):
    """The part of `MemoryHost` that deals with whole sessions and the history that the host holds."""

    async def session_idle(
        self, *, session_key: str, history: Sequence[object] = (), ended: bool = False, scope: ScopeLike = None
    ) -> Receipt:
        """Tell the plugins that a session has been quiet for a while or has ended, and keep their notes.

        The language model reads what is new in it, once for all plugins. Missing messages of ``history`` are recorded
        first; without a ``history`` the plugins get the transcript.
        """
        owner = await self._owner_of(session_key, scope)
        plain = self._start_plain_history(owner, history[-_RECENT_MESSAGES:])
        await self._record_missing(owner, plain)
        return await self._report_idle(owner, await plain, ended=ended)

    async def _report_idle(self, owner: Scope, history: Sequence[Message] = (), *, ended: bool = False) -> Receipt:
        session_key = owner.session
        self._set_idle_timer(session_key, None)
        given = history or await self._plain_history(session_key, self._files.history(session_key, limit=MAX_SHOWN))
        messages = await self.privacy.visible_messages(session_key, tuple(given[-MAX_SHOWN:]))
        self._redaction.learn_from_history(messages)
        arguments = {"session_key": session_key, "history": messages, "ended": ended}
        receipt = await self._ask_for_notes("on_session_idle", arguments, owner)
        await run_in_daemon_thread(self._reader.positions.release, session_key)
        reading = self._read(owner, "ended" if ended else "idle", receipt, messages)
        return await asyncio.shield(self._background.begin(reading))

    async def session_continues(self, *, session_key: str, scope: ScopeLike = None) -> None:
        """Restart the idle timer of a session: once it has been quiet for a while, the plugins are told.

        If this process ends before that, another one takes over.
        """
        owner = await self._owner_of(session_key, scope)
        self._set_idle_timer(owner.session, self._background.begin(self._report_when_idle(owner)))
        await run_in_daemon_thread(self._reader.positions.hold, owner.session, owner, self._hold_seconds)

    async def _report_when_idle(self, owner: Scope) -> None:
        await sleep(self._clock, self.config.core.idle_seconds)
        self.privacy.session(owner.session).idle_timer = None  # or it would cancel itself
        with log_failures():
            await self._report_idle(owner)

    def _set_idle_timer(self, session_key: str, timer: asyncio.Task[None] | None) -> None:
        session = self.privacy.session(session_key)
        if session.idle_timer is not None:
            session.idle_timer.cancel()
        session.idle_timer = timer

    def turn_finished(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        context_tokens: int | None = None,
        scope: ScopeLike = None,
    ) -> "asyncio.Task[Receipt]":
        """Tell the plugins that a turn is over, in the background, and return immediately.

        ``messages`` are the live context now. ``context_tokens`` is the size of the last request to the model; without
        it the size is estimated from the messages. The returned task need not be awaited; its result is the receipt of
        the notes. It is cancelled when the memory closes.
        """
        owner, context = self._scopes.of(session_key, scope), tuple(messages)

        async def report() -> Receipt:
            await self.start()
            tokens = context_tokens
            if tokens is None:
                tokens = await run_in_daemon_thread(lambda: sum(map(tokens_of, context)))
            live = await self._visible_history(owner.session, context[-MAX_SHOWN:])
            arguments = {
                "session_key": owner.session,
                "messages": live,
                "context_tokens": tokens,
                "context_window": context_window,
            }
            answers = await self._ask("on_turn_finished", arguments, owner)
            receipt = await self._keep_answers(answers, owner)
            is_reading_requested = bool(values_of(answers, ReadingRequest))
            return await self._read(owner, "turn", receipt, live) if is_reading_requested else receipt

        return self._background.begin(report())

    async def resume(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        parent: str = "",
        scope: ScopeLike = None,
        precedes_turn: bool = False,
    ) -> int:
        """Record the messages of a host's history that the transcript lacks, and return their number.

        ``messages`` may carry a ``timestamp``. ``parent`` is the session from which this one was forked. A history that
        ``precedes_turn`` is older than the turn that has already begun.
        """
        start = self.privacy.session(redact_key(session_key)).turn_start  # read now: the next turn may start meanwhile
        before = start - _TIME_STEP if precedes_turn and start is not None else None
        parent_scope = self.child_scope(parent, session_key) if parent else None
        owner = await self._owner_of(session_key, scope or parent_scope)
        plain = self._start_plain_history(owner, messages)
        return await self._record_missing(owner, plain, parent=parent, before=before)

    async def before_compaction(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        reason: str,
        room: int | None = None,
        replaceable: bool = True,
        scope: ScopeLike = None,
    ) -> Summary | None:
        """Let the plugins save what matters before history is cut, and return the summary that replaces it, or None.

        Messages that the transcript lacks are recorded first. ``room`` is the number of tokens for the summary and the
        messages that stay. With ``replaceable=False`` the host makes its own summary, and the text is advice for it.
        """
        owner = await self._owner_of(session_key, scope)
        session_key = owner.session
        plain = self._start_plain_history(owner, messages)
        try:
            await self._record_missing(owner, plain, is_compaction=True)
        except Exception as error:  # the plugins are still called
            logger.warning("a history could not be recorded before its compaction: {}", type(error).__name__)
        visible = await self.privacy.visible_messages(session_key, await plain)
        # Answers of the memory's own tools are in the memory already, or must be forgotten.
        history = tuple(omitted_message(one) if one.name and self._tools.find(one.name) else one for one in visible)
        self._redaction.learn_from_history(history)
        arguments = {
            "session_key": session_key,
            "messages": history,
            "context_window": context_window,
            "room": context_window if room is None else room,
            "reason": reason,
            "replaceable": replaceable,
        }
        answers = await self._ask("before_compaction", arguments, owner)
        await self._keep_answers(answers, owner)
        summary = _first_summary(answers, len(messages))
        if summary is not None:
            summary = self.privacy.register_summary(session_key, summary, history)
        await run_in_daemon_thread(self._reader.positions.expect, session_key, owner)
        given = (  # the reader prefers the transcript
            ()
            if self.config.core.keep_transcripts
            else await self.privacy.readable_messages(session_key, history[-MAX_SHOWN:])
        )
        why = "ended" if reason == "session_ended" else "compaction"
        self._background.begin(self._reader.read(session_key, owner, why, given=given))
        return summary

    # --- sessions of earlier processes, and the reading of a session

    async def _start(self) -> None:
        await super()._start()
        self._background.begin(self._resume_abandoned())

    async def _resume_abandoned(self) -> None:
        """Report the sessions that earlier processes left before they went quiet, and read those that wait for it."""
        for session_key, scope in (await self._reader.waiting())[-_MAX_ABANDONED:]:
            if await run_in_daemon_thread(self._reader.positions.claim, session_key, self._hold_seconds):
                await self._report_idle(scope)
            else:  # the plugins were told before
                await self._reader.read(session_key, scope, "start")

    @property
    def _hold_seconds(self) -> float:
        return _HOLD_IDLE_TIMES * self.config.core.idle_seconds

    async def _read(self, scope: Scope, reason: str, receipt: Receipt, given: tuple[Message, ...]) -> Receipt:
        """Read a session after all its messages are written, and return the ``receipt`` with the resulting notes."""
        session_key = scope.session
        await run_in_daemon_thread(self._reader.positions.expect, session_key, scope)
        await self._drain()
        readable = await self.privacy.readable_messages(session_key, given)
        notes = await self._reader.read(session_key, scope, reason, given=readable)
        return combined_receipt((*receipt.notes, *notes)) if notes else receipt

    # --- missing messages

    def _start_plain_history(self, owner: Scope, history: Sequence[object]) -> asyncio.Task[tuple[Message, ...]]:
        """Start to normalise a history: a long one takes seconds, and is finished even if the caller is cancelled."""
        return self._writes.begin(self._plain_history(owner.session, history))

    async def _record_missing(
        self,
        scope: Scope,
        plain: asyncio.Task[tuple[Message, ...]],
        *,
        parent: str = "",
        before: datetime | None = None,
        is_compaction: bool = False,
    ) -> int:
        """Record the messages of a history that the transcript lacks, and return their number.

        Messages that the session ``parent`` has are not missing. ``before`` is the time of messages without one in a
        history that precedes a turn; the host will not report those again. With ``is_compaction`` only the last
        messages are compared, and a locked workspace does not stop it, since the history will not come again.
        """
        session_key = scope.session

        async def record() -> int:
            is_refused = await self.privacy.mark_if_off_record(session_key) or self.privacy.is_marked(session_key)
            messages = await plain
            if is_refused or not messages or not self.config.core.keep_transcripts:
                return 0
            given = list(map(without_media, messages[-_RECENT_MESSAGES:] if is_compaction else messages))
            self._redaction.learn_from_history(given)
            async with self._history_locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                lock: AbstractContextManager[object] = nullcontext()
                try:
                    lock = await run_in_daemon_thread(acquire_lock, self._files.paths, "work", _LOCK_SECONDS)
                except FileBusyError:
                    if not is_compaction:  # another process may be recording the same history
                        return 0
                except Exception as error:
                    logger.debug("a history is recorded without a lock: {}", type(error).__name__)
                with lock:
                    return await self._write_missing(scope, keepable_messages(given), parent, before)

        return await asyncio.shield(self._writes.begin(record()))

    async def _write_missing(
        self, scope: Scope, history: list[Message | None], parent: str, before: datetime | None
    ) -> int:
        session_key = scope.session
        keys = [session_key, redact_key(parent)] if parent else [session_key]
        recorded = await run_in_daemon_thread(RecordedMessages.read, self._files.paths, keys)
        recorded.add_counts(self.privacy.session(key).message_counts for key in keys)
        last = self.privacy.file.read().last_marked
        if recorded.is_empty and last:  # messages older than the last mark may have been erased elsewhere
            history = [
                one if one and (time := message_time(one)) and time.isoformat() > last else None for one in history
            ]
        missing = await run_in_daemon_thread(self._missing_messages, history, recorded)
        session = self.privacy.session(session_key)
        session.history_receipts.clear()
        # The host may still report the messages from here on one by one.
        last_user = max((n for n, one in enumerate(history) if one is not None and one.role == "user"), default=0)
        count = 0
        while count < len(missing) and not self._closed:  # the rest stays missing, and is recorded another time
            batch = missing[count : count + _BATCH_SIZE]
            records = [
                TranscriptRecord(
                    role=message.role,
                    text=message.text,
                    session_key=session_key,
                    scope=scope,
                    origin=Origin.USER if message.role == "user" else Origin.ASSISTANT,
                    time=time or before,
                    resumed=True,
                )
                for _, message, time in batch
            ]
            receipts = await self._files.keep_messages(records)
            for (place, message, _), receipt in zip(batch, receipts, strict=True):
                session.count_message(message.role, message.text)
                if place >= last_user and before is None:
                    session.history_receipts[message_key(message.role, message.text)] = receipt
            count += len(batch)
        await self._files.drain()  # another process must find these messages before the lock is released
        if count:
            logger.info("{} missing messages of a session were recorded", count)
        return count

    def _missing_messages(
        self, messages: Sequence[Message | None], recorded: RecordedMessages
    ) -> list[tuple[int, Message, datetime | None]]:
        """Return the missing messages in order, with index and time. This blocks for long histories."""
        days = self.config.core.transcript_max_age_days
        oldest = self._clock.now() - timedelta(days=days) if days else None
        missing = []
        is_new_turn, has_started = False, recorded.is_empty
        time: datetime | None = None
        for place, message in enumerate(messages):
            if message is None:
                is_new_turn = False
                continue
            time = message_time(message) or time
            if not message.text.strip() or message.text.lstrip().startswith(tuple(MARKERS.values())):
                is_new_turn = is_new_turn and message.role != "user"
                continue
            if message.role == "user":
                is_missing = is_new_turn = not recorded.consume("user", message.text)
                has_started = has_started or not is_new_turn
            elif message.role == "assistant" and (is_new_turn or not message.tool_calls):
                is_missing = not recorded.consume("assistant", message.text)
            else:
                continue
            # Messages that retention has dropped do not come back.
            is_expired = oldest is not None and (time.astimezone() < oldest if time is not None else not has_started)
            if is_missing and not is_expired:
                missing.append((place, message, time))
        return missing


def _first_summary(answers: Answers, message_count: int) -> Summary | None:
    """Return the first valid summary of ``message_count`` messages, as printable text, or None."""
    summaries = [(name, one) for name, values in answers.items() for one in values if isinstance(one, Summary)]
    for name, summary in summaries:
        if 0 <= summary.keep_from <= message_count and summary.text.strip():
            return replace(summary, text=printable(summary.text))
        logger.warning("the summary of plugin {} is ignored: it is empty, or its keep_from is out of range", name)
    return None
