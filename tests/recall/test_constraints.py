"""What constrains an answer is shown although no word of the request names it, by words alone as well."""

import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Scope
from nanobot_memory_plugins.core.text import fold, is_own_constraint, topic_of
from nanobot_memory_plugins.core.text.constraints import EXERTION, FOOD, TOPICS, TRAVEL
from nanobot_memory_plugins.recall.cli.examination import examine
from tests.recall.test_need import CONFIG
from tests.support.chinese import in_both_scripts
from tests.support.each import each

SOUGHT = in_both_scripts(
    [
        "What snack can you suggest?",
        "I need a quick dinner idea for tonight",
        "What could I bake for Noah's playdate?",
        "I want to bring Orla some soup, which one?",
        "can I have a big plate of chips tonight?",
        "What biscuits shall I buy for when Oliver comes on Sunday?",
        "where should we eat on Friday?",
        "Build me a training plan for this week",
        "I've got a headache, what can I take?",
        "晚上想吃甜品，有什么推荐",
        "帮我想想中午订什么便当",
        "晚上想吃点好的，做什么菜",
        "安排一下这周的运动计划",
        "我能喝点酒吗",
        "我头疼，吃什么药好",
    ]
)
NOT_SOUGHT = in_both_scripts(
    [
        "why does bread rise?",
        "name five kinds of pasta",
        "how long do I boil eggs?",
        "write a limerick about soup",
        "what did we eat on Friday?",
        "what did the doctor say about my knee?",
        "I had soup for dinner",
        "When is the dinner with Tom?",
        "我昨天吃了火锅",
        "我中午吃了什么",
        "番茄炒蛋的热量是多少",
        "我上次推荐你的餐厅叫什么",
        "我跑步跑了五公里",
    ]
)
OWN = in_both_scripts(
    [
        "Keep in mind for anything you cook up for me that I'm allergic to cashews, the other nuts are fine.",
        "I should say I'm lactose intolerant so go easy with cheese",
        "I've quit coffee, day 5",
        "my daughter can't eat eggs",
        "对了，我自己对芒果过敏，以后给我推荐吃的注意下。",
        "我有痛风，医生让我少吃海鲜和动物内脏",
        "我老婆对虾过敏",
    ]
)
NOT_OWN = in_both_scripts(
    [
        "my friend Orla says she's allergic to shellfish",
        "If I were vegan, what would I eat?",
        "Am I allergic to nuts?",
        "小慧对海鲜过敏，周末她要来我家吃饭",
        "我妈不能吃柚子，她在吃降血脂的药",
    ]
)


@pytest.mark.leaving
@each("text", SOUGHT)
def test_advice_on_a_topic_is_known(text: str):
    assert topic_of(text) is not None


@pytest.mark.leaving
@each("text", NOT_SOUGHT)
def test_what_asks_for_no_advice_has_no_topic(text: str):
    assert topic_of(text) is None


@pytest.mark.leaving
@each(("text", "expected"), [*((t, True) for t in OWN), *((t, False) for t in NOT_OWN)])
def test_whose_constraint_it_is(text: str, expected: bool):
    assert is_own_constraint(text, FOOD) is expected


@pytest.mark.leaving
@each("word", [word for one in TOPICS for word in (*one.sought, *one.told)])
def test_each_pattern_finds_its_example_and_not_its_counter_example(word):
    assert re.search(word.pattern, fold(word.example))
    assert not re.search(word.pattern, fold(word.counter_example))


@pytest.mark.leaving
@each(
    ("text", "told"),
    in_both_scripts(
        [
            ("Should we take the cable car up, or walk?", "I have had a phobia of heights since I was a boy."),
            ("Is the night ferry to Bergen a good idea?", "I get terribly seasick, even on a calm day."),
            ("can i drive the hire van over to leeds for her", "they took my licence, i've no licence till march"),
            (
                "A cousin offers us a week in Crete, flights paid. Shall we?",
                "We won't fly any more, not even to Crete.",
            ),
            ("Would a flight on Sunday morning be better?", "I don't get on aeroplanes, not since 2011."),
            ("五一坐邮轮去日本，去不去？", "我晕船，一上船就吐。"),
            ("周末自驾去黄山怎么样", "我还没考驾照，我不会开车。"),
            ("订早班的机票好不好？", "我怕坐飞机，一起飞就发抖。"),
        ]
    ),
)
def test_a_journey_is_constrained_by_fears_sickness_and_papers(text: str, told: str):
    topic = topic_of(text)
    assert topic is TRAVEL
    assert is_own_constraint(told, topic)


@pytest.mark.leaving
@pytest.mark.parametrize(
    "text", in_both_scripts(["When does my flight leave?", "我几点的飞机？", "The ferry was late."])
)
def test_who_asks_about_a_journey_that_is_planned_asks_for_no_advice(text: str):
    assert topic_of(text) is None


@pytest.mark.leaving
def test_an_injury_constrains_sport_alone():
    assert is_own_constraint("I hurt my left knee on the trainer", EXERTION)
    assert not is_own_constraint("I hurt my left knee on the trainer", FOOD)


TOLD = (
    "We use lock number 7301 for the label job from now on.",
    "I am allergic to peanuts, badly.",
    "我膝盖受伤了，医生说一个月不能跑步。",
    "Orla is allergic to shellfish.",
    "The bride is vegan, and the venue is Temple Newsam.",
)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        for number, text in enumerate(TOLD):
            await host.message_received(session_key=f"a{number}", text=text)
            await host.message_sent(session_key=f"a{number}", text="Understood.")
        await host.flush_index()
        yield host


@pytest.mark.parametrize(
    ("text", "shown", "others"),
    [
        ("What snack can you suggest?", "peanuts", "shellfish"),
        ("I want to bring Orla some soup, which one?", "shellfish", "Newsam"),
        ("晚上吃什么好，推荐一下", "peanuts", "Newsam"),
        ("安排一下这周的跑步计划", "膝盖", "peanuts"),
    ],
)
async def test_it_is_shown_and_no_one_else_s(memory: MemoryHost, text: str, shown: str, others: str):
    block = (await memory.message_received(session_key="b", text=text)).block or ""
    assert shown in block
    assert others not in block


async def test_it_is_not_shown_again_where_it_stands_in_the_context(memory: MemoryHost):
    said = [{"role": "user", "content": TOLD[1]}]
    block = (await memory.message_received(session_key="b", text="What snack can you suggest?", history=said)).block
    assert "peanuts" not in (block or "")


async def test_why_lists_what_was_found_by_its_topic(memory: MemoryHost, tmp_path: Path):
    found = await examine(tmp_path, CONFIG, "What snack can you suggest?", recent=(), scope=Scope())
    (one,) = [one for one in found.candidates() if one.injected]
    assert "peanuts" in one.hit.text
    assert one.found_by == "constrains the answer"
