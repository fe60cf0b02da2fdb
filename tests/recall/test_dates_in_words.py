"""Days in the block stand as people write them, and relative phrases with the days that they meant."""

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values import DatedPhrase, Hit, Origin
from nanobot_memory_plugins.recall.block import render
from nanobot_memory_plugins.recall.date_format import days_in_words, with_days
from nanobot_memory_plugins.recall.options import RecallOptions
from tests.support.each import each


@each(
    ("first", "last", "english", "chinese"),
    [
        (date(2023, 5, 7), date(2023, 5, 7), "7 May 2023", "2023年5月7日"),
        (date(2023, 5, 1), date(2023, 5, 7), "1 to 7 May 2023", "2023年5月1日至5月7日"),
        (date(2023, 4, 29), date(2023, 5, 5), "29 April to 5 May 2023", "2023年4月29日至5月5日"),
        (date(2023, 2, 1), date(2023, 2, 28), "February 2023", "2023年2月"),
        (date(2023, 12, 1), date(2023, 12, 31), "December 2023", "2023年12月"),
        (date(2022, 1, 1), date(2022, 12, 31), "2022", "2022年"),
        (date(2023, 4, 5), date(2023, 5, 5), "around April 2023", "2023年4月前后"),
        (date(2020, 11, 3), date(2021, 11, 3), "around 2021", "2021年前后"),
    ],
)
def test_a_span_is_said_as_short_as_it_can_be(first: date, last: date, english: str, chinese: str) -> None:
    assert days_in_words(first, last, chinese=False) == english
    assert days_in_words(first, last, chinese=True) == chinese


def test_the_days_stand_behind_their_phrase_and_the_rest_is_as_it_was() -> None:
    phrases = (DatedPhrase("last friday", date(2023, 5, 5), date(2023, 5, 5)),)
    assert with_days("Ran Last Friday, and rested.", phrases) == "Ran Last Friday (5 May 2023), and rested."
    assert with_days("Rested.", phrases) == "Rested."
    assert with_days("上周五跑步", (DatedPhrase("上周五", date(2023, 5, 5), date(2023, 5, 5)),)) == (
        "上周五 (2023年5月5日)跑步"
    )


@given(st.text(max_size=40), st.text(min_size=1, max_size=5))
def test_a_text_of_any_kind_keeps_its_characters(text: str, phrase: str) -> None:
    dated = with_days(text, (DatedPhrase(phrase, date(2023, 5, 5), date(2023, 5, 5)),))
    assert dated.replace(" (5 May 2023)", "").replace(" (2023年5月5日)", "") == text


def test_a_memory_is_dated_in_its_own_language() -> None:
    def line(text: str) -> str:
        time = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
        hit = Hit("id", text, "memory/x.jsonl", 3, 1.0, Origin.USER, time=time, speaker="Ana")
        return render(hit, whole=True, options=RecallOptions())

    assert line("I like tea") == "- [8 May 2023] Ana: I like tea (line 3)"
    assert line("我喜欢茶") == "- [2023年5月8日] Ana: 我喜欢茶 (line 3)"
