"""Names of months and weekdays in English, and of weekdays in Chinese.

`numbers` has the numbers beside them.
"""

_WEEKDAYS = (
    ("monday", "mon"),
    ("tuesday", "tues", "tue"),
    ("wednesday", "wed"),
    ("thursday", "thurs", "thur", "thu"),
    ("friday", "fri"),
    ("saturday", "sat"),
    ("sunday", "sun"),
)
WEEKDAYS = tuple(names[0] for names in _WEEKDAYS)
"""From Monday, which is 0, as in `datetime.date.weekday`."""

WEEKDAY_NUMBERS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names}
"""Weekdays by their names and short names, in small letters, from 0."""

FULL_WEEKDAY = "|".join(WEEKDAYS)
"""Alternatives for a pattern, in full alone."""

CHINESE_WEEKDAY_NAMES = "一二三四五六日"
CHINESE_WEEKDAYS = {character: number for number, character in enumerate(CHINESE_WEEKDAY_NAMES)} | {"天": 6}
"""What follows 周, 星期 and 礼拜."""

CHINESE_WEEK = "(?:周|星期|礼拜)"
CHINESE_WEEKDAY_NAME = f"[{''.join(CHINESE_WEEKDAYS)}]"
CHINESE_WEEKDAY = CHINESE_WEEK + CHINESE_WEEKDAY_NAME
"""A day of the week in Chinese: a pattern."""

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

MONTHS = tuple(names[0] for names in _MONTHS)
"""In full, from January."""

AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})
"""These are ordinary words, too."""

MONTH_NAME = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
"""Alternatives for a pattern, the longest first."""
