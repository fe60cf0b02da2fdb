"""What comes after turns: a session goes quiet or is resumed, and its history is cut.

Of a host's history that is taken in what the transcript lacks, once, with the times that the host gives: hosts resume
from checkpoints, forks and files, a session may be older than this memory, and a call may have been missed. Nothing is
recalled for it, and no tool is noted.
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
from nanobot_memory_plugins.core.host.message_calls import LOOKED_AT, MessageCalls
from nanobot_memory_plugins.core.host.plugin_host import Answers, values_of
from nanobot_memory_plugins.core.host.privacy import left_out
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.conversation import message_time
from nanobot_memory_plugins.core.text.private import keepable_messages
from nanobot_memory_plugins.core.text.summary_marker import MARK
from nanobot_memory_plugins.core.values import Message, Origin, Receipt, Scope, Summary
from nanobot_memory_plugins.core.values.conversation import message_key
from nanobot_memory_plugins.core.values.session_reading import ReadingRequest
from nanobot_memory_plugins.redaction.script.printable import printable

# Messages at the end of a history that is about to be cut, or has gone quiet, that may be missing: all before them was
# seen by calls of before, or is a matter for `resume` and the importers.
_LATELY = 500
# Seconds that a history waits for another process, which takes one in or purges.
_LOCK_SECONDS = 5.0
# A session that another process may still be timing is left to it for this many idle times; and how many are taken up
# at one start.
_PATIENCE, _MOST_LEFT = 2, 20
# What lies between a message and those before it of which no host says when they came.
_A_MOMENT = timedelta(milliseconds=1)
# Messages that are written at once, so that what is said meanwhile does not wait behind a long history.
_AT_ONCE = 20


class HistoryCalls(MessageCalls):
    """The calls of a host about the histories that it holds itself."""

    async def session_idle(
        self, *, session_key: str, history: Sequence[object] = (), ended: bool = False, scope: ScopeLike = None
    ) -> Receipt:
        """Tell the plugins that a session has been quiet for a while, or has ended; keep their notes.

        What is new in it is read by the language model, once for all plugins. What of ``history`` memory never saw is
        taken in first; without one the plugins are shown the transcript.
        """
        owner = await self._owner_of(session_key, scope)
        plain = self._begin_plain(owner, history[-_LATELY:])
        await self._take_in(owner, plain)
        return await self._go_quiet(owner, await plain, ended=ended)

    async def _go_quiet(self, owner: Scope, history: Sequence[Message] = (), *, ended: bool = False) -> Receipt:
        session_key = owner.session
        self._set_clock(session_key, None)
        given = history or await self._plain_history(session_key, self._files.history(session_key, limit=LOOKED_AT))
        messages = await self.privacy.shown(session_key, tuple(given[-LOOKED_AT:]))
        self._redaction.learn_from_history(messages)
        arguments = {"session_key": session_key, "history": messages, "ended": ended}
        noted = await self._ask_for_notes("on_session_idle", arguments, owner)
        await run_in_daemon_thread(self._reader.positions.let_go, session_key)
        reading = self._read(owner, "ended" if ended else "idle", noted, messages)
        return await asyncio.shield(self._background.begin(reading))

    async def session_continues(self, *, session_key: str, scope: ScopeLike = None) -> None:
        """Begin the clock of a session anew: once it has been quiet for a while, `session_idle` is called for it.

        Another process takes it for quiet where this one ends before.
        """
        owner = await self._owner_of(session_key, scope)
        self._set_clock(owner.session, self._background.begin(self._waited(owner)))
        await run_in_daemon_thread(self._reader.positions.hold, owner.session, owner, self._patience)

    async def _waited(self, owner: Scope) -> None:
        await sleep(self._clock, self.config.core.idle_seconds)
        self.privacy.session(owner.session).clock = None  # else it would end itself
        with log_failures():
            await self._go_quiet(owner)

    def _set_clock(self, session_key: str, clock: asyncio.Task[None] | None) -> None:
        session = self.privacy.session(session_key)
        if session.clock is not None:
            session.clock.cancel()
        session.clock = clock

    def turn_finished(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        context_tokens: int | None = None,
        scope: ScopeLike = None,
    ) -> "asyncio.Task[Receipt]":
        """Tell the plugins that a turn is over, and return at once: what they do about it runs in the background.

        ``messages`` are in the live context now. ``context_tokens`` is what the last request to the model held, where
        the host knows it; else the messages are estimated. The task, which need not be awaited, ends with the receipt
        of the notes. It is cancelled at the close.
        """
        owner, given = self._scopes.of(session_key, scope), tuple(messages)

        async def follow() -> Receipt:
            await self.start()
            tokens = context_tokens
            if tokens is None:
                tokens = await run_in_daemon_thread(lambda: sum(map(tokens_of, given)))
            live = await self._shown_history(owner.session, given[-LOOKED_AT:])
            arguments = {
                "session_key": owner.session,
                "messages": live,
                "context_tokens": tokens,
                "context_window": context_window,
            }
            answers = await self._ask("on_turn_finished", arguments, owner)
            noted = await self._keep_answers(answers, owner)
            is_reading_requested = bool(values_of(answers, ReadingRequest))
            return await self._read(owner, "turn", noted, live) if is_reading_requested else noted

        return self._background.begin(follow())

    async def resume(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        parent: str = "",
        scope: ScopeLike = None,
        precedes_turn: bool = False,
    ) -> int:
        """Keep what is missing of a host's history, once, and return how many messages that were.

        ``messages`` may carry their ``timestamp``. ``parent`` is the session from which this one was forked off. What
        is taken in ``precedes_turn`` is older than a turn that was begun before.
        """
        began = self.privacy.session(redact_key(session_key)).began  # the next turn may begin before this is done
        before = began - _A_MOMENT if precedes_turn and began is not None else None
        of_parent = self.child_scope(parent, session_key) if parent else None
        owner = await self._owner_of(session_key, scope or of_parent)
        plain = self._begin_plain(owner, messages)
        return await self._take_in(owner, plain, parent=parent, before=before)

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
        """Let the plugins save what matters before history is cut; return what replaces it.

        What of it memory never saw is kept first. ``room`` is what the summary and the messages that stay may take, in
        tokens. A host that makes its own summary says that it is not ``replaceable``: then the answer's text is advice
        for that. None: no plugin has a summary.
        """
        owner = await self._owner_of(session_key, scope)
        session_key = owner.session
        plain = self._begin_plain(owner, messages)
        try:
            await self._take_in(owner, plain, is_cut=True)
        except Exception as error:  # the plugins are to be asked all the same
            logger.warning("a history could not be taken in before it is cut: {}", type(error).__name__)
        shown = await self.privacy.shown(session_key, await plain)
        # What the memory's own tools answered stands in the memory, or is to be forgotten.
        cut = tuple(left_out(one) if one.name and self._tools.called(one.name) else one for one in shown)
        self._redaction.learn_from_history(cut)
        arguments = {
            "session_key": session_key,
            "messages": cut,
            "context_window": context_window,
            "room": context_window if room is None else room,
            "reason": reason,
            "replaceable": replaceable,
        }
        answers = await self._ask("before_compaction", arguments, owner)
        await self._keep_answers(answers, owner)
        summary = _first_summary(answers, len(messages))
        if summary is not None:
            summary = self.privacy.summed_up(session_key, summary, cut)
        await run_in_daemon_thread(self._reader.positions.expect, session_key, owner)
        # Read is the transcript, where there is one.
        given = () if self.config.core.keep_transcripts else await self.privacy.readable(session_key, cut[-LOOKED_AT:])
        why = "ended" if reason == "session_ended" else "compaction"
        self._background.begin(self._reader.read(session_key, owner, why, given=given))
        return summary

    # --- after a turn, and after the process in which it was

    async def _start(self) -> None:
        await super()._start()
        self._background.begin(self._take_up_left())

    async def _take_up_left(self) -> None:
        """Tell the plugins of sessions that earlier processes left before they had gone quiet, and read what waits."""
        for session_key, scope in (await self._reader.waiting())[-_MOST_LEFT:]:
            if await run_in_daemon_thread(self._reader.positions.take_up, session_key, self._patience):
                await self._go_quiet(scope)
            else:  # the plugins were told
                await self._reader.read(session_key, scope, "start")

    @property
    def _patience(self) -> float:
        return _PATIENCE * self.config.core.idle_seconds

    async def _read(self, scope: Scope, reason: str, noted: Receipt, given: tuple[Message, ...]) -> Receipt:
        """Read a session once all that was said in it is written; return what was ``noted`` with the notes of that."""
        session_key = scope.session
        await run_in_daemon_thread(self._reader.positions.expect, session_key, scope)
        await self._drain()
        readable = await self.privacy.readable(session_key, given)
        notes = await self._reader.read(session_key, scope, reason, given=readable)
        return combined_receipt((*noted.notes, *notes)) if notes else noted

    # --- what is missing

    def _begin_plain(self, owner: Scope, history: Sequence[object]) -> asyncio.Task[tuple[Message, ...]]:
        """Begin to read a history, which takes seconds where it is long, and goes on where its caller is cancelled."""
        return self._writing.begin(self._plain_history(owner.session, history))

    async def _take_in(
        self,
        scope: Scope,
        plain: asyncio.Task[tuple[Message, ...]],
        *,
        parent: str = "",
        before: datetime | None = None,
        is_cut: bool = False,
    ) -> int:
        """Keep what is missing of a history, and return how many messages that were.

        What the session ``parent`` has already is not missing. ``before`` is the time of a history from before a turn
        that was handed over already: the host hands over nothing of it any more. One that ``is_cut`` comes in no other
        time, and the last of it are looked at.
        """
        session_key = scope.session

        async def take() -> int:
            is_refused = await self.privacy.refuses(session_key) or self.privacy.is_marked(session_key)
            messages = await plain
            if is_refused or not messages or not self.config.core.keep_transcripts:
                return 0
            given = list(map(without_media, messages[-_LATELY:] if is_cut else messages))
            self._redaction.learn_from_history(given)
            async with self._taking_in.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                held: AbstractContextManager[object] = nullcontext()
                try:
                    held = await run_in_daemon_thread(acquire_lock, self._files.paths, "work", _LOCK_SECONDS)
                except FileBusyError:
                    if not is_cut:  # another process takes in the same, maybe
                        return 0
                except Exception as error:
                    logger.debug("a history is taken in without a lock: {}", type(error).__name__)
                with held:
                    return await self._take_missing(scope, keepable_messages(given), parent, before)

        return await asyncio.shield(self._writing.begin(take()))

    async def _take_missing(
        self, scope: Scope, shown: list[Message | None], parent: str, before: datetime | None
    ) -> int:
        session_key = scope.session
        keys = [session_key, redact_key(parent)] if parent else [session_key]
        recorded = await run_in_daemon_thread(RecordedMessages.read, self._files.paths, keys)
        recorded.add_counts(self.privacy.session(key).message_counts for key in keys)
        last = self.privacy.file.read().last
        if recorded.is_empty and last:  # it may hold what was taken back elsewhere
            shown = [one if one and (time := message_time(one)) and time.isoformat() > last else None for one in shown]
        missing = await run_in_daemon_thread(self._missing, shown, recorded)
        session = self.privacy.session(session_key)
        session.taken_in.clear()
        # From here on the host may hand it over by itself yet.
        last_user = max((n for n, one in enumerate(shown) if one is not None and one.role == "user"), default=0)
        taken = 0
        while taken < len(missing) and not self._closed:  # what is left is missing still: taken in another time
            some = missing[taken : taken + _AT_ONCE]
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
                for _, message, time in some
            ]
            receipts = await self._files.keep_messages(records)
            for (place, message, _), receipt in zip(some, receipts, strict=True):
                session.count_message(message.role, message.text)
                if place >= last_user and before is None:
                    session.taken_in[message_key(message.role, message.text)] = receipt
            taken += len(some)
        await self._files.drain()  # what is still being redacted another process would not find
        if taken:
            logger.info("{} messages of a session that were not known have been taken in", taken)
        return taken

    def _missing(
        self, messages: Sequence[Message | None], recorded: RecordedMessages
    ) -> list[tuple[int, Message, datetime | None]]:
        """Return what is missing, in order, with its place and time. It blocks while it reads a long history."""
        days = self.config.core.transcript_max_age_days
        oldest = self._clock.now() - timedelta(days=days) if days else None
        missing = []
        unseen, started = False, recorded.is_empty
        time: datetime | None = None
        for place, message in enumerate(messages):
            if message is None:
                unseen = False
                continue
            time = message_time(message) or time
            if not message.text.strip() or message.text.lstrip().startswith(tuple(MARK.values())):
                unseen = unseen and message.role != "user"
                continue
            if message.role == "user":
                is_missing = unseen = not recorded.take("user", message.text)
                started = started or not unseen
            elif message.role == "assistant" and (unseen or not message.tool_calls):
                is_missing = not recorded.take("assistant", message.text)
            else:
                continue
            # Of what retention has dropped nothing comes back.
            dropped = oldest is not None and (time.astimezone() < oldest if time is not None else not started)
            if is_missing and not dropped:
                missing.append((place, message, time))
        return missing


def _first_summary(answers: Answers, messages: int) -> Summary | None:
    """Return the first summary of so many messages, without what is hidden in it, or None."""
    summaries = [(name, one) for name, values in answers.items() for one in values if isinstance(one, Summary)]
    for name, summary in summaries:
        if 0 <= summary.keep_from <= messages and summary.text.strip():
            return replace(summary, text=printable(summary.text))
        logger.warning("the summary of plugin {} is empty, or keeps from outside of the messages: ignored", name)
    return None
