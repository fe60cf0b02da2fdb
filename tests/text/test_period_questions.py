from datetime import UTC, datetime

from nanobot_memory_plugins.core.text.days import DaySpan
from nanobot_memory_plugins.core.text.period_questions import named_period

NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)


def test_a_text_that_is_a_period_and_no_more_is_its_days():
    week = DaySpan(datetime(2026, 6, 15).date(), datetime(2026, 6, 21).date())
    assert named_period("last week", NOW) == named_period("上周", NOW) == week
    assert named_period("last week at noon", NOW) is None
    assert named_period("blue cheese", NOW) is None
