"""What a host's history holds and the transcript does not: taken in once, before it can be cut.

Hosts resume from checkpoints, forks and files; a session may be older than this memory, and a call may have been
missed. What was said in a turn that memory never saw is kept, with the times that the host gives. Nothing is recalled
for it, and no tool is noted.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from nanobot_memory_plugins.core.files.appending import work_lock
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.history import plain_history, without_media
from nanobot_memory_plugins.core.host.hook_calls import fault_of_summaries, first_summary
from nanobot_memory_plugins.core.host.receiving import HostParts
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.text.conversation import message_time
from nanobot_memory_plugins.core.text.private import kept_of_history
from nanobot_memory_plugins.core.text.summary_marker import MARK
from nanobot_memory_plugins.core.values import Message, Origin, Scope, Summary
from nanobot_memory_plugins.core.values.message_key import message_key
from nanobot_memory_plugins.core.values.wire_forms import apart

# Messages at the end of a history that is about to be cut, or has gone quiet, that may be missing: all before them was
# seen by calls of before, or is a matter for `resume` and the importers.
_LATELY = 500
_LOCK_SECONDS = 5.0


class Resuming:
    """Takes histories in, for one host."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._turn = asyncio.Lock()
        self._stopped = False

    def stop(self) -> None:
        """Take in no more: what is left is missing still, and taken in another time."""
        self._stopped = True

    async def take_in(
        self,
        session_key: str,
        messages: Sequence[object],
        scope: Scope,
        *,
        parent: str = "",
        behind_turn: bool = False,
        plain: Sequence[Message] = (),
    ) -> int:
        """Keep what is missing of a history, and return how many messages that were.

        What the session ``parent``, from which it was forked off, has already is not missing. A history that stands
        ``behind_turn`` is that of before a turn which was told already: the host tells nothing of it any more.
        ``plain`` are the messages as plugins get them, where that is known.
        """
        if not messages or not self._parts.options.keep_transcripts or self._parts.privacy.is_marked(session_key):
            return 0
        parts = [part for message in messages for part in apart(message)]
        given = tuple(map(without_media, plain if len(parts) == len(plain) else plain_history(parts)))
        self._parts.redaction.hear_user(given)
        given = await self._parts.sessions.attributed(session_key, given)
        taking = self._take(session_key, given, scope, parent, behind_turn)
        return await asyncio.shield(self._parts.recorder.begin(taking))

    async def take_in_lately(
        self,
        session_key: str,
        messages: Sequence[object],
        scope: Scope,
        *,
        known: int = 0,
        plain: Sequence[Message] = (),
    ) -> None:
        """Keep what is missing of the end of a history, behind its first ``known`` messages."""
        start = max(known, len(messages) - _LATELY)
        await self.take_in(session_key, messages[start:], scope, plain=plain[start:])

    async def before_compaction(
        self, session_key: str, messages: Sequence[object], scope: Scope, more: Mapping[str, Any], *, known: int = 0
    ) -> Summary | None:
        """Take in what is about to be cut, let the plugins save what matters, and return what replaces it, or None.

        The first ``known`` messages are what an earlier compaction left of others, and not taken in.
        """
        plain = await run_in_daemon_thread(plain_history, tuple(messages))  # a long history takes seconds
        try:
            await self.take_in_lately(session_key, messages, scope, known=known, plain=plain)
        except Exception as error:  # the plugins are to be asked all the same
            logger.warning("a history could not be taken in before it is cut: {}", type(error).__name__)
        cut = await self._parts.sessions.attributed(session_key, plain)
        self._parts.redaction.hear_user(cut)
        answers = await self._parts.hooks.answers(
            "before_compaction",
            {"session_key": session_key, "messages": cut, **more},
            scope=scope,
            sequential=True,
            check=fault_of_summaries(len(messages)),
        )
        await self._parts.hooks.keep_answers("before_compaction", answers, scope)
        summary = first_summary(answers)
        return summary and await self._parts.privacy.summed_up(session_key, summary, cut)

    async def _take(
        self, session_key: str, given: tuple[Message, ...], scope: Scope, parent: str, behind_turn: bool
    ) -> int:
        async with self._turn, self._alone():
            shown = kept_of_history(given)
            keys = [session_key, redact_key(parent)] if parent else [session_key]
            recorded = await run_in_daemon_thread(RecordedMessages.read, self._parts.files.paths, keys)
            recorded.hear(self._parts.sessions[key].said for key in keys)
            last = self._parts.privacy.file.read().last
            if recorded.is_empty and last:  # it may hold what was taken back elsewhere
                shown = [
                    one if one and (time := message_time(one)) and time.isoformat() > last else None for one in shown
                ]
            last_user = max((n for n, one in enumerate(shown) if one is not None and one.role == "user"), default=0)
            missing = await run_in_daemon_thread(self._missing, shown, recorded)
            self._parts.sessions[session_key].taken_in.clear()
            taken = 0
            for place, message, time in missing:
                if self._stopped:
                    break
                # What belongs to the turn that goes on the host may hand over by itself yet.
                goes_on = place >= last_user and not behind_turn
                await self._keep(session_key, message, time, scope, goes_on=goes_on)
                taken += 1
        if taken:
            logger.info("{} messages of a session that were not known have been taken in", taken)
        return taken

    def _missing(
        self, messages: Sequence[Message | None], recorded: RecordedMessages
    ) -> list[tuple[int, Message, datetime | None]]:
        """Return what is missing, in order, with its place and time. It blocks while it reads a long history."""
        days = self._parts.options.transcript_max_age_days
        oldest = self._parts.clock.now() - timedelta(days=days) if days else None
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

    async def _keep(
        self, session_key: str, message: Message, time: datetime | None, scope: Scope, *, goes_on: bool
    ) -> None:
        record = TranscriptRecord(
            role=message.role,
            text=message.text,
            session_key=session_key,
            scope=scope,
            origin=Origin.USER if message.role == "user" else Origin.ASSISTANT,
            time=time,
            resumed=True,
        )
        receipt = await self._parts.files.keep_message(record)
        session = self._parts.sessions[session_key]
        session.hear(message.role, message.text)
        if goes_on:
            session.taken_in[message_key(message.role, message.text)] = receipt

    @asynccontextmanager
    async def _alone(self) -> Any:
        """Hold the lock by which two processes do not take in the same at once; one that is not had is done without."""
        held = None
        with suppress(Exception):
            lock = await run_in_daemon_thread(lambda: work_lock(self._parts.files.paths))
            held = await run_in_daemon_thread(lambda: lock.acquire(timeout=_LOCK_SECONDS))
        try:
            yield
        finally:
            if held is not None:
                lock.release()
