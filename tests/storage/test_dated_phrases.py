"""What relative phrases of a stored text mean, seen from the day on which it was said."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.relative_dates import dated_phrases
from tests.support.each import each

pytestmark = pytest.mark.leaving

SAID_ON = date(2023, 5, 10)  # a Wednesday


@each(
    ("text", "phrase", "first", "last"),
    [
        ("I went there Yesterday.", "yesterday", date(2023, 5, 9), date(2023, 5, 9)),
        ("We met last Friday", "last friday", date(2023, 5, 5), date(2023, 5, 5)),
        ("lost my job this month", "this month", date(2023, 5, 1), date(2023, 5, 31)),
        ("a book I read last year", "last year", date(2022, 1, 1), date(2022, 12, 31)),
        ("moved two weeks ago", "two weeks ago", date(2023, 4, 23), date(2023, 4, 29)),
        ("We fly next month!", "next month", date(2023, 6, 1), date(2023, 6, 30)),
        ("The exam is tomorrow", "tomorrow", date(2023, 5, 11), date(2023, 5, 11)),
        ("back the day after tomorrow", "day after tomorrow", date(2023, 5, 12), date(2023, 5, 12)),
        ("上周五去跑步了", "上周五", date(2023, 5, 5), date(2023, 5, 5)),
        ("昨天搬家", "昨天", date(2023, 5, 9), date(2023, 5, 9)),
        ("去年开始学", "去年", date(2022, 1, 1), date(2022, 12, 31)),
        ("下個月結婚", "下個月", date(2023, 6, 1), date(2023, 6, 30)),
        ("下下周三考试", "下下周三", date(2023, 5, 24), date(2023, 5, 24)),
        ("后天出差", "后天", date(2023, 5, 12), date(2023, 5, 12)),
        ("我的生日后天办", "后天", date(2023, 5, 12), date(2023, 5, 12)),
        ("大后天出差", "大后天", date(2023, 5, 13), date(2023, 5, 13)),
        ("明年退休", "明年", date(2024, 1, 1), date(2024, 12, 31)),
    ],
)
def test_a_phrase_means_its_days(text: str, phrase: str, first: date, last: date) -> None:
    (one,) = dated_phrases(text, SAID_ON)
    assert (one.phrase, one.first, one.last) == (phrase, first, last)


@each(
    "text",
    [
        "Today was fine",
        "我决定以后天天跑步",
        "我從此以後天天喝茶",
        "雨后天晴",
        "然后天亮了",
        "先天后天因素都有",
        "他有聪明天赋",
        "the last Sunday of May",
        "the last week of the project",
        "see you on Friday",
        "the other day",
        "in May 2022",
        "my birthday is on March 5",
        "next Friday",
        "in the last few years",
        "a few years ago",
        "今天不错",
        "周五见",
        "5月2号生日",
        "2022年5月",
        "声明年份",
        "后天性免疫",
        "他说明天气预报不准",
    ],
)
def test_what_is_plain_or_may_mean_several_things_is_left_alone(text: str) -> None:
    assert dated_phrases(text, SAID_ON) == ()


@given(st.text(max_size=200), st.dates())
def test_any_text_said_on_any_day_is_read(text: str, said_on: date) -> None:
    assert len(dated_phrases(text, said_on)) <= 4
