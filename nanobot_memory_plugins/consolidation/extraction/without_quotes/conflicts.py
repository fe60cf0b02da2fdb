"""The entries that a conversation speaks of, and what the model says is true of them now.

A small model that is asked which entries no longer hold names the wrong ones, or all. Asked to write down what is true
of one entry now, it writes the same sentence or another one, and either can be held beside what the user has said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.without_quotes.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import (
    Closeness,
    plainly_ends,
    speaks_of,
    touched,
)
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.core import language_of

# Entries that the model is asked about, and statements that are compared with them, the last ones.
MOST_CHECKED = 6
_MOST_STATEMENTS = 40
# Characters of a statement that can stand for an entry.
_LONGEST_STATEMENT = 240
# The weight of what a sentence says of its own: more than a predicate.
_OWN = 0.3


async def closeness_of(statements: Sequence[str], known: Mapping[str, Entry], matcher: Matcher) -> Closeness:
    """Return how close statements are to entries; 0 without vectors."""
    texts = list(dict.fromkeys(entry.content for entry in known.values()))
    asked = list(dict.fromkeys(statements))[-_MOST_STATEMENTS:]
    cosines = await matcher.cosines(asked, texts) if asked and texts else None
    found = {
        (statement, text): cosine
        for statement, row in zip(asked, cosines or (), strict=False)
        for text, cosine in zip(texts, row, strict=True)
    }
    return lambda statement, text: found.get((statement, text), 0.0)


def entries_to_check(statements: Sequence[str], known: Mapping[str, Entry], closeness: Closeness) -> list[Entry]:
    """Return the entries that the statements speak of, those that they touch most first."""
    current = [one for one in known.values() if one.section is Section.ACTIVE and not one.superseded_by]
    asked = list(dict.fromkeys(statements))[-_MOST_STATEMENTS:]

    def near(entry: Entry) -> float:
        return max(
            (touched(one, entry) + closeness(one, entry.content) for one in asked if speaks_of(one, entry, closeness)),
            default=0.0,
        )

    worth = {entry.id: near(entry) for entry in current}
    found = sorted((one for one in current if worth[one.id]), key=lambda one: (-worth[one.id], -one.score, one.id))
    return found[:MOST_CHECKED]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a model's verdicts come to, by id: what is true in the place of an entry, and which are as they were.

    ``refused`` are those that change nothing: what they say may be new all the same.
    """

    changed: Mapping[str, Candidate]
    unchanged: frozenset[str]
    refused: tuple[Candidate, ...] = ()


def checked(verdicts: Mapping[str, str], known: Mapping[str, Entry], grounding: Grounding) -> Checked:
    """Return the verdicts that the user's statements support. What only adds to an entry leaves it unchanged.

    A model may judge entries as well that it was only shown.
    """
    changed: dict[str, Candidate] = {}
    unchanged: set[str] = set()
    refused: list[Candidate] = []
    for id_, now in verdicts.items():
        entry = known.get(id_)
        if not now or entry is None or entry.superseded_by:
            continue
        if is_the_same(now, entry.content) or not grounding.tells_a_change(now, entry.content):
            unchanged.add(entry.id)
        elif grounding.grounds_change(now, entry.content):
            changed[entry.id] = candidate_of(entry, now)
        else:
            refused.append(candidate_of(entry, now))
    return Checked(changed, frozenset(unchanged), tuple(refused))


def ended_in_own_words(asked: Sequence[Entry], statements: Sequence[str]) -> dict[str, Candidate]:
    """Return by id what the user said that plainly ends an entry, in the user's own words.

    For entries for which the model has nothing: what is no longer true would stay else.
    """
    found: dict[str, Candidate] = {}
    for entry in asked:
        ending = [one for one in statements if len(one) <= _LONGEST_STATEMENT and plainly_ends(one, entry)]
        if ending:
            said = "用户说：" if language_of(ending[-1]) == "zh" else "The user said: "
            found[entry.id] = candidate_of(entry, f"{said}{ending[-1]}")
    return found


def candidate_of(entry: Entry, content: str = "") -> Candidate:
    """Return an entry as a candidate, with its own text or another one."""
    category = Category(entry.category) if entry.category in set(Category) else Category.FACT
    return Candidate(
        content=content or entry.content, category=category, importance=Importance.MEDIUM, group=entry.group
    )


def is_the_same(now: str, before: str) -> bool:
    """Return whether two sentences say the same, or the first one the same and more."""
    one, other = wording(now), wording(before)
    if (one.negated, one.past) != (other.negated, other.past) or not other.numbers <= one.numbers:
        return False
    return sum(weight for term, weight in other.terms.items() if term not in one.terms) <= _OWN
