"""What is due within a week, and when something is over that a person gives a day for."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.cells import cell_len

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.plan_days import end_of, last_day
from nanobot_memory_plugins.consolidation.prompt.render import days_left, is_due
from nanobot_memory_plugins.core import console, shown, tr

_DAY = len("2026-01-31")


def over_at(moment: datetime) -> datetime:
    """Return when something is over: with its day, where no hour is named."""
    local = moment.astimezone()
    return local.astimezone(UTC) if (moment.hour, moment.minute) != (0, 0) else end_of(local.date(), local.tzinfo)


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
