"""Operations applied to entries, as a pure function: each is done or dropped on its own, or all are refused.

What an operation says must be quoted: from what users said, from an entry, or from a note. The quotation decides whose
the entry is, and whether it is the user's own word; no text is judged.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section, joined_sessions, sessions_in
from nanobot_memory_plugins.consolidation.model.scoring import (
    EXPIRED_SCORE,
    Importance,
    activated,
    decayed,
    initial_score,
)
from nanobot_memory_plugins.consolidation.nightly.answer import Add, ArchiveEntry, Merge, Operation, Update
from nanobot_memory_plugins.consolidation.nightly.inputs import UNTRUSTED, NightlyMaterial, Owner, trusted
from nanobot_memory_plugins.consolidation.operations.merge_entries import alike, joined, relinked
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.scopes.scopes import without_session
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values.scopes import owner
from nanobot_memory_plugins.core.values.session_reading import Quote
from nanobot_memory_plugins.redaction.script.messages import Sentence

# A run may drop this many entries, and beyond that this share of them.
_FREE_DROPS = 3
_MOST_DROPPED = 0.25


@dataclass(frozen=True, slots=True)
class ProposedOperation:
    """An operation with the id that an added entry gets. ``known_as`` is the entry that says the same already."""

    operation: Operation
    new_id: str
    known_as: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """What one call of the model wants, the entries that it was shown, and what quotations are looked up in."""

    material: NightlyMaterial
    shown: Mapping[str, Entry]
    wishes: tuple[ProposedOperation, ...]


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


def apply(entries: Mapping[str, Entry], jobs: Sequence[Job], *, now: datetime, owner_of: Owner = owner) -> Applied:
    """Return the entries with the operations applied in their order.

    An entry that is not in its job's material, or whose text has changed since, is nobody's to touch, nor is one that a
    person put among the active ones. Of operations that contradict each other the first counts. When more than a
    quarter of the entries would be archived or merged away, and more than three, nothing is done.
    """
    state = _State(dict(entries), now, owner_of)
    for job in jobs:
        state.begin(job)
        for wish in job.wishes:
            state.take(wish)
    lost = len(state.lost)
    if lost > _FREE_DROPS and lost > _MOST_DROPPED * len(entries):
        refused = Sentence("it would drop {lost} of {all} entries", lost=lost, all=len(entries))
        return Applied(dict(entries), (), tuple(state.dropped), refused)
    return Applied(state.entries, tuple(state.done), tuple(state.dropped))


_OPERATIONS = {
    "add": Sentence("add"),
    "merge": Sentence("merge"),
    "update": Sentence("update"),
    "archive": Sentence("archive"),
}


@dataclass
class _State:
    """The entries while operations are applied."""

    entries: dict[str, Entry]
    now: datetime
    owner_of: Owner
    done: list[AppliedOperation] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    _touched: set[str] = field(default_factory=set)

    def begin(self, job: Job) -> None:
        """Take up the operations on one material."""
        material, self._shown = job.material, job.shown
        told = [
            _record(one.content, one.origin, replace(one.scope, session=one.source_session), one.last_activated)
            for one in trusted(material.entries)
        ]
        told += [_record(note.text, note.origin, note.whose, note.time) for note in material.notes[::-1]]
        told += [
            _record(one.text, Origin.USER if one.by_user else Origin.ASSISTANT, one.whose, one.time)
            for one in material.spoken
        ]
        self._said = Quotations([one for one in told if one.origin is Origin.USER])
        # The assistant's replies ground nothing: what it found out stands in the notes.
        self._noted = Quotations(told[: len(told) - len(material.spoken)])

    def take(self, wish: ProposedOperation) -> None:
        """Do an operation, or note why it is not done."""
        do: Mapping[type[Operation], Callable[[ProposedOperation], str]] = {
            Add: self._add,
            Merge: self._merge,
            Update: self._update,
            ArchiveEntry: self._archive,
        }
        why = do[type(wish.operation)](wish)
        if why:
            self.dropped.append(Sentence("{operation}: {why}", operation=_OPERATIONS[wish.operation.op], why=why))

    def _add(self, wish: ProposedOperation) -> str:
        assert isinstance(wish.operation, Add)  # noqa: S101  # `take` has chosen by it
        add = wish.operation
        if wish.known_as in self.entries or any(alike(one.content, add.content) for one in self._of_scope()):
            return "an entry says it already"
        quote = self._quoted(add.content, add.said)
        if quote is None:
            return Sentence("neither the user nor the notes say it")
        if wish.new_id in self.entries:
            return "its id is taken"
        is_users = _is_users(quote)
        self.entries[wish.new_id] = Entry(
            id=wish.new_id,
            content=add.content,
            category=add.category.value,
            anchor=initial_score(add.importance),
            last_activated=self.now,
            created_at=self.now,
            source_session=quote.scope.session,
            expires_at=add.expires_at if add.category is Category.TODO else None,
            importance=add.importance.value,
            origin=Origin.USER if is_users else Origin.SUMMARY,
            scope=belonging(without_session(quote.scope), add.category),
            quote=quote.text if is_users else "",
            quoted_on=quote.day if is_users else None,
        )
        self._touched.add(wish.new_id)
        self.done.append(AppliedOperation("add", wish.new_id, add.content))
        return ""

    def _merge(self, wish: ProposedOperation) -> str:
        assert isinstance(wish.operation, Merge)  # noqa: S101  # `take` has chosen by it
        merge = wish.operation
        ids = [id_ for id_ in merge.ids if id_ in self.entries]
        why = self._why_not(ids)
        if why or len(ids) < 2:
            return why or Sentence("there are not two of the entries {ids}", ids=", ".join(merge.ids))
        merged = [self.entries[id_] for id_ in ids]
        if len({(one.origin in UNTRUSTED, one.origin is Origin.USER, self.owner_of(one.scope)) for one in merged}) > 1:
            return Sentence("the entries differ in whose they are, or where they come from")
        quote = self._quoted(merge.content, merge.said)
        if quote is None or (merged[0].origin is Origin.USER and not _is_users(quote)):
            return Sentence("neither the entries nor the notes say it")
        if not self._is_theirs(merged[0], quote):
            return Sentence("somebody else has said it")
        one = self._used(_taken_from(joined(merged, merge.content, self.now), merged, quote), quote)
        gone = tuple(id_ for id_ in ids if id_ != one.id)
        self.entries = relinked({**self.entries, one.id: one}, gone, one.id)
        self.lost |= set(gone)
        self._touched |= set(ids)
        self.done.append(AppliedOperation("merge", one.id, merge.content, gone))
        return ""

    def _update(self, wish: ProposedOperation) -> str:
        assert isinstance(wish.operation, Update)  # noqa: S101  # `take` has chosen by it
        update = wish.operation
        why = self._why_not([update.id])
        if why:
            return why
        before = self.entries[update.id]
        if before.content == update.content:
            return Sentence("the entry {id} says it already", id=update.id)
        quote = self._quoted(update.content, update.said)
        if before.origin in UNTRUSTED or quote is None:
            return Sentence("neither the entries nor the notes say it")
        if before.origin is Origin.USER and not _is_users(quote):
            return Sentence("the user has not said it")
        if any(alike(one.content, update.content) for one in self._of_scope() if one.id != update.id):
            return Sentence("another entry says it already")
        if not self._is_theirs(before, quote):
            return Sentence("somebody else has said it")
        one = replace(
            _taken_from(before, [before], quote),
            content=update.content,
            origin=Origin.USER if _is_users(quote) else before.origin,
            expires_at=update.expires_at or before.expires_at,
        )
        self.entries[update.id] = self._used(one, quote)
        self._touched.add(update.id)
        self.done.append(AppliedOperation("update", update.id, update.content))
        return ""

    def _archive(self, wish: ProposedOperation) -> str:
        assert isinstance(wish.operation, ArchiveEntry)  # noqa: S101  # `take` has chosen by it
        id_ = wish.operation.id
        why = self._why_not([id_])
        if why:
            return why
        entry = decayed(self.entries[id_], self.now)
        if entry.section is Section.ARCHIVED:
            return Sentence("the entry {id} is archived already", id=id_)
        self.entries[id_] = entry.with_score(min(entry.score, EXPIRED_SCORE))
        self.lost.add(id_)
        self._touched.add(id_)
        self.done.append(AppliedOperation("archive", id_, entry.content))
        return ""

    def _quoted(self, text: str, said: Sequence[str]) -> Quote | None:
        """Return the sentence that an operation rests on: a user's, else one of the notes and entries, or None."""
        words = [*said, text]
        return self._said.find(words) or self._noted.find(words, of_assistant=True)

    def _is_theirs(self, entry: Entry, quote: Quote) -> bool:
        """Return whether those whose an entry is have said what is quoted, or everybody has.

        What names nobody in particular may take up anybody's words.
        """
        entrys, speaker = without_session(entry.scope), without_session(quote.scope)
        if replace(entrys, project="") == Scope(agent=entrys.agent) or quote.scope.is_everybodys:
            return True
        return self.owner_of(replace(entrys, project="")) == self.owner_of(replace(speaker, project=""))

    def _used(self, entry: Entry, quote: Quote) -> Entry:
        """Return a changed entry with the user's sentence, and as used on its day, where that is later."""
        if not _is_users(quote):
            return entry
        entry = replace(entry, quote=quote.text, quoted_on=quote.day)
        said_at = min(datetime.combine(quote.day, time()).astimezone(), self.now)
        if said_at <= entry.last_activated:
            return entry
        used = activated(entry, said_at)
        fresh = initial_score(entry.importance or Importance.MEDIUM)
        return decayed(used if used.score >= fresh else used.with_score(fresh), self.now)

    def _why_not(self, ids: Collection[str]) -> str:
        """Return why these entries cannot be touched, or nothing."""
        for id_ in ids:
            there, shown = self.entries.get(id_), self._shown.get(id_)
            if there is None and id_ not in self._touched:
                return Sentence("there is no entry {id}", id=id_)
            if id_ in self._touched or there is None:
                return Sentence("another operation has changed the entry {id}", id=id_)
            if shown is None or shown.content != there.content:
                return Sentence("the entry {id} is not as it was shown", id=id_)
            if there.kept_in is Section.ACTIVE:
                return Sentence("a person keeps the entry {id}", id=id_)
        return ""

    def _of_scope(self) -> list[Entry]:
        return [one for id_, one in self.entries.items() if id_ in self._shown or id_ in self._touched]


def _record(text: str, origin: Origin, whose: Scope, time: datetime) -> TranscriptRecord:
    """Return something that may be quoted; what is no user's word counts as the assistant's."""
    by = Origin.USER if origin is Origin.USER else Origin.ASSISTANT
    return TranscriptRecord(by.value, text, whose.session, whose, by, time=time)


def _is_users(quote: Quote) -> bool:
    """Return whether a quotation is a user's word, and said for certain."""
    return quote.origin is Origin.USER and quote.is_certain


def _taken_from(entry: Entry, before: Sequence[Entry], quote: Quote) -> Entry:
    """Return an entry with the sessions of all that it is made of, and the speaker's where it named nobody."""
    sessions = frozenset().union(*(sessions_in(one.source_session) for one in before), sessions_in(quote.scope.session))
    names_nobody = replace(without_session(entry.scope), project="") == Scope(agent=entry.scope.agent)
    scope = replace(without_session(quote.scope), project=entry.scope.project) if names_nobody else entry.scope
    return replace(entry, source_session=joined_sessions(sessions), scope=scope)
