"""Phrases of days to come in English. What comes again and what is past is taken first, and means none."""

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, MONTH_NAME, SHORT_WEEKDAY
from nanobot_memory_plugins.core.text.numbers import ENGLISH_NUMBERS
from nanobot_memory_plugins.core.text.relative_dates import coming_days as mean
from nanobot_memory_plugins.core.text.relative_dates.rules import Rules

_NUMBERS = "|".join(ENGLISH_NUMBERS)
_WEEKDAY = f"(?:{FULL_WEEKDAY})"
_SHORT = f"(?:{SHORT_WEEKDAY})"
_MONTH = rf"(?P<month>{MONTH_NAME})\b\.?"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_YEAR = r"(?:,? (?P<year>20\d\d)\b)?"
_COUNT = rf"(?P<n>\d{{1,3}}|an?|a couple of|half an?|{_NUMBERS})"
_UNIT = "(?P<unit>day|week|fortnight|month|year)s?"
_THIS_OR_NEXT = "(?:the|this|(?P<which>next))"
_AND = "(?:,| and|,? or| &)+"
_PARTS_OF_DAYS = r"(?:mornings|lunchtimes|afternoons|evenings|nights)\b"
# What follows a day of the month; before another noun it only counts: "the 3rd chapter".
_BEHIND = (
    r"(?=\W*$|[.,;:!?)]| (?:at|in|on|from|to|for|with|by|and|or|but|so|because|if|when|then|i|we|he|she|it|they|you|is"
    r"|will|please|after|before|next|this|instead|already|around|latest|noon|first|\d)\b)"
)

ENGLISH = Rules(
    {
        "again": (
            rf"\b(?:every|each|all)(?: (?:other|second|third|single|first|last|{_NUMBERS}|\d+))?"
            rf"(?: {_WEEKDAY}s?| days?| morning| evening| nights?| weeks?| weekends?| months?| years?| {MONTH_NAME}\b"
            rf"| \d{{1,2}}(?:st|nd|rd|th)?)(?:{_AND} {_WEEKDAY}s?)*"
            rf"|\b{_WEEKDAY}s(?:{_AND} {_WEEKDAY}s?)*|\b{_WEEKDAY}(?:{_AND} {_WEEKDAY})* {_PARTS_OF_DAYS}"
            rf"|\bon an? {_WEEKDAY}\b|\bweekends\b|\b{_SHORT}(?:, ?| and | & |/|-){_SHORT}\b"
            r"|\b(?:the )?(?:\d{1,2}(?:st|nd|rd|th)|end|start|beginning) of (?:each|every|the following) month\b",
            mean.nothing,
        ),
        "past": (
            rf"\b(?:last(?! day)|past|previous|since|earlier this)(?: (?:the|this))?"
            rf" (?:{_WEEKDAY}|weekend|week|month|year|night|{MONTH_NAME})\b(?: \d{{1,2}}\b)?"
            rf"|\b{_WEEKDAY} (?:last week|ago)\b|\bthe (?:{_WEEKDAY}|day|week) (?:after|before)\b(?! tomorrow)",
            mean.nothing,
        ),
        "iso": (
            r"(?<![\d.])(?P<year>20\d\d)[-/.](?P<month>1[0-2]|0?[1-9])[-/.](?P<day>3[01]|[12]\d|0?[1-9])(?!\d)",
            mean.day_or_month,
        ),
        "day_after": (r"\b(?:the )?day after tomorrow\b", mean.days_on(2)),
        "from_weekday": (
            rf"\b(?:in )?{_COUNT} weeks? (?:on|from) (?:(?P<name>{_WEEKDAY})|tomorrow)\b",
            mean.weeks_from,
        ),
        "tomorrow": (r"\b(?:tomorrow|tmrw|tmr)\b", mean.days_on(1)),
        "today": (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", mean.days_on(0)),
        "in": (rf"\b(?:in|within)(?: about| the next)? {_COUNT} {_UNIT}\b(?:'s? time)?(?! ago)", mean.units_on),
        "from_now": (rf"\b(?:in )?{_COUNT} {_UNIT} from (?:now|today)\b", mean.units_on),
        "week_weekday": (
            rf"\b(?P<which>next|this) week(?: on)? (?P<name>{_WEEKDAY})\b",
            mean.weekday_of_week,
        ),
        "weekday_of_week": (rf"\b(?P<name>{_WEEKDAY})(?: of)? (?P<which>next|this) week\b", mean.weekday_of_week),
        "weekday": (rf"\b(?:(?P<which>next|this coming|this|coming) )?(?P<name>{_WEEKDAY})\b", mean.weekday),
        "short_weekday": (rf"\b(?:on|by|until|till|before|(?P<which>next|this)) (?P<name>{_SHORT})\b", mean.weekday),
        "feast": (
            r"\b(?P<feast>new year'?s eve|new year'?s(?: day)?|christmas eve|christmas(?: day)?|boxing day"
            r"|valentine'?s(?: day)?|halloween)\b(?! (?:party|dinner|shopping|gifts?|presents?|tree|market|cards?))"
            r"(?: (?P<year>next year|this year))?",
            mean.feast,
        ),
        "month_day": (rf"\b{_MONTH} (?:the )?{_DAY}(?:st|nd|rd|th)?\b(?![:.]\d){_YEAR}", mean.day_or_month),
        "day_month": (rf"\b{_DAY}(?:st|nd|rd|th)?(?: of)? {_MONTH}{_YEAR}", mean.day_or_month),
        "part_of_month": (
            rf"\b(?P<part>end|beginning|start|middle|early|late|mid)(?:(?: of| in)? |-){_MONTH}{_YEAR}",
            mean.day_or_month,
        ),
        "day_of_month": (
            rf"\b(?:on |by |until |till |before )?the (?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)"
            rf"(?:(?: of)? (?:the |this |(?P<which>next) )month\b|{_BEHIND})",
            mean.of_this_month,
        ),
        "last_of_year": (r"\blast day of (?:the|this) year\b", mean.end_of_year),
        "last_of_month": (rf"\blast day of {_THIS_OR_NEXT} month\b", mean.end_of_month),
        "first_of_month": (r"\b(?:the )?first(?: day)? of next month\b", mean.first_of_next_month),
        "part_of_this": (
            rf"\b(?P<part>end|beginning|start|middle) of {_THIS_OR_NEXT} month\b",
            mean.of_this_month,
        ),
        "end_of_week": (rf"\bend of {_THIS_OR_NEXT} week\b", mean.week),
        "end_of_year": (rf"\bend of {_THIS_OR_NEXT} year\b", mean.whole_year),
        "week": (r"\b(?P<which>next|this) (?:week|weekend)\b", mean.week),
        "month": (r"\b(?P<which>next|this) month\b", mean.of_this_month),
        "year": (r"\b(?P<which>next) year\b", mean.whole_year),
    }
)
