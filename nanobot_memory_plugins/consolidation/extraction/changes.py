"""Which known entry no longer holds because of what the user says.

A model is asked for it, and small ones see that something has changed, but mix up the fields: they give the old text as
what contradicts, or name as confirmed what has come to an end. So the user's own statement has a say: it must touch the
entry, and where the model does not name the entry as contradicted, it must announce a change.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.grounding import CLAUSES
from nanobot_memory_plugins.consolidation.matching import may_concern
from nanobot_memory_plugins.consolidation.wording import wording

# The share of an entry's terms that a statement must hold to speak of it: where the model has named it, and where not.
_TOUCHES, _PLAINLY_TOUCHES = 0.3, 0.6
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


@dataclass(frozen=True, slots=True)
class Believed:
    """A candidate that is borne out, the user's statement behind it, and the entry that says the same, or nothing."""

    candidate: Candidate
    said: str
    same: str = ""


def with_replaced(
    believed: Sequence[Believed], candidates: Iterable[Candidate], known: Mapping[str, Entry]
) -> list[tuple[Believed, str]]:
    """Return what is believed, each with the id of the entry that it replaces, or nothing.

    ``candidates`` are all that the model gave, ``known`` the entries that it could name. What only repeats an entry
    that has come to an end is left out.
    """
    ended = [one.contradicts for one in candidates if one.contradicts in known]
    found: list[tuple[Believed, str]] = []
    for one in believed:
        replaced = _replaced(one, ended, known)
        found.append((one, replaced))
    gone = {replaced for _, replaced in found if replaced}
    return [(one, replaced) for one, replaced in found if one.same not in gone]


def _replaced(one: Believed, ended: Sequence[str], known: Mapping[str, Entry]) -> str:
    candidate = one.candidate
    changes = _ENDS.search(one.said) is not None
    announced = changes or _NOW.search(one.said) is not None
    named = [candidate.contradicts] if candidate.contradicts in known else []
    # What another item names has come to an end; what this one is said to confirm may be meant the other way round.
    if announced:
        named += [*ended, *([candidate.reinforces] if candidate.reinforces in known else [])]
    for id_ in named:
        about = candidate.content if id_ == candidate.contradicts else ""
        speaks_of_it = touched(one.said, known[id_]) >= _TOUCHES or may_concern(about, known[id_].content)
        if id_ != one.same and speaks_of_it:
            return id_
    if not changes or one.same:
        return ""
    clauses = [part for part in CLAUSES.split(one.said) if part and _ENDS.search(part)]
    shares = {
        id_: touched(one.said, entry)
        for id_, entry in known.items()
        if not entry.superseded_by and any(touched(part, entry) >= _TOUCHES for part in clauses)
    }
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best] >= _PLAINLY_TOUCHES else ""


def touched(statement: str, entry: Entry) -> float:
    """Return the share of an entry's terms that a statement holds, 0 to 1, denied or turned down ones included."""
    own = {term.lstrip("~<"): weight for term, weight in wording(entry.content).terms.items()}
    held = {term.lstrip("~<") for term in wording(statement).terms}
    whole = sum(own.values())
    return sum(weight for term, weight in own.items() if term in held) / whole if whole else 0.0
