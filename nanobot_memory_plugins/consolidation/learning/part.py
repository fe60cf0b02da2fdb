"""The plugin's part of a session's reading: which entries are known, and what becomes of those that were read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.learning.merge import Finding, Merged, merge
from nanobot_memory_plugins.consolidation.model.belonging import is_at_hand
from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, new_id
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.source import is_visible
from nanobot_memory_plugins.core import Message, Note, PluginContext, Scope, estimate_tokens, logger
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

    def __init__(self, memory: AsyncEntryRepository, matcher: Matcher, context: PluginContext) -> None:
        self._memory = memory
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
        whose = replace(without_session(scope), session="")
        shown: dict[str, Entry] = {}

        async def known() -> Mapping[str, str]:
            shown.update(await self._theirs(scope))
            said = Evidence(one.text for one in messages)
            # Of too many, what is spoken of is to be among them.
            best = sorted(shown.values(), key=lambda one: (-one.score - said.share(one.content), one.id))
            return {one.id: one.content for one in best if one.section is Section.ACTIVE and not one.superseded_by}

        async def take(reading: SessionReading) -> Sequence[Note]:
            await self._learn(session_key, reading.entries, scope, whose)
            return ()

        return ReadingPart("entries", take, known=known)

    async def _theirs(self, scope: Scope) -> dict[str, Entry]:
        visible = self._context.scopes.visible(scope)
        entries = (await self._memory.load()).entries
        return {id_: one for id_, one in entries.items() if is_at_hand(one, visible) and is_visible(one, visible)}

    async def _learn(self, session_key: str, read: Sequence[ReadEntry], scope: Scope, whose: Scope) -> None:
        """Write what was read."""
        kept = list(read)
        if not kept:
            return
        known = await self._theirs(scope)
        texts = [one.text for one in kept]
        repeats = await self._matcher.repeats(texts)
        kept = [one for one, again in zip(kept, repeats, strict=True) if not again or one.ends]
        matches = await self._matcher.same([one.text for one in kept], known)
        findings: list[Finding] = []
        for one, match in zip(kept, matches, strict=True):
            same = match.entry_id if match else one.confirms if one.confirms in known else ""
            ends = tuple(id_ for id_ in one.ends if id_ in known and id_ != same)
            findings.append(Finding(one, new_id([*known, *(found.id for found in findings)]), same, ends))
        await run_in_daemon_thread(lambda: self._write(session_key, findings, scope, whose, known))

    def _write(
        self,
        session_key: str,
        findings: Sequence[Finding],
        scope: Scope,
        whose: Scope,
        known: Mapping[str, Entry],
    ) -> None:
        repository = self._memory.repository
        now = self._context.clock.now().replace(microsecond=0)
        visible = self._context.scopes.visible(scope)
        merged = Merged({}, (), ())

        def is_theirs(entry: Entry, speaker: Scope) -> bool:
            is_speakers = not speaker.group_chat or entry.scope.user == speaker.user
            return is_speakers and is_at_hand(entry, visible) and is_visible(entry, visible)

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal merged
            merged = merge(
                entries, findings, now=now, session=session_key, scope=whose, seen=known, is_theirs=is_theirs
            )
            return merged.entries

        outcome = repository.update(change, who=WHO, why=f"session {session_key}")
        made = sum(id_ in outcome.entries for id_ in merged.new)
        logger.info("learned from a session: {} entries new, {} updated", made, len(merged.updated))
