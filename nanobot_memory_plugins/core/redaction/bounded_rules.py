"""Runs rules of third parties: each in a thread of its own, with a limit; one that fails finds nothing."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import NamedTuple

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.isolation.breaker import BreakerSettings, CircuitBreaker
from nanobot_memory_plugins.core.isolation.failure import exception_name
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.rules.rule import RANK_VENDOR, Rule, Span

# Seconds for one window of the text. An ordinary rule needs milliseconds; the rest is for a busy machine.
LIMIT_SECONDS = 0.5
# By name: their values differ between `re` and `regex`.
_FLAGS = (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII)
_here = threading.local()


def is_within_rule() -> bool:
    """Tell whether this thread runs code of a rule, which must not be asked again for what it does itself."""
    return bool(getattr(_here, "is_within", False))


def enter_rule() -> None:
    """Mark this thread, until its end, as one that runs code of a rule."""
    _here.is_within = True


class _Failed(NamedTuple):
    reason: str


class _BoundedRule:
    """One rule, compiled for an engine whose search can be broken off: `re` holds every thread up."""

    def __init__(self, name: str, rule: Rule, breaker: CircuitBreaker) -> None:
        import regex

        self.name = name
        self.breaker = breaker
        self._rule = rule
        flags = sum(int(getattr(regex, str(flag.name))) for flag in _FLAGS if rule.pattern.flags & flag)
        self._pattern = regex.compile(rule.pattern.pattern, flags | regex.VERSION0)
        self._ignores_case = bool(rule.pattern.flags & re.IGNORECASE)
        self._hidden = "secret" if "secret" in rule.pattern.groupindex else 0

    def may_match(self, text: str, lower: str) -> bool:
        """Tell whether one of the rule's literals stands in the text, or it has none."""
        literals = self._rule.literals
        return not literals or any(literal in (lower if self._ignores_case else text) for literal in literals)

    def run(self, text: str, seconds: float) -> list[Span] | _Failed:
        """Find in a text, in a thread that is given up after ``seconds``."""
        enter_rule()
        try:
            return list(self._find(text, seconds))
        except BaseException as error:  # a validator is code of others, and may raise what it likes
            return _Failed("no answer in time" if isinstance(error, TimeoutError) else exception_name(error))

    def _find(self, text: str, seconds: float) -> Iterator[Span]:
        rule = self._rule
        for match in self._pattern.finditer(text, concurrent=True, timeout=seconds):
            start, end = match.span(self._hidden)
            if end > start >= 0 and (rule.validator is None or rule.validator(text[start:end])):
                yield Span(start, end, rule.kind, rule.placeholder, RANK_VENDOR)


class BoundedRules:
    """Rules of third parties by their names. Safe in threads.

    A rule that raises, or has not answered after ``seconds``, finds nothing in that window; after three failures in a
    row it rests for a minute. Raises ``ValueError`` for a pattern that the engine cannot read.
    """

    def __init__(
        self,
        rules: Iterable[tuple[str, Rule]],
        *,
        seconds: float = LIMIT_SECONDS,
        clock: Clock | None = None,
        breaker: BreakerSettings | None = None,
    ) -> None:
        clock = clock or SystemClock()
        settings = breaker or BreakerSettings()
        self._seconds = seconds
        self._rules: list[_BoundedRule] = []
        for name, rule in rules:
            try:
                self._rules.append(_BoundedRule(name, rule, CircuitBreaker(settings, clock)))
            except Exception as error:
                raise ValueError(f"the pattern of rule {rule.kind!r} cannot be read: {error}") from None
        self._threads = DaemonThreadPool(limit=64, name="nanobot-memory redaction rule")

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        begun = [
            (rule, permit, self._begin(rule, text))
            for rule in self._rules
            if rule.may_match(text, lower) and (permit := rule.breaker.begin()) is not None
        ]
        deadline = time.monotonic() + self._seconds
        spans: list[Span] = []
        for rule, permit, work in begun:
            found = _await(work, deadline)
            if isinstance(found, _Failed):
                logger.warning("redaction rule {} failed: {}; what it would have hidden stays", rule.name, found.reason)
                if rule.breaker.fail(permit):
                    logger.warning("redaction rule {}: circuit open for a while", rule.name)
            else:
                rule.breaker.succeed(permit)
                spans += found
        return spans

    def is_asking(self) -> bool:
        """Tell whether this thread runs code of a rule."""
        return is_within_rule()

    def _begin(self, rule: _BoundedRule, text: str) -> Future[list[Span] | _Failed] | None:
        try:
            return self._threads.submit(rule.run, text, self._seconds)
        except RuntimeError:  # no thread can be had
            return None


def _await(work: Future[list[Span] | _Failed] | None, deadline: float) -> list[Span] | _Failed:
    if work is None:
        return _Failed("no thread")
    try:
        return work.result(max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        work.cancel()
        return _Failed("no answer in time")
