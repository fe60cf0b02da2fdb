"""The days that lie ahead of the one on which something was said."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text import days_ahead
from nanobot_memory_plugins.core.text.numbers import CHINESE_DIGITS
from tests.support.chinese import in_both_scripts
from tests.support.each import each
from tests.support.examples import examples

pytestmark = pytest.mark.leaving

WEDNESDAY = date(2026, 2, 18)
YEARS_END = date(2026, 12, 30)


def days(text: str, said_on: date = WEDNESDAY) -> list[str]:
    return [f"{one.day:%Y-%m-%d}" for one in days_ahead(text, said_on)]


@each(
    ("text", "soon", "over_the_year"),
    [
        ("in two weeks", "2026-03-04", "2027-01-13"),
        ("in half a year", "2026-08-18", "2027-06-30"),
        ("on the 15th of next month", "2026-03-15", "2027-01-15"),
        ("by the 5th", "2026-03-05", "2027-01-05"),
        ("end of March at the latest", "2026-03-31", "2027-03-31"),
        ("mid-March", "2026-03-20", "2027-03-20"),
        ("two weeks from Saturday", "2026-03-07", "2027-01-16"),
        ("a week from tomorrow", "2026-02-26", "2027-01-07"),
        ("on the last day of the month", "2026-02-28", "2026-12-31"),
        ("the first of next month", "2026-03-01", "2027-01-01"),
        ("by Fri", "2026-02-20", "2027-01-01"),
        ("on New Year's Eve", "2026-12-31", "2026-12-31"),
        ("下个月15号", "2026-03-15", "2027-01-15"),
        ("九月底之前", "2026-09-30", "2027-09-30"),
        ("月底前", "2026-02-28", "2026-12-31"),
        ("下月初", "2026-03-10", "2027-01-10"),
        ("一个半月后", "2026-04-02", "2027-02-14"),
        ("明年3月5日", "2027-03-05", "2027-03-05"),
        ("15号之前交", "2026-03-15", "2027-01-15"),
        ("今年最后一天", "2026-12-31", "2026-12-31"),
        ("元旦那天", "2027-01-01", "2027-01-01"),
    ],
)
def test_a_day_is_right_in_the_year_and_over_its_end(text: str, soon: str, over_the_year: str):
    for written in in_both_scripts([text]):
        assert (days(written), days(written, YEARS_END)) == ([soon], [over_the_year])


@each(
    "text",
    in_both_scripts(
        [
            "every Tuesday at 5",
            "on Tuesdays and Thursdays",
            "I swim Mon, Wed, Fri",
            "we're open Tuesday to Saturday",
            "shut sun n mon",
            "on Friday nights I work late",
            "Monday and Wednesday evenings are for the choir",
            "the bins go out on a Wednesday",
            "from Friday sunset to Saturday night I do not drive",
            "releases are cut on Tuesday",
            "周一到周五上班",
            "我周二、周四有课",
            "礼拜三跟礼拜日不开门",
            "周二晚上我都要值班",
            "the rent is due on the 1st of every month",
            "I quit last Friday",
            "on the 24th of May I ran the race",
            "I learned it in two weeks",
            "the 3rd chapter",
            "sometime next month",
            "每周二和周四游泳",
            "每个月15号还房贷",
            "周一到周五上班",
            "周末爬山",
            "上周五辞职了",
            "3月5日交了房租",
            "两天前",
            "坐5号线",
            "下个月有空再说",
        ]
    ),
)
def test_habits_the_past_and_what_is_vague_are_no_day_to_come(text: str):
    assert days(text) == []


@each(
    ("text", "day"),
    in_both_scripts(
        [
            ("I'm away next Tuesday to Saturday", "2026-02-24"),
            ("the results are announced on Tuesday", "2026-02-24"),
            ("周三一点开会", "2026-02-18"),
            ("周一一早出发", "2026-02-23"),
        ]
    ),
)
def test_a_day_beside_a_number_another_day_or_of_something_known_is_one(text: str, day: str):
    assert days(text)[0] == day


def test_two_days_are_both_found_and_what_was_is_told_from_what_will_be():
    assert days("I fly on Friday and come back on the 28th.") == ["2026-02-20", "2026-02-28"]
    assert days("I quit last Tuesday, the new job begins on Monday") == ["2026-02-23"]
    assert days("上周五交了初稿，下周三交终稿") == ["2026-02-25"]


@settings(max_examples=examples(150))
@given(st.text(max_size=80), st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_any_text_can_be_looked_at_on_any_day(text: str, day: date):
    days_ahead(text, day)


@given(st.sampled_from([*CHINESE_DIGITS]), st.dates(date(2020, 1, 1), date(2030, 1, 1)))
def test_what_is_found_never_lies_before_the_day_on_which_it_was_said(number: str, day: date):
    text = f"{number}天后，{number}号，{number}月底，下个月{number}号，周{number}"
    assert all(one.day >= day for one in days_ahead(text, day))
