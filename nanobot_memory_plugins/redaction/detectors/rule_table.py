"""The rules that are rows of `rules.toml`, which says at its head what its columns mean, and how they are searched."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, cast

from nanobot_memory_plugins.redaction.lazy import LazyPattern
from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, KeywordIndex, Lowered, places_of
from nanobot_memory_plugins.redaction.rules.rule import (
    API_KEY,
    ID_NUMBER,
    RANK_KEYED,
    RANK_PERSONAL,
    RANK_VENDOR,
    REDACTED,
    Rule,
    Span,
    ValueRule,
)
from nanobot_memory_plugins.redaction.values.checks import CHECKS
from nanobot_memory_plugins.redaction.values.key_names import split_name
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

_CLASSES = {
    "<A>": "[A-Za-z0-9]",
    "<W>": "[A-Za-z0-9_-]",
    "<D>": "[A-Za-z0-9_.=-]",
    "<H>": "[0-9a-fA-F]",
    "<Q>": "[\"'`*\ue0f1-\ue0f9]",
    "<start>": "(?<![A-Za-z0-9])",
    "<end>": "(?![A-Za-z0-9])",
    "<word>": "(?<![A-Za-z0-9_-])",
    "<uuid>": "[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}",
    "<number>": (
        "(?:[ _-]?(?:number|num(?![a-z])|no(?![a-z])\\.?|nr(?![a-z])\\.?|nummer|n[º°]|#|id(?![a-z])|card)){0,2}"
        "(?:[ ]?\\([^()\\n]{1,24}\\))?"
    ),
    "<link>": "[\"'*)]{0,3}[ ]{0,3}(?:[:=#：是为は—-]|is(?![a-z])|was(?![a-z]))?[ ]{0,3}[\"'(*]{0,2}",
    "<number-end>": "(?![A-Za-z0-9*\u2022\u25cf]|[.,:/-][0-9]|%)",
    "<string>": "[\"'][^\"'\\n]{1,200}[\"'],[ ]?",
    "<argument>": "[^,()\\n]{1,200},[ ]?",
}


# A match this long may have ended at the bound of a repetition: what follows it belongs to it.
_LONG = 120
_TOKEN_END = re.compile(r"[A-Za-z0-9_-]*+")


@cache
def rows() -> Mapping[str, list[dict[str, Any]]]:
    """Give the tables of `rules.toml`."""
    # `pathlib` and `importlib.resources` would take longer than the reading.
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "rules.toml"), "rb") as file:
        return tomllib.load(file)


def token_rules() -> Iterable[Rule]:
    """Give the shapes of tokens of known issuers."""
    for row in rows()["tokens"]:
        literals = tuple(row.get("starts", row.get("keywords", ())))
        starts = "|".join(map(re.escape, literals))
        pattern = row.get("pattern") or f"{row.get('border', '')}(?:{starts}){row['then']}"
        check = CHECKS[row.get("check", "issued")]
        yield Rule(row["kind"], API_KEY, _shape(pattern), check, literals, bool(literals) and "loose" not in row)


def keyed_rules(table: str) -> Iterable[Rule]:
    """Give the rules of another table, which ignore case."""
    for row in rows()[table]:
        check = CHECKS[row["check"]] if "check" in row else None
        hides = row.get("hides", ID_NUMBER if table == "personal" else REDACTED)
        kind = ValueRule if "value" in row else Rule
        shape = _shape(row["pattern"], re.IGNORECASE)
        yield kind(row["kind"], hides, shape, check, tuple(row["keywords"]), "loose" not in row)


def _shape(source: str, flags: int = 0) -> re.Pattern[str]:
    return cast("re.Pattern[str]", _Shape(source, flags))


class _Shape(LazyPattern):
    """A pattern in which ``<A>`` and the like mean character classes."""

    def _source(self) -> str:
        shape = self.pattern
        for name, meaning in _CLASSES.items():
            shape = shape.replace(name, meaning)
        return shape


class RuleIndex:
    """Rules by the literals of which one must occur in the text; ``rank`` is that of what they find.

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
        return [
            span
            for rule in (*self._always, *self._by_literal.met(lower))
            for match in _matches(rule, text, lower if rule.ignores_case else text)
            if (span := _span(rule, match, self._rank)) is not None
        ]


def _matches(rule: Rule, text: str, searched: str) -> Iterator[re.Match[str]]:
    if not rule.anchored:
        if not rule.literals or any(literal in searched for literal in rule.literals):
            yield from rule.pattern.finditer(text)
        return
    end = 0  # where the rule matched last: like a search, it goes on after that
    for at in sorted({at for literal in rule.literals for at in places_of(literal, searched)}):
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
        token_end = _TOKEN_END.match(match.string, end)
        end = token_end.end() if token_end else end
    return Span(start, end, rule.kind, rule.placeholder, rank)


TOKENS = RuleIndex(token_rules())
SECRETS = RuleIndex(keyed_rules("secrets"), RANK_KEYED)
PERSONAL = RuleIndex(keyed_rules("personal"), RANK_PERSONAL)
PERSONAL_CUES = KeywordIndex(literal for rule in keyed_rules("personal") for literal in rule.literals)
"""The words of which one precedes a number that names a person."""

_LONGEST_PERSONAL = 64


def personal_value(name: str, value: str) -> Span | None:
    """Give the finding for a number that names a person, by the ``name`` of its field or column; None for others."""
    if len(value) > _LONGEST_PERSONAL or len(name) > _LONGEST_PERSONAL or not may_name_person(name):
        return None
    described = f"{_spaced(name)}: {value}"
    begin = len(described) - len(value)
    spans = PERSONAL.find(described, Lowered(described))
    return next((span for span in spans if span.start >= begin), None)


@lru_cache(maxsize=2048)
def may_name_person(name: str) -> bool:
    """Tell whether the values under a ``name`` may be numbers that name a person."""
    return PERSONAL_CUES.meets(Lowered(_spaced(name)))


def _spaced(name: str) -> str:
    return " ".join(split_name(name)) or name
