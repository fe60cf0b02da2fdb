"""The one table of numbers in words, months and weekdays."""

from nanobot_memory_plugins.core.text.numbers import CHINESE_DIGITS, chinese_number
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
