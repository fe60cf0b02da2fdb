"""The schedule of the consolidation: once a day at the local hour."""

from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest

from nanobot_memory_plugins.consolidation.nightly.consolidation import is_due
from tests.support.each import each

from .nightly_days import at


@pytest.mark.accept("NC-06")
@each(
    ("last", "now", "hour", "due"),
    [
        ("2026-02-19T03:00:05", "2026-02-20T02:59", 3, False),
        ("2026-02-19T03:00:05", "2026-02-20T03:00", 3, True),
        ("2026-02-20T03:00:05", "2026-02-20T10:00", 3, False),
        ("2026-02-01T03:00:05", "2026-02-20T01:00", 3, True),  # missed for weeks: once, at once
        ("2026-02-19T22:30", "2026-02-19T23:00", 23, True),
        ("2026-02-19T23:00:05", "2026-02-20T22:59", 23, False),
    ],
)
def test_a_run_is_due_once_a_day_at_the_hour(last: str, now: str, hour: int, due: bool):
    assert is_due(at(last), at(now), hour, UTC) is due


def test_the_hour_is_local_and_survives_daylight_saving_changes():
    berlin = ZoneInfo("Europe/Berlin")
    # 2 o'clock is left out on 29 March 2026.
    last, now, runs = at("2026-03-25T12:00"), at("2026-03-25T12:00"), []
    while now < at("2026-04-04T12:00"):
        now += timedelta(minutes=7)
        if is_due(last, now, 2, berlin):
            last = now
            runs.append(now.astimezone(berlin).hour)
    assert runs == [2, 2, 2, 3, 2, 2, 2, 2, 2, 2]
