"""Learning from sessions: the known entries given to the reading model, and the changes its answer makes."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import mul

from nanobot_memory_plugins.consolidation.model.entry import is_in_project, is_visible
from nanobot_memory_plugins.consolidation.model.scoring import Importance, end_of, entry_as_of
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, find_same_text, may_change, put_entry
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Message, Note, Origin, PluginContext, Scope, estimate_tokens, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.core.session_reading.question import MAX_KNOWN
from nanobot_memory_plugins.core.text.evidence import Evidence
from nanobot_memory_plugins.core.values.entries import ARCHIVE_BELOW, Entry
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, ReadingPart, SessionReading

WHO = "extraction"
# A conversation with fewer tokens from the user is not read: a greeting and a thank-you.
_LEAST_TOKENS = 6
# The last messages and the best entries that are compared by meaning when not all can be shown: about a second.
_COMPARED_MESSAGES, _COMPARED_ENTRIES = 50, 200


class EntryLearner:
    """Turns what the model read in the sessions of one workspace into entries."""

    def __init__(self, repository: EntryRepository, context: PluginContext) -> None:
        self._repository = repository
        self._context = context

    def reading_part(self, session_key: str, messages: Sequence[Message], scope: Scope) -> ReadingPart | None:
        """Return the entries' part of the reading of a session, or None when there is nothing to learn from."""
        options: ConsolidationOptions = self._context.options
        if not options.extract:
            return None
        speaker = "assistant" if session_key.startswith(options.background_sessions) else "user"
        texts = [message.text for message in messages if message.role == speaker and message.text.strip()]
        if estimate_tokens("\n".join(texts)) < _LEAST_TOKENS:
            return None

        async def known() -> Mapping[str, str]:
            return {entry.id: entry.content for entry in await self._known_entries(texts, scope)}

        async def learn_from(reading: SessionReading) -> Sequence[Note]:
            if reading.entries:
                await run_in_daemon_thread(self._learn, session_key, reading.entries, scope)
            return ()

        return ReadingPart("entries", learn_from, known=known)

    async def _known_entries(self, texts: Sequence[str], scope: Scope) -> list[Entry]:
        """Return the entries that the texts may confirm or end, the most relevant first.

        All are ranked by shared words, then by score. When there are too many to show, the first are compared by
        meaning as well.
        """
        visible = self._context.scopes.visible(scope)

        def ranked_by_words() -> list[tuple[float, Entry]]:
            evidence = Evidence(texts)
            return sorted(
                (
                    (-evidence.share(entry.content), entry)
                    for entry in self._repository.load().entries.values()
                    if is_in_project(entry, visible) and is_visible(entry, visible)
                    if entry.score >= ARCHIVE_BELOW and not entry.superseded_by
                ),
                key=lambda pair: (pair[0], -pair[1].score, pair[1].id),
            )

        ranked = await run_in_daemon_thread(ranked_by_words)
        if len(ranked) > MAX_KNOWN:
            compared = [entry for _, entry in ranked[:_COMPARED_ENTRIES]]
            similarity = await self._similarities(texts[-_COMPARED_MESSAGES:], compared)
            ranked.sort(key=lambda pair: pair[0] - similarity.get(pair[1].id, 0.0))
        return [entry for _, entry in ranked]

    async def _similarities(self, texts: Sequence[str], entries: Sequence[Entry]) -> dict[str, float]:
        """Return the similarity in meaning of each entry to its nearest text, by id; empty without an embedding model.

        Similar does not mean equal: "likes tea" is as near to "likes coffee" as to a paraphrase of itself
        (docs/entries.md). The similarity therefore decides only which entries the language model is shown.
        """
        store = self._context.store
        if not isinstance(store, VectorStore):
            return {}
        try:
            vectors = await store.encode([*texts, *(entry.content for entry in entries)]) or []
        except Exception as error:  # a third party's store may fail in any way
            logger.warning("entries are compared by words alone: {}", type(error).__name__)
            return {}
        text_vectors, entry_vectors = vectors[: len(texts)], vectors[len(texts) :]

        def compare() -> dict[str, float]:
            return {
                entry.id: max((sum(map(mul, vector, other)) for other in text_vectors), default=0.0)
                for entry, vector in zip(entries, entry_vectors, strict=False)
            }

        return await run_in_daemon_thread(compare)

    def _learn(self, session_key: str, read: Sequence[ReadEntry], scope: Scope) -> None:
        now, scopes = self._context.clock.now().replace(microsecond=0), self._context.scopes
        visible = scopes.visible(scope)

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            known, used = frozenset(entries), set[str]()  # an entry counts as used once, however often it was read
            for item in read:
                new = _new_entry(item, session_key, scope, known)
                is_changeable = partial(may_change, speaker=new.scope, visible=visible, scopes=scopes)
                known_id = find_same_text(new, entries, is_changeable)
                if not known_id and item.confirms in known and is_changeable(entries[item.confirms]):
                    known_id = item.confirms
                used.add(
                    put_entry(entries, new, known_id, now=now, is_changeable=is_changeable, is_used=known_id in used)
                )
            return {id_: entry_as_of(entry, now) for id_, entry in entries.items()}

        outcome = self._repository.update(change, who=WHO, why="conversation")
        logger.info("learned from a session: {} entries", len(outcome.changes))


def _new_entry(read: ReadEntry, session_key: str, scope: Scope, known: Container[str]) -> NewEntry:
    """Return what was read as a new entry; its quotation decides the origin and, in a group chat, the owner."""
    quote = read.quote
    origin = quote.origin if quote is not None and quote.is_certain else Origin.SUMMARY
    owner = replace(scope, session="")
    if scope.group_chat:  # the speaker owns it, or the group when nobody is quoted
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
