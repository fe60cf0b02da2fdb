"""What the user says again, told by the words alone: it counts as a use where no model is there to say so."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from nanobot_memory_plugins.consolidation.extraction.statements import Statement
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.model.scoring import activated

# The weight of words that a statement may lack of an entry: a predicate; and what an entry has to say at least.
_LACKING, _LEAST = 0.3, 1.0
# The same messages may be looked at more than once while they wait for a model.
_BETWEEN_USES = timedelta(hours=1)


def used_again(said: Sequence[Statement], times: Sequence[datetime], entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that statements say again in the same content words, as used when that was said."""
    used: dict[str, Entry] = {}
    for id_, entry in entries.items():
        spoken = [times[one.turn] for one in said if says_again(one.text, entry.content)]
        if spoken and not entry.superseded_by and max(spoken) - entry.last_activated >= _BETWEEN_USES:
            used[id_] = activated(entry, max(spoken))
    return used


def says_again(statement: str, known: str) -> bool:
    """Return whether a statement holds all content words of an entry, its numbers, and denies what that denies."""
    one, other = wording(statement), wording(known)
    if other.weight < _LEAST or (one.negated, one.past) != (other.negated, other.past):
        return False
    lacking = sum(weight for term, weight in other.terms.items() if term not in one.terms)
    return other.numbers <= one.numbers and lacking <= _LACKING
