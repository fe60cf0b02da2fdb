"""What was read and the entries that are known become the entries of now. Pure functions of the moment.

New things are added, what is said again is used, what ended gives way to what took its place, and then all fade.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.consolidation.model.scoring import activated, as_of, contradicted, decayed, initial_score
from nanobot_memory_plugins.consolidation.model.validity import end_of
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.values.session_reading import ReadEntry


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was read. ``id`` is for its entry when it is new.

    ``match`` is the entry that says the same, ``ends`` are those that hold no more; both may be gone by now.
    """

    read: ReadEntry
    id: str
    match: str = ""
    ends: tuple[str, ...] = ()

    @property
    def origin(self) -> Origin:
        """Whose word it is: the user's or the assistant's by its quotation, else the model's own summary."""
        quote = self.read.quote
        return quote.origin if quote is not None and quote.is_certain else Origin.SUMMARY


@dataclass(frozen=True, slots=True)
class Merged:
    """All entries as they are now, and the ids of those that are new and of those that were used or contradicted."""

    entries: dict[str, Entry]
    new: tuple[str, ...]
    updated: tuple[str, ...]


def merge(
    entries: Mapping[str, Entry],
    findings: Sequence[Finding],
    *,
    now: datetime,
    session: str,
    scope: Scope,
    seen: Collection[str],
    is_theirs: Callable[[Entry, Scope], bool],
) -> Merged:
    """Return what becomes of the entries: first what was read, then all fade.

    ``scope`` is the session's, and of a finding whose quotation names a speaker theirs. ``seen`` are the ids with which
    the findings were compared; what has come since is compared here, by words. ``is_theirs`` says whether what somebody
    says may touch an entry. An entry is used once in a merge, however often it was read.
    """
    state = dict(entries)
    new: dict[str, None] = {}
    updated: dict[str, None] = {}
    others = [id_ for id_ in entries if id_ not in seen]
    for finding in findings:
        whose = _whose(finding, scope)
        known = _known(finding, state, [*others, *new], partial(_allowed, is_theirs, whose))
        if known is None:
            known = finding.id
            state[known] = _entry(finding, now, session, whose)
            new[known] = None
        elif known not in new and known not in updated:
            state[known] = _said_again(activated(state[known], now), finding)
            updated[known] = None
        for old in _replaced(finding, known, state):
            if not is_theirs(state[old], whose):
                continue
            before, fresh = decayed(state[old], now), replace(state[known], superseded_by="")
            before = replace(before, supersedes=tuple(id_ for id_ in before.supersedes if id_ != known))
            state[old], state[known] = contradicted(before, fresh)
            if old not in new:
                updated[old] = None
        # What is said now holds now, whatever had replaced it.
        state[known] = replace(state[known], superseded_by="")
    look = {id_: as_of(entry, now) for id_, entry in state.items()}
    return Merged(look, tuple(new), tuple(updated))


def _allowed(is_theirs: Callable[[Entry, Scope], bool], whose: Scope, entry: Entry) -> bool:
    return is_theirs(entry, whose)


def _whose(finding: Finding, scope: Scope) -> Scope:
    """Return whose a finding is: in a group chat the speaker's, or the group's where nobody is quoted."""
    quote = finding.read.quote
    if not scope.group_chat:
        return scope
    speaker = quote.scope if quote is not None and quote.origin is Origin.USER else Scope()
    return replace(scope, user=speaker.user, channel=speaker.channel)


def _known(
    finding: Finding, state: Mapping[str, Entry], others: Sequence[str], is_theirs: Callable[[Entry], bool]
) -> str | None:
    """Return the entry that says what was read, or None."""
    if finding.match in state and is_theirs(state[finding.match]):
        return finding.match
    for id_ in others:
        other = state.get(id_)
        if other is None or id_ in finding.ends or not is_theirs(other):
            continue
        if says_the_same(finding.read.text, other.content):
            return id_
    return None


def _replaced(finding: Finding, known: str, state: Mapping[str, Entry]) -> list[str]:
    """Return the entries that no longer hold because of what was read.

    That is what it ends, or where that had been replaced before, its successor. And whoever says anew what had been
    replaced takes it up again: then what had replaced it no longer holds.
    """
    return list(
        dict.fromkeys(
            end
            for start in (*finding.ends, state[known].superseded_by)
            if start in state and start != known and (end := _last_successor(start, known, state)) != known
        )
    )


def _last_successor(start: str, known: str, state: Mapping[str, Entry]) -> str:
    """Return what holds at the end of a chain of successors; ``known`` is not followed."""
    passed = {start}
    while (after := state[start].superseded_by) in state and after != known and after not in passed:
        passed.add(after)
        start = after
    return start


def _entry(finding: Finding, now: datetime, session: str, scope: Scope) -> Entry:
    read = finding.read
    is_instruction = read.kind == INSTRUCTION
    category = Category.PREFERENCE.value if is_instruction else read.kind
    kind = INSTRUCTION if is_instruction else ""
    return Entry(
        id=finding.id,
        content=read.text,
        category=category,
        anchor=initial_score(read.importance),
        last_activated=now,
        created_at=now,
        source_session=session,
        expires_at=end_of(read.valid_until) if read.valid_until else None,
        origin=finding.origin,
        scope=belonging(scope, category, kind),
        kind=kind,
        # What nobody said for certain is found by a search, and taken up once somebody says it.
        kept_in=Section.ARCHIVED if finding.origin is Origin.SUMMARY else None,
        importance=read.importance,
        quote=read.quote.text if read.quote else "",
        quoted_on=read.quote.day if read.quote else None,
        records=(read.quote.record,) if read.quote and read.quote.record else (),
    )


def _said_again(entry: Entry, finding: Finding) -> Entry:
    """Return a known entry with what the finding knows; what only a model had noted becomes the user's word."""
    read, is_users = finding.read, finding.origin is Origin.USER
    if is_users and read.quote is not None:
        content = entry.content if entry.origin is Origin.USER else read.text
        records = tuple(dict.fromkeys(filter(None, (*entry.records, read.quote.record))))
        words = read.quote
        entry = replace(
            entry, content=content, origin=Origin.USER, quote=words.text, quoted_on=words.day, records=records
        )
    return replace(
        entry,
        expires_at=end_of(read.valid_until) if read.valid_until else entry.expires_at,
        importance=entry.importance or read.importance,
    )
