"""Days and months in running text: the same, whatever their language and form."""

import pytest

from nanobot_memory_plugins.core.text.dates import date_terms


@pytest.mark.parametrize("text", ["I moved on 3 September 2023", "I moved on 3 Sept 2023", "我2023年9月3日搬的"])
def test_a_month_is_the_same_in_full_in_short_and_in_chinese(text):
    assert "2023-09-03" in set(date_terms(text))


@pytest.mark.parametrize(("text", "is_month"), [("march on", False), ("we met in March", True), ("on 3 mar", True)])
def test_a_month_that_is_a_word_too_needs_a_day_or_a_capital_letter(text, is_month):
    assert bool(set(date_terms(text))) == is_month
