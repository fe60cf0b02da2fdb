"""Finds what rules match in a text: a rule is tried where one of its literals stands, and not once for each rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered, places_of
from nanobot_memory_plugins.redaction.rules.rule import RANK_VENDOR, Rule, Span, ValueRule
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

# A match this long may have ended at the bound of a repetition: what goes on behind it belongs to it.
_LONG = 120
_REST = re.compile(r"[A-Za-z0-9_-]*+")


class RuleIndex:
    """Rules by the literals of which one must stand in the text; ``rank`` is that of what they find.

    An anchored rule is tried at the places of its literals only, any other on the whole text.
    """

    __slots__ = ("_always", "_by_literal", "_rank")

    def __init__(self, rules: Iterable[Rule], rank: int = RANK_VENDOR) -> None:
        rules = tuple(rules)
        self._rank = rank
        self._always = tuple(rule for rule in rules if not rule.literals)
        self._by_literal = ByCue(([literal.lower() for literal in rule.literals], rule) for rule in rules)

    def find(self, text: str, lower: Lowered) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        spans: list[Span] = []
        for rule in (*self._always, *self._by_literal.met(lower)):
            searched = lower if rule.ignores_case else text
            for match in _at(rule, searched, text) if rule.anchored else _anywhere(rule, searched, text):
                span = _span(rule, match, self._rank)
                if span is not None:
                    spans.append(span)
        return spans


def _anywhere(rule: Rule, searched: str, text: str) -> Iterator[re.Match[str]]:
    if not rule.literals or any(literal in searched for literal in rule.literals):
        yield from rule.pattern.finditer(text)


def _at(rule: Rule, searched: str, text: str) -> Iterator[re.Match[str]]:
    end = 0  # where the rule matched last: like a search, it goes on behind that
    places: Sequence[int] = sorted({at for literal in rule.literals for at in places_of(literal, searched)})
    for at in places:
        match = rule.pattern.match(text, at) if at >= end else None
        if match is not None:
            end = match.end()
            yield match


def _span(rule: Rule, match: re.Match[str], rank: int) -> Span | None:
    if isinstance(rule, ValueRule):
        value = value_at(match.string, match.end())
        start, end = (value.start, value.end) if value else (0, 0)
        if " " in match.string[start:end]:
            return None  # a sentence, or a label
    else:
        start, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
    if end <= start or (rule.validator is not None and not rule.validator(match.string[start:end])):
        return None
    if end - start >= _LONG:
        rest = _REST.match(match.string, end)
        end = rest.end() if rest else end
    return Span(start, end, rule.kind, rule.placeholder, rank)
