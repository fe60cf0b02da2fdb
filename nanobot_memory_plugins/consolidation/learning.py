"""The plugin's part of a session's reading: which entries are known, and what becomes of those that were read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.consolidation.model.belonging import is_at_hand
from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Category, Entry, Section, new_id
from nanobot_memory_plugins.consolidation.model.matcher import Matcher, says_the_same
from nanobot_memory_plugins.consolidation.model.scoring import Importance, as_of
from nanobot_memory_plugins.consolidation.model.validity import end_of
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, keep
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.source import is_visible
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Message, Note, Origin, PluginContext, Scope, estimate_tokens, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.scopes import without_session
from nanobot_memory_plugins.core.session_reading.part import ReadingPart
from nanobot_memory_plugins.core.text.evidence import Evidence
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, SessionReading

WHO = "extraction"
# Of a conversation with fewer tokens of the user's nothing is asked: a greeting and its thanks.
_FEWEST_TOKENS = 6


@dataclass(frozen=True, slots=True)
class _Finding:
    """What was read, the id of its entry when it is new, and the known entry that says the same, if one does."""

    new: NewEntry
    id: str
    match: str


class EntryLearning:
    """Learns entries from what was read in the sessions of one workspace."""

    def __init__(self, repository: EntryRepository, matcher: Matcher, context: PluginContext) -> None:
        self._repository = repository
        self._matcher = matcher
        self._context = context

    def part(self, session_key: str, messages: Sequence[Message], scope: Scope) -> ReadingPart | None:
        """Return the part for a session, or None where there is nothing to learn from."""
        options: ConsolidationOptions = self._context.options
        is_background = session_key.startswith(tuple(options.background_sessions))
        if not options.extract or (is_background and not options.extract_background_turns):
            return None
        speaker = "assistant" if is_background else "user"
        if sum(estimate_tokens(one.text) for one in messages if one.role == speaker) < _FEWEST_TOKENS:
            return None

        async def known() -> Mapping[str, str]:
            theirs = await self._theirs(scope)
            said = Evidence(one.text for one in messages)
            # Of too many, what is spoken of is to be among them.
            best = sorted(theirs.values(), key=lambda one: (-one.score - said.share(one.content), one.id))
            return {one.id: one.content for one in best if one.section is Section.ACTIVE and not one.superseded_by}

        async def take(reading: SessionReading) -> Sequence[Note]:
            await self._learn(session_key, reading.entries, scope)
            return ()

        return ReadingPart("entries", take, known=known)

    async def _theirs(self, scope: Scope) -> dict[str, Entry]:
        visible = self._context.scopes.visible(scope)
        entries = (await run_in_daemon_thread(self._repository.load)).entries
        return {id_: one for id_, one in entries.items() if is_at_hand(one, visible) and is_visible(one, visible)}

    async def _learn(self, session_key: str, read: Sequence[ReadEntry], scope: Scope) -> None:
        if not read:
            return
        known = await self._theirs(scope)
        repeats = await self._matcher.repeats([one.text for one in read])
        kept = [one for one, again in zip(read, repeats, strict=True) if not again or one.ends]
        matches = await self._matcher.same([one.text for one in kept], known)
        findings: list[_Finding] = []
        for one, match in zip(kept, matches, strict=True):
            same = match.entry_id if match else one.confirms if one.confirms in known else ""
            new = _new_entry(one, session_key, scope, [id_ for id_ in one.ends if id_ in known and id_ != same])
            findings.append(_Finding(new, new_id([*known, *(found.id for found in findings)]), same))
        await run_in_daemon_thread(lambda: self._write(session_key, findings, scope, known))

    def _write(self, session_key: str, findings: Sequence[_Finding], scope: Scope, known: Mapping[str, Entry]) -> None:
        now = self._context.clock.now().replace(microsecond=0)
        visible = self._context.scopes.visible(scope)
        made: list[str] = []
        used: list[str] = []

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal made, used
            made, used = [], []
            unseen = [id_ for id_ in entries if id_ not in known]  # what has come since is compared by words
            for one in findings:
                speaker = one.new.scope

                def is_theirs(entry: Entry, speaker: Scope = speaker) -> bool:
                    is_speakers = not speaker.group_chat or entry.scope.user == speaker.user
                    return is_speakers and is_at_hand(entry, visible) and is_visible(entry, visible)

                others = [id_ for id_ in (one.match, *unseen, *made) if id_ in entries and is_theirs(entries[id_])]
                says = (id_ for id_ in others if id_ == one.match or _says(entries[id_], one.new))
                same = next(says, "")
                is_used = same in used or same in made  # once, however often it was read
                keep(entries, one.new, one.id, same=same, now=now, may_change=is_theirs, is_used=is_used)
                if not same:
                    made.append(one.id)
                elif not is_used:
                    used.append(same)
            return {id_: as_of(entry, now) for id_, entry in entries.items()}

        outcome = self._repository.update(change, who=WHO, why=f"session {session_key}")
        count = sum(id_ in outcome.entries for id_ in made)
        logger.info("learned from a session: {} entries new, {} used", count, len(used))


def _says(entry: Entry, new: NewEntry) -> bool:
    return entry.id not in new.replaces and says_the_same(new.text, entry.content) > 0


def _new_entry(read: ReadEntry, session_key: str, scope: Scope, ends: Sequence[str]) -> NewEntry:
    """Return what was read as something to keep: whose word it is says its quotation."""
    quote = read.quote
    origin = quote.origin if quote is not None and quote.is_certain else Origin.SUMMARY
    whose = replace(without_session(scope), session="")
    if scope.group_chat:  # the speaker's, or the group's where nobody is quoted
        speaker = quote.scope if quote is not None and quote.origin is Origin.USER else Scope()
        whose = replace(whose, user=speaker.user, channel=speaker.channel)
    is_instruction = read.kind == INSTRUCTION
    return NewEntry(
        read.text,
        category=Category.PREFERENCE if is_instruction else Category(read.kind),
        importance=Importance(read.importance),
        expires_at=end_of(read.valid_until) if read.valid_until else None,
        origin=origin,
        scope=whose,
        source_session=session_key,
        kind=INSTRUCTION if is_instruction else "",
        # What nobody said for certain is found by a search, and taken up once somebody says it.
        kept_in=Section.ARCHIVED if origin is Origin.SUMMARY else None,
        replaces=tuple(ends),
        quote=quote.text if quote else "",
        quoted_on=quote.day if quote else None,
        records=(quote.record,) if quote and quote.record else (),
    )
