"""The plugin's part of a session's reading: which entries are known, and what becomes of those that were read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from nanobot_memory_plugins.consolidation.model.entry import (
    ARCHIVE_BELOW,
    Entry,
    is_at_hand,
    is_visible,
    new_id,
    plain_words,
)
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.scoring import Importance, as_of, end_of
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, keep, may_change
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
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
        if sum(estimate_tokens(message.text) for message in messages if message.role == speaker) < _FEWEST_TOKENS:
            return None

        async def known() -> Mapping[str, str]:
            entries = await self._visible_entries(scope)
            evidence = Evidence(message.text for message in messages)
            # Of too many, what is spoken of is to be among them.
            best = sorted(entries.values(), key=lambda entry: (-entry.score - evidence.share(entry.content), entry.id))
            return {
                entry.id: entry.content for entry in best if entry.score >= ARCHIVE_BELOW and not entry.superseded_by
            }

        async def take(reading: SessionReading) -> Sequence[Note]:
            if reading.entries:
                await self._learn(session_key, reading.entries, scope)
            return ()

        return ReadingPart("entries", take, known=known)

    async def _visible_entries(self, scope: Scope) -> dict[str, Entry]:
        visible = self._context.scopes.visible(scope)
        entries = (await run_in_daemon_thread(self._repository.load)).entries
        return {
            id_: entry for id_, entry in entries.items() if is_at_hand(entry, visible) and is_visible(entry, visible)
        }

    async def _learn(self, session_key: str, read: Sequence[ReadEntry], scope: Scope) -> None:
        known = await self._visible_entries(scope)
        matches = await self._matcher.same([item.text for item in read], known)
        found = [
            (_new_entry(item, session_key, scope, known), match or item.confirms)
            for item, match in zip(read, matches, strict=True)
        ]
        await run_in_daemon_thread(lambda: self._write(session_key, found, scope))

    def _write(self, session_key: str, found: Sequence[tuple[NewEntry, str]], scope: Scope) -> None:
        now, scopes = self._context.clock.now().replace(microsecond=0), self._context.scopes
        visible = scopes.visible(scope)
        held: dict[tuple[str, Scope], str] = {}

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            held.clear()  # what was read -> the entry that says it; used once, however often it was read
            for new, match in found:
                theirs = partial(may_change, speaker=new.scope, visible=visible, scopes=scopes)
                words = plain_words(new.text), new.scope
                same = held.get(words, "") or (match if match in entries and theirs(entries[match]) else "")
                is_used = same in held.values()
                held[words] = keep(
                    entries, new, new_id(entries), same=same, now=now, may_change=theirs, is_used=is_used
                )
            return {id_: as_of(entry, now) for id_, entry in entries.items()}

        outcome = self._repository.update(change, who=WHO, why="conversation")
        logger.info("learned from a session: {} entries", len(outcome.changes))


def _new_entry(read: ReadEntry, session_key: str, scope: Scope, known: Mapping[str, Entry]) -> NewEntry:
    """Return what was read as a new entry; its quotation says who said it."""
    quote = read.quote
    origin = quote.origin if quote is not None and quote.is_certain else Origin.SUMMARY
    owner = without_session(scope)
    if scope.group_chat:  # the speaker's, or the group's where nobody is quoted
        speaker = quote.scope if quote is not None and quote.origin is Origin.USER else Scope()
        owner = replace(owner, user=speaker.user, channel=speaker.channel)
    return NewEntry(
        read.text,
        read.kind,
        Importance(read.importance),
        expires_at=end_of(read.valid_until) if read.valid_until else None,
        origin=origin,
        scope=owner,
        source_session=session_key,
        replaces=tuple(id_ for id_ in read.ends if id_ in known),
        quote=quote,
    )
