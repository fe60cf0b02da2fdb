"""The days that a query names in relation to now, as terms: "what did I do last Friday?" has no other word to find.

A passage holds the day on which it was said among its terms (`indexed_text`).
"""

from collections.abc import Container
from datetime import datetime, timedelta

from nanobot_memory_plugins.core.text.relative_dates import DaySpan, relative_spans

# Wider spans are looked for by their month, or not at all: "a few months ago" would be a query of a hundred days.
_MOST_DAYS = 7


def terms_of_named_days(text: str, asked_at: datetime, terms: Container[str]) -> tuple[str, ...]:
    """Return a term for each day, or for the month, that a query names beside the dates among its ``terms``."""
    found: dict[str, None] = {}
    for span in relative_spans(text, asked_at):
        found |= dict.fromkeys(_terms_of(span, terms))
    return tuple(term for term in found if term not in terms)


def _terms_of(span: DaySpan, terms: Container[str]) -> list[str]:
    days = (span.end - span.start).days + 1
    if days <= _MOST_DAYS:
        named = [span.start + timedelta(days=number) for number in range(days)]
        return [day.isoformat() for day in named if f"--{day:%m-%d}" not in terms]
    is_month = span.start.day == 1 and (span.end + timedelta(days=1)).day == 1 and span.start.month == span.end.month
    if is_month and span.start.year == span.end.year and f"--{span.start:%m}" not in terms:
        return [f"{span.start:%Y-%m}"]
    return []
