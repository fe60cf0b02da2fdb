"""A text that is handed over to be worked on asks for nothing itself."""

import re

import pytest

from nanobot_memory_plugins.core.text import without_worked_on
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.text.worked_on import TEXT_WORK
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

HANDED_OVER = [
    ('Fix the grammar: "Me and him goes to market yesterday"', "Fix the grammar"),
    ("Translate: what did we do yesterday?", "Translate"),
    ("How do you say 'what did we talk about last week' in French?", "How do you say in French?"),
    ("把“我们昨天聊了什么”翻译成英文", "把 翻译成英文"),
    ("Proofread: I live in Rostock since last year", "Proofread"),
    ("Please translate this into German\n\nDear Tom, remember the van keys.", "Please translate this into German"),
    ("fix this sentence - we discussed about it yesterday", "fix this sentence"),
    ("翻译成英文：我们上周聊了什么", "翻译成英文"),
    ("把这句改通顺：我昨天和朋友去公园散步了一趟很开心的。", "把这句改通顺"),
    ("请润色：上周我们去了海边", "请润色"),
]
KEPT = in_both_scripts(
    [
        'Where did I put the "blue folder" last week?',
        "Correct: my appointment is on Friday, not on Thursday",
        "Translate what we agreed yesterday into German",
        'Draft a reply to: "Did you remember the van keys yesterday?"',
        "the translator: when did she come?",
        "what's my sister's name, and Tom's wife's?",
        "我昨天说的“北风”是什么？",
        "小柯改成周一休息了：记一下",
    ]
)


@each(("text", "left"), HANDED_OVER)
def test_what_is_handed_over_is_not_asked(text: str, left: str):
    assert without_worked_on(text) == left


@each("text", KEPT)
def test_other_messages_stay_as_they_are(text: str):
    assert without_worked_on(text) == text


@pytest.mark.parametrize("word", TEXT_WORK)
def test_each_pattern_finds_its_example_and_not_its_counter_example(word):
    assert re.search(word.pattern, fold(word.example))
    assert not re.search(word.pattern, fold(word.counter_example))
