"""Candidates and entries become entries: new, used again, contradicted, faded. Pure functions of the moment."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.consolidation.model.scoring import activated, contradicted, decayed, faded, initial_score
from nanobot_memory_plugins.core import Origin, Scope


@dataclass(frozen=True, slots=True)
class BelievedCandidate:
    """A candidate that is believed. ``id`` is for its entry when it is new.

    ``match`` is the entry that says the same, ``contradicts`` the one that it replaces; both may be gone by now.
    """

    candidate: Candidate
    id: str
    match: str = ""
    contradicts: str = ""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where findings come from: the session, and whose they are."""

    session: str
    scope: Scope = Scope()
    origin: Origin = Origin.USER


@dataclass(frozen=True, slots=True)
class Merged:
    """All entries as they are now, and the ids of those that are new and of those that were used or contradicted."""

    entries: dict[str, Entry]
    new: tuple[str, ...]
    updated: tuple[str, ...]


def merge(
    entries: Mapping[str, Entry],
    findings: Sequence[BelievedCandidate],
    *,
    now: datetime,
    source: Source,
    seen: Collection[str],
    is_visible: Callable[[Entry], bool] = lambda _entry: True,
) -> Merged:
    """Return what becomes of the entries: first what was found, then all fade.

    ``seen`` are the ids with which the findings were compared; what has come since is compared here, by words. An entry
    is used once in a merge, however often it was found.
    """
    state = dict(entries)
    new: dict[str, None] = {}
    updated: dict[str, None] = {}
    others = [id_ for id_ in entries if id_ not in seen]
    for finding in findings:
        known = _known(finding, state, [*others, *new], is_visible)
        if known is None:
            state[finding.id] = _entry(finding, now, source)
            new[finding.id] = None
            known = finding.id
        elif known not in new and known not in updated:
            state[known] = _more(activated(_now_said(state[known], finding, source), now), finding)
            updated[known] = None
        for old in _replaced(finding, known, state):
            before, fresh = decayed(state[old], now), replace(state[known], superseded_by="")
            before = replace(before, supersedes=tuple(id_ for id_ in before.supersedes if id_ != known))
            state[old], state[known] = contradicted(before, fresh)
            if old not in new:
                updated[old] = None
        # What the user says now holds now, whatever had replaced it.
        state[known] = replace(state[known], superseded_by="")
    look = faded(state, now).entries
    return Merged(look, tuple(id_ for id_ in new if id_ in look), tuple(updated))


def _known(
    finding: BelievedCandidate, state: Mapping[str, Entry], others: Sequence[str], is_visible: Callable[[Entry], bool]
) -> str | None:
    """Return the entry that says what was found, or None."""
    if finding.match in state and is_visible(state[finding.match]):
        return finding.match
    for id_ in others:
        other = state.get(id_)
        if other is None or id_ == finding.contradicts or not is_visible(other):
            continue
        if says_the_same(finding.candidate.content, other.content):
            return id_
    return None


def _replaced(finding: BelievedCandidate, known: str, state: Mapping[str, Entry]) -> list[str]:
    """Return the entries that no longer hold because of what was found.

    That is what it contradicts, or where that had been replaced before, its successor. And whoever says anew what had
    been replaced takes it up again: then what had replaced it no longer holds.
    """
    return list(
        dict.fromkeys(
            end
            for start in (finding.contradicts, state[known].superseded_by)
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


def _entry(finding: BelievedCandidate, now: datetime, source: Source) -> Entry:
    candidate = finding.candidate
    return Entry(
        id=finding.id,
        content=candidate.content,
        category=candidate.category.value,
        anchor=initial_score(candidate.importance),
        last_activated=now,
        created_at=now,
        source_session=source.session,
        expires_at=finding.expires_at,
        group=candidate.group,
        origin=source.origin,
        scope=belonging(source.scope, candidate.content, candidate.category),
        importance=candidate.importance.value,
    )


def _now_said(entry: Entry, finding: BelievedCandidate, source: Source) -> Entry:
    """Return what a model had remembered on its own account as the user's, in the words that the user bears out."""
    if source.origin is not Origin.USER or entry.origin is Origin.USER:
        return entry
    return replace(entry, content=finding.candidate.content, origin=Origin.USER)


def _more(entry: Entry, finding: BelievedCandidate) -> Entry:
    """Return an entry with what the finding knows: until when, and a group and an importance where it has none."""
    return replace(
        entry,
        expires_at=finding.expires_at or entry.expires_at,
        group=entry.group or finding.candidate.group,
        importance=entry.importance or finding.candidate.importance.value,
    )
