"""One session becomes entries: what is new in it is asked for, believed, matched and merged, once."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from nanobot_memory_plugins.consolidation.extraction.given_up import FAILS, NOT_ANSWERED, NOTHING_FOUND, told_in_journal
from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate, Merged, Source, merge
from nanobot_memory_plugins.consolidation.extraction.model_call import (
    Question,
    UnansweredError,
    ask,
    is_model_answering,
)
from nanobot_memory_plugins.consolidation.extraction.processed_messages import ProcessedMessages, SessionLease
from nanobot_memory_plugins.consolidation.extraction.quote_mode import QuoteModes
from nanobot_memory_plugins.consolidation.extraction.quoted_candidates import (
    believed_by_quotes,
    is_quoted,
    quoting_prompt,
)
from nanobot_memory_plugins.consolidation.extraction.said_again import used_again
from nanobot_memory_plugins.consolidation.extraction.speakers import merged_by_speaker, speakers_of
from nanobot_memory_plugins.consolidation.extraction.spoken_messages import spoken_messages, without_withheld
from nanobot_memory_plugins.consolidation.extraction.statements import Statement, may_hold_something, statements
from nanobot_memory_plugins.consolidation.model.belonging import is_at_hand
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.one_machine import only_machine
from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.source import is_visible
from nanobot_memory_plugins.consolidation.store.pending_sessions import ASKED, FAILED, Pending, counted, unknown_among
from nanobot_memory_plugins.core import (
    Complete,
    LanguageModelError,
    Message,
    NanobotMemoryError,
    NotAskedError,
    Origin,
    PluginContext,
    Scope,
    Visibility,
    estimate_tokens,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.erasure import Fingerprints, HistoryFilter
from nanobot_memory_plugins.core.language_model import hook_deadline
from nanobot_memory_plugins.core.scopes import without_session
from nanobot_memory_plugins.core.text import message_time

WHO = "extraction"
# Where so much is stated, "nothing" is asked about once more.
_STATED_TOKENS = 4
# Times that the same messages are asked about where the model does not answer, and what "nothing" counts for.
_MOST_ASKED, _NOTHING = 3, 2
# The share of a quiet session's time that must be left, for a failure of the model to be the messages' own.
_MOST_TIME = 0.67
# Seconds that a trigger waits while another one works on the session.
_PATIENCE = 25.0
# Seconds that another machine is waited for, which works on the entries.
_OTHERS = 10.0


@dataclass(frozen=True, slots=True)
class Processed:
    """How many entries a session has made, and how many it has used or contradicted.

    ``left`` says that some of it waits for later, ``away`` that the model could not be asked.
    """

    new: int = 0
    updated: int = 0
    left: bool = False
    away: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A session whose messages are to be learned from. In a background session nobody speaks but the assistant."""

    key: str
    scope: Scope = Scope()
    background: bool = False


class SessionProcessor:
    """Learns from the sessions of one workspace."""

    def __init__(self, memory: AsyncEntryRepository, matcher: Matcher, context: PluginContext) -> None:
        self._memory = memory
        self._matcher = matcher
        self._context = context
        paths = memory.repository.paths
        self.pending = Pending(paths)
        self.modes = QuoteModes(paths)
        self._dealt_with = ProcessedMessages(paths)
        self._withheld = WithheldTexts(memory.repository)
        self._forgotten = HistoryFilter(Fingerprints(paths), clock=context.clock, redact=context.redact)

    async def process_session(self, session: Session, messages: Sequence[Message]) -> Processed:
        """Learn from what is new in a session, waiting messages included: one use of the model, or none.

        Where that is not possible now, the new messages wait. Raises nothing but what cancels it.
        """
        spoken, fresh = await run_in_daemon_thread(lambda: self._look(session.key, messages))
        if not fresh:
            return Processed()
        held = await self._dealt_with.hold(session.key, seconds=_PATIENCE)
        if held is None:
            return await self._leave(session, fresh)
        try:
            async with only_machine(self._context.store, patience=_OTHERS) as is_only:
                if not is_only:
                    return await self._leave(session, fresh)
                return await self._process(session, spoken, held)
        except NanobotMemoryError as error:
            logger.warning("extraction postponed: {}", type(error).__name__)
            return await self._leave(session, fresh)
        finally:
            held.release()

    async def put_aside(self, session: Session, messages: Sequence[Message]) -> None:
        """Let the new messages wait: for calls in which nobody may wait for a model."""
        _, fresh = await run_in_daemon_thread(lambda: self._look(session.key, messages))
        if fresh:
            await self._leave(session, fresh)

    def _look(self, key: str, messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
        """Return all messages of a session, waiting ones first, and those that are new."""
        waiting = self.pending.read(key)
        spoken = spoken_messages(messages, self._context.redact, self._context.redact_said)
        spoken = [*waiting, *unknown_among(spoken, waiting)]
        fresh = self._dealt_with.fresh(key, spoken)
        if waiting and not fresh:
            self.pending.remove(key, waiting)
        return spoken, fresh

    async def _leave(self, session: Session, fresh: Sequence[Message]) -> Processed:
        await run_in_daemon_thread(lambda: self._keep(session, fresh))
        return Processed(left=True, away=True)

    def _keep(self, session: Session, fresh: Sequence[Message]) -> list[Message]:
        """Let messages wait, and return them as they do. It blocks."""
        now = self._context.clock.now().isoformat()

        def dated(messages: Sequence[Message]) -> list[Message]:
            return [one if message_time(one) else replace(one, raw={"time": now}) for one in messages]

        # The order to forget may have come since they were handed over: what has no time of its own was said before it.
        self.pending.add(session.key, fresh, session.scope, left=lambda them: dated(self._left(session.key, them)))
        return dated(fresh)

    async def _ask_again(self, session: Session, fresh: Sequence[Message], why: str, times: int = 1) -> Processed:
        """Let messages wait about which the model was asked in vain; give those up that have had their chances."""
        failed = why == FAILS

        def count() -> Processed:
            waiting, what = self._keep(session, fresh), FAILED if failed else ASKED
            spent = self.pending.count(session.key, waiting, what, times=times, most=_MOST_ASKED)
            if not any(spent):
                return Processed(left=True, away=failed)
            self._dealt_with.finish(session.key, fresh, spent)
            tell = logger.debug if why == NOTHING_FOUND else logger.warning
            tell("messages are not asked about any more: {}", why)
            self._memory.repository.note(who=WHO, why=told_in_journal(session.key, sum(spent), why))
            return Processed(left=not all(spent), away=failed)

        return await run_in_daemon_thread(count)

    async def _process(self, session: Session, spoken: Sequence[Message], held: SessionLease) -> Processed:
        def look() -> tuple[list[Message], list[Statement]]:
            unchanged = self._memory.repository.update
            self._dealt_with.recover(session.key, lambda: unchanged(dict, who=WHO, why="settle"))
            fresh = self._dealt_with.fresh(session.key, spoken)
            visible = self._context.visible_scope(session.scope)
            fresh = without_withheld(fresh, self._withheld.texts(visible)) if fresh else fresh
            return fresh, statements(fresh, role="assistant" if session.background else "user")

        fresh, said = await run_in_daemon_thread(look)
        if not fresh:
            return Processed()
        findings: list[BelievedCandidate] = []
        known: Mapping[str, Entry] = {}
        if said if session.background else may_hold_something(fresh):
            if self._context.complete is None:
                await run_in_daemon_thread(lambda: self._use_again(session, fresh, said))
                return await self._leave(session, fresh)
            snapshot = await self._memory.load()
            visible = self._context.visible_scope(session.scope)
            known = {id_: one for id_, one in snapshot.entries.items() if _is_theirs(one, visible)}
            now = self._context.clock.now()
            times = [message_time(message) or now.astimezone() for message in fresh]
            asked = max(counted(message, ASKED) for message in fresh)
            question = Question(
                fresh,
                tuple(known.values()),
                times[-1].date(),
                session.background,
                asked=asked,
                last=asked + 1 >= _MOST_ASKED,
            )
            # Once it has failed, it shall be seen that the model is there: else it is away, and the messages wait.
            failed_before = any(counted(message, FAILED) for message in fresh)
            if failed_before and not await is_model_answering(self._context.complete):
                return await self._leave(session, fresh)
            counts = not failed_before or self._has_time()
            try:
                findings = await self._findings(question, self._context.complete, said, times, known)
            except UnansweredError:
                return await self._ask_again(session, fresh, NOT_ANSWERED)
            except LanguageModelError as error:
                logger.debug("extraction postponed: {}", type(error).__name__)
                if not counts or isinstance(error, NotAskedError):
                    return await self._leave(session, fresh)
                return await self._ask_again(session, fresh, FAILS)
            stated = sum(estimate_tokens(one.text) for one in said) >= _STATED_TOKENS
            if stated and not findings and not session.background:
                return await self._ask_again(session, fresh, NOTHING_FOUND, _NOTHING)
        # In a thread that ends whatever becomes of the hook, and lets the session go only then.
        release = held.hand_over()
        return await run_in_daemon_thread(lambda: self._settle(session, spoken, findings, known, release))

    def _has_time(self) -> bool:
        """Return whether a use of the model may take as long as when a session goes quiet and nothing was asked yet."""
        deadline, limit = hook_deadline.get(), self._context.time_limit("on_session_idle")
        return deadline is None or limit is None or deadline - time.monotonic() >= _MOST_TIME * limit

    def _use_again(self, session: Session, fresh: Sequence[Message], said: Sequence[Statement]) -> None:
        """Count what is said again as a use: no model is there to confirm it. In a group chat nobody is told apart."""
        if session.background or session.scope.group_chat:
            return
        visible = self._context.visible_scope(session.scope)
        now = self._context.clock.now()
        times = [message_time(message) or now for message in fresh]

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            seen = {id_: one for id_, one in entries.items() if _is_theirs(one, visible)}
            return {**entries, **used_again(said, times, seen)}

        if used_again(said, times, self._memory.repository.load().entries):
            self._memory.repository.update(change, who=WHO, why=f"session {session.key}: said again")

    async def _findings(
        self,
        question: Question,
        complete: Complete,
        said: Sequence[Statement],
        times: Sequence[datetime],
        known: Mapping[str, Entry],
    ) -> list[BelievedCandidate]:
        """Ask the model, for quotes where it can quote, and return what is believed. Raises `LanguageModelError`."""
        options: ConsolidationOptions = self._context.options
        model = str(getattr(complete, "model_name", "") or "")
        wanted = options.extraction_quotes
        quotes = not question.background and (
            wanted == "always"
            or (wanted == "auto" and await run_in_daemon_thread(lambda: self.modes.asks_for_quotes(model)))
        )
        tokens = options.extraction_answer_tokens
        if quotes:
            answer = await ask(question, complete, self._context.prompts, quoting_prompt, tokens=tokens, by_day=True)
            quoted = await run_in_daemon_thread(lambda: is_quoted(answer, question))
            if wanted == "auto" and answer.candidates:
                await run_in_daemon_thread(lambda: self.modes.record(model, quoted=quoted))
            if quoted or wanted == "always":
                return await believed_by_quotes(answer, question, times, known, self._matcher)
        # What is only for models that cannot quote is loaded when there is one.
        from nanobot_memory_plugins.consolidation.extraction.without_quotes.findings import WithoutQuotes
        from nanobot_memory_plugins.consolidation.extraction.without_quotes.prompt import question_prompt

        without = WithoutQuotes(said, known, self._matcher)
        if not quotes:
            question = await without.with_checks(question)
            answer = await ask(question, complete, self._context.prompts, question_prompt)
            if wanted == "auto" and not question.background:
                await run_in_daemon_thread(lambda: self.modes.record(model, quoted=None))
        return await without.findings(answer, question, times)

    def _settle(
        self,
        session: Session,
        spoken: Sequence[Message],
        findings: Sequence[BelievedCandidate],
        known: Mapping[str, Entry],
        release: Callable[[], None],
    ) -> Processed:
        """Write the entries, and then that the messages have been learned from. It blocks."""
        try:
            done = Processed()
            # The order to forget may have come while the model was asked.
            self._forgotten.messages(session.key, spoken)
            findings = [one for one in findings if not self._is_forgotten(session.key, one)]
            if findings:
                done = self._write(session, spoken, findings, known)
            self._dealt_with.finish(session.key, spoken)
            self.pending.remove(session.key, spoken)
            if findings:
                logger.info("learned from a session: {} entries new, {} updated", done.new, done.updated)
            return done
        finally:
            release()

    def _left(self, key: str, messages: Sequence[Message]) -> list[Message]:
        return [one for one in self._forgotten.messages(key, messages) if one.text]

    def _is_forgotten(self, key: str, finding: BelievedCandidate) -> bool:
        return self._forgotten.text(key, finding.candidate.content) != finding.candidate.content

    def _write(
        self,
        session: Session,
        spoken: Sequence[Message],
        findings: Sequence[BelievedCandidate],
        known: Mapping[str, Entry],
    ) -> Processed:
        repository = self._memory.repository
        now = self._context.clock.now().replace(microsecond=0)
        origin = Origin.ASSISTANT if session.background else Origin.USER
        visible = self._context.visible_scope(session.scope)
        whose = without_session(session.scope)
        merged = Merged({}, (), ())
        speakers = speakers_of(repository.paths, session.key) if whose.group_chat else {}

        def merge_one(entries: Mapping[str, Entry], found: Sequence[BelievedCandidate], source: Source) -> Merged:
            def seen_and_theirs(entry: Entry) -> bool:
                theirs = not whose.group_chat or entry.scope.user == source.scope.user
                return theirs and _is_theirs(entry, visible)

            return merge(entries, found, now=now, source=source, seen=known, is_visible=seen_and_theirs)

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal merged
            source = Source(session.key, whose, origin)
            if not speakers:
                merged = merge_one(entries, findings, source)
            else:
                merged = merged_by_speaker(entries, findings, source, speakers, merge_one)
            return merged.entries

        token = uuid4().hex[:12]
        self._dealt_with.begin(session.key, spoken, token)
        outcome = repository.update(change, who=WHO, why=f"session {session.key} ({token})")
        made = [id_ for id_ in merged.new if id_ in outcome.entries]
        return Processed(len(made), len(merged.updated))


def _is_theirs(entry: Entry, visible: Visibility) -> bool:
    """Return whether an entry is among what somebody may see, and about them or about the project that they work in."""
    return is_at_hand(entry, visible) and is_visible(entry, visible)
