"""Questions about a period: its days, and what is asked of them."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.text import period_questions as words
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.period_questions import PeriodQuestion, Speaker, period_question
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)
ROWS = [
    tuple((line + "\t\t").split("\t")[:4])
    for line in (Path(__file__).parents[1] / "data" / "period_questions.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
WORDS = [word for kind in (words.TALK, words.DEEDS, words.RECAP, words.EMPTY) for word in kind]


def told(found: PeriodQuestion | None) -> tuple[str, str, str]:
    return ("-", "-", "") if found is None else (f"{found.span.start}", f"{found.span.end}", found.subject)


@each("row", ROWS)
def test_a_question_about_a_period_is_known_by_its_period_and_by_what_it_asks(row: tuple[str, ...]):
    assert told(period_question(row[0], NOW)) == row[1:]


@each("text", in_both_scripts(["上周我们聊了什么？", "昨天咱们讨论了哪些话题", "五月我告诉过你什么"]))
def test_both_scripts_are_read(text: str):
    assert period_question(text, NOW) is not None


def test_a_question_that_only_names_another_period_asks_the_same_of_it():
    asked = period_question("and last week?", NOW, before="What did you suggest yesterday?")
    assert asked is not None
    assert (told(asked), asked.speaker) == (("2026-06-15", "2026-06-21", ""), Speaker.ASSISTANT)
    assert period_question("那上周呢？", NOW, before="昨天我们聊了什么？") is not None
    assert period_question("and last week?", NOW, before="I slept badly.") is None


@each(("text", "speaker"), [
    ("what did I tell you yesterday?", Speaker.USER),
    ("what did you tell me yesterday?", Speaker.ASSISTANT),
    ("what did we talk about yesterday?", Speaker.ANYBODY),
    ("昨天你跟我说了什么？", Speaker.ASSISTANT),
    ("昨天我跟你说了什么？", Speaker.USER),
])  # fmt: skip
def test_it_says_whose_words_are_asked_for(text: str, speaker: Speaker):
    asked = period_question(text, NOW)
    assert asked is not None
    assert asked.speaker is speaker


@each("word", WORDS)
def test_each_word_counts_in_its_example_and_not_in_its_counter_example(word: words.Word):
    pattern = rf"(?<![\w'])(?:{word.pattern})(?![\w'])" if word.pattern.isascii() else word.pattern
    assert re.search(pattern, fold(word.example))
    assert not re.search(pattern, fold(word.counter_example))
