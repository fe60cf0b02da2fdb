"""Finds what rules match in a text, in one pass over it, instead of searching it once for each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nanobot_memory_plugins.core.redaction.rules import RANK_VENDOR, Rule, Span

# A match this long may have ended at the bound of a repetition: what goes on behind it belongs to it.
_LONG = 120
_REST = re.compile(r"[A-Za-z0-9_-]*+")

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
        by_literal: dict[str, list[Rule]] = {}
        for rule in exact:
            for literal in rule.literals:
                by_literal.setdefault(literal, []).append(rule)
        by_first: dict[str, list[str]] = {}
        for literal in by_literal:
            by_first.setdefault(literal[0], []).append(literal)
        hits = [a for a in by_literal if not any(a != b and a.startswith(b) for b in by_first[a[0]])]
        self._anchored: dict[str, tuple[tuple[int, Rule], ...]] = {}
        self._loose: dict[str, tuple[Rule, ...]] = {}
        for hit in hits:
            met = dict.fromkeys(  # once each, in a fixed order
                (place, rule) for place, literal in _met(hit, by_first) for rule in by_literal[literal]
            )
            self._anchored[hit] = tuple((place, rule) for place, rule in met if rule.anchored)
            self._loose[hit] = tuple(dict.fromkeys(rule for _, rule in met if not rule.anchored))
        self._tree = re.compile(_pattern(hits)) if hits else None

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        spans: list[Span] = []
        searched = list(self._always)
        searched.extend(rule for rule in self._folded if any(map(lower.__contains__, rule.literals)))
        if self._tree is not None:
            seen: set[str] = set()
            ends: dict[int, int] = {}  # where a rule matched last: like a search, it goes on behind that
            for hit in self._tree.finditer(text):
                literal = hit.group()
                for offset, rule in self._anchored[literal]:
                    at = hit.start() + offset
                    match = rule.pattern.match(text, at)
                    if match is not None and at >= ends.get(id(rule), 0):
                        ends[id(rule)] = match.end()
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
        if end - start >= _LONG:
            rest = _REST.match(match.string, end)
            end = rest.end() if rest else end
        spans.append(Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR))


def _met(hit: str, by_first: dict[str, list[str]]) -> Iterator[tuple[int, str]]:
    """Give each literal that may stand where the tree reports ``hit``, and where in it that literal begins."""
    for place, char in enumerate(hit):
        rest = hit[place:]
        for literal in by_first.get(char, ()):
            if literal.startswith(rest) or rest.startswith(literal):
                yield place, literal


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
