"""When the consolidation runs: once a day, in one process, whatever clocks and processes do."""

from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest

from nanobot_memory_plugins.consolidation.nightly.scheduler import is_due, next_slot
from nanobot_memory_plugins.consolidation.store.nightly_records import LastRun
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
def test_it_is_due_once_for_each_day_at_the_hour(last: str, now: str, hour: int, due: bool):
    assert is_due(LastRun(at(last)), at(now), hour, UTC) is due


def test_the_hour_is_local_and_survives_changes_of_the_clocks():
    berlin = ZoneInfo("Europe/Berlin")
    assert next_slot(at("2026-01-10T12:00"), 3, berlin) == at("2026-01-11T02:00")
    assert next_slot(at("2026-07-10T12:00"), 3, berlin) == at("2026-07-11T01:00")
    # 2 o'clock is left out on 29 March 2026.
    spring = next_slot(at("2026-03-28T12:00"), 2, berlin)
    assert at("2026-03-29T00:00") <= spring <= at("2026-03-29T02:00")
    last, runs, now = LastRun(at("2026-03-25T12:00")), 0, at("2026-03-25T12:00")
    while now < at("2026-04-04T12:00"):
        now += timedelta(minutes=7)
        if is_due(last, now, 2, berlin):
            last, runs = LastRun(now), runs + 1
    assert runs == 10


def test_a_failed_night_is_tried_again_after_an_hour():
    failed = LastRun(at("2026-02-19T03:00"), failures=1, failed_at=at("2026-02-20T03:00"))
    assert not is_due(failed, at("2026-02-20T03:59"), 3, UTC)
    assert is_due(failed, at("2026-02-20T04:00"), 3, UTC)
