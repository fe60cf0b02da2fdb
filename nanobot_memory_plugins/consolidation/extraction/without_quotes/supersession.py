"""Which known entry no longer holds because of what the user says.

A model is asked for it, and small ones see that something has changed, but mix up the fields: they give the old text as
what contradicts, or name as confirmed what has come to an end. So the user's own statement has a say: it must touch the
entry, and where the model does not name the entry as contradicted, it must announce a change.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.without_quotes.cues import (
    announces_a_change,
    ends_something,
)
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import may_concern
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.core.text import phrases_of

# The share of an entry's terms that a statement must hold to speak of it: where the model has named it, and where not.
_TOUCHES, _PLAINLY_TOUCHES = 0.3, 0.6
# The cosine from which they are about the same thing: of 1,740 pairs of statements with entries that they have nothing
# to do with 1 in 100 lies above 0.22, of 60 with the entries that they change all but 3 above 0.25.
_CLOSE = 0.25
# The weight of what a statement must leave or turn down of an entry: a Chinese character.
_LEFT = 0.5
# The share of an entry's words, without its numbers, that a statement must hold to give it another number.
_SAME_BUT_FOR_A_NUMBER = 0.5

Closeness = Callable[[str, str], float]
"""The cosine of a statement to the text of an entry, 0 where there is none."""


def not_close(_statement: str, _entry: str) -> float:
    """Stand for cosines where there are no vectors."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Believed:
    """A candidate that is grounded, the user's statement behind it, and the entry that says the same, or nothing.

    ``replaces`` is the entry that it is known to replace.
    """

    candidate: Candidate
    said: str
    same: str = ""
    replaces: str = ""


def with_replaced(
    believed: Sequence[Believed],
    candidates: Iterable[Candidate],
    known: Mapping[str, Entry],
    closeness: Closeness = not_close,
    unchanged: Collection[str] = (),
) -> list[tuple[Believed, str]]:
    """Return what is believed, each with the id of the entry that it replaces, or nothing.

    ``candidates`` are all that the model gave, ``known`` the entries that it could name, ``closeness`` is the cosine of
    a statement to an entry, ``unchanged`` are the ids of what the model holds for true as it was. What only repeats an
    entry that has come to an end is left out.
    """
    open_ = {id_: entry for id_, entry in known.items() if id_ not in unchanged}
    ended = [one.contradicts for one in candidates if one.contradicts in open_]
    found = [(one, _replaced(one, ended, open_, closeness) or _plainly_ended(one, known)) for one in believed]
    gone = {replaced for _, replaced in found if replaced}
    return [(one, replaced) for one, replaced in found if one.same not in gone]


def speaks_of(statement: str, entry: Entry, closeness: Closeness = not_close) -> bool:
    """Return whether a statement is about the same thing as an entry."""
    return touched(statement, entry) >= _TOUCHES or closeness(statement, entry.content) >= _CLOSE


def _replaced(one: Believed, ended: Sequence[str], known: Mapping[str, Entry], closeness: Closeness) -> str:
    if one.replaces and one.replaces != one.same:
        return one.replaces
    candidate = one.candidate
    changes = ends_something(one.said)
    announced = announces_a_change(one.said)
    named = [candidate.contradicts] if candidate.contradicts in known else []
    # What another item names has come to an end; what this one is said to confirm may be meant the other way round.
    if announced:
        named += [*ended, *([candidate.reinforces] if candidate.reinforces in known else [])]
    for id_ in named:
        is_its_own = id_ == candidate.contradicts
        about = candidate.content if is_its_own else ""
        near = closeness if announced and is_its_own else not_close
        if id_ != one.same and (speaks_of(one.said, known[id_], near) or may_concern(about, known[id_].content)):
            return id_
    if not changes or one.same:
        return ""
    clauses = [part for part in phrases_of(one.said) if ends_something(part)]
    shares = {
        id_: touched(one.said, entry)
        for id_, entry in known.items()
        if not entry.superseded_by and any(touched(part, entry) >= _TOUCHES for part in clauses)
    }
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best] >= _PLAINLY_TOUCHES else ""


def plainly_ends(statement: str, entry: Entry) -> bool:
    """Return whether a statement puts an end to an entry, whatever a model thinks.

    It denies the entry, it leaves or turns down what the entry names, or it announces another number of the same.
    """
    own = wording(entry.content)
    told = wording(statement)
    left = sum(own.terms.get(term[1:], 0.0) for term in told.terms if term[0] in "~<")
    if left >= _LEFT and touched(statement, entry) >= _PLAINLY_TOUCHES:
        return True
    if own.numbers and told.numbers and not own.numbers & told.numbers and announces_a_change(statement):
        plain = {term: weight for term, weight in own.terms.items() if term not in own.numbers}
        held = sum(weight for term, weight in plain.items() if term in told.terms)
        return held >= _SAME_BUT_FOR_A_NUMBER * sum(plain.values()) > 0
    return not own.negated and any(
        wording(part).negated and touched(part, entry) >= _PLAINLY_TOUCHES for part in phrases_of(statement)
    )


def _plainly_ended(one: Believed, known: Mapping[str, Entry]) -> str:
    if one.same:
        return ""
    return next((id_ for id_, entry in known.items() if not entry.superseded_by and plainly_ends(one.said, entry)), "")


def touched(statement: str, entry: Entry) -> float:
    """Return the share of an entry's terms that a statement holds, 0 to 1, denied or turned down ones included."""
    own = {term.lstrip("~<"): weight for term, weight in wording(entry.content).terms.items()}
    held = {term.lstrip("~<") for term in wording(statement).terms}
    whole = sum(own.values())
    return sum(weight for term, weight in own.items() if term in held) / whole if whole else 0.0
