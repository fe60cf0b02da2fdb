"""What is due within a week, and when something is over that a person gives a day for."""

from collections.abc import Sequence
from datetime import UTC, datetime, time

from rich.cells import cell_len

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.validity import end_of, last_day
from nanobot_memory_plugins.consolidation.prompt.render import days_left, is_due
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.text.days import coming_day
from nanobot_memory_plugins.core.text.time_bounds import moment_of
from nanobot_memory_plugins.redaction.script.messages import tr

_DAY = len("2026-01-31")


def over_at(text: str, now: datetime) -> datetime:
    """Return when something is over: with a day, a month or a year, "tomorrow" or 下周五 too, or at a moment.

    Raises `ValueError` where the text names none of them.
    """
    local = now.astimezone()
    day = coming_day(text, local.date())
    if day is not None:
        return end_of(day, local.tzinfo)
    moment = moment_of(text, end=True).astimezone()
    return end_of(moment.date(), moment.tzinfo) if moment.time() == time.max else moment.astimezone(UTC)


def due_first(entries: Sequence[Entry], now: datetime) -> list[Entry]:
    """Return what is due within a week, what comes first first."""
    return sorted((one for one in entries if is_due(one, now)), key=_end)


def show_due(found: Sequence[Entry], now: datetime) -> None:
    """Show what is due, a line each: the day, the id, the text."""
    for one in found:
        left = days_left(one, now)
        told = {0: tr("today"), 1: tr("tomorrow")}.get(-1 if left is None else left)
        day = told or f"{last_day(_end(one)):%Y-%m-%d}"
        padding = " " * max(0, _DAY - cell_len(day))
        console().print(f"[bold]{day}[/bold]{padding}  {shown(one.id)}  {shown(one.content)}")
    if not found:
        console().print(tr("Nothing is due within a week."))


def _end(entry: Entry) -> datetime:
    return entry.expires_at or datetime.max.replace(tzinfo=UTC)
