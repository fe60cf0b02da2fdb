"""What a request for an overview is about."""

import pytest

from nanobot_memory_plugins.core.text import fold, overview_subject
from nanobot_memory_plugins.core.text.overviews import OVERVIEWS
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

ABOUT = {
    "tell me everything about the van": "van",
    "Can you sum up what we decided about the kitchen so far?": "kitchen",
    "Summarise where I stand with my running": "running",
    "give me a short overview of the move please": "move",
    "What do you know about my sister?": "sister",
    "what have I told you about my knee?": "knee",
    "where are we with the tax return?": "tax return",
    "Put together all that we need to think of for the christening": "christening",
    "gimme a rundown of everything to do with the allotment": "allotment",
    "collect whatever I should know for the interview on Monday": "interview on monday",
    "帮我把搬家的事情理一理": "搬家",
    "把孩子上学的情况捋一捋": "孩子上学",
    "把装修的事都说一下": "装修",
    "总结一下我们买房和装修的情况": "买房 装修",
    "说说你知道的关于苏晴和我的婚事": "苏晴 婚事",
    "关于我妈你知道些什么": "妈",
    "列出面包车的所有信息": "面包车",
}
NONE = [
    "Summarise this article",
    "sum up the plot of Hamlet",
    "tell me all about it",
    "What about the van?",
    "what did you say about the stove",
    "what is on the list",
    "all for nothing",
    "Everything for five pounds",
    "Write a summary",
    *in_both_scripts(
        ["总结下面这段话", "总结一下", "把这个文件整理一下", "你知道长城吗", "把垃圾倒了", "推荐理财的书"]
    ),
]


@each(("text", "subject"), ABOUT.items())
def test_the_thing_is_what_is_left(text: str, subject: str):
    assert overview_subject(text) == subject


@each("text", NONE)
def test_what_asks_for_no_overview_has_no_subject(text: str):
    assert not overview_subject(text)


@each("word", OVERVIEWS)
def test_each_pattern_matches_its_example_and_not_its_counter_example(word):
    assert OVERVIEWS.match(fold(word.example))
    assert not OVERVIEWS.match(fold(word.counter_example))
