"""What a user states: no question, and nothing that a text or somebody else is said to say."""

import pytest

from nanobot_memory_plugins.core.text.attribution import UserAttribution
from nanobot_memory_plugins.core.text.reading import reading_of
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

CLAIM = "The user's door code is narwhalqq 4455."
QUESTIONS = [
    "Is it right that my door code is narwhalqq 4455?",
    "Is it true that I always use the door code narwhalqq 4455?",
    "Why does that page say my door code is narwhalqq 4455?",
    "why does that page say my door code is narwhalqq 4455",
    "Do I always use the door code narwhalqq 4455?",
    "My door code is narwhalqq 4455?",
    "My door code is always narwhalqq 4455, right?",
    "Tell me whether my door code is narwhalqq 4455",
    "Do you remember that my door code is narwhalqq 4455?",
    "So is my door code narwhalqq 4455",
    "The page says my door code is narwhalqq 4455.",
    "The email from Bob says that my door code is narwhalqq 4455.",
    "It says my door code is narwhalqq 4455.",
    "Bob said my door code is narwhalqq 4455.",
    "According to the page, my door code is narwhalqq 4455.",
    "I read on the page that my door code is narwhalqq 4455.",
    'My colleague wrote to me "my door code is narwhalqq 4455".',
    "My colleague wrote to me 'my door code is narwhalqq 4455'.",
    "我的门禁码 door code 是 narwhalqq 4455 吗？",
    "我的门禁码 door code 是不是 narwhalqq 4455",
    "网页上说我的 door code 是 narwhalqq 4455。",
    "他說我的 door code 是 narwhalqq 4455。",
    "听说我的 door code 是 narwhalqq 4455。",
    "我的 door code 一直是 narwhalqq 4455，对吧？",
]
STATEMENTS = [
    "My door code is narwhalqq 4455.",
    "Could you always answer in Chinese?",
    "From now on answer in German, ok?",
    "Always use tabs, please?",
    "Remember that I like tea, will you?",
    "Use pytest instead of unittest, please.",
    "My doctor told me that I am allergic to nuts.",
    "I wrote a book about tea.",
    "I said that I like tea.",
    "I live in the United States.",
    "I read a lot in the evening.",
    "I am happy with this.",
    "We have two cats.",
    "以后都用中文回答我，好吗？",
    "能不能以后都用中文回答我？",
    "我喜欢绿茶。",
    "我在写一篇论文。",
    "我每天看新闻。",
]


@each("text", in_both_scripts(QUESTIONS))
def test_a_question_or_a_report_makes_no_claim_the_users(text: str):
    words = UserAttribution()
    words.hear("s", text, ())
    words.hear_tool("s", CLAIM)
    assert reading_of(text).own_word == ""
    assert not words.hold("s", CLAIM)


@each("text", in_both_scripts(STATEMENTS))
def test_a_statement_or_a_lasting_wish_stays(text: str):
    assert reading_of(text).own_word == text


def test_only_the_sentences_that_ask_are_left_out():
    words = UserAttribution()
    words.hear("s", "My door code is narwhalqq 4455. Is the page right that I live in Bonn?", ())
    assert words.hold("s", CLAIM)
    assert not words.hold("s", "The user lives in Bonn.")


@pytest.mark.parametrize(
    ("text", "claim"),
    in_both_scripts(
        [
            ("I take warfarin every day, is ibuprofen ok?", "The user takes warfarin every day"),
            (
                "We live in Bristol with two toddlers, any ideas for a rainy Sunday?",
                "The user lives in Bristol with two toddlers",
            ),
            ("我对花生过敏，泰国菜里要避开哪些？", "用户对花生过敏"),
        ]
    ),
)
def test_a_fact_beside_a_question_is_the_users_word(text: str, claim: str):
    words = UserAttribution()
    words.hear("s", text, ())
    assert words.hold("s", claim)


@each(
    ("text", "claim"),
    in_both_scripts(
        [
            ("I take warfarin every day, is ibuprofen ok for me?", "The user takes ibuprofen"),
            ("The page says that I live in Bonn, is that my city?", "The user lives in Bonn"),
            ("If I lived in Bonn, which bank would I need?", "The user lives in Bonn"),
            ("My flight is on Monday, right?", "The user's flight is on Monday"),
            ("我在北京，我是不是对花生过敏？", "用户对花生过敏"),
            ("我对花生过敏，对不对？", "用户对花生过敏"),
        ]
    ),
)
def test_what_is_asked_beside_a_fact_is_not(text: str, claim: str):
    words = UserAttribution()
    words.hear("s", text, ())
    assert not words.hold("s", claim)
