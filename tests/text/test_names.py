"""Two texts that name the same person, animal or place are told from two that share an ordinary word."""

import pytest

from nanobot_memory_plugins.core.text import names_in, share_a_name
from tests.support.chinese import in_both_scripts

pytestmark = pytest.mark.leaving

SHARED = [
    ("pick a place to meet Priya next week", "had dinner with Priya, she is allergic to shellfish"),
    ("find a present for Priya.", "Priya is mad about coffee"),
    ("what should we do in leeds?", "My aunt lives in Leeds"),
    ("Priya's birthday cake, any ideas?", "yesterday Priya came by"),
]
SHARED_ZH = [
    ("想给小羽挑个生日礼物", "闺蜜小羽下个月生日"),
    ("下周约小羽出来聚聚", "昨天跟小羽吃饭，她对海鲜过敏"),
    ("给豆豆买个点心", "豆豆对芒果过敏"),
    ("请老张吃饭，订哪家", "老张不吃辣"),
    ("陪陈凯去面试要带什么", "陈凯在海康上班"),
]
APART = [
    ("pick a place for the team", "The place was closed"),
    ("Find a present. Then book a table.", "Then we went home. Find out more."),
    ("meet on Monday in May", "It was a Monday in May"),
    ("OK let's go", "OK then"),
    ("Well, here I am again", "They wrote: come Here"),
    ("pick a place to meet Tom", "had dinner with Priya"),
]
APART_ZH = [
    ("给大家订个餐厅", "大家都来了"),
    ("跟他们说一声", "他们走了"),
    ("给孩子买书", "孩子睡了"),
    ("小时候的事", "小时候住在长沙"),
    ("给小羽买花", "老张不吃辣"),
]


@pytest.mark.parametrize(("text", "other"), SHARED)
def test_a_name_in_both_is_found(text: str, other: str):
    assert share_a_name(names_in(text), names_in(other))


@pytest.mark.parametrize(("text", "other"), APART)
def test_ordinary_words_days_and_other_names_are_none(text: str, other: str):
    assert not share_a_name(names_in(text), names_in(other))


@pytest.mark.parametrize("number", range(len(SHARED_ZH)))
def test_a_chinese_name_is_found_in_both_scripts(number: int):
    for text in in_both_scripts([SHARED_ZH[number][0]]):
        for other in in_both_scripts([SHARED_ZH[number][1]]):
            assert share_a_name(names_in(text), names_in(other))


@pytest.mark.parametrize("number", range(len(APART_ZH)))
def test_ordinary_chinese_words_are_none_in_both_scripts(number: int):
    for text in in_both_scripts([APART_ZH[number][0]]):
        for other in in_both_scripts([APART_ZH[number][1]]):
            assert not share_a_name(names_in(text), names_in(other))
