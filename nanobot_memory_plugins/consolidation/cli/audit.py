"""What is wrong with the entries, and what fixes it. Pure functions with the moment as an argument; nothing is written.

What is found is a hint for a person: nothing is deleted because of it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.model.redacted_content import is_point_hidden
from nanobot_memory_plugins.consolidation.model.validity import last_day
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.render import best_entries, entries_in_prompt
from nanobot_memory_plugins.core.text.evidence import is_refusal, says_nothing
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Lighter entries say nothing: what grounding asks of a candidate.
_LEAST_WEIGHT = 0.75
# The share of an entry's weight that one of the same meaning holds at least, whatever vectors say.
_SHARED = 0.5
# Below this share of letters a longer text was written by a machine: a log line, a dump, a path.
_LETTERS, _LONG_ENOUGH = 0.5, 20
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_MACHINE = re.compile(
    r"^\s*[\[{<]|\bTraceback \(most recent|^\s*(?:https?://\S+|/\S+)\s*$|^\s*at [\w.$]+\(", re.MULTILINE
)

Cosine = Callable[[str, str], float | None]


class FaultKind(StrEnum):
    """The kinds of fault."""

    JUNK = "junk"
    HIDDEN = "hidden"
    NEAR_DUPLICATE = "near-duplicate"
    STALE = "stale"
    NEVER_RECALLED = "never recalled"
    OVER_BUDGET = "over budget"
    EXPIRED = "expired todo"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``ids`` are the entries that it is about, those first that the fix takes away."""

    kind: FaultKind
    ids: tuple[str, ...]
    why: str
    hint: str


@dataclass(frozen=True, slots=True)
class AuditLimits:
    """Days after which an entry counts as stale, and days that a new one is given to be recalled."""

    stale_days: int = 90
    recall_days: int = 30


def audit(
    entries: Mapping[str, Entry],
    *,
    now: datetime,
    options: ConsolidationOptions,
    recalled: Collection[str] = (),
    recorded_since: datetime | None = None,
    limits: AuditLimits = AuditLimits(),
    cosine: Cosine = lambda _one, _other: None,
) -> list[Fault]:
    """Return the faults of entries, which have faded up to ``now``.

    ``recalled`` are ids that some turn got since ``recorded_since``; None: nothing was recorded, so that none counts as
    never recalled. ``cosine`` compares two texts by meaning, or returns None: then words alone decide what is a
    duplicate. What a person put among the active entries is neither stale nor never recalled.
    """
    return [
        *_junk(entries),
        *_hidden(entries),
        *_duplicates(entries, cosine),
        *_stale(entries, now, limits),
        *(_never_recalled(entries, now, limits, recalled, recorded_since, options) if recorded_since else ()),
        *_over_budget(entries, options),
        *_expired(entries, now),
        *_contradicted(entries),
    ]


def rates(faults: Collection[Fault], entries: Collection[str]) -> dict[str, float]:
    """Return for each kind of fault the share of the entries that have it, 0 to 1.

    Of a pair the one counts that the fix takes away.
    """
    whole = len(entries) or 1
    found: defaultdict[FaultKind, set[str]] = defaultdict(set)
    for fault in faults:
        found[fault.kind].update(fault.ids[:1])
    return {kind.value: len(found[kind]) / whole for kind in FaultKind}


def junk_in(text: str) -> str:
    """Return why a text is no memory, or the empty string."""
    own = wording(text)
    plain = "".join(_NUMBER.sub("0", text).split())  # a date or an order's number is one thing, however long
    letters = sum(character.isalpha() for character in plain)
    if says_nothing(text) or is_refusal(text):
        return Sentence("a model's way of saying nothing")
    if _MACHINE.search(text) or (len(text) >= _LONG_ENOUGH and letters < _LETTERS * len(plain)):
        return Sentence("output of a machine")
    return Sentence("it says nothing") if own.weight < _LEAST_WEIGHT else ""


def candidate_pairs(entries: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """Yield pairs of ids of one scope that hold for now and share half of one's words, each pair once.

    Only the rarest words of an entry are looked up, as many as weigh more than half: two that share half of their
    weight share one of them.
    """
    current = {id_: entry for id_, entry in entries.items() if not entry.superseded_by}
    words = {id_: wording(entry.content) for id_, entry in current.items()}
    with_term: defaultdict[str, list[str]] = defaultdict(list)
    for id_, own in words.items():
        for term in own.terms:
            with_term[term].append(id_)
    seen: set[tuple[str, str]] = set()
    for id_, own in words.items():
        looked_at = 0.0
        for term in sorted(own.terms, key=lambda one: (len(with_term[one]), one)):
            if looked_at > (1 - _SHARED) * own.weight + 1e-9:
                break
            looked_at += own.terms[term]
            for other in with_term[term]:
                pair = (min(id_, other), max(id_, other))
                if id_ == other or pair in seen or current[id_].scope != current[other].scope:
                    continue
                seen.add(pair)
                shared = sum(weight for one, weight in own.terms.items() if one in words[other].terms)
                if shared >= _SHARED * max(own.weight, words[other].weight) - 1e-9:
                    yield pair


def _junk(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    for id_, entry in entries.items():
        if why := junk_in(entry.content):
            yield Fault(FaultKind.JUNK, (id_,), why, _forget(id_))


def _hidden(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    for id_, entry in entries.items():
        if is_point_hidden(entry.content):
            yield Fault(FaultKind.HIDDEN, (id_,), Sentence("what it is about is hidden"), _forget(id_))


def _duplicates(entries: Mapping[str, Entry], cosine: Cosine) -> Iterator[Fault]:
    for one, other in sorted(candidate_pairs(entries)):
        first, second = entries[one], entries[other]
        likeness = says_the_same(first.content, second.content, cosine(first.content, second.content))
        if not likeness:
            continue
        stays, goes = sorted((first, second), key=lambda entry: (-entry.score, -entry.hits, entry.id))
        yield Fault(
            FaultKind.NEAR_DUPLICATE,
            (goes.id, stays.id),
            Sentence("says what [{id}] says ({likeness:.2f})", id=stays.id, likeness=likeness),
            _forget(goes.id),
        )


def _stale(entries: Mapping[str, Entry], now: datetime, limits: AuditLimits) -> Iterator[Fault]:
    for id_, entry in entries.items():
        days = (now - entry.last_activated) // timedelta(days=1)
        if days >= limits.stale_days and entry.section is Section.ACTIVE and entry.kept_in is None:
            yield Fault(FaultKind.STALE, (id_,), Sentence("not used for {days} days", days=days), _forget(id_))


def _never_recalled(
    entries: Mapping[str, Entry],
    now: datetime,
    limits: AuditLimits,
    recalled: Collection[str],
    recorded_since: datetime,
    options: ConsolidationOptions,
) -> Iterator[Fault]:
    shown = {entry.id for entry in entries_in_prompt(entries.values(), options, now)}
    for id_, entry in entries.items():
        since = max(entry.created_at or entry.last_activated, recorded_since)
        days = (now - since) // timedelta(days=1)
        is_used = entry.hits or id_ in recalled or id_ in shown or entry.kept_in is Section.ACTIVE
        if days >= limits.recall_days and not is_used:
            yield Fault(
                FaultKind.NEVER_RECALLED,
                (id_,),
                Sentence("no turn has needed it for {days} days", days=days),
                _forget(id_),
            )


def _over_budget(entries: Mapping[str, Entry], options: ConsolidationOptions) -> Iterator[Fault]:
    """Find what is good enough for the prompt and finds no room in it."""
    shown = {entry.id for entry in entries_in_prompt(entries.values(), options)}
    for entry in best_entries(entries.values(), most=len(entries), min_score=options.prompt_min_score):
        if entry.id not in shown:
            yield Fault(
                FaultKind.OVER_BUDGET,
                (entry.id,),
                Sentence(
                    "no room for it in the prompt: {entries} entries, {tokens} tokens",
                    entries=options.prompt_entries,
                    tokens=options.prompt_tokens,
                ),
                Sentence(
                    "{forget}, or raise consolidation.promptEntries or consolidation.promptTokens",
                    forget=_forget(entry.id),
                ),
            )


def _expired(entries: Mapping[str, Entry], now: datetime) -> Iterator[Fault]:
    for id_, entry in entries.items():
        if entry.category == Category.TODO and entry.expires_at is not None and entry.expires_at <= now:
            due = last_day(entry.expires_at)
            yield Fault(FaultKind.EXPIRED, (id_,), Sentence("it was due on {day:%Y-%m-%d}", day=due), _forget(id_))


def _contradicted(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    for id_, entry in entries.items():
        by = entry.superseded_by
        if by in entries:
            yield Fault(FaultKind.CONTRADICTED, (id_, by), Sentence("[{by}] has taken its place", by=by), _forget(id_))
        elif by:
            hint = Sentence("nanobot-memory entries restore {by}, or {forget}", by=by, forget=_forget(id_))
            yield Fault(
                FaultKind.CONTRADICTED, (id_,), Sentence("[{by}], which has taken its place, is gone", by=by), hint
            )


def _forget(id_: str) -> str:
    return f"nanobot-memory entries forget {id_}"
