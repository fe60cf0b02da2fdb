"""Days and months in running text: the same, whatever their language and form."""

import pytest

from nanobot_memory_plugins.core.text.dates import date_terms, weekdays_in
from tests.support.each import each


@each(
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


@pytest.mark.parametrize("text", ["I moved on 3 September 2023", "I moved on 3 Sept 2023", "我2023年9月3日搬的"])
def test_a_month_is_the_same_in_full_in_short_and_in_chinese(text):
    assert "2023-09-03" in set(date_terms(text))


@pytest.mark.parametrize(("text", "is_month"), [("march on", False), ("we met in March", True), ("on 3 mar", True)])
def test_a_month_that_is_a_word_too_needs_a_day_or_a_capital_letter(text, is_month):
    assert bool(set(date_terms(text))) == is_month
