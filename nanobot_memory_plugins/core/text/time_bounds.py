"""The bounds of a time range as people and models write them: a day, a month, a year, or a moment."""

import re
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.text.days import DaySpan

_PERIOD = re.compile(r"\s*(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?\s*", re.ASCII)
_COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)\s*", re.ASCII)
_AROUND = " \t\n.,;:!?\"'"
_NUMBER = re.compile(r"\s*[-+]?\d+(?:\.\d*)?\s*")


def bound_of(text: str, *, end: bool) -> datetime | str:
    """Return where the day, month or year that ``text`` names begins, or with ``end`` its last moment; local, naive.

    Other text is returned as it is. Raises `ValueError` for a date that the calendar does not have, and for a bare
    number, which could be anything.
    """
    match = _PERIOD.fullmatch(text) or _COMPACT.fullmatch(text)
    if match is None:
        if _NUMBER.fullmatch(text):
            raise ValueError(Sentence("a number is no date"))
        return text
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        begin = datetime(year or 0, month or 1, day or 1)
    except ValueError as error:
        raise ValueError(Sentence("there is no such day")) from error
    if not end:
        return begin
    try:
        if day:
            after = begin + timedelta(days=1)
        elif month:
            after = (begin + timedelta(days=31)).replace(day=1)
        else:
            after = begin.replace(year=begin.year + 1)
    except OverflowError as error:
        raise ValueError(Sentence("out of range")) from error
    return after - timedelta(microseconds=1)


def local_moment(moment: datetime) -> datetime:
    """Return a time without a zone as the machine's local time.

    Raises `ValueError` where the machine's calendar does not reach.
    """
    try:
        return moment.astimezone()
    except (OverflowError, OSError) as error:
        raise ValueError(Sentence("out of range")) from error


def moment_of(text: str, *, end: bool, now: datetime | None = None) -> datetime:
    """Return the moment that a bound in text names, aware. Raises `ValueError` where it names none.

    With ``now`` a bound may name days in words, seen from then: "yesterday", 上周五.
    """
    bound = bound_of(text, end=end)
    if not isinstance(bound, datetime):
        try:
            bound = datetime.fromisoformat(bound.strip())
        except ValueError as error:
            span = _in_words(text, now) if now is not None else None
            if span is None:
                raise ValueError(Sentence("it is no date")) from error
            bound = datetime.combine(span.end, time.max) if end else datetime.combine(span.start, time.min)
    return bound if bound.tzinfo is not None else local_moment(bound)


def _in_words(text: str, now: datetime) -> "DaySpan | None":
    """Return the days that a text is, and nothing else: "last week", 上周, "in May"; or None."""
    from nanobot_memory_plugins.core.text.days import named_days  # its patterns cost an import

    found = named_days(text, now.astimezone().date())
    if len(found) != 1:
        return None
    remainder = f"{text[: found[0].start]}{text[found[0].end :]}".strip(_AROUND).casefold()
    return found[0].span if remainder in ("", "in", "on", "the", "since", "从", "在") else None
