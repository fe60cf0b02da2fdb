"""One session becomes entries: what is new in it is asked for, believed, matched and merged, once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from loguru import logger

from nanobot_memory_plugins.consolidation.entry import Category, Entry, new_id
from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.asking import Question, ask
from nanobot_memory_plugins.consolidation.extraction.changes import Believed, with_replaced
from nanobot_memory_plugins.consolidation.extraction.dates import day_meant, end_of, names_a_day_relatively
from nanobot_memory_plugins.consolidation.extraction.dealt_with import DealtWith, Held
from nanobot_memory_plugins.consolidation.extraction.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.merge import Finding, Merged, Source, merge
from nanobot_memory_plugins.consolidation.extraction.pending import Pending, time_of, unknown_among
from nanobot_memory_plugins.consolidation.extraction.spoken_messages import spoken_messages
from nanobot_memory_plugins.consolidation.extraction.statements import Statement, statements
from nanobot_memory_plugins.consolidation.matching import Matcher, may_confirm
from nanobot_memory_plugins.consolidation.memory import EntryMemory
from nanobot_memory_plugins.consolidation.prompt_source import is_visible
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import LanguageModelError, NanobotMemoryError
from nanobot_memory_plugins.core.fence import language_of
from nanobot_memory_plugins.core.plugin_host import run_in_daemon_thread
from nanobot_memory_plugins.core.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message, Origin, Scope

WHO = "extraction"
# Fewer tokens of statements than this say nothing that would be worth a use of the model.
_FEWEST_TOKENS = 4
# Seconds that a trigger waits while another one works on the session.
_PATIENCE = 25.0
# Of a turn that nobody spoke in: what the assistant has learned. It says nothing of the user.
_BACKGROUND_KINDS = frozenset(
    {Category.EXPERIENCE, Category.WORKFLOW, Category.DECISION, Category.SKILL_USAGE, Category.TODO}
)


@dataclass(frozen=True, slots=True)
class Processed:
    """How many entries a session has made, and how many it has used or contradicted. ``left``: it waits for later."""

    new: int = 0
    updated: int = 0
    left: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A session whose messages are to be learned from. In a background session nobody speaks but the assistant."""

    key: str
    scope: Scope = Scope()
    background: bool = False


class SessionProcessor:
    """Learns from the sessions of one workspace."""

    def __init__(self, memory: EntryMemory, matcher: Matcher, context: PluginContext) -> None:
        self._memory = memory
        self._matcher = matcher
        self._context = context
        paths = memory.repository.paths
        self.pending = Pending(paths)
        self._dealt_with = DealtWith(paths)

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
            return await self._process(session, spoken, held)
        except NanobotMemoryError as error:
            logger.warning("a session is learned from later: {}", type(error).__name__)
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
        spoken = spoken_messages(messages, self._context.redact)
        spoken = [*waiting, *unknown_among(spoken, waiting)]
        fresh = self._dealt_with.fresh(key, spoken)
        if waiting and not fresh:
            self.pending.remove(key, waiting)
        return spoken, fresh

    async def _leave(self, session: Session, fresh: Sequence[Message]) -> Processed:
        now = self._context.clock.now()
        dated = [message if time_of(message) else replace(message, raw={"time": now.isoformat()}) for message in fresh]
        await run_in_daemon_thread(lambda: self.pending.add(session.key, dated, session.scope))
        return Processed(left=True)

    async def _process(self, session: Session, spoken: Sequence[Message], held: Held) -> Processed:
        def look() -> tuple[list[Message], list[Statement]]:
            unchanged = self._memory.repository.update
            self._dealt_with.recover(session.key, lambda: unchanged(dict, who=WHO, why="settle"))
            fresh = self._dealt_with.fresh(session.key, spoken)
            return fresh, statements(fresh, role="assistant" if session.background else "user")

        fresh, said = await run_in_daemon_thread(look)
        if not fresh:
            return Processed()
        findings: list[Finding] = []
        known: Mapping[str, Entry] = {}
        if sum(estimate_tokens(one.text) for one in said) >= _FEWEST_TOKENS:
            if self._context.complete is None:
                return await self._leave(session, fresh)
            snapshot = await self._memory.load()
            visible = self._context.visible_scope(session.scope)
            known = {id_: one for id_, one in snapshot.entries.items() if is_visible(one.scope, visible)}
            now = self._context.clock.now()
            times = [time_of(message) or now.astimezone() for message in fresh]
            question = Question(fresh, tuple(known.values()), times[-1].date(), session.background)
            try:
                candidates = await ask(question, self._context.complete)
            except LanguageModelError as error:
                logger.debug("a session is learned from later: {}", type(error).__name__)
                return await self._leave(session, fresh)
            findings = await self._believed(candidates, Grounding(said), times, known, session)
        # In a thread that ends whatever becomes of the hook, and lets the session go only then.
        release = held.hand_over()
        return await run_in_daemon_thread(lambda: self._settle(session, spoken, findings, known, release))

    async def _believed(
        self,
        candidates: Sequence[Candidate],
        grounding: Grounding,
        times: Sequence[datetime],
        known: Mapping[str, Entry],
        session: Session,
    ) -> list[Finding]:
        """Return the candidates that the statements bear out, matched with the known entries."""
        if session.background:
            candidates = [one for one in candidates if one.category in _BACKGROUND_KINDS]
        unsure = [one.content for one in candidates if grounding.needs_vectors(one.content)]
        cosines = await self._matcher.cosines(unsure, grounding.turns) if unsure else None
        near = dict(zip(unsure, cosines, strict=True)) if cosines is not None else {}
        believed = await run_in_daemon_thread(
            lambda: [one for one in candidates if grounding.bears_out(one.content, near.get(one.content, ()))]
        )
        matches = await self._matcher.same([one.content for one in believed], known)

        def settle() -> list[Finding]:
            said = [grounding.best_statement(one.content) for one in believed]
            sure = [
                Believed(one, statement.text if statement else "", match.entry_id if match else _confirmed(one, known))
                for one, statement, match in zip(believed, said, matches, strict=True)
            ]
            statement_of = {id(one): statement for one, statement in zip(sure, said, strict=True)}
            findings = []
            for one, replaced in with_replaced(sure, candidates, known):
                dated, expires_at = _dated(one.candidate, statement_of[id(one)], times)
                findings.append(Finding(dated, new_id(known), one.same, replaced, expires_at))
            return findings

        return await run_in_daemon_thread(settle)

    def _settle(
        self,
        session: Session,
        spoken: Sequence[Message],
        findings: Sequence[Finding],
        known: Mapping[str, Entry],
        release: Callable[[], None],
    ) -> Processed:
        """Write the entries, and then that the messages have been learned from. It blocks."""
        try:
            done = Processed()
            if findings:
                done = self._write(session, spoken, findings, known)
            self._dealt_with.finish(session.key, spoken)
            self.pending.remove(session.key, spoken)
            if findings:
                logger.info("learned from a session: {} entries new, {} updated", done.new, done.updated)
            return done
        finally:
            release()

    def _write(
        self, session: Session, spoken: Sequence[Message], findings: Sequence[Finding], known: Mapping[str, Entry]
    ) -> Processed:
        repository = self._memory.repository
        now = self._context.clock.now().replace(microsecond=0)
        origin = Origin.ASSISTANT if session.background else Origin.USER
        visible = self._context.visible_scope(session.scope)
        merged = Merged({}, (), ())

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal merged
            merged = merge(
                entries,
                findings,
                now=now,
                source=Source(session.key, visible, origin),
                seen=known,
                is_visible=lambda entry: is_visible(entry.scope, visible),
            )
            return merged.entries

        token = uuid4().hex[:12]
        self._dealt_with.begin(session.key, spoken, token)
        outcome = repository.update(change, who=WHO, why=f"session {session.key} ({token})")
        made = [id_ for id_ in merged.new if id_ in outcome.entries]
        return Processed(len(made), len(merged.updated))


def _confirmed(candidate: Candidate, known: Mapping[str, Entry]) -> str:
    """Return the entry that the model says is confirmed, when the two may be about the same thing."""
    entry = known.get(candidate.reinforces)
    if entry is None or candidate.contradicts == entry.id or not may_confirm(candidate.content, entry.content):
        return ""
    return entry.id


def _dated(
    candidate: Candidate, said: Statement | None, times: Sequence[datetime]
) -> tuple[Candidate, datetime | None]:
    """Return a candidate with the day that it speaks of, and until when it holds.

    What the user said has the last word: models are bad at calendars.
    """
    time = times[said.turn] if said is not None else times[-1]
    own = day_meant(said.text, time.date()) if said is not None else None
    day = own or day_meant(candidate.expires_at, time.date()) or day_meant(candidate.content, time.date())
    if day is None:
        return candidate, None
    if names_a_day_relatively(candidate.content):
        mark = f"（{day:%Y-%m-%d}）" if language_of(candidate.content) == "zh" else f" ({day:%Y-%m-%d})"
        candidate = candidate.model_copy(update={"content": candidate.content.rstrip(".。") + mark})
    zone = time.tzinfo
    expires = end_of(day, zone) if candidate.category is Category.TODO and zone is not None else None
    return candidate, expires
