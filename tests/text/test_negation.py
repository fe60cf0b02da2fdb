"""What denies, and what holds one of its characters or words and denies nothing: one corpus with a floor."""

from nanobot_memory_plugins.core.text.negation import denies, without_negations
from tests.support.chinese import in_both_scripts

AFFIRMED = [
    "味道不错",
    "特别好",
    "别人",
    "未来",
    "无线",
    "没关系",
    "差不多",
    "是不是",
    "有没有",
    "喜不喜欢",
    "我不得不去",
    "我不能不吃",
    "不但好",
    "不过很贵",
    "I noted it",
    "another note",
    "a knot",
    "Noah came",
]
DENIED = [
    "没有车",
    "我从不喝酒",
    "不再用了",
    "并非如此",
    "无法升级",
    "别用它",
    "请勿打扰",
    "没办法",
    "不过敏",
    "我不同意",
    "不能去",
    "还没结婚",
    "讨厌它",
    "戒烟",
    "拒绝",
    "I can't",
    "I cant",
    "never",
    "no car",
    "I hated it",
    "we do not",
    "she doesn’t",
    "without milk",
    "he quit",
    "stopped smoking",
]


def test_what_denies_is_told_from_what_affirms_in_both_scripts():
    denied, affirmed = in_both_scripts(DENIED), in_both_scripts(AFFIRMED)
    missed = [text for text in denied if not denies(text)]
    wrong = [text for text in affirmed if denies(text)]
    assert len(missed) <= 2, missed
    assert len(wrong) <= 2, wrong
    assert [text for text in denied if denies(without_negations(text))] == []
