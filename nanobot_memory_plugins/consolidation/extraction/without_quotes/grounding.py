"""Whether the user's own statements bear out that something is not as it was."""

import re
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.consolidation.extraction.statements import Statement, is_open
from nanobot_memory_plugins.consolidation.extraction.without_quotes.cues import (
    announces_a_change,
    ends_something,
)
from nanobot_memory_plugins.consolidation.model.normalised import TextFingerprint, wording
from nanobot_memory_plugins.core.text import phrases_of
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# The share of what is new in a change that one turn must hold.
_ENOUGH = 0.5
# The weight of what is new in a change: less than a Chinese character is nothing.
_LEAST_ADDED = 0.5

# A written-out date is left aside: "tomorrow" may have been said.
_ISO_DAY = re.compile(r"20\d\d-\d\d?-\d\d?|\d{1,2}月\d{1,2}[日号]")
_MARKS = "~<"


class Grounding:
    """The statements of a conversation: built once, asked for each change. It works in memory alone."""

    def __init__(self, said: Sequence[Statement]) -> None:
        by_turn: dict[int, list[Statement]] = {}
        for one in said:
            by_turn.setdefault(one.turn, []).append(one)
        self._turns = [group for _, group in sorted(by_turn.items())]
        self._sure_bags = [_bag(one.text for one in group if not one.attempt) for group in self._turns]
        self._numbers = frozenset(number for one in said for number in _numbers(wording(one.text)))
        texts = [part for one in said for part in phrases_of(one.text)]
        self._clauses = [(wording(part), ends_something(part)) for part in texts]

    @property
    def sure(self) -> list[Statement]:
        """The statements that tell of no try, in their order."""
        return [one for group in self._turns for one in group if not one.attempt]

    def best_statement(self, text: str) -> Statement | None:
        """Return the statement that holds most of a text, the last of several, or None without statements."""
        own = wording(text)
        said = [one for group in self._turns for one in group]
        return max(reversed(said), key=lambda one: _share(own, _bag([one.text])), default=None)

    def tells_a_change(self, now: str, before: str) -> bool:
        """Return whether a statement that ``now`` may rest on announces a change, or the two contradict each other."""
        own, old = wording(now), wording(before)
        if (own.negated, own.numbers) != (old.negated, old.numbers):
            return True
        terms = _terms(own) | _terms(old)
        return any(announces_a_change(one.text) and terms & _terms(wording(one.text)) for one in self.sure)

    def grounds_change(self, now: str, before: str) -> bool:
        """Return whether the statements support that of ``before`` is true what ``now`` says.

        What ``now`` adds must have been said, in one turn. Where it adds nothing, and only denies, one clause must deny
        the same.
        """
        own, old = wording(_ISO_DAY.sub(" ", simplified(now))), wording(before)
        if is_open(now) or not self._knows_numbers(own, old):
            return False
        frame = {term.lstrip(_MARKS) for term in old.terms}
        added = {term.lstrip(_MARKS): weight for term, weight in own.terms.items() if term.lstrip(_MARKS) not in frame}
        whole = sum(added.values())
        if whole >= _LEAST_ADDED:
            held = (sum(weight for term, weight in added.items() if term in bag) for bag in self._sure_bags)
            return max(held, default=0.0) >= _ENOUGH * whole
        if own.numbers != old.numbers:
            return True
        gone = frame - _terms(own) if (own.negated, own.past) == (old.negated, old.past) else frame
        return any(one.negated or one.past or ends for one, ends in self._clauses if gone & _terms(one))

    def _knows_numbers(self, own: TextFingerprint, beside: TextFingerprint) -> bool:
        """Return whether all its numbers were said, or stand in what is known."""
        return _numbers(own) <= self._numbers | _numbers(beside)


def _share(own: TextFingerprint, bag: frozenset[str]) -> float:
    held = {term.lstrip(_MARKS): weight for term, weight in own.terms.items()}
    whole = sum(held.values())
    return sum(weight for term, weight in held.items() if term in bag) / whole if whole else 0.0


def _numbers(one: TextFingerprint) -> frozenset[str]:
    return frozenset(number.lstrip(_MARKS) for number in one.numbers)


def _bag(texts: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for text in texts:
        found |= _terms(wording(text))
    return frozenset(found)


def _terms(one: TextFingerprint) -> frozenset[str]:
    return frozenset(term.lstrip(_MARKS) for term in one.terms)
