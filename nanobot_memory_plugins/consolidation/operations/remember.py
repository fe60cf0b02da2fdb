"""What people and the model ask for in so many words: remember this, forget that, put it into a group."""

from collections.abc import Callable, Collection
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
    initial_score,
    restored,
)
from nanobot_memory_plugins.consolidation.model.tags import plain_tags
from nanobot_memory_plugins.consolidation.operations.merge_entries import alike
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import InputError, Origin, Scope
from nanobot_memory_plugins.core.errors import SecretNotKeptError
from nanobot_memory_plugins.core.files import MemoryPaths, last_records
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
    replaces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
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
    is_hidden = safe != content
    now = repository.clock.now().replace(microsecond=0)  # for people; nothing needs more
    if said.source_session:  # a person on the command line names the project that is meant
        said = replace(said, scope=belonging(said.scope, said.category, said.kind))
    said = replace(said, quote=repository.redacted(said.quote, Origin.USER))
    known = fresh = ""

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        nonlocal known, fresh
        same = [one for one in entries.values() if alike(one.content, safe) and _is_same(one, said)]
        if same:
            known = same[0].id
            used = restored(same[0], now) if same[0].section is Section.ARCHIVED else same[0]
            if said.origin is Origin.USER:  # the same words, and now they are the user's
                used = replace(used, origin=Origin.USER, quote=said.quote, quoted_on=said.quoted_on)
                used = replace(used, records=tuple(dict.fromkeys((*used.records, *said.records))))
            used = replace(
                activated(used, now),
                group=plain_group(said.group) or used.group,
                expires_at=said.expires_at or used.expires_at,
                tags=plain_tags((*used.tags, *said.tags)),
            )
            return _without_replaced({**entries, known: _as_asked(used, said)}, known, said)
        known, fresh = "", new_id(entries)
        return _without_replaced({**entries, fresh: _entry(fresh, safe, said, now)}, fresh, said)

    outcome = repository.update(change, who=who, why="remember", allow_purged=asked, is_redacted=True)
    entry = outcome.entries.get(known or fresh)
    if entry is None:
        raise InputError("This was forgotten for good, and is not taken up again.")
    return RememberResult(entry, not known, outcome, hidden=is_hidden, is_cut=is_cut)


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


def put_tags(
    repository: EntryRepository, ids: Collection[str], tags: Collection[str], without: Collection[str], *, who: str
) -> Outcome:
    """Put tags to entries, and take others from them. Raises `InputError` for an unknown id."""
    gone = {tag.casefold() for tag in plain_tags(without)}

    def tagged(entry: Entry) -> Entry:
        return replace(entry, tags=tuple(tag for tag in plain_tags((*entry.tags, *tags)) if tag.casefold() not in gone))

    return change_each(repository, ids, tagged, who=who, why="tags")


def _entry(id_: str, content: str, said: NewEntry, now: datetime) -> Entry:
    return Entry(
        id=id_,
        content=content,
        category=said.category.value,
        anchor=initial_score(said.importance),
        last_activated=now,
        created_at=now,
        source_session=said.source_session,
        expires_at=said.expires_at,
        group=plain_group(said.group),
        origin=said.origin,
        scope=said.scope,
        kind=said.kind,
        pinned=said.pinned,
        importance=said.importance.value,
        kept_in=Section.ACTIVE if said.kind or said.pinned else None,
        tags=plain_tags(said.tags),
        quote=said.quote,
        quoted_on=said.quoted_on,
        records=said.records,
    )


def _as_asked(entry: Entry, said: NewEntry) -> Entry:
    """Return a known entry that stays, where it is now to be pinned or followed."""
    if not (said.kind or said.pinned):
        return entry
    return replace(
        entry,
        kind=said.kind or entry.kind,
        pinned=entry.pinned or said.pinned,
        kept_in=Section.ACTIVE,
        superseded_by="",
        expires_at=said.expires_at if said.kind else entry.expires_at,
    )


def _without_replaced(entries: dict[str, Entry], by: str, said: NewEntry) -> dict[str, Entry]:
    """Return the entries with those that the one with the id ``by`` takes the place of marked as over."""
    for id_ in said.replaces:
        if id_ in entries and id_ != by:
            entries[id_], entries[by] = contradicted(entries[id_], entries[by])
    return entries


def _is_same(entry: Entry, said: NewEntry) -> bool:
    """Return whether an entry with the same words is what was said; in a group chat each has their own facts."""
    if said.visible is None:
        return entry.scope == said.scope
    whose = entry.scope.user == said.scope.user or not said.scope.group_chat
    return whose and entry.scope.project in ("", said.scope.project) and said.visible.allows(whole_scope(entry))


def require(entries: dict[str, Entry], ids: Collection[str]) -> None:
    """Raise `InputError` unless there are entries of all these ids."""
    missing = sorted(set(ids) - entries.keys())
    if missing:
        raise InputError(
            Sentence("There is no entry {missing}.", missing=", ".join(missing)),
            hint="`nanobot-memory entries list` shows all.",
        )
