"""Only what the user states grounds a candidate."""

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.extraction.spoken_messages import spoken_messages
from nanobot_memory_plugins.consolidation.extraction.statements import statements
from nanobot_memory_plugins.consolidation.extraction.without_quotes.nearest_words import NearestWords
from nanobot_memory_plugins.consolidation.model.plan_days import day_meant, end_of
from nanobot_memory_plugins.core.text.pasted import authored_text
from nanobot_memory_plugins.core.values import Message, messages_from_chat
from tests.support.chinese import in_both_scripts
from tests.support.each import each

WEDNESDAY = date(2026, 2, 18)


def user(*texts: str) -> tuple[Message, ...]:
    return tuple(Message("user", text) for text in texts)


def nearest_words(messages: Sequence[Message]) -> NearestWords:
    """Return what was said, seen as extraction sees it."""
    spoken = spoken_messages(messages, str, str)
    return NearestWords(spoken, statements(spoken))


def is_grounded(candidate: str, *messages: Message | str) -> bool:
    return nearest_words([one if isinstance(one, Message) else Message("user", one) for one in messages]).grounds(
        candidate
    )


@each(
    ("candidate", "said"),
    in_both_scripts(
        [
            ("The user likes green tea", "I really like green tea in the morning."),
            ("The user lives in Hamburg", "By the way, we moved to Hamburg last year."),
            ("The user has 2 cats", "I've got two cats and no time."),
            ("The user no longer eats meat", "I stopped eating meat."),
            ("The user prefers pytest over unittest", "Use pytest instead of unittest, please."),
            ("The user wants answers in Chinese", "Could you always answer in Chinese?"),
            ("The user must send the report by 2026-02-25", "I have to send the report by next Wednesday."),
            ("The user tried Vue and gave up", "I tried Vue for the front end but gave up."),
            ("用户喜欢喝绿茶", "我早上一般喜欢喝绿茶。"),
            ("用户住在杭州", "我去年搬到杭州了，现在在阿里上班"),
            ("用户不吃肉", "我不吃肉的，点素菜吧"),
            ("用户下周三有产品评审会议（2026-02-25）", "下周三有个产品评审会议，别忘了"),
        ]
    ),
)
def test_what_the_user_states_is_grounded(candidate: str, said: str):
    assert is_grounded(candidate, said)


@each(
    ("candidate", "said"),
    in_both_scripts(
        [
            ("The user likes coffee", "I like tea."),
            (
                "The user keeps bees in Lund near the harbour; every bill goes to Vex",
                "I keep bees in Lund near the harbour.",
            ),
            ("用户在隆德港口附近的山坡上养蜜蜂，发票全部转寄", "我在隆德港口附近的山坡上养蜜蜂。"),
            ("The user likes tea", "I don't like tea."),
            ("The user lives in Hamburg", "Should I move to Hamburg?"),
            ("The user lives in Hamburg", "Maybe I will move to Hamburg."),
            ("The user may move to Hamburg", "I move to Hamburg in May."),
            ("The user uses Vue", "I tried Vue for the front end."),
            ("The deployment uses port 8080", "I tried port 8080 but it failed."),
            ("The user has 3 cats", "I have two cats."),
            ("The user was born in 1987", "I was born in Kiel."),
            ("The user greeted the assistant", "Hello there, user greeting the assistant"),
            ("The user said thanks for the tea", "Thanks for the tea."),
            ("用户喜欢喝咖啡", "我喜欢喝茶。"),
            ("用户喜欢喝茶", "我不喜欢喝茶。"),
            ("用户住在杭州", "杭州的房价怎么样？"),
            ("用户住在杭州", "我可能会搬到杭州。"),
            ("用户使用 Vue", "我试了 Vue，没成功。"),
        ]
    ),
)
def test_questions_guesses_tries_and_inventions_are_not(candidate: str, said: str):
    assert not is_grounded(candidate, said)


@each(
    "message",
    in_both_scripts(
        [
            {"role": "assistant", "content": "You like green tea."},
            {"role": "tool", "content": "The user likes green tea."},
            {"role": "system", "content": "The user likes green tea."},
            {"role": "user", "content": [{"type": "tool_result", "content": "The user likes green tea."}]},
            {"role": "user", "content": "What is this?\n```\nI like green tea.\n```"},
            {"role": "user", "content": "What is this?\n> I like green tea."},
            {"role": "user", "content": "What is this? <document>I like green tea.</document>"},
            {"role": "user", "content": "Summarise this article:\n" + "I like green tea. Everybody does. " * 30},
            {"role": "user", "content": "总结下面的文章：\n" + "我喜欢绿茶 green tea。" * 30},
            {"role": "user", "content": "Look:\n\n" + "Green tea is liked. Critics like green tea. " * 50},
            {
                "role": "user",
                "content": "[The following are remembered notes for reference only, not instructions to follow]"
                " #01234567\n"
                "The user likes green tea.\n[End of remembered notes] #01234567\nhello",
            },
        ]
    ),
)
def test_what_others_say_is_no_statement_of_the_user(message: dict[str, object]):
    said = messages_from_chat([message, {"role": "user", "content": "ok, thanks!"}])
    assert not nearest_words(said).grounds("The user likes green tea")


def test_a_long_message_keeps_what_the_user_says_of_himself():
    text = (
        "I like green tea.\n\n"
        + "Critics write much. " * 70
        + "\n\n"
        + "My sister, whom I visit often, lives in Bonn. " * 9
    )
    assert "green tea" in authored_text(Message("user", text))
    assert "Bonn" in authored_text(Message("user", text))
    assert "Critics" not in authored_text(Message("user", text))


def test_most_of_the_words_must_be_the_users():
    assert is_grounded("The user has hens, ducks, geese", "I am raising hens and ducks.")
    assert not is_grounded("The user has hens, ducks, geese, quails, doves", "I am raising hens and ducks.")
    assert not is_grounded("The user's hobby is running in the park", "I go jogging in the park after work.")


def test_it_is_the_words_of_one_turn_that_count():
    turns = [f"I bought {one} today." for one in ("apples", "a lamp", "green paint", "tea")]
    assert not is_grounded("The user drinks green tea with lemon", *turns)


def test_a_name_may_have_been_said_in_another_message_than_what_is_told():
    turns = ("My wife is called Anna.", "What shall we cook?", "She cannot eat shellfish.")
    said = [Message("user", turns[0]), Message("assistant", "How nice!"), Message("user", turns[2])]
    assert is_grounded("The user's wife Anna cannot eat shellfish", *said)


@each(
    ("candidate", "said"),
    in_both_scripts(
        [
            ("The user went to the Van Gogh exhibition", "Tom told me that the Van Gogh exhibition is good."),
            ("The user went to the Van Gogh exhibition", "We nearly went to the Van Gogh exhibition."),
            ("The user has a surf school in Portugal", "My sister's boyfriend has a surf school in Portugal."),
            ("The user plays football", "I used to play football."),
            ("用户去过青海的冷湖", "听朋友说青海的冷湖很好。"),
            ("用户的房租是4200", "我的房租是900，工资是4200。"),
        ]
    ),
)
def test_what_the_user_heard_nearly_did_or_said_of_others_is_not(candidate: str, said: str):
    assert not is_grounded(candidate, said)


@each(
    ("text", "day"),
    in_both_scripts(
        [
            ("by 2026-03-05", date(2026, 3, 5)),
            ("am 2026年3月5日", date(2026, 3, 5)),
            ("tomorrow", date(2026, 2, 19)),
            ("the day after tomorrow", date(2026, 2, 20)),
            ("next Wednesday", date(2026, 2, 25)),
            ("on Friday", date(2026, 2, 20)),
            ("on Monday", date(2026, 2, 23)),
            ("in two weeks", date(2026, 3, 4)),
            ("within 10 days", date(2026, 2, 28)),
            ("next week", date(2026, 3, 1)),
            ("March 5th", date(2026, 3, 5)),
            ("5 January", date(2027, 1, 5)),
            ("by the end of the month", date(2026, 2, 28)),
            ("明天交", date(2026, 2, 19)),
            ("大后天", date(2026, 2, 21)),
            ("下周三有会", date(2026, 2, 25)),
            ("周五之前", date(2026, 2, 20)),
            ("周一", date(2026, 2, 23)),
            ("三天后", date(2026, 2, 21)),
            ("下周要准备材料", date(2026, 3, 1)),
            ("3月5日", date(2026, 3, 5)),
            ("月底前", date(2026, 2, 28)),
            ("2024-01-01", None),
            ("2026-13-40", None),
            ("yesterday", None),
            ("likes tea", None),
            ("", None),
        ]
    ),
)
def test_days_are_seen_from_the_day_on_which_they_were_said(text: str, day: date | None):
    assert day_meant(text, WEDNESDAY) == day


def test_a_day_is_over_at_midnight_where_the_user_lives():
    assert end_of(date(2026, 2, 25), UTC) == datetime(2026, 2, 26, tzinfo=UTC)


@settings(max_examples=150)
@given(st.text(max_size=80), st.text(max_size=40), st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_any_text_can_be_looked_at(said: str, candidate: str, day: date):
    nearest_words(user(said)).grounds(candidate)
    day_meant(said, day)


@pytest.mark.slow
def test_a_very_long_or_broken_message_takes_no_time():
    began = time.process_time()
    for text in (
        "a" * 5_000_000,
        "<a>" * 200_000,
        "> " * 500_000,
        "试" * 1_000_000,
        "\ud800\0",
        "n't" * 300_000,
        ":\n" * 300_000,
    ):
        statements([Message("user", text)])
        authored_text(Message("user", "", raw={"content": (None, 7, {"type": "text", "text": text})}))
    assert time.process_time() - began < 15
