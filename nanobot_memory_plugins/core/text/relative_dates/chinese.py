"""Relative dates in Chinese; traditional characters are folded before the rules see them."""

import re
from datetime import date, timedelta

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK, CHINESE_WEEKDAYS
from nanobot_memory_plugins.core.text.numbers import CHINESE_DIGITS, chinese_number
from nanobot_memory_plugins.core.text.relative_dates.calendar import (
    DaySpan,
    ago,
    day_of_month,
    days_back,
    latest_date,
    latest_month,
    latest_weekday,
    latest_weekend,
    month_of,
    months_back,
    rolling,
    single,
    week_of,
    weekday_of,
    weekend_of,
    year_of,
)
from nanobot_memory_plugins.core.text.relative_dates.rules import Rules

_NUMBER = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_COUNT = r"(?P<n>\d{1,4}|十几|好?几|数|半|[一二两三四五六七八九十]{1,3})"
_UNIT = r"(?P<unit>分钟|个?小时|个?钟头|天|日|周|个?星期|个?礼拜|个月|年)"
# A number behind 周 counts something else before these: 上周一起, 上周三个人.
_WEEKDAY = r"(?P<day>末|一(?![起直样共定些下个次场])|[二三四五六](?![个次场位件条十百千])|日(?!本)|天(?!气))"
_PART = "初|底|末|中旬|上旬|下旬|中(?!间)"
_NOT_A_DATE = "(?![个周天年以之]?[内前后])"


def _count(text: str) -> tuple[int, int] | None:
    """Return the fewest and the most that a count may stand for; 三五天 names both."""
    vague = {"几": (2, 5), "好几": (3, 7), "数": (3, 7), "十几": (11, 19)}
    if text in vague:
        return vague[text]
    if len(text) == 2 and text[0] in CHINESE_DIGITS and text[1] in CHINESE_DIGITS:
        return CHINESE_DIGITS[text[0]], CHINESE_DIGITS[text[1]]
    number = chinese_number(text)
    return (number, number) if number else None


def _unit(text: str) -> str:
    text = text.removeprefix("个")
    return {"月": "month", "年": "year", "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week"}.get(
        text, "minute" if text == "分钟" else "hour"
    )


def _ago(match: re.Match[str], today: date) -> DaySpan | None:
    unit = _unit(match["unit"])
    if match["n"] == "半":
        return {"year": ago(today, "month", 5, 7), "month": ago(today, "week", 2, 2), "hour": single(today)}.get(unit)
    count = _count(match["n"])
    if count is None or (unit == "year" and count[1] > 200):  # 2020年前 is no count
        return None
    fewest, most = count
    if unit == "minute":
        return single(today)
    if unit == "hour":
        return days_back(today, -(-most // 24), fewest // 24)
    return ago(today, unit, fewest, most)


def _rolling(match: re.Match[str], today: date) -> DaySpan | None:
    unit = _unit(match["unit"])
    if match["n"] == "半":
        return {"year": rolling(today, "month", 6), "month": days_back(today, 15, 0), "day": single(today)}.get(unit)
    count = _count(match["n"])
    if count is None or (unit == "year" and count[1] > 200):
        return None
    if unit in ("minute", "hour"):
        return days_back(today, -(-count[1] // 24) if unit == "hour" else 0, 0)
    return rolling(today, unit, count[1])


def _some_ago(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve 前几天, 前两年: a few of them, with the nearest included."""
    unit, most = _unit(match["unit"]), 3 if match["n"] == "两" else 5
    if unit == "day":
        return days_back(today, 3 if most == 3 else 7, 1)
    return ago(today, unit, 1, most)


def _week(match: re.Match[str], today: date) -> DaySpan | None:
    back = {"上上": 2, "上": 1, "这": 0, "本": 0, "今": 0}.get(match["which"])
    if back is None:
        return None
    day = match["day"]
    if day is None:
        return week_of(today, back)
    return weekend_of(today, back) if day == "末" else weekday_of(today, CHINESE_WEEKDAYS[day], back)


def _weekday(match: re.Match[str], today: date) -> DaySpan | None:
    day = match["day"]
    return latest_weekend(today) if day == "末" else latest_weekday(today, CHINESE_WEEKDAYS[day], before_today=False)


def _part(span: DaySpan, part: str | None) -> DaySpan:
    """Return the first, second or last third of a month, or the whole."""
    tenth, twentieth = span.start + timedelta(days=9), span.start + timedelta(days=19)
    if part is None:
        return span
    if part in ("初", "上旬"):
        return DaySpan(span.start, tenth)
    if part.startswith("中"):
        return DaySpan(tenth + timedelta(days=1), twentieth)
    return DaySpan(twentieth + timedelta(days=1), span.end)


def _month(match: re.Match[str], today: date) -> DaySpan | None:
    back = {"上上": 2, "上": 1, "这": 0, "本": 0, "当": 0}.get(match["which"])
    if back is None:
        return None
    month = months_back(today, back)
    if match["day"]:
        return day_of_month(month.year, month.month, chinese_number(match["day"]))
    return _part(month_of(month.year, month.month), match["part"])


def _month_part(match: re.Match[str], today: date) -> DaySpan | None:
    """Resolve 月初, 月中 and 月底: of this month once they have begun, else of the last."""
    this = _part(month_of(today.year, today.month), match["part"])
    if this.start <= today:
        return this
    last = months_back(today, 1)
    return _part(month_of(last.year, last.month), match["part"])


def _year(match: re.Match[str], today: date) -> DaySpan | None:
    back = {"大前": 3, "前": 2, "去": 1, "上一": 1, "今": 0}.get(match["which"])
    if back is None:
        return None
    year = today.year - back
    if match["month"]:
        return _month_and_day(year, match["month"], match["day"])
    return _year_part(year, match["part"])


def _year_part(year: int, part: str | None) -> DaySpan:
    if part is None:
        return year_of(year)
    first, last = {"初": (1, 2), "中": (6, 7)}.get(part, (11, 12))
    return DaySpan(month_of(year, first).start, month_of(year, last).end)


def _bare_year_part(match: re.Match[str], today: date) -> DaySpan | None:
    this = _year_part(today.year, match["part"])
    return this if this.start <= today else _year_part(today.year - 1, match["part"])


def _month_and_day(year: int, month: str, day: str | None) -> DaySpan | None:
    number = chinese_number(month)
    if not 1 <= number <= 12:
        return None
    return day_of_month(year, number, chinese_number(day)) if day else month_of(year, number)


def _date(match: re.Match[str], today: date) -> DaySpan | None:
    month, day = chinese_number(match["month"]), match["day"]
    if match["year"]:
        return _month_and_day(int(match["year"]), match["month"], day)
    if not 1 <= month <= 12:
        return None
    if day:
        return latest_date(today, month, chinese_number(day))
    return _part(latest_month(today, month), match["part"])


def _day(match: re.Match[str], today: date) -> DaySpan | None:
    back = {"昨": 1, "大前": 3, None: 2}[match["which"]]
    return days_back(today, back, back)


RULES = Rules(
    {
        "ago": (rf"(?<!\d){_COUNT}{_UNIT}多?[以之]?前", _ago),
        "rolling": (rf"(?:过去|最近|近|这)的?(?!一[天日]){_COUNT}{_UNIT}", _rolling),
        "some_ago": (r"(?<!\d)前(?P<n>几|些|两)(?P<unit>天|日|周|个星期|个礼拜|个月|年)", _some_ago),
        "some_time_ago": (
            r"前(?:阵子|一阵子?|段时间|一段时间|段日子|些日子)",
            lambda _, today: days_back(today, 60, 1),
        ),
        "week": (
            rf"(?<![早晚线路网日])(?P<which>上上|上|下下|下|这|本|今|每|隔)一?个?{CHINESE_WEEK}(?![围边刊])(?:{_WEEKDAY})?",
            _week,
        ),
        "weekday": (rf"(?<![一二两三四五六七八九十\d几半]){CHINESE_WEEK}{_WEEKDAY}", _weekday),
        "month": (
            r"(?<!日)(?P<which>上上|上|下下|下|这|本|当|每)一?个?月(?![亮球饼经])份?"
            rf"(?:(?P<day>{_NUMBER})[日号]|(?P<part>{_PART}))?",
            _month,
        ),
        "year": (
            r"(?<![目之以过])(?P<which>大前|前|去|上一|今|明|后|当|每|往)年(?![轻度])的?"
            rf"(?:(?P<month>{_NUMBER})月(?:(?P<day>{_NUMBER})[日号])?|年?(?P<part>初|中(?!间)|底|末))?",
            _year,
        ),
        "date": (
            rf"(?:(?P<year>(?:19|20)\d\d) ?年 ?)?(?<![\d.])(?P<month>{_NUMBER}) ?月{_NOT_A_DATE}份?"
            rf"(?: ?(?P<day>{_NUMBER}) ?[日号]|(?P<part>{_PART}))?",
            _date,
        ),
        "only_year": (
            r"(?<!\d)(?P<year>(?:19|20)\d\d) ?年(?:(?P<part>初|底|末)|(?![以之]?[前后]|[代级度来]))",
            lambda match, _: _year_part(int(match["year"]), match["part"]),
        ),
        "month_part": (r"月(?P<part>初|底|末|中旬|上旬|下旬)", _month_part),
        "year_part": (r"年(?P<part>初|底|末)", _bare_year_part),
        "today": (r"刚才|刚刚|今[天日早晚晨儿](?!头条)", lambda _, today: single(today)),
        "day": (r"(?P<which>昨|大前)[天日晚夜早儿]|(?<![目之以眼日])(?P<before>前)[天晚]", _day),
    }
)

CERTAIN = frozenset({"ago", "week", "month", "year", "day"})
"""The rules whose phrases mean the same days to everybody: 周五 may lie ahead, 前几天 is vague."""


def _week_ahead(match: re.Match[str], today: date) -> DaySpan:
    ahead = -len(match["which"])
    day = match["day"]
    if day is None:
        return week_of(today, ahead)
    return weekend_of(today, ahead) if day == "末" else weekday_of(today, CHINESE_WEEKDAYS[day], ahead)


def _month_ahead(match: re.Match[str], today: date) -> DaySpan | None:
    first = months_back(today, -len(match["which"]))
    day = match["day"]
    return day_of_month(first.year, first.month, chinese_number(day)) if day else month_of(first.year, first.month)


AHEAD = Rules(
    {
        "next_week": (
            rf"(?<![早晚线路网日])(?P<which>下下|下)一?个?{CHINESE_WEEK}(?![围边刊])(?:{_WEEKDAY})?",
            _week_ahead,
        ),
        "next_month": (
            rf"(?<!日)(?P<which>下下|下)一?个?月(?![亮球饼经])份?(?:(?P<day>{_NUMBER})[日号])?",
            _month_ahead,
        ),
        "next_year": (r"(?<![清声发光证说指表透查])明年", lambda _, today: year_of(today.year + 1)),
        "day_after": (r"大后天", lambda _, today: days_back(today, -3, -3)),
        # Not 以后天天, 然后天亮, 雨后天晴, 先天后天.
        "in_two_days": (
            r"(?<![大以然雨最今之此随往])(?<!先天)后天(?![性的])",
            lambda _, today: days_back(today, -2, -2),
        ),
        "tomorrow": (r"(?<![清声发光证说指表透查聪])明[天日晚早](?!方)", lambda _, today: days_back(today, -1, -1)),
    }
)
"""What lies ahead of the day on which it is said."""
