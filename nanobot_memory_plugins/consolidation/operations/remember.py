"""Something new among the entries: as one more of them, or as another use of the one that says it already."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    alike,
    belonging,
    is_at_hand,
    is_visible,
    new_id,
    plain_group,
)
from nanobot_memory_plugins.consolidation.model.scoring import (
    INITIAL_SCORES,
    Importance,
    activated,
    contradicted,
    decayed,
    restored,
)
from nanobot_memory_plugins.consolidation.operations.changes import content_to_keep
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome, is_point_hidden
from nanobot_memory_plugins.core import InputError, Origin, Scope
from nanobot_memory_plugins.core.protocols import VisibleScopes
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.core.values.session_reading import Quote


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Something to remember, as it comes from a person, a tool or a model.

    ``kind`` is a category, or an instruction; that and what is ``pinned`` stays until somebody ends it. ``scope`` is
    whose it is. ``replaces`` are ids of entries that hold no more. ``quote`` is what it rests on.
    """

    text: str
    kind: str = Category.FACT
    importance: Importance = Importance.HIGH
    group: str = ""
    expires_at: datetime | None = None
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    source_session: str = ""
    pinned: bool = False
    replaces: tuple[str, ...] = ()
    quote: Quote | None = None

    @property
    def is_instruction(self) -> bool:
        """Whether it tells the assistant how to behave."""
        return self.kind == INSTRUCTION

    @property
    def belongs_to(self) -> Scope:
        """The owner of the entry: a project or the person."""
        # A person on the command line names the project that is meant.
        return belonging(self.scope, self.kind) if self.source_session else self.scope


@dataclass(frozen=True, slots=True)
class RememberResult:
    """The entry that holds it now, as it was written; ``is_new`` is false when it was known already.

    ``hidden`` says that a secret was taken out of it.
    """

    entry: Entry
    is_new: bool
    outcome: Outcome
    hidden: bool = False


def keep(
    entries: dict[str, Entry],
    new: NewEntry,
    id_: str,
    *,
    same: str = "",
    now: datetime,
    may_change: Callable[[Entry], bool] = lambda _entry: True,
    is_used: bool = False,
) -> str:
    """Put something new among entries, and return the id of the entry that says it then.

    That is ``same``, the entry that says it already, which is used (once: not where it ``is_used`` in this change); or
    a new one with the id ``id_``. What it replaces is halved and linked to it, as far as it ``may_change``: where that
    had been replaced before, its successor. And who says anew what had been replaced takes it up again: then what
    had taken its place holds no more.
    """
    held = same or id_
    if not same:
        entries[held] = entry_of(new, id_, now)
    elif not is_used:
        entries[held] = _said_again(activated(entries[held], now), new)
    over = dict.fromkeys(
        _last_successor(start, held, entries)
        for start in (*new.replaces, entries[held].superseded_by)
        if start in entries and start != held
    )
    for old in over:
        if old != held and may_change(entries[old]):
            before = decayed(entries[old], now)
            before = replace(before, supersedes=tuple(id_ for id_ in before.supersedes if id_ != held))
            entries[old], entries[held] = contradicted(before, replace(entries[held], superseded_by=""))
    entries[held] = replace(entries[held], superseded_by="")  # what is said now holds now
    return held


def known_in_the_same_words(
    new: NewEntry, entries: Mapping[str, Entry], changeable: Callable[[Entry], bool] | None
) -> str:
    """Return the id of an entry that says the same, rather one that holds, or the empty string.

    ``changeable`` says which entries whoever says it `may_change`; None: only one of the same scope is meant.
    """
    owner = new.belongs_to

    def is_same(entry: Entry) -> bool:
        if changeable is None:
            return entry.scope == owner
        return entry.scope.project in ("", owner.project) and changeable(entry)

    found = [entry for entry in entries.values() if alike(entry.content, new.text) and is_same(entry)]
    return min(found, key=lambda entry: bool(entry.superseded_by)).id if found else ""


def entry_of(new: NewEntry, id_: str, now: datetime) -> Entry:
    """Return something new as an entry that begins now."""
    entry = Entry(
        id=id_,
        content=new.text,
        category=Category.PREFERENCE.value if new.is_instruction else str(new.kind),
        anchor=INITIAL_SCORES[new.importance],
        last_activated=now,
        created_at=now,
        source_session=new.source_session,
        expires_at=new.expires_at,
        group=plain_group(new.group),
        origin=new.origin,
        scope=new.belongs_to,
        kind=INSTRUCTION if new.is_instruction else "",
        pinned=new.pinned,
        importance=new.importance.value,
    )
    return entry.with_quote(new.quote)


def _said_again(entry: Entry, new: NewEntry) -> Entry:
    """Return a known entry with what is said of it now; what only a model had noted becomes the user's word."""
    entry = replace(
        entry,
        group=plain_group(new.group) or entry.group,
        expires_at=new.expires_at or entry.expires_at,
        importance=entry.importance or new.importance.value,
    )
    if new.origin is not Origin.USER:
        return entry
    content = entry.content if entry.origin is Origin.USER else new.text
    entry = replace(entry, content=content, origin=Origin.USER).with_quote(new.quote)
    if new.is_instruction:
        entry = replace(entry, kind=INSTRUCTION, expires_at=new.expires_at)
    return replace(entry, pinned=entry.pinned or new.pinned)


def _last_successor(start: str, held: str, entries: Mapping[str, Entry]) -> str:
    """Return what holds at the end of a chain of successors; ``held`` is not followed."""
    passed = {start}
    while (after := entries[start].superseded_by) in entries and after != held and after not in passed:
        passed.add(after)
        start = after
    return start


def may_change(entry: Entry, speaker: Scope, visible: Visibility, scopes: VisibleScopes) -> bool:
    """Return whether who speaks may change an entry: what they see, from inside a project none of another one.

    In a group chat no other member's is theirs to change.
    """
    return (
        is_visible(entry, visible)
        and (not visible.project or is_at_hand(entry, visible))
        and not (
            speaker.group_chat and entry.scope.user and scopes.owner(entry.scope).user != scopes.owner(speaker).user
        )
    )


def remember(
    repository: EntryRepository,
    new: NewEntry,
    *,
    who: str,
    requested: bool = True,
    changeable: Callable[[Entry], bool] | None = None,
) -> RememberResult:
    """Keep something; what is known in the same words is used, and brought back where it was archived.

    ``changeable`` says which entries who says it `may_change`: one of them with the same words is used instead of a new
    one. None: such an entry must be of the same scope. ``requested`` says that a person wants it: then it is kept
    though it was purged. Raises `InputError` for a text that is a secret, empty, too long or
    purged, and `MemoryFileError`.
    """
    content = content_to_keep(without_private(new.text))
    safe = repository.redacted(content, new.origin)
    if safe != content and is_point_hidden(safe):
        raise InputError(
            "What it says is a secret (a password, a code, a key, or data that is to be hidden), and secrets are never"
            " written into the memory.",
            hint="Keep it in a password manager; remember where it is kept.",
        )
    now = repository.clock.now().replace(microsecond=0)  # for people; nothing needs more
    quote = new.quote and replace(new.quote, text=repository.redacted(new.quote.text, Origin.USER))
    new = replace(new, text=safe, quote=quote)
    held, is_new = "", True

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        nonlocal held, is_new
        same = known_in_the_same_words(new, entries, changeable)
        if same and entries[same].section is Section.ARCHIVED:
            entries[same] = restored(entries[same], now)
        is_new = not same
        held = keep(entries, new, new_id(entries), same=same, now=now)
        return entries

    outcome = repository.update(change, who=who, why="remember", allow_purged=requested)
    entry = outcome.entries.get(held)
    if entry is None:
        raise InputError("This was forgotten for good, and is not taken up again.")
    return RememberResult(entry, is_new, outcome, hidden=safe != content)
