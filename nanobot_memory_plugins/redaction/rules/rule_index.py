"""Finds what rules match in a text, without searching it once for each rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered, places_of
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import RANK_VENDOR, Rule, Span

# A match this long may have ended at the bound of a repetition: what goes on behind it belongs to it.
_LONG = 120
_REST = re.compile(r"[A-Za-z0-9_-]*+")


class RuleIndex:
    """Rules by the literals of which one must stand in the text.

    An anchored rule is tried at the places of its literals only, any other on the whole text.
    """

    __slots__ = ("_always", "_by_literal")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._always = tuple(rule for rule in rules if not rule.literals)
        self._by_literal = ByCue(([literal.lower() for literal in rule.literals], rule) for rule in rules)

    def find(self, text: str, lower: Lowered) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        spans: list[Span] = []
        searched = [*self._always]
        for rule in self._by_literal.met(lower):
            if rule.anchored:
                _try_at(rule, sorted(at for literal in rule.literals for at in places_of(literal, text)), text, spans)
            elif rule.pattern.flags & re.IGNORECASE or any(literal in text for literal in rule.literals):
                searched.append(rule)
        for rule in searched:
            for match in matches(rule.pattern, text, lower):
                _add(rule, match, spans)
        return spans


def _try_at(rule: Rule, places: Sequence[int], text: str, spans: list[Span]) -> None:
    end = 0  # where the rule matched last: like a search, it goes on behind that
    for at in places:
        match = rule.pattern.match(text, at) if at >= end else None
        if match is not None:
            end = match.end()
            _add(rule, match, spans)


def _add(rule: Rule, match: re.Match[str], spans: list[Span]) -> None:
    start, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
    if end > start and (rule.validator is None or rule.validator(match.string[start:end])):
        if end - start >= _LONG:
            rest = _REST.match(match.string, end)
            end = rest.end() if rest else end
        spans.append(Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR))
