"""The plugin's part of a session's reading: which entries are known, and what becomes of those that were read."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import mul

from nanobot_memory_plugins.consolidation.model.entry import is_at_hand, is_visible, new_id
from nanobot_memory_plugins.consolidation.model.scoring import Importance, as_of, end_of
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, keep, known_in_the_same_words, may_change
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Message, Note, Origin, PluginContext, Scope, estimate_tokens, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.core.session_reading.question import MOST_KNOWN
from nanobot_memory_plugins.core.text.evidence import Evidence
from nanobot_memory_plugins.core.values.entries import ARCHIVE_BELOW, Entry
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, ReadingPart, SessionReading

WHO = "extraction"
# Of a conversation with fewer tokens of the user's nothing is asked: a greeting and its thanks.
_FEWEST_TOKENS = 6
# Messages, the last ones, and entries that are compared by meaning where there are too many to show: a second's work.
_COMPARED_MESSAGES, _COMPARED_ENTRIES = 50, 200


class EntryLearning:
    """Learns entries from what was read in the sessions of one workspace."""

    def __init__(self, repository: EntryRepository, context: PluginContext) -> None:
        self._repository = repository
        self._context = context

    def part(self, session_key: str, messages: Sequence[Message], scope: Scope) -> ReadingPart | None:
        """Return the part for a session, or None where there is nothing to learn from."""
        options: ConsolidationOptions = self._context.options
        if not options.extract:
            return None
        speaker = "assistant" if session_key.startswith(options.background_sessions) else "user"
        texts = [message.text for message in messages if message.role == speaker and message.text.strip()]
        if estimate_tokens("\n".join(texts)) < _FEWEST_TOKENS:
            return None

        async def known() -> Mapping[str, str]:
            return {entry.id: entry.content for entry in await self._known_entries(texts, scope)}

        async def take(reading: SessionReading) -> Sequence[Note]:
            if reading.entries:
                await run_in_daemon_thread(self._learn, session_key, reading.entries, scope)
            return ()

        return ReadingPart("entries", take, known=known)

    async def _known_entries(self, texts: Sequence[str], scope: Scope) -> list[Entry]:
        """Return the entries that some texts may confirm or end: the best, or of many those that are near to the texts.

        All are compared in words, and of those that are nearest in words, or best, some in meaning.
        """
        visible = self._context.scopes.visible(scope)

        def in_words() -> list[tuple[float, Entry]]:
            evidence = Evidence(texts)
            return sorted(
                (
                    (-evidence.share(entry.content), entry)
                    for entry in self._repository.load().entries.values()
                    if is_at_hand(entry, visible) and is_visible(entry, visible)
                    if entry.score >= ARCHIVE_BELOW and not entry.superseded_by
                ),
                key=lambda found: (found[0], -found[1].score, found[1].id),
            )

        found = await run_in_daemon_thread(in_words)
        if len(found) > MOST_KNOWN:
            near = await self._nearness(texts[-_COMPARED_MESSAGES:], [entry for _, entry in found[:_COMPARED_ENTRIES]])
            found.sort(key=lambda one: one[0] - near.get(one[1].id, 0.0))
        return [entry for _, entry in found]

    async def _nearness(self, texts: Sequence[str], entries: Sequence[Entry]) -> dict[str, float]:
        """Return how near entries are in meaning to one of some texts, by id; nothing where no model compares them.

        That two are near does not say that they say the same: "likes tea" is as near to "likes coffee" as to itself
        in other words (docs/entries.md). So it decides only what the language model is shown.
        """
        store = self._context.store
        if not isinstance(store, VectorStore):
            return {}
        try:
            vectors = await store.encode([*texts, *(entry.content for entry in entries)]) or []
        except Exception as error:  # a third party's store may fail in any way
            logger.warning("entries are compared by words alone: {}", type(error).__name__)
            return {}
        said, known = vectors[: len(texts)], vectors[len(texts) :]

        def nearest() -> dict[str, float]:
            return {
                entry.id: max((sum(map(mul, vector, other)) for other in said), default=0.0)
                for entry, vector in zip(entries, known, strict=False)
            }

        return await run_in_daemon_thread(nearest)

    def _learn(self, session_key: str, read: Sequence[ReadEntry], scope: Scope) -> None:
        now, scopes = self._context.clock.now().replace(microsecond=0), self._context.scopes
        visible = scopes.visible(scope)

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            known, used = frozenset(entries), set[str]()  # each is used once, however often it was read
            for item in read:
                new = _new_entry(item, session_key, scope, known)
                changeable = partial(may_change, speaker=new.scope, visible=visible, scopes=scopes)
                same = known_in_the_same_words(new, entries, changeable)
                if not same and item.confirms in known and changeable(entries[item.confirms]):
                    same = item.confirms
                own, again = new_id(entries), same in used
                used.add(keep(entries, new, own, same=same, now=now, may_change=changeable, is_used=again))
            return {id_: as_of(entry, now) for id_, entry in entries.items()}

        outcome = self._repository.update(change, who=WHO, why="conversation")
        logger.info("learned from a session: {} entries", len(outcome.changes))


def _new_entry(read: ReadEntry, session_key: str, scope: Scope, known: Container[str]) -> NewEntry:
    """Return what was read as a new entry; its quotation says who said it."""
    quote = read.quote
    origin = quote.origin if quote is not None and quote.is_certain else Origin.SUMMARY
    owner = replace(scope, session="")
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
