"""Days and months in running text: the same, whatever their language and form."""

import pytest

from nanobot_memory_plugins.core.text.dates import date_terms


@pytest.mark.parametrize("text", ["I moved on 3 September 2023", "I moved on 3 Sept 2023", "我2023年9月3日搬的"])
def test_a_month_is_the_same_in_full_in_short_and_in_chinese(text):
    assert "2023-09-03" in set(date_terms(text))
