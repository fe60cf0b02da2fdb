"""What denies: one list, in both scripts."""

import pytest

from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.core.text.negation import DENYING, DENYING_NOTHING, denies, without_negations
from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from tests.support.chinese import in_both_scripts, in_script, turned
from tests.support.each import each

pytestmark = pytest.mark.leaving

AFFIRMED = [
    *["味道不错", "特别好", "别人", "未来", "无线", "没关系", "差不多", "时不时", "动不动", "是不是", "有没有"],
    *["喜不喜欢", "我不得不去", "我不能不吃", "唔该晒", "系咪", "不但好", "I noted it", "another note"],
]
DENIED = [
    *[
        "没有车",
        "我从不喝酒",
        "不再用了",
        "未曾去过",
        "并非如此",
        "无法升级",
        "别用它",
        "请勿打扰",
        "没办法",
        "毫无兴趣",
    ],
    *[
        "毫无兴趣",
        "冇车",
        "唔食牛",
        "唔系医生",
        "咪再讲",
        "唔好用",
        "甭管它",
        "不过敏",
        "我不同意",
        "不能去",
        "还没结婚",
        "讨厌它",
    ],
    *["戒烟", "拒绝", "I can't", "I cant", "never", "no car", "I hated it"],
]


@each("word", DENYING)
def test_each_word_that_denies_does_so_in_its_example_and_not_in_its_counter_example(word):
    for example, counter_example in (word[1:], turned(tuple(word[1:]))):
        assert denies(example)
        assert not denies(counter_example)


@each("word", DENYING_NOTHING)
def test_each_word_that_denies_nothing_does_not_in_its_example_and_its_counter_example_denies(word):
    for example, counter_example in (word[1:], turned(tuple(word[1:]))):
        assert not denies(example)
        assert denies(counter_example)


@each("text", in_both_scripts(DENIED))
def test_a_text_denies(text: str):
    assert denies(text)
    assert not denies(without_negations(text))


@each("text", in_both_scripts(AFFIRMED))
def test_a_text_affirms(text: str):
    assert not denies(text)
    assert without_negations(text) == text


@each("texts", in_both_scripts([("用户没有车", "用户有车"), ("我无法开车", "我开车"), ("I cant swim", "I swim")]))
@each("script", ["simplified", "taiwan"])
def test_what_denies_and_what_affirms_is_not_the_same_for_anybody(texts: tuple[str, str], script: str):
    one, other = texts[0], in_script(texts[1], script)
    assert not says_the_same(one, other)
    for said, statement in ((one, other), (other, one)):
        assert not Support(QuotedConversation([Message("user", said)])).holds(statement)
