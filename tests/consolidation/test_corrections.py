"""Corrections in plain messages: the entry of the same slot is replaced at once, and nothing else is."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.commands.corrections import corrections_in
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text import message_reading
from tests.support.chinese import in_both_scripts

from .made_entries import NOW, added, entry

OTHERS = ("storage", "recall", "nanobot", "bootstrap", "flush", "summary", "compaction", "observation")
CONFIG = MemoryConfig.model_validate(
    {"core": {"message_limit": 20.0}, "plugins": {name: {"enabled": False} for name in OTHERS}}
)
KNOWN = {
    "anniversary": "The user's anniversary is 4 May",
    "meeting": "The meeting is on Tuesday",
    "colour": "The user's favourite colour is blue",
    "rent": "The rent is 900 euros",
    "tickets": "Our team uses Jira for tickets",
    "sister": "The user's sister is called Anna",
    "home": "用户住在北京",
    "birthday": "用户的生日是3月8日",
    "dentist": "我的牙医是王医生",
    "coffee": "我一般喝美式",
}


async def said(workspace: Path, message: str, **scope: str) -> tuple[dict[str, str], str]:
    """Return what became of the known entries that were replaced, and what the model was told."""
    known = [entry(id_, text, 0.8, last_activated=NOW) for id_, text in KNOWN.items()]
    EntryRepository(workspace).update(added(*known), who="test", why="add")
    async with MemoryHost(workspace, config=CONFIG) as memory:
        context = await memory.message_received(session_key="cli:a", text=message, history=[], scope=scope or None)
    entries = EntryRepository(workspace).load().entries
    return {
        one.id: entries[one.superseded_by].content for one in entries.values() if one.superseded_by
    }, context.block or ""


@pytest.mark.parametrize(
    ("message", "slot", "content"),
    in_both_scripts(
        [
            ("No, the anniversary is 4 June.", "anniversary", "the anniversary is 4 June"),
            ("Sorry, I got that wrong. My anniversary is 4 June.", "anniversary", "My anniversary is 4 June"),
            ("The meeting has been moved to Thursday.", "meeting", "The meeting has been moved to Thursday"),
            ("The rent was raised to 950 euros", "rent", "The rent was raised to 950 euros"),
            ("Actually my favourite colour is green now.", "colour", "my favourite colour is green now"),
            ("It's Ana, not Anna.", "sister", "The user's sister is called Ana"),
            (
                "We finally ditched Jira, everything is in Linear now",
                "tickets",
                "We finally ditched Jira, everything is in Linear now",
            ),
            ("我搬到杭州了", "home", "我搬到杭州了"),
            ("记错了，我生日是3月9日", "birthday", "我生日是3月9日"),
            ("其实我的牙医是李医生", "dentist", "我的牙医是李医生"),
            ("胃不行了，美式戒了，改喝大麦茶了", "coffee", "胃不行了，美式戒了，改喝大麦茶了"),
        ]
    ),
)
async def test_a_correction_replaces_the_entry_of_its_slot_and_the_model_is_told(
    workspace: Path, message: str, slot: str, content: str
):
    replaced, block = await said(workspace, message)
    assert list(replaced) == [slot]
    assert replaced[slot].startswith(content[:-1])
    assert content[:-1] in block
    assert KNOWN[slot] in block
    undo(EntryRepository(workspace), who="test")
    assert not any(one.superseded_by for one in EntryRepository(workspace).load().entries.values())


@pytest.mark.parametrize(
    "message",
    in_both_scripts(
        [
            "No, the anniversary present costs 40 euros.",
            "My brother's anniversary is 4 June.",
            "Actually, is the anniversary on 4 June?",
            "This week the meeting is on Thursday.",
            "The party is on Thursday, not Tuesday.",
            "Maybe we should move the meeting to Thursday.",
            "No, the deposit is 1800 euros.",
            "No, the button should be green now.",
            "The other office ditched Jira, I heard.",
            "No, as I said, the anniversary is 4 May.",
            "Translate: the meeting has been moved to Thursday.",
            "I used to live in Leipzig, not in Berlin.",
            "His rent was raised to 950 euros",
            "我弟弟搬到杭州了",
            "他学长不住北京了，搬到杭州了",
            "导师的生日是3月9日，不是3月8日",
            "要是我搬到杭州了呢",
            "不对，押金是9000",
            "我姐的生日改到3月9日过",
            "「我搬到杭州了」翻译成英文",
            "其实王医生挺好的",
        ]
    ),
)
async def test_what_only_looks_like_a_correction_replaces_nothing(workspace: Path, message: str):
    replaced, block = await said(workspace, message)
    assert (replaced, block) == ({}, "")


async def test_where_two_may_be_meant_none_is_replaced(workspace: Path):
    EntryRepository(workspace).update(
        added(entry("other", "The other meeting is on Tuesday", 0.8)), who="test", why="add"
    )
    replaced, _ = await said(workspace, "It's Thursday, not Tuesday.")
    assert replaced == {}


async def test_a_switch_of_anything_but_the_home_and_a_thing_of_somebody_else_replace_nothing(workspace: Path):
    known = (
        "The user lives in Leeds",
        "The user's mother lives in Kassel",
        "The user works at Acme",
        "My rent is 1100 euros",
        "The wifi at home is Proximus",
        "用户的猫叫团子",
        "用户的生日是3月8日",
        "我手机是iPhone 12",
    )
    messages = (
        "My mother has been moved to Fastweb.",
        "We moved to Linear for tickets.",
        "I've moved to oat milk now.",
        "Actually I called Bob instead.",
        "Now I work for fun.",
        "Kim's rent has changed to 780 euros",
        "It's not the wifi, it's my laptop.",
        "其实我叫了外卖",
        "不对，叫我小王",
        "我现在住院了",
        "我搬到靠窗的工位了",
        "安娜的生日改到3月9日了",
        "手机换成Pixel 8了",
    )
    EntryRepository(workspace).update(
        added(*(entry(str(place), text, 0.8, last_activated=NOW) for place, text in enumerate(known))),
        who="test",
        why="add",
    )
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for text in messages:
            await memory.message_received(session_key="cli:a", text=text, history=[])
    assert not any(one.superseded_by for one in EntryRepository(workspace).load().entries.values())


@pytest.mark.parametrize("message", ["我现在住苏州", "其实我住宁波", "No, I live in York."])
async def test_who_says_where_they_live_need_not_name_the_old_home(workspace: Path, message: str):
    replaced, _ = await said(workspace, message)
    assert list(replaced) == ["home"]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Noa turns seven on 21 July", "The treaty has been amended, Noa's present may cost up to 40 now."),
        ("I have two beehives", "The vicar has three beehives now and it's chaos."),
        ("I drive a van with 3 seats", "Lena drives a van with 7 seats now"),
    ],
)
def test_a_number_of_another_thing_or_of_somebody_else_corrects_nothing(known: str, said: str):
    assert corrections_in(message_reading(said), [entry("a", known, 0.8)]) == []


@pytest.mark.parametrize(
    ("known", "said"),
    in_both_scripts(
        [
            ("I work at Brightside", "I work at the library now"),
            ("我家住合肥", "我家已经搬到芜湖了"),
            ("我电话是9123 0045", "我电话而家系6677 0312"),
        ]
    ),
)
def test_what_one_has_but_one_of_is_corrected_by_the_new_one(known: str, said: str):
    (found,) = corrections_in(message_reading(said), [entry("a", known, 0.8)])
    assert found.content.casefold() == said.casefold()


@pytest.mark.parametrize(
    ("known", "said", "content"),
    [
        ("My sister is called Anna", "Her name is spelled Ana, not Anna", "My sister is called Ana"),
        ("My boss is called Stephen", "It's spelled Steven, not Stephen.", "My boss is called Steven"),
        ("The user's dog is called Reks", "His name is written Rex, not Reks", "The user's dog is called Rex"),
        ("The user's colleague is Jon Smith", "It's John with an h, not Jon.", "The user's colleague is John Smith"),
        ("The user lives in Goteborg", "It's spelled Gothenburg, not Goteborg", "The user lives in Gothenburg"),
        ("The client is called Anna", "Not Anna, it's spelled Ana", "The client is called Ana"),
        ("The client is called Anna Berg", "It's spelt Ana, not Anna", "The client is called Ana Berg"),
        (
            "The client's street is Meyerweg",
            "It's spelled Maierweg with ai, not Meyerweg",
            "The client's street is Maierweg",
        ),
        ("The meeting is on Tuesday", "It's on Thursday with Bob, not Tuesday", "The meeting is on Thursday"),
        ("My sister is called Anna", "Ana is spelled with one n.", None),
        ("My sister is called Anna", "Can you spell her name?", None),
        ("My sister is called Anna", "Spell her name Ana, not Anna.", None),
        ("我妹妹叫李丽", "她的名字是李立，不是李丽", "我妹妹叫李立"),
        ("我的项目叫Helix", "是Helyx不是Helix", "我的项目叫Helyx"),
        ("我妹妹叫李丽", '是"立"不是"丽"', None),
        ("我妹妹叫李丽", "是“立”不是“丽”", None),
        ("客户叫李丽", "名字是立不是丽", None),
        ("我同事叫张园", "是圆圈的圆，不是公园的园", None),
        ("我老板姓张", "是立早章，不是弓长张", None),
    ],
)
def test_a_name_that_was_misspelt_is_put_right_or_left_alone(known: str, said: str, content: str | None):
    found = corrections_in(message_reading(said), [entry("a", known, 0.8)])
    assert [one.content for one in found] == ([content] if content else [])


@pytest.mark.parametrize(
    ("known", "said", "content"),
    [
        (
            "our budget for Iceland is 1,800 pounds for everything",
            "Correction about Iceland, with the new salary we can spend 2,500 pounds, not 1,800.",
            "our budget for Iceland is 2,500 pounds for everything",
        ),
        (
            "装修预算是八万，十月前住进去",
            "更正一下，加上奖金我们装修可以花十万，不是八万。",
            "装修预算是十万，十月前住进去",
        ),
        ("our budget for Iceland is 1,800 pounds", "Correction: the hotel costs 2,500 pounds, not 1,800.", None),
        ("our budget for Iceland is 1,800 pounds", "Sorry, the car in Iceland costs 300 pounds, not 250.", None),
        ("the rent of the flat is 900", "Correction about the flat: it has 70 square metres, not 65.", None),
    ],
)
def test_a_number_that_is_denied_beside_a_new_one_gives_way_to_it_whatever_stands_around(
    known: str, said: str, content: str | None
):
    corrected = corrections_in(message_reading(said), [entry("known", known, 0.8)])
    assert [one.content for one in corrected] == ([content] if content else [])


@pytest.mark.parametrize(
    ("known", "said", "content"),
    [
        ("the rent is 910 euros", "the rent is 920 euros now, not 910", "the rent is 920 euros"),
        ("my cat is called Mini", "my cat is called Mimi, not Mini", "my cat is called Mimi"),
        (
            "the standup is at 9:40 in room Okapi",
            "the standup is at 10:00, not 9:40",
            "the standup is at 10:00 in room Okapi",
        ),
        ("Ana's desk is in Leeds", "Ana's desk is in York, not Leeds", "Ana's desk is in York"),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one_with_no_word_twice(known: str, said: str, content: str | None):
    corrected = corrections_in(message_reading(said), [entry("known", known, 0.8)])
    assert [one.content for one in corrected] == ([content] if content else [])


@pytest.mark.parametrize(
    ("known", "order", "content"),
    in_both_scripts(
        [
            (
                "The meeting is in Oslo",
                "Remember that the meeting is in Rome, not Oslo.",
                "The meeting is in Rome",
            ),
            (
                "The user's sister is called Anna",
                "Please remember: it's Ana, not Anna",
                "The user's sister is called Ana",
            ),
            ("the rent is 900 euros", "Don't forget: the rent is 950 euros now, not 900.", "the rent is 950 euros"),
            ("用户的生日是3月8日", "记住我的生日是3月9日，不是3月8日。", "用户的生日是3月9日"),
        ]
    ),
)
async def test_an_order_to_remember_what_denies_an_entry_takes_its_place_and_the_model_is_told_both(
    workspace: Path, known: str, order: str, content: str
):
    EntryRepository(workspace).update(added(entry("old", known, 0.8, last_activated=NOW)), who="test", why="add")
    async with MemoryHost(workspace, config=CONFIG) as memory:
        context = await memory.message_received(session_key="cli:a", text=order, history=[])
    entries = EntryRepository(workspace).load().entries
    assert [one.content for one in entries.values() if not one.superseded_by] == [content]
    assert entries["old"].superseded_by
    assert content in (context.block or "")
    assert known in (context.block or "")


async def test_an_order_that_says_more_than_the_entry_it_corrects_is_kept_as_it_was_said(workspace: Path):
    known = "our budget for Iceland is 1,800 pounds"
    EntryRepository(workspace).update(added(entry("old", known, 0.8, last_activated=NOW)), who="test", why="add")
    order = "Remember that for Iceland we can spend 2,500 pounds, not 1,800, and the flight is at six."
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:a", text=order, history=[])
    kept = [one.content for one in EntryRepository(workspace).load().entries.values() if not one.superseded_by]
    assert kept == ["for Iceland we can spend 2,500 pounds, not 1,800, and the flight is at six"]


@pytest.mark.parametrize(
    "order", ["Remember that the meeting with Ben is on Friday.", "Remember that I also like red."]
)
async def test_an_order_that_corrects_nothing_leaves_every_entry_in_force(workspace: Path, order: str):
    replaced, _ = await said(workspace, order)
    assert replaced == {}
