"""Applying the model's answers of the daily consolidation: each item is applied or dropped separately.

An answer has the form of a session's reading, and each item must be quoted: from a user's message, an entry, or a note.
The quotation decides who owns the entry, and whether it is the user's own statement; the text itself is not judged.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import is_same_text, join_sessions
from nanobot_memory_plugins.consolidation.model.scoring import (
    EXPIRED_SCORE,
    IMPORTANCES,
    INITIAL_SCORES,
    Importance,
    decay_entry,
    end_of,
)
from nanobot_memory_plugins.consolidation.nightly.material import UNTRUSTED, Material, make_record
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, put_entry
from nanobot_memory_plugins.core import Origin, Scope, logger
from nanobot_memory_plugins.core.session_reading.question import KINDS, ids_of, read_answer
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values.entries import Entry, Section
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, Quote, ReadEntry

ARCHIVE = "archive"
"""The field of the answer with the ids of entries that no longer matter."""
# A run may archive this many entries; more only up to this share of all entries.
_FREE_LOSSES, _MOST_LOST = 3, 0.25


@dataclass(frozen=True, slots=True)
class NightAnswer:
    """The answer to one prompt, the entries that the prompt showed, and the material that the quotations come from."""

    material: Material
    shown: Mapping[str, Entry]
    text: str

    def read(self, now: datetime) -> tuple[Sequence[ReadEntry], Sequence[str]] | None:
        """Return the items of the answer and the ids of the entries to archive; None if the answer is not readable."""
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
    entries: Mapping[str, Entry], answers: Sequence[NightAnswer], *, now: datetime, owner_of: Callable[[Scope], Scope]
) -> dict[str, Entry]:
    """Return the entries with the answers applied in order.

    An entry is unchanged if the model was not shown it, if its text has changed since, or if a person keeps it. Of
    items that contradict each other the first counts. The entries that an item replaces are linked to it and archived.
    If more than three entries and more than a quarter would be lost, nothing is changed.
    """
    changes = _NightlyChanges(dict(entries), now, owner_of)
    for answer in answers:
        changes.apply(answer)
    after = changes.entries
    archived = [id_ for id_, entry in entries.items() if entry.section is not after[id_].section]
    lost = len(archived) - len({after[id_].superseded_by for id_ in archived} - {""})
    if lost > _FREE_LOSSES and lost > _MOST_LOST * len(entries):
        logger.info("consolidation: nothing is done, it would drop {} of {} entries", lost, len(entries))
        return dict(entries)
    return after


class _DroppedError(Exception):
    """An item is dropped; the argument says why."""


@contextmanager
def _skip_dropped() -> Iterator[None]:
    """Log a `_DroppedError` and continue after the block."""
    try:
        yield
    except _DroppedError as why:
        logger.info("consolidation: dropped, {}", why)


class _NightlyChanges:
    """The entries while the answers are applied to them."""

    def __init__(self, entries: dict[str, Entry], now: datetime, owner_of: Callable[[Scope], Scope]) -> None:
        self.entries = entries
        self._now = now
        self._owner_of = owner_of

    def apply(self, answer: NightAnswer) -> None:
        """Apply the items of an answer, and archive the entries that it names."""
        items, ids_to_archive = answer.read(self._now) or ((), ())
        changeable = dict(answer.shown)
        visible = set(answer.material.entries) & self.entries.keys()  # their texts are not added again
        for item in items:
            with _skip_dropped():
                replaced = [self._changeable_entry(id_, changeable) for id_ in item.ends]
                others = visible - set(item.ends) if len(replaced) > 1 else visible
                if any(is_same_text(self.entries[id_].content, item.text) for id_ in others):
                    raise _DroppedError("an entry says it already")
                visible.add(self._add(item, replaced))
                changeable = {id_: entry for id_, entry in changeable.items() if id_ not in item.ends}
        for id_ in ids_to_archive:
            with _skip_dropped():
                entry = decay_entry(self._changeable_entry(id_, changeable), self._now)
                if entry.section is Section.ACTIVE:
                    self.entries[id_] = _archive(entry)

    def _changeable_entry(self, id_: str, changeable: Mapping[str, Entry]) -> Entry:
        """Return an entry if it may be changed. Raises `_DroppedError` otherwise."""
        entry, shown = self.entries.get(id_), changeable.get(id_)
        if entry is None or shown is None or shown.content != entry.content or entry.superseded_by:
            raise _DroppedError("an entry is not there as it was shown")
        if entry.is_protected:
            raise _DroppedError("a person keeps an entry")
        return entry

    def _add(self, item: ReadEntry, replaced: Sequence[Entry]) -> str:
        """Add an item as an entry that takes the place of the ``replaced``; return its id. Raises `_DroppedError`."""
        quote = item.quote
        if quote is None:
            raise _DroppedError("neither the user nor the notes say it")
        is_from_user = quote.origin is Origin.USER and quote.is_certain
        if replaced:
            self._check_quote(replaced, quote, is_from_user)
        new = NewEntry(
            item.text,
            replaced[0].category if replaced else item.kind,
            Importance(item.importance),
            expires_at=end_of(item.valid_until) if item.valid_until else None,
            origin=Origin.USER if is_from_user else replaced[0].origin if replaced else Origin.SUMMARY,
            scope=replace(quote.scope, session=""),
            source_session=quote.scope.session,
            replaces=item.ends,
            quote=quote if is_from_user else None,
        )
        id_ = put_entry(self.entries, new, now=self._now)
        if replaced:
            self.entries[id_] = _inherit(self.entries[id_], replaced, quote, self._now)
        for old in replaced:
            self.entries[old.id] = _archive(self.entries[old.id])
        return id_

    def _check_quote(self, replaced: Sequence[Entry], quote: Quote, is_from_user: bool) -> None:
        """Raise `_DroppedError` if the quotation does not justify replacing the entries."""
        if len({(entry.origin is Origin.USER, self._owner_of(entry.scope)) for entry in replaced}) > 1:
            raise _DroppedError("the entries differ in owner or origin")
        if replaced[0].origin is Origin.USER and not is_from_user:
            raise _DroppedError("the user has not said it")
        # An entry without an owner may be replaced with anybody's words.
        if not (_has_no_owner(replaced[0]) or quote.scope.is_for_everybody):
            owner, speaker = (replace(scope, session="", project="") for scope in (replaced[0].scope, quote.scope))
            if self._owner_of(owner) != self._owner_of(speaker):
                raise _DroppedError("somebody else has said it")


def _quotations(material: Material) -> Quotations:
    """Return what an answer may quote: valid entries, notes and the users' messages.

    The assistant's replies cannot be quoted: its findings are in the notes.
    """
    entry_records = [
        make_record(
            entry.content, entry.origin, replace(entry.scope, session=entry.source_session), entry.last_activated
        )
        for entry in material.entries.values()
        if entry.origin not in UNTRUSTED and not entry.superseded_by
    ]
    return Quotations([*entry_records, *material.notes, *material.messages])


def _has_no_owner(entry: Entry) -> bool:
    return replace(entry.scope, session="", project="") == Scope(agent=entry.scope.agent)


def _archive(entry: Entry) -> Entry:
    return entry.with_score(min(entry.score, EXPIRED_SCORE))


def _inherit(entry: Entry, replaced: Sequence[Entry], quote: Quote, now: datetime) -> Entry:
    """Return a new entry with the owner, sessions, records, age, hits and importance of the entries that it replaces.

    It gets the highest of their scores as of their last use, or at least the initial score if the quotation is newer.
    """
    last_use = max(one.last_activated for one in replaced)
    score = max(decay_entry(one, last_use).score for one in replaced)
    sessions = {session for one in (entry, *replaced) for session in one.sessions}
    importance = min((one.importance for one in replaced if one.importance), key=IMPORTANCES.index, default="")
    scope = replaced[0].scope
    if _has_no_owner(replaced[0]):  # the speaker becomes the owner
        scope = replace(entry.scope, project=scope.project)
    merged = replace(
        entry,
        scope=scope,
        hits=sum(one.hits for one in replaced),
        created_at=min((one.created_at for one in replaced if one.created_at is not None), default=entry.created_at),
        source_session=join_sessions(sessions),
        records=tuple(dict.fromkeys(record for one in (*replaced, entry) for record in one.records)),
        group=next((one.group for one in replaced if one.group), ""),
        importance=importance or entry.importance,
        expires_at=entry.expires_at or max((one.expires_at for one in replaced if one.expires_at), default=None),
    )
    if entry.quote and quote.day > last_use.astimezone().date():
        return merged.with_use(max(score, INITIAL_SCORES[merged.importance]), now)
    return decay_entry(merged.with_use(score, last_use), now)
