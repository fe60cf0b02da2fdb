"""What constrains later answers is told in many ways, and a message asks for advice in many."""

import pytest

from nanobot_memory_plugins.core.text import asks_for_advice, holds_wish
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

CONSTRAINS = [
    "I can't eat shellfish, it swells my throat.",
    "My sister has gone vegan.",
    "We don't drive, only the train.",
    "The physio said no kneeling for six weeks.",
    "Our budget for the kitchen is 4,000.",
    "He only eats plain rice.",
    "I've a fear of heights.",
    "我妈有糖尿病，少放糖。",
    "他不吃香菜。",
    "医生说这个月不能提重物。",
    "我晕船。",
    "装修预算二十万。",
]
SAYS_ELSE = [
    "I don't know where the keys are.",
    "We ate at the harbour yesterday.",
    "I can't find my umbrella.",
    "我不知道他几点来。",
    "昨天去了医院看朋友。",
    "今天天气不错。",
]
SEEKS = [
    "What are some good restaurants near the station?",
    "Which of these would you recommend for the garden?",
    "What can I cook on Friday?",
    "What biscuits shall I buy for when Ida comes?",
    "晚上吃什么好？",
    "推荐几家适合带孩子去的餐馆",
]
LOOKS_BACK = [
    "What did you recommend for the garden?",
    "What are my shifts this week?",
    "When did we move?",
    "你上次推荐的是哪家？",
    "我去过几次大理？",
]


@each("text", in_both_scripts(CONSTRAINS))
def test_what_constrains_an_answer_is_known(text: str):
    assert holds_wish(text)


@each("text", in_both_scripts(SAYS_ELSE))
def test_what_tells_anything_else_is_no_wish(text: str):
    assert not holds_wish(text)


@each("text", in_both_scripts(SEEKS))
def test_a_message_that_seeks_advice_asks_for_it(text: str):
    assert asks_for_advice(text)


@each("text", in_both_scripts(LOOKS_BACK))
def test_a_message_that_looks_back_asks_for_what_was_said(text: str):
    assert not asks_for_advice(text)
