"""Redaction by the built-in rules and those that installed distributions bring; a rule that fails costs only itself."""

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
"""For one rule and one window of the text. An ordinary rule needs milliseconds; the rest is for a busy machine."""
_MOST_FAILURES = 3
# By name: their values differ between `re` and `regex`.
_FLAGS = (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII)


@dataclass(frozen=True, slots=True)
class InstalledRules:
    """What one entry point brought; ``error`` says why it brought nothing."""

    point: InstalledEntryPoint
    rules: tuple[Rule, ...] = ()
    error: str = ""


class BoundedRules:
    """Rules of third parties. One that raises, or searches too long, finds nothing, and is left out at the third time.

    Raises `PluginError` for what is no rule, and for a pattern that the engine cannot read: it is one whose search can
    be broken off, which that of `re` cannot.
    """

    def __init__(self, rules: Iterable[object], *, seconds: float = SECONDS) -> None:
        self._rules = list(map(_compiled, rules))
        self._seconds = seconds
        self._failures = [0] * len(self._rules)

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        spans: list[Span] = []
        for number, (rule, pattern) in enumerate(self._rules):
            searched = lower if rule.ignores_case else text
            is_called_for = not rule.literals or any(literal in searched for literal in rule.literals)
            if self._failures[number] >= _MOST_FAILURES or not is_called_for:
                continue
            try:
                spans += list(self._found(rule, pattern, text))
                self._failures[number] = 0
            except (Exception, SystemExit) as error:  # a validator is code of others, and may raise what it likes
                self._failures[number] += 1
                ended = "; it is left out from now on" if self._failures[number] >= _MOST_FAILURES else ""
                logger.warning("redaction rule {} failed: {}{}", rule.kind, exception_name(error), ended)
        return spans

    def _found(self, rule: Rule, pattern: Any, text: str) -> Iterator[Span]:
        hidden = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text, concurrent=True, timeout=self._seconds):
            start, end = match.span(hidden)
            if end > start >= 0 and (rule.validator is None or rule.validator(text[start:end])):
                yield Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR)


def _compiled(rule: object) -> tuple[Rule, Any]:
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
    """Give ``text`` with every secret replaced; ``keeps`` decides whether contact data stays."""
    return default_redactor().redact(text, keeps=keeps)


def safe_preview(value: object, *, max_chars: int = 500, budget: "Budget | None" = None) -> str:
    """Give a view of ``value`` of at most ``max_chars`` characters: redacted first, then cut.

    See `Redactor.preview` of `nanobot_memory_plugins.redaction`.
    """
    return default_redactor().preview(value, max_chars=max_chars, budget=budget)


@cache
def default_redactor() -> "Redactor":
    """Give the redactor of this process. The first call loads the detectors and looks for rules.

    That takes some tenths of a second: a host makes it outside its event loop. The rules stay what they were then.
    """
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # with the detectors

    rules = [rule for one in installed_rules() for rule in one.rules]
    return Redactor(extra_rules=BoundedRules(rules) if rules else None)


@cache
def installed_rules() -> tuple[InstalledRules, ...]:
    """Give what each entry point of the group brought to `default_redactor`, by name."""
    points = sorted(installed_entry_points(REDACTION_GROUP), key=lambda one: (one.name, one.distribution))
    found = tuple(map(_load, points))
    for one in found:
        if one.error:
            logger.warning("the redaction rules of {} are not used: {}", one.point.distribution, one.error)
    return found


def _load(point: InstalledEntryPoint) -> InstalledRules:
    try:
        brought = point.load()
        brought = brought() if callable(brought) else brought
        rules = tuple(brought) if isinstance(brought, Iterable) else (brought,)
        BoundedRules(rules)
    except (Exception, SystemExit) as wrong:  # an import may raise anything
        return InstalledRules(point, error=log_text(wrong))
    return InstalledRules(point, rules)
