"""Which days a text speaks of. Seen from a Wednesday: 18 February 2026."""

import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.relative_dates import DaySpan, relative_spans
from tests.support.each import each

pytestmark = pytest.mark.leaving

NOW = datetime(2026, 2, 18, 10, 30, tzinfo=UTC)


def spans(text: str, now: datetime = NOW) -> list[str]:
    """Write spans as one date, or as first and last day."""
    return [
        str(span.start) if span.start == span.end else f"{span.start} {span.end}" for span in relative_spans(text, now)
    ]


ENGLISH = [
    ("What did I say today?", "2026-02-18"),
    ("this morning", "2026-02-18"),
    ("What did we cook last night?", "2026-02-17"),
    ("yesterday's meeting", "2026-02-17"),
    ("the day before yesterday", "2026-02-16"),
    ("the night before last", "2026-02-16"),
    ("3 days ago", "2026-02-15"),
    ("ten days ago", "2026-02-08"),
    ("a couple of days ago", "2026-02-15 2026-02-16"),
    ("a few days ago", "2026-02-13 2026-02-16"),
    ("the other day", "2026-02-11 2026-02-17"),
    ("a few hours ago", "2026-02-17 2026-02-18"),
    ("Two weeks ago I ran", "2026-02-01 2026-02-07"),
    ("2-3 weeks ago", "2026-01-25 2026-02-07"),
    ("two or three weeks ago", "2026-01-25 2026-02-07"),
    ("a month ago", "2026-01-03 2026-02-02"),
    ("half a year ago", "2025-07-03 2025-10-03"),
    ("five years ago", "2020-08-20 2021-08-19"),
    ("last week", "2026-02-09 2026-02-15"),
    ("this week", "2026-02-16 2026-02-22"),
    ("this past week", "2026-02-11 2026-02-18"),
    ("in the last month", "2026-01-18 2026-02-18"),
    ("over the past two weeks", "2026-02-04 2026-02-18"),
    ("the last few days", "2026-02-13 2026-02-18"),
    ("the week before last", "2026-02-02 2026-02-08"),
    ("last weekend", "2026-02-14 2026-02-15"),
    ("over the weekend", "2026-02-14 2026-02-15"),
    ("two weekends ago", "2026-02-07 2026-02-08"),
    ("last month", "2026-01-01 2026-01-31"),
    ("this month", "2026-02-01 2026-02-28"),
    ("last year", "2025-01-01 2025-12-31"),
    ("this year", "2026-01-01 2026-12-31"),
    ("What did Ann do last Friday?", "2026-02-13"),
    ("last Wednesday", "2026-02-11"),
    ("on Wednesday", "2026-02-18"),
    ("on Friday", "2026-02-13"),
    ("this Friday", "2026-02-20"),
    ("Friday last week", "2026-02-13"),
    ("two Fridays ago", "2026-02-06"),
    ("last March", "2025-03-01 2025-03-31"),
    ("last February", "2025-02-01 2025-02-28"),
    ("in February", "2026-02-01 2026-02-28"),
    ("in May", "2025-05-01 2025-05-31"),
    ("in March 2024", "2024-03-01 2024-03-31"),
    ("in April last year", "2025-04-01 2025-04-30"),
    ("on May 8", "2025-05-08"),
    ("8th of May, 2023", "2023-05-08"),
    ("Feb 3rd", "2026-02-03"),
    ("February 29", "2024-02-29"),
    ("in 2024", "2024-01-01 2024-12-31"),
    ("on 2025-11-03", "2025-11-03"),
]

CHINESE = [
    ("今天说了什么", "2026-02-18"),
    ("今早的会", "2026-02-18"),
    ("昨天", "2026-02-17"),
    ("昨晚吃了什么", "2026-02-17"),
    ("前天天气怎么样", "2026-02-16"),
    ("大前天", "2026-02-15"),
    ("前几天", "2026-02-11 2026-02-17"),
    ("前幾天", "2026-02-11 2026-02-17"),
    ("前两天", "2026-02-15 2026-02-17"),
    ("这几天", "2026-02-13 2026-02-18"),
    ("最近三天", "2026-02-15 2026-02-18"),
    ("过去两周", "2026-02-04 2026-02-18"),
    ("上周", "2026-02-09 2026-02-15"),
    ("上週", "2026-02-09 2026-02-15"),
    ("上周五", "2026-02-13"),
    ("上个星期五", "2026-02-13"),
    ("上個禮拜三", "2026-02-11"),
    ("上礼拜", "2026-02-09 2026-02-15"),
    ("上周末", "2026-02-14 2026-02-15"),
    ("周末去哪了", "2026-02-14 2026-02-15"),
    ("上上周", "2026-02-02 2026-02-08"),
    ("上周一起吃饭", "2026-02-09 2026-02-15"),
    ("上周三个人开会", "2026-02-09 2026-02-15"),
    ("这周", "2026-02-16 2026-02-22"),
    ("這週一", "2026-02-16"),
    ("周五", "2026-02-13"),
    ("星期三", "2026-02-18"),
    ("上个月", "2026-01-01 2026-01-31"),
    ("上个月5号", "2026-01-05"),
    ("本月", "2026-02-01 2026-02-28"),
    ("月初", "2026-02-01 2026-02-10"),
    ("月底", "2026-01-21 2026-01-31"),
    ("去年", "2025-01-01 2025-12-31"),
    ("去年三月", "2025-03-01 2025-03-31"),
    ("去年年底", "2025-11-01 2025-12-31"),
    ("前年", "2024-01-01 2024-12-31"),
    ("今年", "2026-01-01 2026-12-31"),
    ("三天前", "2026-02-15"),
    ("３天前", "2026-02-15"),
    ("三五天前", "2026-02-13 2026-02-15"),
    ("两周前", "2026-02-01 2026-02-07"),
    ("一个星期前", "2026-02-08 2026-02-14"),
    ("兩個月前", "2025-12-03 2026-01-02"),
    ("半年前", "2025-07-03 2025-10-03"),
    ("两年之前", "2023-08-20 2024-08-18"),
    ("5月2号", "2025-05-02"),
    ("二月三日", "2026-02-03"),
    ("三月份", "2025-03-01 2025-03-31"),
    ("2023年5月8日", "2023-05-08"),
    ("2024年的计划", "2024-01-01 2024-12-31"),
]

NOTHING = [
    "",
    "next Friday",
    "tomorrow",
    "you may go",
    "the long march home",
    "in the past",
    "version 2023.05",
    "port 8080",
    "下周五",
    "下个月5号",
    "明年三月",
    "每周五开会",
    "目前天气",
    "以前天天跑步",
    "日本周边",
    "线上周会",
    "一周一次",
    "三个月",
    "这周围有什么",
    "晚上月亮很圆",
    "2020年前",
    "前年轻人",
    "今日头条",
]


@each(("text", "expected"), [*ENGLISH, *CHINESE])
def test_a_relative_date_is_a_span_of_days(text, expected):
    assert spans(text) == [expected]


@each("text", NOTHING)
def test_what_speaks_of_no_day_gone_by_has_no_span(text):
    assert spans(text) == []


def test_several_dates_come_in_the_order_of_the_text_and_once():
    assert spans("Was it yesterday or last week? 昨天还是三天前？") == [
        "2026-02-17",
        "2026-02-09 2026-02-15",
        "2026-02-15",
    ]


def test_more_than_eight_spans_are_too_many():
    text = ", ".join(f"{n} days ago, {n}天前, 2020-01-{n:02}" for n in range(1, 9))
    assert len(spans(text)) == 8


def test_a_weekend_and_a_sunday_have_their_own_last_weekend():
    sunday = datetime(2026, 2, 22, 12, tzinfo=UTC)
    assert spans("over the weekend", sunday) == ["2026-02-21 2026-02-22"]
    assert spans("last weekend", sunday) == ["2026-02-14 2026-02-15"]
    assert spans("last week", sunday) == ["2026-02-09 2026-02-15"]


def test_a_month_ago_from_the_31st_is_a_day_that_there_is():
    assert spans("last month", datetime(2026, 3, 31, tzinfo=UTC)) == ["2026-02-01 2026-02-28"]
    assert spans("in the last month", datetime(2026, 3, 31, tzinfo=UTC)) == ["2026-02-28 2026-03-31"]


def test_the_day_is_that_of_the_zone_of_now():
    late = datetime(2026, 2, 18, 23, tzinfo=timezone(timedelta(hours=-5)))
    assert spans("today", late) == ["2026-02-18"]
    assert spans("today", late.astimezone(UTC)) == ["2026-02-19"]


def test_of_a_long_text_both_ends_are_read():
    filler = " and so on" * 100_000
    assert spans(f"yesterday{filler} last Friday") == ["2026-02-17", "2026-02-13"]
    assert spans(f"{filler} yesterday {filler}") == []


def test_the_far_past_and_the_far_future_are_no_errors():
    assert spans("9999 months ago") == ["1192-11-03 1192-12-03"]
    assert spans("999 years ago and last week", datetime(1, 1, 3, tzinfo=UTC)) == []
    assert spans("this week", datetime.max) == []


PHRASES = [text for text, _ in [*ENGLISH, *CHINESE]]
TEXTS = st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=20)), max_size=60).map(" ".join)


@given(TEXTS | st.text(), st.datetimes())
def test_no_text_and_no_moment_raise_and_spans_are_few_and_in_order(text, now):
    found = relative_spans(text, now)
    assert len(found) <= 8
    assert len(set(found)) == len(found)
    assert all(isinstance(span, DaySpan) and isinstance(span.start, date) and span.start <= span.end for span in found)


@each("text", ["last the few ", "三五天一二年", "上周", "1 ", "a or a few ", "2023年"])
def test_a_megabyte_takes_no_longer_than_a_message(text):
    """Under a millisecond is meant; five times that is allowed, and the best of several runs counts."""
    long = text * (1_000_000 // len(text))
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        relative_spans(long, NOW)
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.005
