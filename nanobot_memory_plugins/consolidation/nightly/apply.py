"""Operations applied to entries: each is done or dropped on its own, or all are refused.

What an operation says must be quoted: from what users said, from an entry, or from a note. The quotation decides whose
the entry is, and whether it is the user's own word; no text is judged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time

from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    Entry,
    Section,
    joined_sessions,
    new_id,
    sessions_in,
)
from nanobot_memory_plugins.consolidation.model.scoring import (
    EXPIRED_SCORE,
    Importance,
    activated,
    decayed,
    end_of,
    initial_score,
)
from nanobot_memory_plugins.consolidation.nightly.answer import Operation
from nanobot_memory_plugins.consolidation.nightly.material import UNTRUSTED, Material, of_words
from nanobot_memory_plugins.consolidation.operations.merge_entries import alike, joined, relinked
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, entry_of
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.scopes.scopes import without_session
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values.session_reading import Quote
from nanobot_memory_plugins.redaction.script.messages import Sentence

# A run may drop this many entries, and beyond that this share of them.
_FREE_DROPS, _MOST_DROPPED = 3, 0.25
SAYS_IT_ALREADY = Sentence("an entry says it already")


@dataclass(frozen=True, slots=True)
class Answered:
    """What one call of the model wants done, the entries that it was shown, and what quotations are looked up in."""

    material: Material
    shown: Mapping[str, Entry]
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class AppliedOperation:
    """One operation that was done: its kind, the entry that came of it, the entries that went, and its text."""

    kind: str
    id: str
    text: str
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """The entries after the operations. ``dropped`` says in words what was not done; ``refused`` why nothing was."""

    entries: dict[str, Entry]
    done: tuple[AppliedOperation, ...] = ()
    dropped: tuple[str, ...] = ()
    refused: str = ""


def apply(
    entries: Mapping[str, Entry], answers: Sequence[Answered], *, now: datetime, owner_of: Callable[[Scope], Scope]
) -> Applied:
    """Return the entries with the operations applied in their order.

    An entry that the model was not shown, or whose text has changed since, is nobody's to touch, nor is one that a
    person put among the active ones. Of operations that contradict each other the first counts. When more than a
    quarter of the entries would be archived or merged away, and more than three, nothing is done.
    """
    current, done, dropped = dict(entries), list[AppliedOperation](), list[str]()
    touched: set[str] = set()
    for answer in answers:
        attempt = _Attempt(answer, now, owner_of)
        for operation in answer.operations:
            try:
                current, applied_operation = attempt.applied(operation, current, touched)
            except _DroppedError as why:
                dropped.append(operation.dropped(why.args[0]))
                continue
            touched |= {applied_operation.id, *applied_operation.gone}
            done.append(applied_operation)
    lost = sum(len(operation.gone) + (operation.kind == "archive") for operation in done)
    if lost > _FREE_DROPS and lost > _MOST_DROPPED * len(entries):
        refused = Sentence("it would drop {lost} of {all} entries", lost=lost, all=len(entries))
        return Applied(dict(entries), (), tuple(dropped), refused)
    return Applied(current, tuple(done), tuple(dropped))


class _DroppedError(Exception):
    """An operation is not done; its argument says why."""


class _Attempt:
    """The operations on one material, each tried against the entries as they are by then."""

    def __init__(self, answer: Answered, now: datetime, owner_of: Callable[[Scope], Scope]) -> None:
        material, self._shown = answer.material, answer.shown
        self._now = now
        self._owner_of = owner_of
        known = [
            of_words(
                entry.content, entry.origin, replace(entry.scope, session=entry.source_session), entry.last_activated
            )
            for entry in material.entries.values()
            if entry.origin not in UNTRUSTED
        ]
        # The assistant's replies ground nothing: what it found out is in the notes.
        self._quotations = Quotations([*known, *material.notes, *material.said])

    def applied(
        self, operation: Operation, entries: dict[str, Entry], touched: set[str]
    ) -> tuple[dict[str, Entry], AppliedOperation]:
        """Return the entries with one operation done, and what was done. Raises `_DroppedError`."""
        ids = () if operation.op == "add" else operation.ids
        for id_ in ids:
            self._look_at(id_, entries, touched)
        if operation.op == "archive":
            return self._archived(ids[0], entries)
        known_entries = [entry for id_, entry in entries.items() if id_ in self._shown or id_ in touched]
        if any(alike(entry.content, operation.content) for entry in known_entries if entry.id not in ids):
            raise _DroppedError(SAYS_IT_ALREADY)
        quote = self._quotations.find([*operation.said, operation.content], of_assistant=True)
        if quote is None:
            raise _DroppedError(Sentence("neither the user nor the notes say it"))
        if operation.op == "add":
            entry = self._new(operation, quote, new_id(entries))
            return {**entries, entry.id: entry}, AppliedOperation("add", entry.id, entry.content)
        entry = self._rewritten(operation, quote, [entries[id_] for id_ in ids])
        gone = tuple(id_ for id_ in ids if id_ != entry.id)
        done = AppliedOperation(operation.op, entry.id, operation.content, gone)
        return relinked(entries, gone, entry), done

    def _look_at(self, id_: str, entries: Mapping[str, Entry], touched: set[str]) -> None:
        """Raise `_DroppedError` where an entry cannot be touched."""
        entry, shown = entries.get(id_), self._shown.get(id_)
        if id_ in touched:
            raise _DroppedError(Sentence("another operation has changed the entry {id}", id=id_))
        if entry is None:
            raise _DroppedError(Sentence("there is no entry {id}", id=id_))
        if shown is None or shown.content != entry.content:
            raise _DroppedError(Sentence("the entry {id} is not as it was shown", id=id_))
        if entry.kept_in is Section.ACTIVE:
            raise _DroppedError(Sentence("a person keeps the entry {id}", id=id_))

    def _archived(self, id_: str, entries: dict[str, Entry]) -> tuple[dict[str, Entry], AppliedOperation]:
        entry = decayed(entries[id_], self._now)
        if entry.section is Section.ARCHIVED:
            raise _DroppedError(Sentence("the entry {id} is archived already", id=id_))
        archived = entry.with_score(min(entry.score, EXPIRED_SCORE))
        return {**entries, id_: archived}, AppliedOperation("archive", id_, entry.content)

    def _new(self, operation: Operation, quote: Quote, id_: str) -> Entry:
        new = NewEntry(
            operation.content,
            operation.category,
            operation.importance,
            expires_at=_end(operation) if operation.category is Category.TODO else None,
            origin=Origin.USER if _is_users(quote) else Origin.SUMMARY,
            scope=without_session(quote.scope),
            source_session=quote.scope.session,
        )
        return self._quoted(entry_of(new, id_, self._now), quote)

    def _rewritten(self, operation: Operation, quote: Quote, before: Sequence[Entry]) -> Entry:
        """Return what one entry says anew, or several together. Raises `_DroppedError`."""
        first = before[0]
        if len({(entry.origin is Origin.USER, self._owner_of(entry.scope)) for entry in before}) > 1:
            raise _DroppedError(Sentence("the entries differ in whose they are, or where they come from"))
        if first.origin is Origin.USER and not _is_users(quote):
            raise _DroppedError(Sentence("the user has not said it"))
        if not self._may_change(first, quote):
            raise _DroppedError(Sentence("somebody else has said it"))
        if len(before) == 1 and first.content == operation.content:
            raise _DroppedError(Sentence("the entry {id} says it already", id=first.id))
        if len(before) > 1:
            first = joined(before, operation.content, self._now)
        sources = [quote.scope.session, *(entry.source_session for entry in before)]
        owner = without_session(quote.scope)
        return self._quoted(
            replace(
                first,
                content=operation.content,
                origin=Origin.USER if _is_users(quote) else first.origin,
                expires_at=_end(operation) or first.expires_at,
                source_session=joined_sessions(frozenset().union(*map(sessions_in, sources))),
                # Who speaks takes over what names nobody.
                scope=replace(owner, project=first.scope.project) if _names_nobody(first) else first.scope,
            ),
            quote,
        )

    def _may_change(self, entry: Entry, quote: Quote) -> bool:
        """Return whether the owners of an entry have said what is quoted, or everybody has.

        What names nobody in particular may take up anybody's words.
        """
        if _names_nobody(entry) or quote.scope.is_everybodys:
            return True
        entrys, speaker = (replace(scope, session="", project="") for scope in (entry.scope, quote.scope))
        return self._owner_of(entrys) == self._owner_of(speaker)

    def _quoted(self, entry: Entry, quote: Quote) -> Entry:
        """Return an entry with the user's sentence, and as used on its day, where that is later."""
        if not _is_users(quote):
            return entry
        entry = entry.resting_on(quote)
        said_at = min(datetime.combine(quote.day, time()).astimezone(), self._now)
        if said_at <= entry.last_activated:
            return entry
        used = activated(entry, said_at)
        fresh = initial_score(entry.importance or Importance.MEDIUM)
        return decayed(used if used.score >= fresh else used.with_score(fresh), self._now)


def _end(operation: Operation) -> datetime | None:
    return end_of(operation.expires_at) if operation.expires_at is not None else None


def _names_nobody(entry: Entry) -> bool:
    return replace(entry.scope, session="", project="") == Scope(agent=entry.scope.agent)


def _is_users(quote: Quote) -> bool:
    """Return whether a quotation is a user's word, and said for certain."""
    return quote.origin is Origin.USER and quote.is_certain
