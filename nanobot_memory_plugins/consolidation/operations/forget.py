"""Finding the entry that somebody wants forgotten, and forgetting it when there is no doubt which one is meant."""

from collections.abc import Mapping
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Match, Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.store.repository import Outcome

# The likeness from which one entry is meant, and by how much it must be ahead of the next. Measured on the cases of the
# tests: "my address" is 0.73 from the address and 0.41 from anything else; two kinds of tea are equally far from "tea".
_MEANT = 0.65
_AHEAD = 0.15
_MOST_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, with where it stood; and the entries that may be meant, which were not touched."""

    entries: tuple[Entry, ...] = ()
    candidates: tuple[Entry, ...] = ()
    outcome: Outcome | None = None


async def forget_what(
    memory: AsyncEntryRepository,
    text: str,
    visible: Mapping[str, Entry],
    *,
    by_words: Matcher,
    by_meaning: Matcher,
    who: str,
) -> Forgotten:
    """Forget the entry among ``visible`` that ``text`` names, by its id or by what it says, and what it had replaced.

    Words are tried first, since vectors take longer. When none is plainly meant nothing is forgotten. Raises what
    `AsyncEntryRepository.forget` raises.
    """
    matches = await by_words.closest(text, visible, most=_MOST_CANDIDATES)
    meant = _meant(matches, visible)
    if meant is None:
        matches = await by_meaning.closest(text, visible, most=_MOST_CANDIDATES) or matches
        meant = _meant(matches, visible)
    if meant is None:
        return Forgotten(candidates=tuple(visible[match.entry_id] for match in matches))
    gone = _with_what_it_replaced(visible[meant], visible)
    outcome = await memory.forget([entry.id for entry in gone], who=who)
    return Forgotten(tuple(gone), outcome=outcome)


def _meant(matches: list[Match], entries: Mapping[str, Entry]) -> str | None:
    """Return the entry that is plainly meant, or None."""
    if not matches:
        return None
    best, *others = matches
    if best.by in ("id", "text"):
        return best.entry_id
    chain = {entry.id for entry in _with_what_it_replaced(entries[best.entry_id], entries)}
    next_best = max((match.likeness for match in others if match.entry_id not in chain), default=0.0)
    return best.entry_id if best.likeness >= _MEANT and best.likeness - next_best >= _AHEAD else None


def _with_what_it_replaced(entry: Entry, entries: Mapping[str, Entry]) -> list[Entry]:
    """Return an entry and all that it has replaced: who wants it forgotten does not want the one before it back."""
    found, waiting = {entry.id: entry}, [entry]
    while waiting:
        for id_ in waiting.pop().supersedes:
            if id_ in entries and id_ not in found:
                found[id_] = entries[id_]
                waiting.append(entries[id_])
    return list(found.values())
