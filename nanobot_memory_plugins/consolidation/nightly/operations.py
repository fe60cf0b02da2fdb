"""The model's answer as operations, and operations applied to entries: each is done or dropped on its own.

What an operation says must be quoted: from what users said, from an entry, or from a note. The quotation decides whose
the entry is, and whether it is the user's own word; no text is judged.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    Entry,
    Section,
    alike,
    content_of,
    joined_sessions,
    new_id,
    plain_words,
    sessions_in,
)
from nanobot_memory_plugins.consolidation.model.scoring import (
    EXPIRED_SCORE,
    IMPORTANCES,
    Importance,
    as_of,
    decayed,
    end_of,
    initial_score,
)
from nanobot_memory_plugins.consolidation.nightly.material import UNTRUSTED, Material, of_words
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, entry_of
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.scopes.scopes import without_session
from nanobot_memory_plugins.core.session_reading.answer import choice, day_of, ids_of, json_in
from nanobot_memory_plugins.core.session_reading.quotes import Quotations, quotations_of
from nanobot_memory_plugins.core.values.scopes import owner
from nanobot_memory_plugins.core.values.session_reading import Quote
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Of an answer; a sensible one is a few thousand characters. More operations are a model that repeats itself.
_ANSWER_CHARS, _LONGEST_CONTENT, _MOST_OPERATIONS = 100_000, 1_000, 200
# How many entries an operation names at least, its name, and how many it is about at most.
_KINDS = {
    "add": (0, Sentence("add"), 0),
    "update": (1, Sentence("update"), None),
    "merge": (2, Sentence("merge"), None),
    "archive": (1, Sentence("archive"), 1),
}
# A run may drop this many entries, and beyond that this share of them.
_FREE_DROPS, _MOST_DROPPED = 3, 0.25
SAYS_IT_ALREADY = Sentence("an entry says it already")


class Operation(BaseModel):
    """One thing that the model wants done.

    ``add`` is for what no entry says yet, ``update`` for an entry that has changed, ``merge`` for ``ids`` that say one
    thing, ``archive`` for one that matters no more. ``said`` are the words that the ``content`` rests on.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    op: Annotated[
        Literal["add", "update", "merge", "archive"], BeforeValidator(lambda value: str(value).strip().casefold())
    ]
    ids: Annotated[tuple[str, ...], BeforeValidator(ids_of)] = ()
    content: Annotated[str, BeforeValidator(content_of), Field(max_length=_LONGEST_CONTENT)] = ""
    said: Annotated[tuple[str, ...], BeforeValidator(quotations_of)] = ()
    category: Annotated[Category, choice(*Category, default=Category.FACT)] = Category.FACT
    importance: Annotated[Importance, choice(*Importance, default=Importance.MEDIUM)] = Importance.MEDIUM
    expires_at: Annotated[date | None, BeforeValidator(day_of)] = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if len(self.ids) < _KINDS[self.op][0] or not (self.content or self.op == "archive"):
            raise ValueError("an entry is not named, or its text is missing")
        return self

    @property
    def ends_at(self) -> datetime | None:
        """The moment with which it is over."""
        return end_of(self.expires_at) if self.expires_at is not None else None

    def dropped(self, why: str) -> Sentence:
        """Return what is said of it where it is not done."""
        return Sentence("{operation}: {why}", operation=_KINDS[self.op][1], why=why)


def read_answer(text: str) -> tuple[list[Operation], list[str]] | None:
    """Return the operations of an answer, and of what kind those are that cannot be used; None where it is no answer.

    A refusal, prose, and an object of something else are none.
    """
    value = json_in(text[:_ANSWER_CHARS])
    if isinstance(value, dict) and value:
        value = [value] if "op" in value else value.get("operations", value) or []
    if not isinstance(value, (list, dict)):
        return None
    rows = [row for row in value if isinstance(row, dict)]
    if value and not rows:
        return None
    operations: dict[Operation, None] = {}
    unusable: list[str] = []
    for row in rows[:_MOST_OPERATIONS]:
        try:
            operations[Operation.model_validate({"ids": row.get("id"), **row})] = None
        except ValidationError as error:
            why = Sentence("it cannot be read ({field})", field=str((error.errors()[0]["loc"] or ("ids",))[0]))
            unusable.append(Sentence("{operation}: {why}", operation=str(row.get("op"))[:20], why=why))
    return list(operations), unusable


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
    person keeps. Of operations that contradict each other the first counts. When more than a
    quarter of the entries would be archived or merged away, and more than three, nothing is done.
    """
    current, done, dropped = dict(entries), list[AppliedOperation](), list[str]()
    for answer in answers:
        attempt = _Attempt(answer, now, owner_of)
        for operation in answer.operations:
            try:
                current, applied_operation = attempt.applied(operation, current)
            except _DroppedError as why:
                dropped.append(operation.dropped(why.args[0]))
            else:
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
        material = answer.material
        self._untouched = dict(answer.shown)
        self._known = set(answer.shown)  # the entries beside which nothing is said twice
        self._now = now
        self._owner_of = owner_of
        of_entries = [
            of_words(
                entry.content, entry.origin, replace(entry.scope, session=entry.source_session), entry.last_activated
            )
            for entry in material.entries.values()
            if entry.origin not in UNTRUSTED
        ]
        # The assistant's replies ground nothing: what it found out is in the notes.
        self._quotations = Quotations([*of_entries, *material.notes, *material.said])

    def applied(self, operation: Operation, entries: dict[str, Entry]) -> tuple[dict[str, Entry], AppliedOperation]:
        """Return the entries with one operation done, and what was done. Raises `_DroppedError`."""
        ids = operation.ids[: _KINDS[operation.op][2]]
        for id_ in ids:
            self._look_at(id_, entries)
        if operation.op == "archive":
            entry = decayed(entries[ids[0]], self._now)
            if entry.section is Section.ARCHIVED:
                raise _DroppedError(Sentence("the entry {id} is archived already", id=entry.id))
            whole = entry.with_score(min(entry.score, EXPIRED_SCORE))
        else:
            others = (entry for id_, entry in entries.items() if id_ in self._known and id_ not in ids)
            if any(alike(entry.content, operation.content) for entry in others):
                raise _DroppedError(SAYS_IT_ALREADY)
            quote = self._quotations.find([*operation.said, operation.content], of_assistant=True)
            if quote is None:
                raise _DroppedError(Sentence("neither the user nor the notes say it"))
            before = [entries[id_] for id_ in ids]
            whole = self._rewritten(operation, quote, before) if ids else self._new(operation, quote, new_id(entries))
        for id_ in ids:
            del self._untouched[id_]
        self._known.add(whole.id)
        gone = tuple(id_ for id_ in ids if id_ != whole.id)
        done = AppliedOperation(operation.op, whole.id, operation.content or whole.content, gone)
        return relinked(entries, gone, whole), done

    def _look_at(self, id_: str, entries: Mapping[str, Entry]) -> None:
        """Raise `_DroppedError` where an entry cannot be touched."""
        entry, shown = entries.get(id_), self._untouched.get(id_)
        if entry is None or shown is None or shown.content != entry.content:
            raise _DroppedError(Sentence("there is no entry {id} as it was shown", id=id_))
        if entry.is_kept:
            raise _DroppedError(Sentence("a person keeps the entry {id}", id=id_))

    def _new(self, operation: Operation, quote: Quote, id_: str) -> Entry:
        is_users = _is_users(quote)
        new = NewEntry(
            operation.content,
            operation.category,
            operation.importance,
            expires_at=operation.ends_at if operation.category is Category.TODO else None,
            origin=Origin.USER if is_users else Origin.SUMMARY,
            scope=without_session(quote.scope),
            source_session=quote.scope.session,
            quote=quote if is_users else None,
        )
        return entry_of(new, id_, self._now)

    def _rewritten(self, operation: Operation, quote: Quote, before: Sequence[Entry]) -> Entry:
        """Return what one entry says anew, or several together. Raises `_DroppedError`."""
        first = joined(before, operation.content, self._now) if len(before) > 1 else before[0]
        if len({(entry.origin is Origin.USER, self._owner_of(entry.scope)) for entry in before}) > 1:
            raise _DroppedError(Sentence("the entries differ in whose they are, or where they come from"))
        if first.origin is Origin.USER and not _is_users(quote):
            raise _DroppedError(Sentence("the user has not said it"))
        if not self._may_change(first, quote):
            raise _DroppedError(Sentence("somebody else has said it"))
        if [entry.content for entry in before] == [operation.content]:
            raise _DroppedError(SAYS_IT_ALREADY)
        sources = [quote.scope.session, *(entry.source_session for entry in before)]
        whole = replace(
            first,
            content=operation.content,
            expires_at=operation.ends_at or first.expires_at,
            source_session=joined_sessions(frozenset().union(*map(sessions_in, sources))),
        )
        if _names_nobody(first):  # who speaks takes it over
            whole = replace(whole, scope=replace(without_session(quote.scope), project=first.scope.project))
        if not _is_users(quote):
            return whole
        whole = replace(whole, origin=Origin.USER).resting_on(quote)
        if quote.day <= first.last_activated.astimezone().date():
            return whole
        return whole.used(max(whole.score, initial_score(whole.importance or Importance.MEDIUM)), self._now)

    def _may_change(self, entry: Entry, quote: Quote) -> bool:
        """Return whether the owners of an entry have said what is quoted, or everybody has.

        What names nobody in particular may take up anybody's words.
        """
        if _names_nobody(entry) or quote.scope.is_everybodys:
            return True
        entrys, speaker = (replace(scope, session="", project="") for scope in (entry.scope, quote.scope))
        return self._owner_of(entrys) == self._owner_of(speaker)


def _names_nobody(entry: Entry) -> bool:
    return replace(entry.scope, session="", project="") == Scope(agent=entry.scope.agent)


def _is_users(quote: Quote) -> bool:
    """Return whether a quotation is a user's word, and said for certain."""
    return quote.origin is Origin.USER and quote.is_certain


def joined(entries: Sequence[Entry], content: str, now: datetime) -> Entry:
    """Return entries as one: that with the highest score, the oldest of equals, with the rest's hits and links.

    It is as old as the oldest and was used when the last one was, and it is of no session where one of them is of none.
    What they weigh is looked at as of that use: a clock that is wrong now has no part in it.
    """
    used = max(entry.last_activated for entry in entries)
    current = [decayed(entry, used) for entry in entries]
    kept = min(current, key=lambda entry: (-entry.score, entry.created_at or now, entry.id))
    ids = {entry.id for entry in current}
    over = dict.fromkeys(id_ for entry in current for id_ in entry.supersedes if id_ not in ids)
    whole = replace(
        kept.used(kept.score, used),
        content=content,
        hits=sum(entry.hits for entry in current),
        created_at=min((entry.created_at for entry in current if entry.created_at is not None), default=None),
        source_session=kept.source_session if all(entry.source_session for entry in current) else "",
        supersedes=tuple(over),
        superseded_by=kept.superseded_by if all(entry.superseded_by for entry in current) else "",
        group=kept.group or next((entry.group for entry in current if entry.group), ""),
        importance=min((entry.importance for entry in current if entry.importance), key=IMPORTANCES.index, default=""),
        expires_at=kept.expires_at or max((entry.expires_at for entry in current if entry.expires_at), default=None),
    )
    return decayed(whole, now)


def relinked(entries: Mapping[str, Entry], ids: Collection[str], whole: Entry) -> dict[str, Entry]:
    """Return the entries with ``whole`` in place of those with ``ids``, and links to it in place of links to them."""
    gone = {*ids} - {whole.id}

    def linked(entry: Entry) -> Entry:
        by = whole.id if entry.superseded_by in gone else entry.superseded_by
        over = dict.fromkeys(whole.id if id_ in gone else id_ for id_ in entry.supersedes)
        over.pop(entry.id, None)
        return replace(entry, superseded_by="" if by == entry.id else by, supersedes=tuple(over))

    return {id_: linked(entry) for id_, entry in {**entries, whole.id: whole}.items() if id_ not in gone}


def tidied(entries: Mapping[str, Entry], now: datetime, owner_of: Callable[[Scope], Scope] = owner) -> dict[str, Entry]:
    """Return the entries as they are now, and those of the same words and owner as one.

    This is what a consolidation does without a model. An entry that a person keeps stays as it is.
    """
    current = {id_: as_of(entry, now) for id_, entry in entries.items()}
    same: dict[tuple[object, ...], list[Entry]] = {}
    for entry in current.values():
        if not entry.is_kept:
            # One that was replaced is history: it is not the same as one that holds.
            plain, by = plain_words(entry.content), entry.superseded_by
            key = (plain, by, owner_of(entry.scope), entry.scope.session, entry.origin, entry.category, entry.section)
            same.setdefault(key, []).append(entry)
    for alike_ones in same.values():
        if len(alike_ones) > 1:
            whole = joined(alike_ones, alike_ones[0].content, now)
            current = relinked(current, [entry.id for entry in alike_ones], whole)
    return current
