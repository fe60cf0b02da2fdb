"""Whether the user's own statements bear a candidate out."""

import re
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.consolidation.extraction.small_talk import LEAST_WEIGHT, SMALL_TALK
from nanobot_memory_plugins.consolidation.extraction.statements import Statement, is_open, tells_of_a_try
from nanobot_memory_plugins.consolidation.extraction.without_quotes.cues import (
    announces_a_change,
    ends_something,
)
from nanobot_memory_plugins.consolidation.model.normalised import TextFingerprint, wording
from nanobot_memory_plugins.core.text import phrases_of
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# A written-out date is left aside: "tomorrow" may have been said.
# The share of a candidate's terms that one turn must hold: alone, and where the turn's cosine is high enough.
_BY_WORDS, _WITH_VECTORS = 0.5, 0.25
_COSINE = 0.55
# The share of a candidate that a clause must hold for its negation to count against the candidate.
_SAME_CLAUSE = 0.6
# The weight of what is new in a change: less than a Chinese character is nothing.
_LEAST_ADDED = 0.5
# The weight of a part of a candidate that may have nothing in common with what was said: what is put behind something
# true, in a part of its own, is not under its cover.
_MOST_UNSAID = 2.0
# Turns that are compared by vectors, newest first, and characters of each.
_TURNS, _TURN_CHARS = 60, 600

_ISO_DAY = re.compile(r"20\d\d-\d\d?-\d\d?|\d{1,2}月\d{1,2}[日号]")
_MARKS = "~<"


class Grounding:
    """The statements of a conversation: built once, asked for each candidate. It works in memory alone."""

    def __init__(self, said: Sequence[Statement]) -> None:
        by_turn: dict[int, list[Statement]] = {}
        for one in said:
            by_turn.setdefault(one.turn, []).append(one)
        self._turns = [group for _, group in sorted(by_turn.items())]
        self._bags = [_bag(one.text for one in group) for group in self._turns]
        self._sure_bags = [_bag(one.text for one in group if not one.attempt) for group in self._turns]
        words = [wording(one.text) for one in said]
        self._numbers = frozenset(number.lstrip(_MARKS) for one in words for number in one.numbers)
        texts = [part for one in said for part in phrases_of(one.text)]
        self._clauses = [(wording(part), ends_something(part)) for part in texts]

    @property
    def turns(self) -> list[str]:
        """The turns as texts, for vectors: the newest ones."""
        return [" ".join(one.text for one in group)[:_TURN_CHARS] for group in self._turns[-_TURNS:]]

    @property
    def sure(self) -> list[Statement]:
        """The statements that tell of no try, in their order."""
        return [one for group in self._turns for one in group if not one.attempt]

    def share(self, text: str) -> float:
        """Return the share of a text's terms that the best turn holds, 0 to 1."""
        return self._share(wording(_ISO_DAY.sub(" ", simplified(text))), self._bags)

    def best_statement(self, text: str) -> Statement | None:
        """Return the statement that holds most of a text, the last of several, or None without statements."""
        own = wording(text)
        said = [one for group in self._turns for one in group]
        return max(reversed(said), key=lambda one: self._share(own, [_bag([one.text])]), default=None)

    def needs_vectors(self, text: str) -> bool:
        """Return whether words leave it open."""
        return _WITH_VECTORS <= self.share(text) < _BY_WORDS

    def is_grounded_in(self, text: str, cosines: Iterable[float] = ()) -> bool:
        """Return whether the statements bear a text out. ``cosines`` are those to `turns`, where there are any.

        Guesses, questions and small talk never are, invented numbers neither; what was tried is borne out as a try.
        """
        plain = _ISO_DAY.sub(" ", simplified(text))
        own = wording(plain)
        if is_open(text) or SMALL_TALK.search(simplified(text)) or own.weight < LEAST_WEIGHT:
            return False
        is_try = tells_of_a_try(text)
        bags = self._bags if is_try else self._sure_bags
        share = self._share(own, bags)
        near = max(cosines, default=0.0) >= _COSINE
        if share < (_WITH_VECTORS if near else _BY_WORDS) or not self._knows_numbers(own):
            return False
        parts = [wording(part) for part in phrases_of(plain)]
        if any(one.weight > _MOST_UNSAID and not self._share(one, bags) for one in parts):
            return False
        return is_try or all(map(self._agrees, parts))

    def tells_a_change(self, now: str, before: str) -> bool:
        """Return whether a statement that ``now`` may rest on announces a change, or the two contradict each other."""
        own, old = wording(now), wording(before)
        if (own.negated, own.numbers) != (old.negated, old.numbers):
            return True
        terms = _terms(own) | _terms(old)
        return any(announces_a_change(one.text) and terms & _terms(wording(one.text)) for one in self.sure)

    def bears_out_change(self, now: str, before: str) -> bool:
        """Return whether the statements support that of ``before`` is true what ``now`` says.

        What ``now`` adds must have been said, in one turn. Where it adds nothing, and only denies, one clause must deny
        the same.
        """
        own, old = wording(_ISO_DAY.sub(" ", simplified(now))), wording(before)
        if is_open(now) or not self._knows_numbers(own, beside=old):
            return False
        frame = {term.lstrip(_MARKS) for term in old.terms}
        added = {term.lstrip(_MARKS): weight for term, weight in own.terms.items() if term.lstrip(_MARKS) not in frame}
        whole = sum(added.values())
        if whole >= _LEAST_ADDED:
            held = (sum(weight for term, weight in added.items() if term in bag) for bag in self._sure_bags)
            return max(held, default=0.0) >= _BY_WORDS * whole
        if own.numbers != old.numbers:
            return True
        gone = frame - _terms(own) if (own.negated, own.past) == (old.negated, old.past) else frame
        return any(one.negated or one.past or ends for one, ends in self._clauses if gone & _terms(one))

    def _share(self, own: TextFingerprint, bags: Sequence[frozenset[str]]) -> float:
        if not own.weight:
            return 0.0
        plain = {term.lstrip(_MARKS): weight for term, weight in own.terms.items()}
        held = (sum(weight for term, weight in plain.items() if term in bag) for bag in bags)
        return max(held, default=0.0) / sum(plain.values())

    def _knows_numbers(self, own: TextFingerprint, beside: TextFingerprint | None = None) -> bool:
        """Return whether all its numbers were said, or stand in what is known."""
        known = {number.lstrip(_MARKS) for number in beside.numbers} if beside else set()
        return {number.lstrip(_MARKS) for number in own.numbers} <= self._numbers | known

    def _agrees(self, own: TextFingerprint) -> bool:
        """Return whether what was said of the same thing affirms or denies it as the candidate does."""
        told = [one for one, _ in self._clauses if self._share(own, [_terms(one)]) >= _SAME_CLAUSE]
        return not told or any(one.negated == own.negated for one in told)


def _bag(texts: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for text in texts:
        found |= _terms(wording(text))
    return frozenset(found)


def _terms(one: TextFingerprint) -> frozenset[str]:
    return frozenset(term.lstrip(_MARKS) for term in one.terms)
