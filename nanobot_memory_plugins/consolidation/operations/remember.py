"""What people and the model ask for in so many words: remember this, forget that, put it into a group."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.model.entry import (
    Category,
    Entry,
    Section,
    content_of,
    new_id,
    sessions_in,
    whole_scope,
)
from nanobot_memory_plugins.consolidation.model.groups import plain_group
from nanobot_memory_plugins.consolidation.model.redacted_content import is_point_hidden
from nanobot_memory_plugins.consolidation.model.scoring import (
    Importance,
    activated,
    contradicted,
    decayed,
    initial_score,
    restored,
)
from nanobot_memory_plugins.consolidation.operations.merge_entries import alike
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import InputError, Origin, Scope
from nanobot_memory_plugins.core.errors import SecretNotKeptError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Characters of a text that is remembered; more is no fact any more.
MOST_CHARACTERS = 2_000
# Records of a session among which an answer is looked for, the last ones.
_MOST_RECORDS = 20_000
# Why a run forgot entries.
FORGET = "forget"


@dataclass(frozen=True, slots=True)
class NewEntry:
    """Something to remember, as it comes from a person, a tool or a model.

    ``scope`` is whose it is. ``visible`` is what whoever says it may see: an entry among that with the same words is
    used instead of a second one. None: such an entry must be of the same scope. ``kind`` and ``pinned`` are those of an
    `Entry`; what has one of them stays until somebody ends it. ``replaces`` are ids of entries that hold no more.
    ``quote`` is the sentence that it rests on, said on ``quoted_on``.
    """

    text: str
    category: Category = Category.FACT
    importance: Importance = Importance.HIGH
    group: str = ""
    expires_at: datetime | None = None
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    source_session: str = ""
    visible: Visibility | None = None
    kind: str = ""
    pinned: bool = False
    kept_in: Section | None = None
    replaces: tuple[str, ...] = ()
    quote: str = ""
    quoted_on: date | None = None
    records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RememberResult:
    """The entry that holds it now, as it was written; ``is_new`` is false when it was known already.

    ``hidden`` says that a secret was taken out of it, ``is_cut`` that its end was left off: it was too long.
    """

    entry: Entry
    is_new: bool
    outcome: Outcome
    hidden: bool = False
    is_cut: bool = False


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
            before = replace(before, supersedes=tuple(one for one in before.supersedes if one != held))
            entries[old], entries[held] = contradicted(before, replace(entries[held], superseded_by=""))
    entries[held] = replace(entries[held], superseded_by="")  # what is said now holds now
    return held


def entry_of(new: NewEntry, id_: str, now: datetime) -> Entry:
    """Return something new as an entry that begins now."""
    return Entry(
        id=id_,
        content=new.text,
        category=new.category.value,
        anchor=initial_score(new.importance),
        last_activated=now,
        created_at=now,
        source_session=new.source_session,
        expires_at=new.expires_at,
        group=plain_group(new.group),
        origin=new.origin,
        # A person on the command line names the project that is meant.
        scope=belonging(new.scope, new.category, new.kind) if new.source_session else new.scope,
        kind=new.kind,
        pinned=new.pinned,
        importance=new.importance.value,
        kept_in=new.kept_in or (Section.ACTIVE if new.kind or new.pinned else None),
        quote=new.quote,
        quoted_on=new.quoted_on,
        records=new.records,
    )


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
    entry = replace(
        entry,
        content=entry.content if entry.origin is Origin.USER else new.text,
        origin=Origin.USER,
        quote=new.quote,
        quoted_on=new.quoted_on,
        records=tuple(dict.fromkeys((*entry.records, *new.records))),
    )
    if not (new.kind or new.pinned):
        return entry
    return replace(
        entry,
        kind=new.kind or entry.kind,
        pinned=entry.pinned or new.pinned,
        kept_in=Section.ACTIVE,
        expires_at=new.expires_at if new.kind else entry.expires_at,
    )


def _last_successor(start: str, held: str, entries: Mapping[str, Entry]) -> str:
    """Return what holds at the end of a chain of successors; ``held`` is not followed."""
    passed = {start}
    while (after := entries[start].superseded_by) in entries and after != held and after not in passed:
        passed.add(after)
        start = after
    return start


def remember(repository: EntryRepository, said: NewEntry, *, who: str, asked: bool = True) -> RememberResult:
    """Keep something; what is known in the same words is used, and brought back where it was archived.

    ``asked`` says that a person wants it: then it is kept though it was purged. Raises `SecretNotKeptError` where what
    it says is a secret, `InputError` for an empty text or one that was purged, and `MemoryFileError`.
    """
    content = content_of(said.text[: 4 * MOST_CHARACTERS])
    is_cut = len(content) > MOST_CHARACTERS
    if is_cut:
        content = content[: MOST_CHARACTERS - 1].rstrip() + "…"
    if not content:
        raise InputError("There is no text to remember.")
    safe = repository.redacted(content, said.origin)
    if safe != content and is_point_hidden(safe):
        raise SecretNotKeptError(
            "What it says is a secret (a password, a code, a key, or data that is to be hidden), and secrets are never"
            " written into the memory.",
            hint="Keep it in a password manager; remember where it is kept.",
        )
    now = repository.clock.now().replace(microsecond=0)  # for people; nothing needs more
    said = replace(said, text=safe, quote=repository.redacted(said.quote, Origin.USER))
    held, is_new = "", True

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        nonlocal held, is_new
        whose = belonging(said.scope, said.category, said.kind) if said.source_session else said.scope
        found = (one for one in entries.values() if alike(one.content, safe) and _is_same(one, said, whose))
        same = next(found, None)
        if same is not None and same.section is Section.ARCHIVED:
            entries[same.id] = restored(same, now)
        is_new = same is None
        held = keep(entries, said, new_id(entries), same=same.id if same else "", now=now)
        return entries

    outcome = repository.update(change, who=who, why="remember", allow_purged=asked, is_redacted=True)
    entry = outcome.entries.get(held)
    if entry is None:
        raise InputError("This was forgotten for good, and is not taken up again.")
    return RememberResult(entry, is_new, outcome, hidden=safe != content, is_cut=is_cut)


def change_each(
    repository: EntryRepository,
    ids: Collection[str],
    changed: Callable[[Entry], Entry],
    *,
    who: str,
    why: str,
    is_redacted: bool = False,
) -> Outcome:
    """Change some entries, each on its own. Raises `InputError` for an unknown id, and `MemoryFileError`."""

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        require(entries, ids)
        return {id_: changed(entry) if id_ in ids else entry for id_, entry in entries.items()}

    return repository.update(change, who=who, why=why, is_redacted=is_redacted)


def forget(repository: EntryRepository, ids: Collection[str], *, who: str) -> Outcome:
    """Archive entries as forgotten, and hide the messages they came from. Raises `InputError` for an unknown id."""

    def forgotten(entry: Entry) -> Entry:
        return replace(entry, hides=(entry.id, *hidden_with(repository.paths, entry)))

    return change_each(repository, ids, forgotten, who=who, why=FORGET, is_redacted=True)


def hidden_with(paths: MemoryPaths, entry: Entry) -> tuple[str, ...]:
    """Return the ids of the messages that an entry came from, and of what the assistant answered to them."""
    found = dict.fromkeys(entry.records)
    for session in sessions_in(entry.source_session) if found else ():
        is_answer = False
        try:
            records = last_records(paths.transcript(session), session, _MOST_RECORDS)
        except OSError:
            continue
        for record in records:
            is_answer = record.id in entry.records or (is_answer and record.origin is Origin.ASSISTANT)
            if is_answer:
                found[record.id] = None
    return tuple(found)


def put_into_group(repository: EntryRepository, ids: Collection[str], group: str, *, who: str) -> Outcome:
    """Put entries into a group, or with an empty name into none. Raises `InputError` for an unknown id."""
    name = plain_group(group)
    return change_each(repository, ids, lambda entry: replace(entry, group=name), who=who, why="group")


def _is_same(entry: Entry, said: NewEntry, whose: Scope) -> bool:
    """Return whether an entry with the same words is what was said; in a group chat each has their own facts."""
    if said.visible is None:
        return entry.scope == whose
    is_speakers = entry.scope.user == whose.user or not whose.group_chat
    return is_speakers and entry.scope.project in ("", whose.project) and said.visible.allows(whole_scope(entry))


def require(entries: dict[str, Entry], ids: Collection[str]) -> None:
    """Raise `InputError` unless there are entries of all these ids."""
    missing = sorted(set(ids) - entries.keys())
    if missing:
        raise InputError(
            Sentence("There is no entry {missing}.", missing=", ".join(missing)),
            hint="`nanobot-memory entries list` shows all.",
        )
