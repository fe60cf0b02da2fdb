"""Names of months and weekdays in English, and of weekdays in Chinese. `numbers` has the numbers beside them."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""From Monday, which is 0, as in `datetime.date.weekday`."""

FULL_WEEKDAY = "|".join(WEEKDAYS)
"""Alternatives for a pattern, in full alone."""

WEEKDAY_NAME = rf"(?:{FULL_WEEKDAY}|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)s?"
"""A day of the week in full or in short, also of several weeks, in small letters: a pattern."""

CHINESE_WEEKDAY_NAMES = "一二三四五六日"
CHINESE_WEEKDAYS = {character: number for number, character in enumerate(CHINESE_WEEKDAY_NAMES)} | {"天": 6}
"""What stands behind 周, 星期 and 礼拜."""

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

MONTH_NAME = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
"""Alternatives for a pattern, the longest first."""
