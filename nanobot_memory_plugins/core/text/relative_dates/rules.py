"""Rules that turn a phrase into a span, and the one pass that finds them all."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from nanobot_memory_plugins.core.text.relative_dates.calendar import DaySpan
from nanobot_memory_plugins.core.text.words import LazyPattern

Resolve = Callable[[re.Match[str], date], DaySpan | None]

_GROUP_NAME = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class FoundPhrase:
    """A phrase in a text, the rule that knows it, and what it means."""

    start: int
    phrase: str
    rule: str
    span: DaySpan


class Rules:
    """Patterns with what they mean. Where several fit, the first in order wins and takes the text that it matches."""

    def __init__(self, rules: Mapping[str, tuple[str, Resolve]]) -> None:
        self._rules = {name: (LazyPattern(pattern), resolve) for name, (pattern, resolve) in rules.items()}
        alternatives = (f"(?P<{name}>{_GROUP_NAME.sub('(?:', pattern)})" for name, (pattern, _) in rules.items())
        self._any = LazyPattern("|".join(alternatives))

    def matches(self, name: str, text: str) -> Iterator[re.Match[str]]:
        """Yield each phrase that one rule knows, whatever the others make of it."""
        return self._rules[name][0].finditer(text)

    def found(self, text: str, today: date) -> Iterator[FoundPhrase]:
        """Yield each phrase that names days; a date that the calendar does not have is left out."""
        for match in self._any.finditer(text):
            name = str(match.lastgroup)
            pattern, resolve = self._rules[name]
            exact = pattern.match(text, match.start())
            try:
                span = resolve(exact, today) if exact else None
            except (ValueError, OverflowError):  # before the year 1, or after 9999
                continue
            if span is not None:
                yield FoundPhrase(match.start(), match[0], name, span)
