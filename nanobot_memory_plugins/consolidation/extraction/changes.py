"""Which known entry no longer holds because of what the user says.

A model is asked for it, and small ones see that something has changed, but mix up the fields: they give the old text as
what contradicts, or name as confirmed what has come to an end. So the user's own statement has a say: it must touch the
entry, and where the model does not name the entry as contradicted, it must announce a change.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.grounding import CLAUSES
from nanobot_memory_plugins.consolidation.matching import may_concern, says_the_same
from nanobot_memory_plugins.consolidation.wording import wording

# The share of an entry's terms that a statement must hold to speak of it: where the model has named it, and where not.
_TOUCHES, _PLAINLY_TOUCHES = 0.3, 0.6
# The cosine from which they are about the same thing: of 1,740 pairs of statements with entries that they have nothing
# to do with 1 in 100 lies above 0.22, of 60 with the entries that they change all but 3 above 0.25.
_CLOSE = 0.25
# The weight of what a text says of its own when two differ: more than a predicate.
_OWN = 0.3
# Characters of a statement that can stand for an entry.
_LONGEST_STATEMENT = 240
_ENDS = re.compile(
    r"\bno longer\b|(?:\bnot\b|n['’]t\b).*\bany ?more\b|\binstead\b|\bfrom now on\b|\bmoved\b|\bswitched\b|\bchanged\b"
    r"|\breplaced\b|\brenamed\b|\brewr(?:ote|itten)\b|\breinstalled\b|\bquit\b|\bleft\b|\bg[ai]ve[n]? up\b"
    r"|\bstopped\b|\bsold\b|\bdropped\b|\bcancell?ed\b|\bthrew\b|\bretired\b|\bused to\b"
    r"|不再|不[^，。,.]{0,12}了|改|换|搬|辞职|戒|放弃|退休|离职|卖[了掉]|退了|转到",
    re.IGNORECASE | re.DOTALL,
)
_NOW = re.compile(
    r"\bnow\b|\bthese days\b|\bagain\b|\bgot\b|\bbought\b|\bborn\b"
    r"|\bwent (?:up|down)\b|现在|以后|今后|如今|又|结婚|出生|提高|降低|涨",
    re.IGNORECASE,
)


Closeness = Callable[[str, str], float]
"""The cosine of a statement to the text of an entry, 0 where there is none."""


def _not_close(_statement: str, _entry: str) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Believed:
    """A candidate that is borne out, the user's statement behind it, and the entry that says the same, or nothing."""

    candidate: Candidate
    said: str
    same: str = ""


def with_replaced(
    believed: Sequence[Believed],
    candidates: Iterable[Candidate],
    known: Mapping[str, Entry],
    closeness: Closeness = _not_close,
) -> list[tuple[Believed, str]]:
    """Return what is believed, each with the id of the entry that it replaces, or nothing.

    ``candidates`` are all that the model gave, ``known`` the entries that it could name, ``closeness`` is the cosine of
    a statement to an entry. What only repeats an entry that has come to an end is left out.
    """
    named = _Named.of(candidates, known)
    found: list[tuple[Believed, str]] = []
    for one in believed:
        replaced = _replaced(one, named, known, closeness)
        found.append((replace(one, same="") if replaced and replaced == one.same else one, replaced))
    gone = {replaced for _, replaced in found if replaced}
    for id_ in named.repeated:
        # The model has written out what is no longer true; then what else announces a change tells what is.
        telling = [
            n for n, (one, old) in enumerate(found) if not old and one.same != id_ and announces_a_change(one.said)
        ]
        if id_ not in gone and len(telling) == 1:
            found[telling[0]] = (found[telling[0]][0], id_)
            gone.add(id_)
    return [(one, replaced) for one, replaced in found if one.same not in gone]


@dataclass(frozen=True, slots=True)
class _Named:
    """The ids that a model names: as ended, as ended with their text, and as confirmed."""

    ended: tuple[str, ...]
    repeated: tuple[str, ...]
    confirmed: frozenset[str]

    @classmethod
    def of(cls, candidates: Iterable[Candidate], known: Mapping[str, Entry]) -> "_Named":
        candidates = list(candidates)
        ended = [one for one in candidates if one.contradicts in known]
        return cls(
            tuple(one.contradicts for one in ended),
            tuple(one.contradicts for one in ended if says_the_same(one.content, known[one.contradicts].content)),
            frozenset(one.reinforces for one in candidates if one.reinforces in known),
        )


def ended_in_own_words(
    candidates: Iterable[Candidate],
    replaced: Collection[str],
    said: Iterable[str],
    known: Mapping[str, Entry],
    closeness: Closeness = _not_close,
) -> list[tuple[str, str]]:
    """Return (statement, id) for entries that a model holds for ended without saying what is true instead.

    The statement announces the change, and speaks of the entry. ``replaced`` are the ids that are dealt with.
    """
    found: dict[str, str] = {}
    for candidate in candidates:
        entry = known.get(candidate.contradicts)
        if entry is None or entry.id in replaced or entry.superseded_by:
            continue
        telling = [one for one in said if len(one) <= _LONGEST_STATEMENT and _ENDS.search(one)]
        for statement in telling:
            if speaks_of(statement, entry, closeness):
                found.setdefault(entry.id, statement)
    return [(statement, id_) for id_, statement in found.items()]


def announces_a_change(statement: str) -> bool:
    """Say whether a statement tells that something is not as it was."""
    return (_ENDS.search(statement) or _NOW.search(statement)) is not None


def speaks_of(statement: str, entry: Entry, closeness: Closeness) -> bool:
    """Say whether a statement is about the same thing as an entry."""
    return touched(statement, entry) >= _TOUCHES or closeness(statement, entry.content) >= _CLOSE


def _replaced(one: Believed, model: _Named, known: Mapping[str, Entry], closeness: Closeness) -> str:
    candidate = one.candidate
    changes = _ENDS.search(one.said) is not None
    announced = announces_a_change(one.said)
    same = one.same
    if announced and same in known and _differ(candidate.content, known[same].content):
        same = ""  # a small model confirms what has just changed
    named = [candidate.contradicts] if candidate.contradicts in known else []
    # What another item names has come to an end; what this one is said to confirm may be meant the other way round.
    if announced:
        named += [*model.ended, *(id_ for id_ in (candidate.reinforces, one.same) if id_ in known)]
    for id_ in named:
        about = candidate.content if id_ == candidate.contradicts else ""
        near = closeness if announced else _not_close
        if id_ != same and (speaks_of(one.said, known[id_], near) or may_concern(about, known[id_].content)):
            return id_
    if not changes or same:
        return ""
    clauses = [part for part in CLAUSES.split(one.said) if part and _ENDS.search(part)]
    shares = {
        id_: touched(one.said, entry)
        for id_, entry in known.items()
        if not entry.superseded_by and any(touched(part, entry) >= _TOUCHES for part in clauses)
    }
    best = max(shares, key=shares.__getitem__, default="")
    least = _TOUCHES if best in model.confirmed else _PLAINLY_TOUCHES
    return best if best and shares[best] >= least else ""


def _differ(text: str, other: str) -> bool:
    """Say whether each of two texts says something that the other does not."""
    one, two = wording(text), wording(other)
    if one.numbers != two.numbers:
        return True
    shared = sum(weight for term, weight in one.terms.items() if term in two.terms)
    return min(one.weight, two.weight) - shared > _OWN


def touched(statement: str, entry: Entry) -> float:
    """Return the share of an entry's terms that a statement holds, 0 to 1, denied or turned down ones included."""
    own = {term.lstrip("~<"): weight for term, weight in wording(entry.content).terms.items()}
    held = {term.lstrip("~<") for term in wording(statement).terms}
    whole = sum(own.values())
    return sum(weight for term, weight in own.items() if term in held) / whole if whole else 0.0
