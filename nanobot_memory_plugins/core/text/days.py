"""The days that a text names relative to a day ("yesterday", "last Friday", 上周五, 三天前), and dates as index terms.

There is one table of phrases per language, used for searches and lists only: in entries the model writes dates out.
Dates in texts become index terms of one form, so that "May 8", "5月8日" and "2023-05-08" match each other.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Characters that are read from the beginning and the end of a long text, and the most spans that are returned.
_HEAD_CHARS, _TAIL_CHARS, _MOST_SPANS = 512, 256, 8
# The tolerance of a vague count in days, by unit, and the days of "recently".
_VAGUE_TOLERANCE, _RECENT_DAYS = {"day": 2, "week": 7, "month": 21, "year": 150}, 14
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
# The characters that follow 周, 星期 and 礼拜.
_WEEKDAYS_ZH = {character: number for number, character in enumerate("一二三四五六日")} | {"天": 6}
_WEEKDAY_ZH = f"(?P<weekday>[{''.join(_WEEKDAYS_ZH)}])"
_WEEK_ZH = "(?:周|星期|礼拜)"
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS, start=1)}
_DIGITS_ZH = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2}


def _number_zh(text: str) -> int:
    """Return the value of digits, or of a Chinese number up to 99."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (10 * _DIGITS_ZH.get(tens or "一", 0) if ten else 0) + _DIGITS_ZH.get(ones, 0)


@dataclass(frozen=True, slots=True)
class DaySpan:
    """A range of days, both ends included."""

    start: date
    end: date

    @classmethod
    def of(cls, day: date, days: int = 1) -> "DaySpan":
        """Return the span of ``days`` days from ``day`` on."""
        return cls(day, day + timedelta(days=days - 1))


@dataclass(frozen=True, slots=True)
class NamedDays:
    """The days that a phrase names, and the position of the phrase in the text."""

    span: DaySpan
    start: int
    end: int


SpanRule = Callable[[re.Match[str], date], DaySpan]


def _month(year: int, month: int) -> DaySpan:
    after = date(year + month // 12, month % 12 + 1, 1)
    return DaySpan(date(year, month, 1), after - timedelta(days=1))


def _week(today: date, weeks: int) -> DaySpan:
    return DaySpan.of(today - timedelta(days=today.weekday()) + timedelta(weeks=weeks), 7)


def _month_before(today: date, count: int) -> DaySpan:
    months = today.year * 12 + today.month - 1 - count
    return _month(months // 12, months % 12 + 1)


def _year(year: int) -> DaySpan:
    return DaySpan(date(year, 1, 1), date(year, 12, 31))


def _days_before(today: date, count: int) -> DaySpan:
    return DaySpan.of(today - timedelta(days=count))


def _last_weekday(today: date, number: int) -> DaySpan:
    return _days_before(today, (today.weekday() - number - 1) % 7 + 1)


def _span_ago(today: date, count: int, unit: str, *, vague: bool = False) -> DaySpan:
    if unit in ("month", "year") and not vague:
        return _month_before(today, count) if unit == "month" else _year(today.year - count)
    around = _VAGUE_TOLERANCE[unit] if vague else 0 if unit == "day" else 3
    day = today - timedelta(days=count * _DAYS[unit])
    return DaySpan(day - timedelta(days=around), day + timedelta(days=around))


_VAGUE_WORDS = {"a few": 3, "several": 4, "a couple of": 2, "couple of": 2}
_COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)}|an?|{'|'.join(_VAGUE_WORDS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"


def _count_ago(found: re.Match[str], today: date) -> DaySpan:
    word = found["n"]
    count = _VAGUE_WORDS.get(word) or _NUMBERS.get(word) or (1 if word in ("a", "an") else int(word))
    return _span_ago(today, count, found["unit"], vague=word in _VAGUE_WORDS)


def _last_or_this(found: re.Match[str], today: date) -> DaySpan:
    word, weeks = found["what"], 0 if found["which"] == "this" else -1
    if word == "week":
        return _week(today, weeks)
    if word == "weekend":
        saturday = _week(today, weeks if weeks == 0 and today.weekday() > 4 else -1).start + timedelta(days=5)
        return DaySpan.of(saturday, 2)
    if word == "month":
        return _month_before(today, -weeks)
    return _year(today.year + weeks) if word == "year" else _last_weekday(today, _WEEKDAYS.index(word))


_ENGLISH: Mapping[str, SpanRule] = {
    r"\bthe day before yesterday\b": lambda _found, today: _days_before(today, 2),
    r"\b(?:yesterday|last night)\b": lambda _found, today: _days_before(today, 1),
    r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b": lambda _found, today: DaySpan.of(today),
    r"\b(?:the other day|recently|lately)\b": lambda _found, today: DaySpan(
        today - timedelta(days=_RECENT_DAYS), today
    ),
    rf"\b{_COUNT} {_UNIT} ago\b": _count_ago,
    rf"\b(?P<which>last|past|this|previous) (?P<what>week|weekend|month|year|{'|'.join(_WEEKDAYS)})\b": _last_or_this,
    rf"\b(?:on )?{_WEEKDAY}\b": lambda found, today: _last_weekday(today, _WEEKDAYS.index(found["weekday"])),
}

_NUMBER_ZH = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3}|几)"
_UNITS_ZH = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "个月": "month", "年": "year"}
_DAYS_ZH = {"今天": 0, "今晚": 0, "今早": 0, "昨天": 1, "昨晚": 1, "昨日": 1, "前天": 2, "大前天": 3}
_YEARS_ZH = {"今年": 0, "去年": 1, "前年": 2}


def _count_ago_zh(found: re.Match[str], today: date) -> DaySpan:
    vague = found["n"] == "几"
    return _span_ago(today, 3 if vague else _number_zh(found["n"]), _UNITS_ZH[found["unit"]], vague=vague)


def _periods_back(found: re.Match[str]) -> int:
    """Return how many weeks or months back 上, 上上, 这 or 本 refers to."""
    return found["which"].count("上")


def _week_zh(found: re.Match[str], today: date) -> DaySpan:
    week = _week(today, -_periods_back(found))
    return DaySpan.of(week.start + timedelta(days=_WEEKDAYS_ZH[found["weekday"]])) if found["weekday"] else week


_CHINESE: Mapping[str, SpanRule] = {
    "|".join(sorted(_DAYS_ZH, key=len, reverse=True)): lambda found, today: _days_before(today, _DAYS_ZH[found[0]]),
    "前几天|前两天|前些天|最近|近来|这几天": lambda _found, today: DaySpan(today - timedelta(days=_RECENT_DAYS), today),
    rf"{_NUMBER_ZH}(?P<unit>{'|'.join(_UNITS_ZH)})(?:之|以)?前": _count_ago_zh,
    rf"(?P<which>上+|这|本)个?{_WEEK_ZH}{_WEEKDAY_ZH}?": _week_zh,
    r"(?P<which>上上|上|这|本)个?月": lambda found, today: _month_before(today, _periods_back(found)),
    rf"(?:{'|'.join(_YEARS_ZH)})(?!(?:\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月)": (
        lambda found, today: _year(today.year - _YEARS_ZH[found[0]])
    ),
    rf"(?<![上下这本个]){_WEEK_ZH}{_WEEKDAY_ZH}": (
        lambda found, today: _last_weekday(today, _WEEKDAYS_ZH[found["weekday"]])
    ),
}
_RULES = [(lazy_re(pattern), meaning) for table in (_ENGLISH, _CHINESE) for pattern, meaning in table.items()]
_DAY_HINT = lazy_re(r"[天日周期拜月年近晚早]|day|night|morning|evening|noon|week|month|year|ly\b")


def named_days(text: str, today: date) -> list[NamedDays]:
    """Return the days that a text names, in its order. Of overlapping phrases the one that begins first counts."""
    folded = fold_text(text)
    if not _DAY_HINT.search(folded):
        return []
    kept: list[NamedDays] = []
    for phrase in sorted(_find_phrases(folded, today), key=lambda phrase: (phrase.start, -phrase.end)):
        if not kept or phrase.start >= kept[-1].end:
            kept.append(phrase)
    return kept


def _find_phrases(folded: str, today: date) -> Iterator[NamedDays]:
    for pattern, meaning in _RULES:
        for match in pattern.finditer(folded):
            try:
                yield NamedDays(meaning(match, today), *match.span())
            except (ValueError, OverflowError):  # the ends of the calendar
                continue


def relative_spans(text: str, now: datetime) -> tuple[DaySpan, ...]:
    """Return the distinct spans of days that a query names, relative to ``now`` in its own time zone."""
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    return tuple(dict.fromkeys(phrase.span for phrase in named_days(text, now.date())))[:_MOST_SPANS]


_PERIOD = lazy_re(
    "([0-9]{4})(?:年?|[-/.年]([0-9]{1,2})(?:月?|[-/.月]([0-9]{1,2})[日号]?))|([0-9]{4})([0-9]{2})([0-9]{2})"
)
_PUNCTUATION = " \t\n.,;:!?\"'"


def parse_moment(text: str, *, end: bool, now: datetime | None = None) -> datetime:
    """Return the aware time that ``text`` names, as the bound of a period.

    A day, month or year stands for its first moment, or with ``end`` for its last. A time without an offset is local.
    With ``now`` the text may also name days in words, relative to it: "yesterday", 上周五. Raises `ValueError` for any
    other text.
    """
    span = _parse_period(fold_text(text).strip()) or (_parse_words(text, now) if now is not None else None)
    try:
        if span is not None:
            bound = datetime.combine(span.end, time.max) if end else datetime.combine(span.start, time.min)
        else:
            bound = datetime.fromisoformat(text.strip())
        return bound if bound.tzinfo is not None else bound.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(Sentence("it is no date")) from error


def _parse_period(text: str) -> DaySpan | None:
    """Return the days of a year, a month or a day in digits, or None for any other text."""
    found = _PERIOD.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(part) for part in (*filter(None, found.groups()), 0, 0)[:3])
    try:
        if day:
            return DaySpan.of(date(year, month, day))
        return _month(year, month) if month else _year(year)
    except (ValueError, OverflowError) as error:
        raise ValueError(Sentence("there is no such day")) from error


def _parse_words(text: str, now: datetime) -> DaySpan | None:
    """Return the days of a text that consists of one phrase ("last week", 上周), or None."""
    found = named_days(text, now.astimezone().date())
    if len(found) != 1:
        return None
    remainder = f"{text[: found[0].start]}{text[found[0].end :]}".strip(_PUNCTUATION).casefold()
    return found[0].span if remainder in ("", "the", "since", "从", "在") else None


_MONTHS = (
    *("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug"),
    *("september sept sep", "october oct", "november nov", "december dec"),
)
_MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
# These are also ordinary words: without a day or year they count as months only with a capital letter.
_AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})
_MONTH_NAME = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:19|20)\d\d"
_NUMERAL_ZH = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"

_DATE_IN_FIGURES = re.compile(
    rf"(?<!\d)(?P<y>{_YEAR})[-/.](?P<m>0?[1-9]|1[0-2])(?:[-/.](?P<d>{_DAY}))?(?!\d)", re.ASCII
)
_DATE_ZH = re.compile(
    rf"(?:(?P<y>{_YEAR})\s?年\s?)?(?<!\d)(?P<m>{_NUMERAL_ZH})\s?月(?!份?[以之]?[内前后])"
    rf"(?:\s?(?P<d>{_NUMERAL_ZH})\s?[日号])?"
)
_DATE_EN = re.compile(
    rf"\b(?:(?P<d1>{_DAY})(?:st|nd|rd|th)?(?:\s+of)?\s+)?(?P<m>{_MONTH_NAME})\b\.?"
    rf"(?:\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?![:.]\d))?(?:,?\s+(?P<y>{_YEAR})\b)?",
    re.IGNORECASE | re.ASCII,
)


def date_terms(text: str) -> list[str]:
    """Return the index terms of every date in ``text``, whose Chinese must be simplified, the most exact terms first.

    They follow ISO 8601: ``2023-05-08`` is a day, ``2023-05`` a month of a year, ``--05-08`` a day of any year, and
    ``--05`` a month of any year.
    """
    terms: list[str] = []
    for match in _DATE_IN_FIGURES.finditer(text):
        terms += _terms(match["y"], int(match["m"]), match["d"])
    if "月" in text:
        for match in _DATE_ZH.finditer(text):
            day = match["d"]
            terms += _terms(match["y"], _number_zh(match["m"]), str(_number_zh(day)) if day else None)
    for match in _DATE_EN.finditer(text):
        name, day, year = match["m"], match["d1"] or match["d2"], match["y"]
        if name.lower() in _AMBIGUOUS_MONTHS and not (day or year or name[0].isupper()):
            continue
        terms += _terms(year, _MONTH_NUMBERS[name.lower()], day)
    return terms


def _terms(year: str | None, month: int, day: str | None) -> list[str]:
    """Return the terms of one date. An impossible date has none."""
    number = int(day) if day else 0
    if not 1 <= month <= 12 or number > 31:
        return []
    begins = (f"{year}-", "--") if year else ("--",)
    ends = (f"{month:02}-{number:02}", f"{month:02}") if number else (f"{month:02}",)
    return [begin + end for begin in begins for end in ends]
