"""Finds the few rules that a text can match, in one pass over it, instead of trying each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.redaction.rules import RANK_VENDOR, Rule, Span

_Trie = dict[str, "_Trie"]


class RuleIndex:
    """Rules by the literals that must stand in the text.

    All literals are one regular expression, built as a tree of their letters so that each character of the text is
    looked at once. It stops at the shortest literal of a branch; what it finds stands for every literal that begins
    so, or that could begin inside it.
    """

    __slots__ = ("_always", "_by_hit", "_exact", "_folded", "_tree")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._always = tuple(rule for rule in rules if not rule.literals)
        self._folded = tuple(rule for rule in rules if rule.literals and rule.pattern.flags & re.IGNORECASE)
        exact = [rule for rule in rules if rule.literals and not rule.pattern.flags & re.IGNORECASE]
        literals = {literal for rule in exact for literal in rule.literals}
        hits = [a for a in literals if not any(a != b and a.startswith(b) for b in literals)]
        self._by_hit = {
            hit: tuple(i for i, rule in enumerate(exact) if any(_meets(hit, literal) for literal in rule.literals))
            for hit in hits
        }
        self._tree = re.compile(_pattern(hits)) if hits else None
        self._exact = tuple(exact)

    def candidates(self, text: str, lower: str) -> list[Rule]:
        """Give the rules worth trying on ``text``; ``lower`` is the same in lower case."""
        found = list(self._always)
        for rule in self._folded:
            if any(literal in lower for literal in rule.literals):
                found.append(rule)
        if self._tree is not None:
            hits = set(self._tree.findall(text))
            if hits:
                numbers: set[int] = set()
                for hit in hits:
                    numbers.update(self._by_hit[hit])
                found.extend(self._exact[number] for number in sorted(numbers))
        return found

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``."""
        spans: list[Span] = []
        for rule in self.candidates(text, lower):
            group = "secret" if "secret" in rule.pattern.groupindex else 0
            for match in rule.pattern.finditer(text):
                start, end = match.span(group)
                if end > start and (rule.validator is None or rule.validator(text[start:end])):
                    spans.append(Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR))
        return spans


def _meets(hit: str, literal: str) -> bool:
    """Tell whether ``literal`` may stand where the tree reports ``hit``: at the same place, or begun inside it."""
    if literal.startswith(hit):
        return True
    return any(literal.startswith(hit[i:]) or hit[i:].startswith(literal) for i in range(1, len(hit)))


def _pattern(words: Sequence[str]) -> str:
    tree: _Trie = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
    return _branches(tree)


def _branches(node: _Trie) -> str:
    branches = [re.escape(char) + _branches(below) for char, below in sorted(node.items())]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})" if branches else ""
