"""Days of the week in running text: one day, whatever its language and form."""

import pytest

from nanobot_memory_plugins.core.text.dates import weekdays_in


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("i play on wednesdays", {2}),
        ("wed and thurs", {2, 3}),
        ("周三打球", {2}),
        ("星期天和礼拜一", {6, 0}),
        ("ich spiele am mittwoch und sonnabends", {2, 5}),
        ("mittwoch", set()),  # nothing tells that it is German
        ("a wedding on some day", set()),
    ],
)
def test_a_day_of_the_week_is_the_same_in_every_language(text, days):
    assert weekdays_in(text) == days
