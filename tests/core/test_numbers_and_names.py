"""The one table of numbers in words, months and weekdays."""

from nanobot_memory_plugins.core.text.numbers import CHINESE_DIGITS, chinese_number


def test_every_number_to_ninety_nine_is_read_as_it_is_written():
    digits = {number: digit for digit, number in CHINESE_DIGITS.items() if digit != "两"}
    for number in range(11, 100):
        tens, ones = divmod(number, 10)
        assert chinese_number(f"{digits[tens] if tens > 1 else ''}十{digits.get(ones, '')}") == number
