"""Whether a question is about things at large, or somebody's own."""

import pytest

from nanobot_memory_plugins.core.text import fold, is_general_question
from nanobot_memory_plugins.core.text.general_questions import GENERAL
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

AT_LARGE = [
    "how does a vacuum pump work?",
    "Why do leaves turn red in autumn?",
    "What is the melting point of tin?",
    "who invented the zip?",
    "how many feet are in a mile?",
    "How far is the moon?",
    "What does DNS stand for?",
    *in_both_scripts(["什么是通货膨胀", "《边城》的作者是谁", "彩虹是怎么形成的", "为什么树叶会变红"]),
]
SOMEBODY_S = [
    "how does the boiler work?",
    "Why do we close on Mondays?",
    "What is the colour of the van?",
    "who fixed the boiler?",
    "how long is the boat?",
    "What is Tom's birthday?",
    "How old is Petra?",
    "What is on the list?",
    "why is he late?",
    *in_both_scripts(["为什么我们没买那套房", "苏州之行为什么取消了", "婚礼是什么时候", "当时为什么选这家"]),
]


@each(("text", "expected"), [*((t, True) for t in AT_LARGE), *((t, False) for t in SOMEBODY_S)])
def test_what_is_asked_of_the_world_is_told_from_what_is_somebody_s(text: str, expected: bool):
    assert is_general_question(text) is expected


@each("word", GENERAL)
def test_each_pattern_finds_its_example_and_not_its_counter_example(word):
    assert GENERAL.search(fold(word.example))
    assert not GENERAL.search(fold(word.counter_example))
