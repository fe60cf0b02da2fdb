"""Remembering: a new entry, or another use of the entry that already says the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    canonical_group,
    is_in_project,
    is_same_text,
    is_visible,
    new_id,
    owner_scope,
)
from nanobot_memory_plugins.consolidation.model.scoring import (
    INITIAL_SCORES,
    Importance,
    activate_entry,
    contradict_entry,
    decay_entry,
    restore_entry,
)
from nanobot_memory_plugins.consolidation.operations.changes import content_to_keep
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome, says_only_secrets
from nanobot_memory_plugins.core import InputError, Origin, Scope
from nanobot_memory_plugins.core.protocols import VisibleScopes
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.core.values.session_reading import Quote


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Something to remember, as a person, a tool or a model gives it.

    ``kind`` is a category, or "instruction"; instructions and ``pinned`` entries stay until somebody ends them.
    ``scope`` is where it was said. ``replaces`` are the ids of entries that are no longer true. ``quote`` is the
    sentence that supports it.
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
        """Whether it is a standing instruction to the assistant."""
        return self.kind == INSTRUCTION

    @property
    def owner(self) -> Scope:
        """The scope that owns the entry: the project or the person."""
        # On the command line the person names the project.
        return owner_scope(self.scope, self.kind) if self.source_session else self.scope


@dataclass(frozen=True, slots=True)
class RememberResult:
    """The entry as it was written; ``is_new`` is false when it was already known.

    ``is_redacted`` says that a secret was removed from the text.
    """

    entry: Entry
    is_new: bool
    outcome: Outcome
    is_redacted: bool = False


def put_entry(
    entries: dict[str, Entry],
    new: NewEntry,
    known_id: str = "",
    *,
    now: datetime,
    is_changeable: Callable[[Entry], bool] = lambda _entry: True,
    is_used: bool = False,
) -> str:
    """Put something new among ``entries``, and return the id of the entry that now says it.

    That is a new entry, or ``known_id``, which already says the same and counts as used again unless it ``is_used`` in
    this change already. Each entry that it replaces, or the last successor of that entry, is linked to it and loses
    half its score if it ``is_changeable``. A replaced entry that is stated again replaces its own successor in turn.
    """
    kept_id = known_id or new_id(entries)
    if not known_id:
        entries[kept_id] = entry_of(new, kept_id, now)
    elif not is_used:
        entries[kept_id] = _restate(activate_entry(entries[kept_id], now), new)
    replaced = dict.fromkeys(
        _last_successor(start, kept_id, entries)
        for start in (*new.replaces, entries[kept_id].superseded_by)
        if start in entries and start != kept_id
    )
    for old in replaced:
        if old != kept_id and is_changeable(entries[old]):
            before = decay_entry(entries[old], now)
            before = replace(before, supersedes=tuple(id_ for id_ in before.supersedes if id_ != kept_id))
            entries[old], entries[kept_id] = contradict_entry(before, replace(entries[kept_id], superseded_by=""))
    entries[kept_id] = replace(entries[kept_id], superseded_by="")  # what is said now is true now
    return kept_id


def find_same_text(new: NewEntry, entries: Mapping[str, Entry], is_changeable: Callable[[Entry], bool] | None) -> str:
    """Return the id of an entry with the same text, preferably one that is not replaced, or the empty string.

    ``is_changeable`` says whether the speaker `may_change` an entry. If it is None, only an entry of the same scope is
    found.
    """
    owner = new.owner

    def is_candidate(entry: Entry) -> bool:
        if is_changeable is None:
            return entry.scope == owner
        return entry.scope.project in ("", owner.project) and is_changeable(entry)

    found = [entry for entry in entries.values() if is_same_text(entry.content, new.text) and is_candidate(entry)]
    return min(found, key=lambda entry: bool(entry.superseded_by)).id if found else ""


def entry_of(new: NewEntry, id_: str, now: datetime) -> Entry:
    """Return the entry that something new becomes."""
    entry = Entry(
        id=id_,
        content=new.text,
        category=Category.PREFERENCE.value if new.is_instruction else str(new.kind),
        anchor=INITIAL_SCORES[new.importance],
        last_activated=now,
        created_at=now,
        source_session=new.source_session,
        expires_at=new.expires_at,
        group=canonical_group(new.group),
        origin=new.origin,
        scope=new.owner,
        kind=INSTRUCTION if new.is_instruction else "",
        pinned=new.pinned,
        importance=new.importance.value,
    )
    return entry.with_quote(new.quote)


def _restate(entry: Entry, new: NewEntry) -> Entry:
    """Return a known entry that was stated again; a model's note becomes the user's own when the user states it."""
    entry = replace(
        entry,
        group=canonical_group(new.group) or entry.group,
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


def _last_successor(start: str, kept_id: str, entries: Mapping[str, Entry]) -> str:
    """Return the last entry in the chain of successors of ``start``; the chain ends before ``kept_id``."""
    visited = {start}
    while (after := entries[start].superseded_by) in entries and after != kept_id and after not in visited:
        visited.add(after)
        start = after
    return start


def may_change(entry: Entry, speaker: Scope, visible: Visibility, scopes: VisibleScopes) -> bool:
    """Return whether the speaker may change an entry: it must be visible and of the current project, if there is one.

    In a group chat it must not belong to another member.
    """
    return (
        is_visible(entry, visible)
        and (not visible.project or is_in_project(entry, visible))
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
    is_changeable: Callable[[Entry], bool] | None = None,
) -> RememberResult:
    """Write something new; an entry with the same text counts as used instead, and is restored if it was archived.

    ``is_changeable`` says whether the speaker `may_change` an entry, as `find_same_text` needs it. ``requested`` says
    that a person asked for it: then it is kept although it was purged before. Raises `InputError` for a text that is a
    secret, empty, too long or purged, and `MemoryFileError`.
    """
    content = content_to_keep(without_private(new.text))
    redacted = repository.redact(content, new.origin)
    if redacted != content and says_only_secrets(redacted):
        raise InputError(
            "What it says is a secret (a password, a code, a key, or data that is to be hidden), and secrets are never"
            " written into the memory.",
            hint="Keep it in a password manager; remember where it is kept.",
        )
    now = repository.clock.now().replace(microsecond=0)  # for readability; nothing needs more precision
    quote = new.quote and replace(new.quote, text=repository.redact(new.quote.text, Origin.USER))
    new = replace(new, text=redacted, quote=quote)
    kept_id, is_new = "", True

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        nonlocal kept_id, is_new
        known_id = find_same_text(new, entries, is_changeable)
        if known_id and entries[known_id].section is Section.ARCHIVED:
            entries[known_id] = restore_entry(entries[known_id], now)
        is_new = not known_id
        kept_id = put_entry(entries, new, known_id, now=now)
        return entries

    outcome = repository.update(change, who=who, why="remember", allow_purged=requested)
    entry = outcome.entries.get(kept_id)
    if entry is None:
        raise InputError("This was forgotten for good, and is not taken up again.")
    return RememberResult(entry, is_new, outcome, is_redacted=redacted != content)
