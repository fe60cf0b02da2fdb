"""The one table of numbers in words, months and weekdays."""

import calendar

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEKDAYS, MONTH_NUMBERS, WEEKDAYS
from nanobot_memory_plugins.core.text.numbers import CHINESE_DIGITS, ENGLISH_NUMBERS, chinese_number
from tests.support.each import each


@each(
    ("text", "number"),
    [
        ("7", 7),
        ("七", 7),
        ("两", 2),
        ("十", 10),
        ("十一", 11),
        ("二十", 20),
        ("九十九", 99),
        ("", 0),
        ("十十", 0),
        ("百", 0),
    ],
)
def test_a_chinese_number_has_its_value_and_what_is_none_has_0(text: str, number: int):
    assert chinese_number(text) == number


def test_every_number_to_ninety_nine_is_read_as_it_is_written():
    digits = {number: digit for digit, number in CHINESE_DIGITS.items() if digit != "两"}
    for number in range(11, 100):
        tens, ones = divmod(number, 10)
        assert chinese_number(f"{digits[tens] if tens > 1 else ''}十{digits.get(ones, '')}") == number


def test_names_are_those_of_the_calendar():
    assert [day.capitalize() for day in WEEKDAYS] == list(calendar.day_name)
    assert {name: MONTH_NUMBERS[name.lower()] for name in calendar.month_name[1:]} == {
        name: number for number, name in enumerate(calendar.month_name) if number
    }
    assert all(MONTH_NUMBERS[name.lower()] == n for n, name in enumerate(calendar.month_abbr) if n)
    assert (CHINESE_WEEKDAYS["一"], CHINESE_WEEKDAYS["日"], CHINESE_WEEKDAYS["天"]) == (0, 6, 6)
    assert (ENGLISH_NUMBERS["one"], ENGLISH_NUMBERS["twelve"]) == (1, 12)
