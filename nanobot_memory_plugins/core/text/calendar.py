"""Names of months and weekdays in English, of weekdays in Chinese, and the numbers in words that stand beside them."""

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re

_WEEKDAYS = (
    ("monday", "mon"),
    ("tuesday", "tues", "tue"),
    ("wednesday", "wed"),
    ("thursday", "thurs", "thur", "thu"),
    ("friday", "fri"),
    ("saturday", "sat"),
    ("sunday", "sun"),
)
WEEKDAY_NUMBERS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names}
"""Weekdays by their names and short names, in small letters; Monday is 0, as in `datetime.date.weekday`."""

CHINESE_WEEKDAY_NAMES = "一二三四五六日"
CHINESE_WEEKDAYS = {character: number for number, character in enumerate(CHINESE_WEEKDAY_NAMES)} | {"天": 6}
"""What follows 周, 星期 and 礼拜."""

CHINESE_WEEK = "(?:周|星期|礼拜)"
CHINESE_WEEKDAY_NAME = f"[{''.join(CHINESE_WEEKDAYS)}]"
"""Patterns of the word for a day of the week, and of what follows it."""

_MONTHS = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
"""Months by their names and short names, in small letters, from 1."""

AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})
"""These are ordinary words, too."""

MONTH_NAME = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
"""Alternatives for a pattern, the longest first."""

ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
"""From one to twelve."""

_CHINESE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2}
_UP_TO_99 = lazy_re("(?:([{0}]?)(十))?([{0}]?)".format("".join(_CHINESE_DIGITS)))


def chinese_number(text: str) -> int:
    """Return the value of figures, or of a Chinese number up to 99 in simplified characters; 0 for what is neither."""
    if text.isdecimal():
        return int(text)
    found = _UP_TO_99.fullmatch(text)
    if found is None:
        return 0
    tens = 10 * _CHINESE_DIGITS.get(found[1], 1) if found[2] else 0
    return tens + _CHINESE_DIGITS.get(found[3], 0)
