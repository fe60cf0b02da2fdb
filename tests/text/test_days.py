"""The days that a text names, seen from Wednesday, 24 June 2026."""

from datetime import UTC, date, datetime

from nanobot_memory_plugins.core.text.days import DaySpan, date_terms, named_days, relative_spans
from tests.support.chinese import in_both_scripts
from tests.support.each import each

TODAY = date(2026, 6, 24)
NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)
# What is said, the first day of it and the last.
NAMED = [
    ("what did we do yesterday?", "06-23", "06-23"),
    ("the day before yesterday", "06-22", "06-22"),
    ("tonight", "06-24", "06-24"),
    ("last Friday", "06-19", "06-19"),
    ("on Wednesday", "06-17", "06-17"),
    ("last week", "06-15", "06-21"),
    ("this week", "06-22", "06-28"),
    ("last weekend", "06-20", "06-21"),
    ("last month", "05-01", "05-31"),
    ("two weeks ago", "06-07", "06-13"),
    ("a couple of days ago", "06-20", "06-24"),
    ("昨天我们聊了什么", "06-23", "06-23"),
    ("前天", "06-22", "06-22"),
    ("三天前", "06-21", "06-21"),
    ("上周", "06-15", "06-21"),
    ("上上周", "06-08", "06-14"),
    ("上周五", "06-19", "06-19"),
    ("本月", "06-01", "06-30"),
    ("上个月", "05-01", "05-31"),
]
NONE = [
    "I may go",
    "march on!",
    "wednesdays are free",
    "version 3.11.7",
    "the 31 files",
    "2026-13-01",
    "on 31 June",
    "下一个",
    "没有",
    "",
]


def spans(text: str) -> list[DaySpan]:
    return [one.span for one in named_days(text, TODAY)]


@each(("row", "named"), [((text, *days), text) for text, *days in NAMED])
def test_a_phrase_names_its_days(row: tuple[str, str, str], named: str):
    expected = DaySpan(date.fromisoformat(f"2026-{row[1]}"), date.fromisoformat(f"2026-{row[2]}"))
    for text in in_both_scripts([named]):
        assert spans(text) == [expected], text
        assert relative_spans(text, NOW) == (expected,)


@each("text", NONE)
def test_text_that_only_resembles_days_names_none(text: str):
    assert spans(text) == []


def test_a_year_is_named_by_its_distance():
    assert spans("去年") == spans("last year") == [DaySpan(date(2025, 1, 1), date(2025, 12, 31))]
    assert spans("去年十二月三日") == []  # a date, which is a term of its own


@each("text", ["I moved on 3 September 2023", "I moved on 3 Sept 2023", "我2023年9月3日搬的"])
def test_a_date_is_one_term_whatever_its_language_and_form(text: str):
    assert "2023-09-03" in set(date_terms(text))
