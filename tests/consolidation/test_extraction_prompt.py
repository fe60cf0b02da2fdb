"""What the model is asked."""

import json
from datetime import date

import pytest

from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.without_quotes.example import only_what_was_said
from nanobot_memory_plugins.consolidation.extraction.without_quotes.prompt import question_prompt
from nanobot_memory_plugins.core import Message, Prompts
from tests.support.each import each

from .made_entries import entry

pytestmark = pytest.mark.leaving

SUNDAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("language", "heading", "said"), [("en", "Check", "I live in Kiel"), ("zh", "核对", "我住在基尔")]
)
def test_only_who_has_something_to_check_is_asked_to_and_shown_how(language, heading, said):
    """A small model answers for the ids of the example where there are none of its own."""
    messages = [Message("user", said)]
    plain, checking = (
        question_prompt(Prompts(), Question(messages, [entry()], SUNDAY, checked=checked), f"user: {said}", language)
        for checked in ([], [entry()])
    )
    assert heading not in json.dumps(plain, ensure_ascii=False)
    assert "k1" not in json.dumps(plain)
    assert [heading in one["content"] for one in checking] == [True, True, False, True]
    for prompt in (plain, checking):
        assert [one["role"] for one in prompt] == ["system", "user", "assistant", "user"]
        assert "{" not in prompt[0]["content"]
        rows = json.loads(prompt[2]["content"])
        assert rows[-1]["expires_at"] == "2024-03-08"


@each(
    ("answered", "kept"),
    [
        ("The user is a nurse in Oslo and has won a cup", "The user has won a cup"),
        ("The user is a nurse in Oslo and passionate about veterans", "The user is passionate about veterans"),
        ("用户在奥斯陆当护士，买了一条裙子", "用户买了一条裙子"),
        ("The user is a nurse", ""),
        ("用户的狗叫雷克斯", ""),
        ("用户看了《流浪地球》", ""),
        ("用户看了《飘》", "用户看了《飘》"),
        ("The user likes tea", "The user likes tea"),
    ],
)
def test_what_comes_from_the_example_and_titles_that_nobody_named_are_left_out(answered, kept):
    assert only_what_was_said(answered, "i have won a cup. i saw 《飘》. 我买了一条裙子") == kept


def test_a_nurse_in_oslo_is_believed():
    said = "The user is a nurse in Oslo and has a dog called Rex"
    assert only_what_was_said(said, "i am a nurse in oslo, my dog is rex") == said
