"""What a model says that a quote ends: an entry ends only where the user's quoted clause tells of it."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository

from .learning import Model, chat, item, stored
from .made_entries import added, entry
from .test_process import learn

HOME, JOB, RENT = "The user lives in Berlin", "The user works as a data engineer at Siemens", "The user's rent is 1150"
ENDED = [
    (HOME, "We live in Leipzig now.", "The user lives in Leipzig"),
    (HOME, "We moved to Leipzig in March.", "The user moved to Leipzig in March"),
    (HOME, "My new address is Karlstrasse 5, Leipzig.", "The user's address is Karlstrasse 5, Leipzig"),
    (JOB, "I quit my job last week.", "The user quit their job"),
    (JOB, "I start at Gridwise in August.", "The user starts at Gridwise in August"),
    (JOB, "I got laid off yesterday.", "The user was laid off"),
    (JOB, "I'm retired now.", "The user is retired"),
    (RENT, "Our rent is 980 from June.", "The user's rent is 980 from June"),
    (RENT, "The rent went down to 980.", "The user's rent is 980"),
    ("The user's favourite colour is green", "My favourite colour is blue.", "The user's favourite colour is blue"),
    ("The user is vegetarian", "I eat fish again since spring.", "The user eats fish"),
    ("The user is dating Tom", "Tom and I broke up.", "The user and Tom broke up"),
    (
        "The user and Tom split up in May",
        "Tom and I are back together since Sunday.",
        "The user and Tom are together again",
    ),
    (
        "The user's girlfriend is called Ana",
        "Ana and I got married, she is my wife now.",
        "The user is married to his wife Ana",
    ),
    ("用户的女朋友叫林姗", "我跟林姗领证了，她现在是我老婆", "用户和林姗领证了，林姗是用户的妻子"),
    ("The user has a dog called Rex", "Rex died on Sunday.", "The user's dog Rex died"),
    ("The user uses Vim", "I switched to Helix.", "The user uses Helix"),
    ("The user has to file the tax return", "The tax return is filed.", "The user has filed the tax return"),
    ("The user drives a Golf", "I sold the Golf.", "The user sold the Golf"),
    ("The user trains for a marathon", "I've stopped running for good.", "The user has stopped running"),
    ("用户住在北京", "我们搬到杭州了", "用户搬到了杭州"),
    ("用户住在北京", "现在住在杭州", "用户住在杭州"),
    ("用户在字节上班", "我上周辞职了", "用户辞职了"),
    ("用户在字节上班", "下个月入职格致", "用户下个月入职格致"),
    ("用户的房租是3000", "房租涨到3500了", "用户的房租是3500"),
    ("用户单身", "我结婚了", "用户结婚了"),
    ("用户吃素", "我又开始吃肉了", "用户吃肉"),
    ("用户养了一只叫豆豆的狗", "豆豆上周去世了", "用户的狗豆豆去世了"),
    ("用户每周二游泳", "游泳课停了", "用户的游泳课停了"),
]
STANDS = [
    (HOME, "Berlin was lovely and warm in May.", "Berlin was warm in May"),
    (HOME, "I moved my dentist appointment to Friday.", "The user's dentist appointment is on Friday"),
    (HOME, "My sister moved to Leipzig.", "The user's sister moved to Leipzig"),
    ("The user's girlfriend is called Ana", "My sister got married in May.", "The user's sister got married in May"),
    ("用户的女朋友叫林姗", "我哥领证了", "用户的哥哥领证了"),
    (HOME, "I bought a red bike.", "The user bought a red bike"),
    (HOME, "I like Leipzig a lot.", "The user likes Leipzig"),
    (JOB, "I bake bread on Sundays.", "The user bakes bread on Sundays"),
    (JOB, "I start a pottery course on Monday.", "The user starts a pottery course on Monday"),
    (JOB, "My wife quit her job.", "The user's wife quit her job"),
    (JOB, "My boss is called Ulrike.", "The user's boss is called Ulrike"),
    (RENT, "I pay 60 euros for the gym.", "The user pays 60 euros for the gym"),
    ("The user has a dog called Rex", "We got a cat, too.", "The user has a cat"),
    ("The user runs on Thursdays", "I also run on Tuesdays.", "The user runs on Tuesdays"),
    ("The user is vegetarian", "My brother eats fish again.", "The user's brother eats fish"),
    ("The user uses Vim", "My colleague switched to Helix.", "The user's colleague uses Helix"),
    ("用户住在北京", "北京的秋天很美", "北京的秋天很美"),
    ("用户住在北京", "我姐搬到杭州了", "用户的姐姐搬到杭州了"),
    ("用户住在北京", "我买了辆红色自行车", "用户买了一辆红色自行车"),
    ("用户在字节上班", "周末我烤了面包", "用户周末烤了面包"),
    ("用户在字节上班", "我老婆辞职了", "用户的老婆辞职了"),
    ("用户养了一只叫豆豆的狗", "我还养了一只猫", "用户养了一只猫"),
    ("用户每周二游泳", "我周四也游泳", "用户周四游泳"),
]


async def told(workspace: Path, known: str, said: str, content: str, *more: str) -> bool:
    """Say whether an entry has ended after a talk in which a model says that it has."""
    EntryRepository(workspace).update(added(entry("k", known, 0.8)), who="test", why="add")
    answer = {**item(content, said=said), "ends": ["k"]}
    await learn(workspace, Model([answer]), chat(said, *(more or ("I see.",))))
    return bool(stored(workspace)[known].superseded_by)


@pytest.mark.parametrize(("known", "said", "content"), ENDED)
async def test_an_entry_ends_where_the_user_says_so(workspace: Path, known: str, said: str, content: str):
    assert await told(workspace, known, said, content)


@pytest.mark.parametrize(("known", "said", "content"), STANDS)
async def test_an_entry_stands_where_the_quote_says_nothing_of_it(workspace: Path, known: str, said: str, content: str):
    assert not await told(workspace, known, said, content)


@pytest.mark.parametrize(
    ("known", "said", "content"),
    [
        (HOME, "Should I move to Leipzig?", "The user asks whether to move to Leipzig"),
        (HOME, "Maybe we'll move to Leipzig.", "The user may move to Leipzig"),
        (HOME, "I wish I lived in Leipzig.", "The user wishes they lived in Leipzig"),
        (JOB, "I almost quit my job.", "The user almost quit their job"),
        (JOB, "Bob says I quit my job.", "Bob says that the user quit their job"),
        (JOB, "If they cut my pay I quit.", "The user quits if the pay is cut"),
        ("用户住在北京", "我该不该搬到杭州？", "用户在问该不该搬到杭州"),
        ("用户在字节上班", "我差点辞职了", "用户差点辞职"),
        ("用户在字节上班", "同事说我辞职了", "同事说用户辞职了"),
    ],
)
async def test_a_question_a_guess_and_what_others_say_end_nothing(workspace: Path, known: str, said: str, content: str):
    assert not await told(workspace, known, said, content)
