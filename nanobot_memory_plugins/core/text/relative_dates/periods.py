"""The periods on which a question looks back, with the words that name them.

They are those of `relative_spans`, and others that tell a search nothing: "lately", "since Monday", "on the 3rd",
最近, 3号, 从周一到现在.
"""

import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, MONTH_NAME, MONTH_NUMBERS, WEEKDAYS
from nanobot_memory_plugins.core.text.numbers import chinese_number
from nanobot_memory_plugins.core.text.relative_dates import chinese, english
from nanobot_memory_plugins.core.text.relative_dates.calendar import (
    DaySpan,
    day_of_month,
    days_back,
    latest_month,
    latest_weekday,
    month_of,
    months_back,
    single,
)
from nanobot_memory_plugins.core.text.relative_dates.rules import FoundPhrase, Rules

_MOST = 8
# Days that "lately" stands for.
_LATELY = 14


def _day_of_this_month(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve a day without its month: the most recent one that is not still to come."""
    day = chinese_number(match["day"])
    for back in (0, 1, 2):
        month = months_back(today.replace(day=1), back)
        span = day_of_month(month.year, month.month, day)
        if span is not None and span.start <= today:
            return span
    return None


def _part_of_month(match: re.Match[str], today: date) -> DaySpan:
    month = latest_month(today, MONTH_NUMBERS[match["month"]])
    if match["year"]:
        month = month_of(int(match["year"]), month.start.month)
    tenth, twentieth = month.start + timedelta(days=9), month.start + timedelta(days=19)
    if re.search("early|start|beginning", match["part"]):
        return DaySpan(month.start, tenth)
    if "mid" in match["part"]:
        return DaySpan(tenth + timedelta(days=1), twentieth)
    return DaySpan(twentieth + timedelta(days=1), month.end)


def _numeric(match: re.Match[str], _: date) -> DaySpan | None:
    year, month = int(match["year"]), int(match["month"])
    return day_of_month(year, month, int(match["day"])) if match["day"] else month_of(year, month)


def _lately(_: re.Match[str], today: date) -> DaySpan:
    return days_back(today, _LATELY, 0)


_ENGLISH = Rules(
    {
        "numeric": (
            r"(?<![\d.])(?P<year>(?:19|20)\d\d)[-/](?P<month>0?[1-9]|1[0-2])(?:[-/](?P<day>0?[1-9]|[12]\d|3[01]))?"
            r"(?![\d.]?\d)",
            _numeric,
        ),
        "part_of_month": (
            r"\b(?P<part>early|late|mid|(?:back |tail |front |very )?(?:end|start|beginning|middle) of)[ -]"
            rf"(?P<month>{MONTH_NAME})\b(?: (?P<year>20\d\d)\b)?",
            _part_of_month,
        ),
        "day_of_month": (
            r"\b(?:on|since|from|to|until) the (?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b"
            rf"(?! of\b| \w+ of\b| {MONTH_NAME})",
            _day_of_this_month,
        ),
        "weekday": (
            rf"(?<!last )(?<!this )(?<!past )(?<!next )(?<!every )(?<!each )\b(?P<name>{FULL_WEEKDAY})\b"
            r"(?!(?: of)? (?:last|this|next) week)",
            lambda match, today: latest_weekday(today, WEEKDAYS.index(match["name"]), before_today=False),
        ),
        "lately": (r"\b(?:lately|recently|of late|these (?:last )?(?:few )?days)\b", _lately),
        "few_days": (r"\b(?:past|last) (?:few|couple of) days\b", lambda _, today: days_back(today, 5, 0)),
        "earlier": (r"\bearlier on\b|\bearlier(?= \W*$|\W*$)", lambda _, today: single(today)),
    }
)
_CHINESE = Rules(
    {
        "day_of_month": (
            r"(?<![\d.月第年])(?P<day>3[01]|[12]\d|[1-9]|[一二三四五六七八九十]{1,3})[号日](?![线楼房门院厅馆店机电码桌位选球路车公文字库柜台井常子本])",
            _day_of_this_month,
        ),
        "yesterday": ("[寻琴]日", lambda _, today: days_back(today, 1, 1)),
        "lately": (r"(?:最近|近来|近期|这阵子?|这段时间)(?!的?(?:\d|一|两|二|三|四|五|六|七|八|九|十|几|半))", _lately),
    }
)
_SINCE = re.compile(r"\b(?:since|ever since|from)(?: the)? ?$|[从自]$")
_SINCE_IN_PHRASE = re.compile(r"since\b")
_UP_TO_NOW = re.compile(
    r"^ ?(?:on|onwards|(?:un)?til(?:l)? (?:now|today)|to (?:now|today))\b|^(?:以来|开始|起|之?后|到(?:现在|今天|如今))"
)


def periods(text: str, today: date) -> tuple[FoundPhrase, ...]:
    """Return the periods that a text names, seen from a day, in its order; ``text`` is folded, with single spaces."""
    rules = [_ENGLISH, english.RULES]
    if not text.isascii():
        rules += [_CHINESE, chinese.RULES]
    found = [one for each in rules for one in islice(each.found(text, today), _MOST)]
    kept: list[FoundPhrase] = []
    for one in sorted(found, key=lambda one: (one.start, -len(one.phrase))):
        if not kept or one.start >= kept[-1].start + len(kept[-1].phrase):
            kept.append(_until_now(text, one, today))
    return tuple(kept)


def _until_now(text: str, one: FoundPhrase, today: date) -> FoundPhrase:
    """Return a period as it is, or up to today where it is only its beginning."""
    before, after = text[: one.start], text[one.start + len(one.phrase) :]
    open_ended = _UP_TO_NOW.match(after)
    if _SINCE_IN_PHRASE.match(one.phrase) or (_SINCE.search(before) and "since" in before) or open_ended:
        phrase = one.phrase + (open_ended[0] if open_ended else "")
        return replace(one, phrase=phrase, span=DaySpan(one.span.start, max(one.span.end, today)))
    return one
