"""The days that a text names, seen from a day: "yesterday", "last Friday", "in May", 上周五, 三天前, "2026-03-01".

One table a language. For searching and for lists of what was said: what is remembered for long carries days that the
model has written out.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from nanobot_memory_plugins.core.text.calendar import (
    AMBIGUOUS_MONTHS,
    CHINESE_WEEK,
    CHINESE_WEEKDAY_NAME,
    CHINESE_WEEKDAYS,
    ENGLISH_NUMBERS,
    MONTH_NAME,
    MONTH_NUMBERS,
    WEEKDAY_NUMBERS,
    chinese_number,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Of a long text so much is read, from either end, and so many spans are taken.
_HEAD, _TAIL, _MOST_SPANS = 512, 256, 8
# Days that a vague count may mean, before and after; and those of "recently".
_VAGUE, _RECENT = {"day": 2, "week": 7, "month": 21, "year": 150}, 14
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Some days, both ends included."""

    start: date
    end: date

    @classmethod
    def of(cls, day: date, days: int = 1) -> "DaySpan":
        """Return the span of so many days that begins on one."""
        return cls(day, day + timedelta(days=days - 1))


@dataclass(frozen=True, slots=True)
class NamedDays:
    """The days that a phrase names, and the place of the phrase in the text."""

    span: DaySpan
    start: int
    end: int


Meaning = Callable[[re.Match[str], date], DaySpan | None]


def month_span(year: int, month: int) -> DaySpan:
    """Return the days of a month."""
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    return DaySpan(first, after - timedelta(days=1))


def _week(today: date, weeks: int) -> DaySpan:
    return DaySpan.of(today - timedelta(days=today.weekday()) + timedelta(weeks=weeks), 7)


def _months_before(today: date, count: int) -> tuple[int, int]:
    months = today.year * 12 + today.month - 1 - count
    return months // 12, months % 12 + 1


def _month_before(today: date, count: int) -> DaySpan:
    return month_span(*_months_before(today, count))


def _year(year: int) -> DaySpan:
    return DaySpan(date(year, 1, 1), date(year, 12, 31))


def _weekday(today: date, number: int, weeks: int | None = None) -> DaySpan:
    """Return a day of a week by its number, Monday being 0; the last one before today where no week is named."""
    if weeks is not None:
        return DaySpan.of(_week(today, weeks).start + timedelta(days=number))
    return DaySpan.of(today - timedelta(days=(today.weekday() - number - 1) % 7 + 1))


def _ago(today: date, count: int, unit: str, *, vague: bool = False) -> DaySpan | None:
    if unit in ("month", "year") and not vague:
        return _month_before(today, count) if unit == "month" else _year(max(1, today.year - count))
    around = _VAGUE[unit] if vague else 0 if unit == "day" else 3
    day = today - timedelta(days=count * _DAYS[unit])
    return DaySpan(day - timedelta(days=around), day + timedelta(days=around))


def _dated(today: date, year: int | None, month: int, day: int | None) -> DaySpan | None:
    """Return a day or a month; without a year the last one that is not still to come."""
    try:
        span = DaySpan.of(date(year or today.year, month, day)) if day else month_span(year or today.year, month)
        if year is None and span.start > today:
            span = DaySpan.of(date(today.year - 1, month, day)) if day else month_span(today.year - 1, month)
    except ValueError:
        return None
    return span


_COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(ENGLISH_NUMBERS)}|an?|a few|several|a couple of|couple of)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(sorted(WEEKDAY_NUMBERS, key=len, reverse=True))})"
_VAGUE_WORDS = {"a few": 3, "several": 4, "a couple of": 2, "couple of": 2}


def _counted(found: re.Match[str], today: date) -> DaySpan | None:
    word = found["n"]
    vague = word in _VAGUE_WORDS
    count = _VAGUE_WORDS.get(word) or ENGLISH_NUMBERS.get(word) or (1 if word in ("a", "an") else int(word))
    return _ago(today, count, found["unit"], vague=vague)


def _english_date(found: re.Match[str], today: date) -> DaySpan | None:
    day = found["d1"] or found["d2"]
    if found["m"] in AMBIGUOUS_MONTHS and not (day or found["y"] or found.string[: found.start()].endswith("in ")):
        return None  # a verb
    year = int(found["y"]) if found["y"] else None
    return _dated(today, year, MONTH_NUMBERS[found["m"]], int(day) if day else None)


def _last(found: re.Match[str], today: date) -> DaySpan | None:
    word, weeks = found["what"], 0 if found["which"] == "this" else -1
    if word == "week":
        return _week(today, weeks)
    if word == "weekend":
        saturday = _week(today, weeks if weeks == 0 and today.weekday() > 4 else -1).start + timedelta(days=5)
        return DaySpan.of(saturday, 2)
    if word == "month":
        return _month_before(today, -weeks)
    if word == "year":
        return _year(today.year + weeks)
    if word in WEEKDAY_NUMBERS:
        return _weekday(today, WEEKDAY_NUMBERS[word])
    month = MONTH_NUMBERS[word]
    return month_span(today.year - (month >= today.month), month)


_ENGLISH: Mapping[str, Meaning] = {
    r"\bthe day before yesterday\b": lambda _found, today: DaySpan.of(today - timedelta(days=2)),
    r"\b(?:yesterday|last night)\b": lambda _found, today: DaySpan.of(today - timedelta(days=1)),
    r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b": lambda _found, today: DaySpan.of(today),
    r"\b(?:the other day|recently|lately)\b": lambda _found, today: DaySpan(today - timedelta(days=_RECENT), today),
    rf"\b{_COUNT} {_UNIT} ago\b": _counted,
    rf"\b(?P<which>last|past|this|previous) (?P<what>week|weekend|month|year|{_WEEKDAY}|{MONTH_NAME})\b": _last,
    rf"\b(?:on )?{_WEEKDAY}\b(?!s\b)": lambda found, today: _weekday(today, WEEKDAY_NUMBERS[found["weekday"]]),
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<m>{MONTH_NAME})\b\.?"
    r"(?: (?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?![:.]\d))?(?:,? (?P<y>(?:19|20)\d\d)\b)?": _english_date,
    r"(?<![\d.])(?P<y>(?:19|20)\d\d)[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>0?[1-9]|[12]\d|3[01])(?![.\d])": (
        lambda found, today: _dated(today, int(found["y"]), int(found["m"]), int(found["d"]))
    ),
    r"(?<![\d.])(?P<y>(?:19|20)\d\d)[-/](?P<m>0?[1-9]|1[0-2])(?![-/.\d])": (
        lambda found, today: _dated(today, int(found["y"]), int(found["m"]), None)
    ),
    r"\bin (?P<y>(?:19|20)\d\d)\b": lambda found, _today: _year(int(found["y"])),
}

_NUMBER_ZH = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3}|几)"
_UNITS_ZH = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "个月": "month", "年": "year"}
_DAY_OF_WEEK_ZH = f"(?P<weekday>{CHINESE_WEEKDAY_NAME})"
_DAYS_ZH = {"今天": 0, "今晚": 0, "今早": 0, "昨天": 1, "昨晚": 1, "昨日": 1, "前天": 2, "大前天": 3}


def _counted_zh(found: re.Match[str], today: date) -> DaySpan | None:
    vague = found["n"] == "几"
    return _ago(today, 3 if vague else chinese_number(found["n"]), _UNITS_ZH[found["unit"]], vague=vague)


def _week_zh(found: re.Match[str], today: date) -> DaySpan | None:
    weeks = -len(found["which"].replace("这", "").replace("本", ""))
    return _weekday(today, CHINESE_WEEKDAYS[found["weekday"]], weeks) if found["weekday"] else _week(today, weeks)


def _date_zh(found: re.Match[str], today: date) -> DaySpan | None:
    month, day = chinese_number(found["m"]), found["d"]
    year = int(found["y"]) if found["y"] else today.year - 1 if found["last"] else None
    return _dated(today, year, month, chinese_number(day) if day else None) if 1 <= month <= 12 else None


_CHINESE: Mapping[str, Meaning] = {
    "|".join(sorted(_DAYS_ZH, key=len, reverse=True)): (
        lambda found, today: DaySpan.of(today - timedelta(days=_DAYS_ZH[found[0]]))
    ),
    "前几天|前两天|前些天|最近|近来|这几天": lambda _found, today: DaySpan(today - timedelta(days=_RECENT), today),
    rf"{_NUMBER_ZH}(?P<unit>{'|'.join(_UNITS_ZH)})(?:之|以)?前": _counted_zh,
    rf"(?P<which>上+|这|本)个?{CHINESE_WEEK}{_DAY_OF_WEEK_ZH}?": _week_zh,
    r"(?P<which>上上|上|这|本)个?月": (
        lambda found, today: _month_before(today, len(found["which"].replace("这", "").replace("本", "")))
    ),
    "去年(?!\\d{1,2}月|[一二三四五六七八九十]{1,2}月)": lambda _found, today: _year(today.year - 1),
    "前年": lambda _found, today: _year(today.year - 2),
    "今年(?!\\d{1,2}月|[一二三四五六七八九十]{1,2}月)": lambda _found, today: _year(today.year),
    rf"(?<![上下这本个])(?<!下个){CHINESE_WEEK}{_DAY_OF_WEEK_ZH}": (
        lambda found, today: _weekday(today, CHINESE_WEEKDAYS[found["weekday"]])
    ),
    r"(?:(?P<y>(?:19|20)\d\d)年|(?P<last>去年)|今年)?(?P<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?!前)"
    r"(?:(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?": _date_zh,
    r"(?P<y>(?:19|20)\d\d)年(?!\d)": lambda found, _today: _year(int(found["y"])),
}
_RULES = [(re.compile(pattern), meaning) for table in (_ENGLISH, _CHINESE) for pattern, meaning in table.items()]
_MAY_NAME = re.compile(
    r"[天日周期拜月年近]|\d|day|night|week|month|year|ago|ly\b|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)


def named_days(text: str, today: date) -> list[NamedDays]:
    """Return the days that a text names, in its order; of phrases that overlap the one that begins first."""
    folded = simplified(unicodedata.normalize("NFKC", text)).casefold()
    if not _MAY_NAME.search(folded):
        return []
    found = sorted(_found(folded, today), key=lambda one: (one.start, -one.end))
    kept: list[NamedDays] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _found(folded: str, today: date) -> Iterator[NamedDays]:
    for pattern, meaning in _RULES:
        for match in pattern.finditer(folded):
            try:
                span = meaning(match, today)
            except (ValueError, OverflowError):  # the ends of the calendar
                continue
            if span is not None:
                yield NamedDays(span, *match.span())


def relative_spans(text: str, now: datetime) -> tuple[DaySpan, ...]:
    """Return the spans of days that a query names, seen from ``now`` in its own time zone, without repetitions."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return tuple(dict.fromkeys(one.span for one in named_days(text, now.date())))[:_MOST_SPANS]
