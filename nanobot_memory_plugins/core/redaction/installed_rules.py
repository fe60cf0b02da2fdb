"""Redaction with the built-in rules and those of installed distributions, whose failures affect no other rule."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.entry_points import REDACTION_GROUP, InstalledEntryPoint, installed_entry_points
from nanobot_memory_plugins.core.errors import PluginError, log_text
from nanobot_memory_plugins.core.isolation.failure import exception_name
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.rules.rule import RANK_VENDOR, Rule, Span
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.redaction.engine.redactor import Budget, ContactPolicy, Redactor

SECONDS = 0.5
"""The time limit of one rule for one window of the text. A rule needs milliseconds, but the machine may be busy."""
_MOST_FAILURES = 3
# Converted by name, since their values differ between `re` and `regex`.
_FLAGS = (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII)


@dataclass(frozen=True, slots=True)
class InstalledRules:
    """The rules of one entry point, or the ``error`` because of which it has none."""

    point: InstalledEntryPoint
    rules: tuple[Rule, ...] = ()
    error: str = ""


class BoundedRules:
    """Third-party rules, with a time limit. A rule that raises or takes too long finds nothing.

    It is disabled after the third failure in a row. The patterns are compiled for `regex`, whose searches can be
    interrupted, unlike those of `re`. Raises `PluginError` for anything but a rule, and for an invalid pattern.
    """

    def __init__(self, rules: Iterable[object], *, seconds: float = SECONDS) -> None:
        self._rules = list(map(_compile_rule, rules))
        self._seconds = seconds
        self._failures = [0] * len(self._rules)

    def find(self, text: str, lower: str) -> list[Span]:
        """Return the matches of all rules in ``text``. ``lower`` is the text in lower case."""
        spans: list[Span] = []
        for number, (rule, pattern) in enumerate(self._rules):
            searched = lower if rule.ignores_case else text
            may_match = not rule.literals or any(literal in searched for literal in rule.literals)
            if self._failures[number] >= _MOST_FAILURES or not may_match:
                continue
            try:
                spans += list(self._matches(rule, pattern, text))
                self._failures[number] = 0
            except (Exception, SystemExit) as error:  # a validator is third-party code, and may raise anything
                self._failures[number] += 1
                ended = "; it is left out from now on" if self._failures[number] >= _MOST_FAILURES else ""
                logger.warning("redaction rule {} failed: {}{}", rule.kind, exception_name(error), ended)
        return spans

    def _matches(self, rule: Rule, pattern: Any, text: str) -> Iterator[Span]:
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text, concurrent=True, timeout=self._seconds):
            start, end = match.span(group)
            if end > start >= 0 and (rule.validator is None or rule.validator(text[start:end])):
                yield Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR)


def _compile_rule(rule: object) -> tuple[Rule, Any]:
    import regex

    if not isinstance(rule, Rule) or not isinstance(rule.pattern.pattern, str):
        raise PluginError(Sentence("they are to be rules for text, and one is {kind}", kind=type(rule).__name__))
    try:
        flags = sum(int(getattr(regex, str(flag.name))) for flag in _FLAGS if rule.pattern.flags & flag)
        return rule, regex.compile(rule.pattern.pattern, flags | regex.VERSION0)
    except Exception as error:
        why = Sentence("the pattern of rule {kind} cannot be read: {error}", kind=rule.kind, error=error)
        raise PluginError(why) from None


def redact_text(text: str, *, keeps: "ContactPolicy | None" = None) -> str:
    """Return ``text`` with every secret replaced. ``keeps`` decides which contact data stays."""
    return default_redactor().redact(text, keeps=keeps)


def safe_preview(value: object, *, max_chars: int = 500, budget: "Budget | None" = None) -> str:
    """Return a preview of ``value`` with at most ``max_chars`` characters, redacted first and then cut.

    See `Redactor.preview` of `nanobot_memory_plugins.redaction`.
    """
    return default_redactor().preview(value, max_chars=max_chars, budget=budget)


@cache
def default_redactor() -> "Redactor":
    """Return the redactor of this process. The first call loads the detectors and the installed rules.

    That takes some tenths of a second, so call it first outside of the event loop. Rules are not loaded again later.
    """
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # imports the detectors

    rules = [rule for loaded in installed_rules() for rule in loaded.rules]
    return Redactor(extra_rules=BoundedRules(rules) if rules else None)


@cache
def installed_rules() -> tuple[InstalledRules, ...]:
    """Return the rules of each entry point of the group, sorted by name."""
    points = sorted(installed_entry_points(REDACTION_GROUP), key=lambda point: (point.name, point.distribution))
    loaded = tuple(map(_load, points))
    for rules in loaded:
        if rules.error:
            logger.warning("the redaction rules of {} are not used: {}", rules.point.distribution, rules.error)
    return loaded


def _load(point: InstalledEntryPoint) -> InstalledRules:
    try:
        loaded = point.load()
        loaded = loaded() if callable(loaded) else loaded
        rules = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
        BoundedRules(rules)
    except (Exception, SystemExit) as error:  # an import may raise anything
        return InstalledRules(point, error=log_text(error))
    return InstalledRules(point, rules)
