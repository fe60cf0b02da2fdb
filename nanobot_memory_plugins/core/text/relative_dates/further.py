"""The phrases of further languages that name days, by the rules of their files (`core.text.languages`)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from nanobot_memory_plugins.core.text.languages import DateRule, LanguageRules, languages_of
from nanobot_memory_plugins.core.text.relative_dates.calendar import (
    DaySpan,
    ago,
    latest_weekday,
    month_of,
    months_back,
    rolling,
    single,
    week_of,
    weekday_of,
    weekend_of,
    year_of,
)
from nanobot_memory_plugins.core.text.relative_dates.rules import FoundPhrase

_DAYS_A_WEEK, _MONTHS_A_YEAR = 7, 12
# What may mean several things: "on Friday", "next Friday", and "in two weeks", which may be how long it took.
_UNSURE = frozenset({"weekday", "weekday_of_week", "rolling", "ahead"})


@dataclass(frozen=True, slots=True)
class FurtherPhrase:
    """A phrase that names days. ``is_certain``: everybody means these; ``is_ahead``: they are said to be ahead."""

    found: FoundPhrase
    is_certain: bool
    is_ahead: bool


def further_phrases(text: str, today: date) -> list[FurtherPhrase]:
    """Return the phrases of further languages in a text, in its order; it is folded, with single blanks."""
    found = [one for language in languages_of(text) for one in _found(language, text, today)]
    found.sort(key=lambda one: (one.found.start, -len(one.found.phrase)))
    kept: list[FurtherPhrase] = []
    end = 0
    for one in found:
        if one.found.start >= end:
            end = one.found.start + len(one.found.phrase)
            kept.append(one)
    return kept


def _found(language: LanguageRules, text: str, today: date) -> Iterator[FurtherPhrase]:
    taken: list[tuple[int, int]] = []
    for rule in language.dates:
        if rule.unless is not None and rule.unless.search(text):
            continue
        for match in rule.pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue  # an earlier rule has it
            taken.append(match.span())
            try:
                span = _span(rule, language, match, today)
            except (ValueError, OverflowError):  # before the year 1, or after 9999
                continue
            if span is not None:
                phrase = FoundPhrase(match.start(), match[0], rule.means, span)
                is_certain = rule.means not in _UNSURE
                is_ahead = rule.means in ("ahead", "coming_weekday") or rule.offset > 0
                yield FurtherPhrase(phrase, is_certain, is_ahead)


def _span(rule: DateRule, language: LanguageRules, match: re.Match[str], today: date) -> DaySpan | None:
    match rule.means:
        case "day":
            return single(today + timedelta(days=rule.offset))
        case "week":
            return week_of(today, -rule.offset)
        case "weekend":
            return weekend_of(today, -rule.offset)
        case "month":
            first = months_back(today.replace(day=1), -rule.offset)
            return month_of(first.year, first.month)
        case "year":
            return year_of(today.year + rule.offset)
        case "ago" | "ahead" | "rolling":
            return _counted(rule.means, language, match, today)
    return _weekday(rule, language.weekdays.get(match["weekday"]), today)


def _counted(means: str, language: LanguageRules, match: re.Match[str], today: date) -> DaySpan | None:
    named, unit = match["n"] or "", language.units.get(match["unit"])
    number = int(named) if named.isdecimal() else language.numbers.get(named)
    if not number or unit is None:
        return None
    if means == "ago":
        return ago(today, unit, number, number)
    if means == "rolling":
        return rolling(today, unit, number)
    if unit in ("month", "year"):
        return single(months_back(today, -number * (_MONTHS_A_YEAR if unit == "year" else 1)))
    return single(today + timedelta(days=number * (_DAYS_A_WEEK if unit == "week" else 1)))


def _weekday(rule: DateRule, wanted: int | None, today: date) -> DaySpan | None:
    if wanted is None:
        return None
    match rule.means:
        case "last_weekday":
            return latest_weekday(today, wanted, before_today=True)
        case "coming_weekday":
            return single(today + timedelta(days=(wanted - today.weekday() - 1) % _DAYS_A_WEEK + 1))
        case "weekday_of_week":
            return weekday_of(today, wanted, -rule.offset)
    return latest_weekday(today, wanted, before_today=False)
