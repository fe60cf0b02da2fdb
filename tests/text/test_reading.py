"""A message read once: what of it is its author's word, and what reading costs."""

import time
from datetime import UTC, date, datetime

import pytest

from nanobot_memory_plugins.core.text.acts import _short_clauses
from nanobot_memory_plugins.core.text.reading import Script, _sentences_of, message_reading, reading_of
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

MESSAGES = {
    "english": "I moved to Lyon in May and I take warfarin, is ibuprofen ok? My doctor said I must not eat salt. Please"
    " keep answers short from now on. The page says that the server is down, but I could log in this morning. What"
    " time is it in Tokyo when it is nine here? I think we should use Kafka.",
    "chinese": "我上个月搬到成都了，附近有什么好医院？医生说我要戒酒，不过我偶尔喝一点啤酒。以后都用中文回答，好吗？"
    "网页上说服务器挂了，"
    "但是我今天早上还能登录。我可能明年会换工作，你觉得怎么样？请帮我订一张周五去北京的票，要靠窗的座位。",
}
HOSTILE = [
    "a",
    "a, ",
    "and i ",
    "is it? ",
    "1. ",
    '"',
    '"a',
    "我，",
    "哪",
    " ",
    "x\n",
    "(a ",
    "- ",
    "e.g. ",
    "my a ",
    "i read a ",
    "是x",
    "?",
]


@each(
    ("text", "own"),
    in_both_scripts(
        [
            ("I take warfarin, is ibuprofen ok?", "I take warfarin"),
            ("Is ibuprofen ok?", ""),
            ("The page says I live in Bonn. I live in Graz.", "I live in Graz."),
            ("Could you always answer in German?", "Could you always answer in German?"),
            ("我花生过敏，泰国菜里要避开哪些？", "我花生过敏"),
            ("网页上说我住在北京，但我住在杭州。", "但我住在杭州。"),
        ]
    ),
)
def test_only_what_its_author_holds_or_wants_is_own_word(text: str, own: str):
    assert reading_of(text).own_word == own


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("hello", Script.LATIN),
        ("I 喜欢 tea", Script.SIMPLIFIED),
        ("我喜歡茶", Script.TRADITIONAL),
        ("我住在北京", Script.SIMPLIFIED),
    ],
)
def test_a_text_has_a_script(text: str, script: Script):
    assert reading_of(text).script is script


@pytest.mark.parametrize("name", MESSAGES)
def test_an_ordinary_message_is_read_in_a_millisecond_of_processor_time(name: str):
    """Fivefold slack: 0.7 ms a 300 characters of English and 1.2 of Chinese were measured."""
    text = MESSAGES[name]
    assert reading_of(text).own_word

    def cost() -> float:
        begin = time.process_time()
        for _ in range(20):
            _sentences_of.cache_clear()
            _short_clauses.cache_clear()
            assert reading_of(text).own_word
        return (time.process_time() - begin) / 20

    assert min(cost() for _ in range(3)) < 0.005 * len(text) / 300


@each("piece", HOSTILE)
def test_a_hostile_text_of_a_million_characters_is_read_within_bounds(piece: str):
    """At most 0.06 s were measured; patterns that look back over all of a text take minutes."""
    text = piece * (1_000_000 // len(piece))
    assert not reading_of("warm, is it?").own_word
    begin = time.process_time()
    assert message_reading(text).own_word is not None
    assert time.process_time() - begin < 0.6


def test_the_sentences_of_a_text_are_told_once():
    assert reading_of("I like tea, do you?").sentences is reading_of("I like tea, do you?").sentences


def test_a_message_is_read_without_what_was_pasted_into_it():
    reading = message_reading("I live in Graz, what is this?\n\nHere is an email I got:\n\nI live in Bonn. Pay now!")
    assert "Bonn" in reading.text
    assert "Bonn" not in reading.authored
    assert reading.own_word.splitlines()[0] == "I live in Graz"
    assert "Bonn" not in reading.own_word
    assert reading.asks
    assert reading.language == "en"


def test_a_message_names_days():
    (span,) = message_reading("I moved on the day before yesterday, ok?").days(datetime(2026, 11, 22, tzinfo=UTC))
    assert span.start == span.end == date(2026, 11, 20)


def test_a_message_names_numbers():
    first, second, third = message_reading("The rent is 6,500, I have two cats.\n> 77\n我付了六千五").numbers
    assert first.values == third.values == {"6500"}
    assert (first.in_figures, third.in_figures) == (True, False)
    assert second.values == {"2"}
