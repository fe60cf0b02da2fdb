"""What a night's answer does to the entries: each item of it is done or dropped on its own.

The answer has the form of a session's reading, and each item must be quoted: from what users said, from an entry, or
from a note. The quotation decides whose the entry is, and whether it is the user's own word; no text is judged.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import alike, joined_sessions, new_id
from nanobot_memory_plugins.consolidation.model.scoring import (
    EXPIRED_SCORE,
    IMPORTANCES,
    INITIAL_SCORES,
    Importance,
    decayed,
    end_of,
)
from nanobot_memory_plugins.consolidation.nightly.material import UNTRUSTED, Material, of_words
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, keep
from nanobot_memory_plugins.core import Origin, Scope, logger
from nanobot_memory_plugins.core.session_reading.question import KINDS, ids_of, read_answer
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values.entries import Entry, Section
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, Quote, ReadEntry

ARCHIVE = "archive"
"""The field of the answer with the ids of entries that matter no more."""
# A run may take away this many entries, and beyond that this share of them.
_FREE_LOSSES, _MOST_LOST = 3, 0.25


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to one question, the entries that it showed, and what quotations are looked up in."""

    material: Material
    shown: Mapping[str, Entry]
    text: str

    def read(self, now: datetime) -> tuple[Sequence[ReadEntry], Sequence[str]] | None:
        """Return the items of the answer, and the ids of what is to be archived; None where it is no answer."""
        quotations = _quotations(self.material)
        reading = read_answer(
            self.text,
            (),
            quotations,
            now,
            known=frozenset(self.shown),
            asked=frozenset({ENTRIES, ARCHIVE}),
            of_assistant=frozenset(KINDS),
        )
        if reading is None:
            return None
        items = [
            item if item.quote else replace(item, quote=quotations.find([item.text], of_assistant=True))
            for item in reading.entries
        ]
        return items, ids_of(reading.fields.get(ARCHIVE))


def apply(
    entries: Mapping[str, Entry], answers: Sequence[Answered], *, now: datetime, owner_of: Callable[[Scope], Scope]
) -> dict[str, Entry]:
    """Return the entries with the answers applied in their order.

    An entry that the model was not shown, or whose text has changed since, is nobody's to touch, nor is one that a
    person keeps. Of items that contradict each other the first counts. What an item takes the place of is linked to it
    and archived. When there would be fewer entries by more than a quarter, and more than three, nothing is done.
    """
    night = _Night(dict(entries), now, owner_of)
    for answer in answers:
        night.take(answer)
    after = night.entries
    over = [id_ for id_, entry in entries.items() if entry.section is not after[id_].section]
    lost = len(over) - len({after[id_].superseded_by for id_ in over} - {""})
    if lost > _FREE_LOSSES and lost > _MOST_LOST * len(entries):
        logger.info("consolidation: nothing is done, it would drop {} of {} entries", lost, len(entries))
        return dict(entries)
    return after


class _DroppedError(Exception):
    """Something is not done; the argument says why."""


@contextmanager
def _on_its_own() -> Iterator[None]:
    """Leave out what is to be dropped, and go on behind it."""
    try:
        yield
    except _DroppedError as why:
        logger.info("consolidation: dropped, {}", why)


class _Night:
    """The entries as they become."""

    def __init__(self, entries: dict[str, Entry], now: datetime, owner_of: Callable[[Scope], Scope]) -> None:
        self.entries = entries
        self._now = now
        self._owner_of = owner_of

    def take(self, answer: Answered) -> None:
        """Do what an answer wants, as far as it may."""
        items, archived = answer.read(self._now) or ((), ())
        untouched = dict(answer.shown)
        said = set(answer.material.entries) & self.entries.keys()  # beside which nothing is said twice
        for item in items:
            with _on_its_own():
                before = [self._untouched(id_, untouched) for id_ in item.ends]
                others = said - set(item.ends) if len(before) > 1 else said
                if any(alike(self.entries[id_].content, item.text) for id_ in others):
                    raise _DroppedError("an entry says it already")
                said.add(self._put(item, before))
                untouched = {id_: entry for id_, entry in untouched.items() if id_ not in item.ends}
        for id_ in archived:
            with _on_its_own():
                entry = decayed(self._untouched(id_, untouched), self._now)
                if entry.section is Section.ACTIVE:
                    self.entries[id_] = _archived(entry)

    def _untouched(self, id_: str, untouched: Mapping[str, Entry]) -> Entry:
        """Return an entry that may be touched. Raises `_DroppedError`."""
        entry, shown = self.entries.get(id_), untouched.get(id_)
        if entry is None or shown is None or shown.content != entry.content or entry.superseded_by:
            raise _DroppedError("an entry is not there as it was shown")
        if entry.is_protected:
            raise _DroppedError("a person keeps an entry")
        return entry

    def _put(self, item: ReadEntry, before: Sequence[Entry]) -> str:
        """Put something new among the entries, in the place of some; return its id. Raises `_DroppedError`."""
        quote = item.quote
        if quote is None:
            raise _DroppedError("neither the user nor the notes say it")
        is_users = quote.origin is Origin.USER and quote.is_certain
        if before:
            self._check(before, quote, is_users)
        new = NewEntry(
            item.text,
            before[0].category if before else item.kind,
            Importance(item.importance),
            expires_at=end_of(item.valid_until) if item.valid_until else None,
            origin=Origin.USER if is_users else before[0].origin if before else Origin.SUMMARY,
            scope=replace(quote.scope, session=""),
            source_session=quote.scope.session,
            replaces=item.ends,
            quote=quote if is_users else None,
        )
        id_ = keep(self.entries, new, new_id(self.entries), now=self._now)
        if before:
            self.entries[id_] = _heir(self.entries[id_], before, quote, self._now)
        for old in before:
            self.entries[old.id] = _archived(self.entries[old.id])
        return id_

    def _check(self, before: Sequence[Entry], quote: Quote, is_users: bool) -> None:
        """Raise `_DroppedError` where a quotation is not enough to put something in the place of entries."""
        if len({(entry.origin is Origin.USER, self._owner_of(entry.scope)) for entry in before}) > 1:
            raise _DroppedError("the entries differ in whose they are, or where they come from")
        if before[0].origin is Origin.USER and not is_users:
            raise _DroppedError("the user has not said it")
        # What names nobody in particular may take up anybody's words.
        if not (_names_nobody(before[0]) or quote.scope.is_for_everybody):
            entrys, speaker = (replace(scope, session="", project="") for scope in (before[0].scope, quote.scope))
            if self._owner_of(entrys) != self._owner_of(speaker):
                raise _DroppedError("somebody else has said it")


def _quotations(material: Material) -> Quotations:
    """Return what may be quoted: entries that hold, notes and what users said.

    The assistant's replies ground nothing: what it found out is in the notes.
    """
    of_entries = [
        of_words(entry.content, entry.origin, replace(entry.scope, session=entry.source_session), entry.last_activated)
        for entry in material.entries.values()
        if entry.origin not in UNTRUSTED and not entry.superseded_by
    ]
    return Quotations([*of_entries, *material.notes, *material.said])


def _names_nobody(entry: Entry) -> bool:
    return replace(entry.scope, session="", project="") == Scope(agent=entry.scope.agent)


def _archived(entry: Entry) -> Entry:
    return entry.with_score(min(entry.score, EXPIRED_SCORE))


def _heir(entry: Entry, before: Sequence[Entry], quote: Quote, now: datetime) -> Entry:
    """Return a new entry with what those had that it takes the place of: owner, sessions, records, age and weight.

    It weighs as much as the heaviest of them did when it was used last, unless the quotation is newer.
    """
    used = max(one.last_activated for one in before)
    score = max(decayed(one, used).score for one in before)
    sessions = {session for one in (entry, *before) for session in one.sessions}
    importance = min((one.importance for one in before if one.importance), key=IMPORTANCES.index, default="")
    scope = before[0].scope
    if _names_nobody(before[0]):  # who speaks takes it over
        scope = replace(entry.scope, project=scope.project)
    whole = replace(
        entry,
        scope=scope,
        hits=sum(one.hits for one in before),
        created_at=min((one.created_at for one in before if one.created_at is not None), default=entry.created_at),
        source_session=joined_sessions(sessions),
        records=tuple(dict.fromkeys(record for one in (*before, entry) for record in one.records)),
        group=next((one.group for one in before if one.group), ""),
        importance=importance or entry.importance,
        expires_at=entry.expires_at or max((one.expires_at for one in before if one.expires_at), default=None),
    )
    if entry.quote and quote.day > used.astimezone().date():
        return whole.with_use(max(score, INITIAL_SCORES[whole.importance]), now)
    return decayed(whole.with_use(score, used), now)
