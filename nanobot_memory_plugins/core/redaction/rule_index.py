"""Finds what rules match in a text, in one pass over it, instead of searching it once for each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nanobot_memory_plugins.core.redaction.rules import RANK_VENDOR, Rule, Span

_Tree = dict[str, "_Tree"]


class RuleIndex:
    """Rules by the literals that must stand in the text.

    All literals are one regular expression, built as a tree of their letters, so that each character of the text is
    looked at once. It stops at the shortest literal of a branch; what it reports stands for every literal that begins
    so, or that could begin inside it. An anchored rule is then tried at that place only, any other on the whole text.
    """

    __slots__ = ("_always", "_anchored", "_folded", "_loose", "_tree")

    def __init__(self, rules: Sequence[Rule]) -> None:
        exact = [rule for rule in rules if rule.literals and not rule.pattern.flags & re.IGNORECASE]
        self._always = tuple(rule for rule in rules if not rule.literals)
        self._folded = tuple(rule for rule in rules if rule.literals and rule.pattern.flags & re.IGNORECASE)
        literals = {literal for rule in exact for literal in rule.literals}
        hits = [a for a in literals if not any(a != b and a.startswith(b) for b in literals)]
        self._anchored = {
            hit: tuple(
                (offset, rule)
                for rule in exact
                if rule.anchored
                for offset in sorted({place for literal in rule.literals for place in _places(hit, literal)})
            )
            for hit in hits
        }
        self._loose = {
            hit: tuple(rule for rule in exact if not rule.anchored and any(_places(hit, x) for x in rule.literals))
            for hit in hits
        }
        self._tree = re.compile(_pattern(hits)) if hits else None

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        spans: list[Span] = []
        searched = list(self._always)
        searched.extend(rule for rule in self._folded if any(literal in lower for literal in rule.literals))
        if self._tree is not None:
            seen: set[str] = set()
            for hit in self._tree.finditer(text):
                literal = hit.group()
                for offset, rule in self._anchored[literal]:
                    match = rule.pattern.match(text, hit.start() + offset)
                    if match is not None:
                        _add(rule, match, spans)
                if literal not in seen:
                    seen.add(literal)
                    searched.extend(rule for rule in self._loose[literal] if rule not in searched)
        for rule in searched:
            for match in rule.pattern.finditer(text):
                _add(rule, match, spans)
        return spans


def _add(rule: Rule, match: re.Match[str], spans: list[Span]) -> None:
    start, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
    if end > start and (rule.validator is None or rule.validator(match.string[start:end])):
        spans.append(Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR))


def _places(hit: str, literal: str) -> list[int]:
    """Give where ``literal`` may begin, counted from the place at which the tree reports ``hit``."""
    return [i for i in range(len(hit)) if literal.startswith(hit[i:]) or hit[i:].startswith(literal)]


def _pattern(words: Sequence[str]) -> str:
    tree: _Tree = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
    return _branches(tree)


def _branches(node: _Tree) -> str:
    branches = [re.escape(char) + _branches(below) for char, below in sorted(node.items())]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})" if branches else ""
