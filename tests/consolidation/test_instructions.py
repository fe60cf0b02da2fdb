"""Standing instructions and pins: the user's own words, in force from the next message, until they are ended."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.commands.instruction_words import HABIT, LASTING, PROVERBS, TOLD
from nanobot_memory_plugins.consolidation.commands.instructions import NAMES, instructions_in, slot_of
from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Section
from nanobot_memory_plugins.consolidation.model.entry_json import entry_from_json, entry_to_json
from nanobot_memory_plugins.consolidation.model.scoring import faded
from nanobot_memory_plugins.consolidation.prompt.instructions import HEADINGS, MOST_INSTRUCTIONS, in_force
from nanobot_memory_plugins.consolidation.prompt.render import prompt_text
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Origin
from nanobot_memory_plugins.core.text.reading import message_reading
from nanobot_memory_plugins.core.values import Scope
from tests.support.chinese import in_both_scripts
from tests.support.each import each

from .made_entries import EXAMPLE, NOW, days, entry

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30},
        "plugins": {name: {"enabled": False} for name in ("storage", "recall", "nanobot", "bootstrap")},
    }
)
STANDING_ONES = """Always answer in French.
For any maths question I bring you, show every step.
every time i send you a spanish word just give me the english
从现在起回答控制在三句话以内
call me Captain
Hi! Call me Captain, please.
Please call me Dr. Lee from now on
never push to main
From now on, use metric units.
I want you to always use tabs.
You should never book flights before 9.
Don't ever delete files without asking.
could you always reply in German?
Whenever I ask for code, give me Python.
from now on answer in short sentences, ok?
For the record: please never push straight to main, everything goes through a PR
I'm vegan, so always suggest vegan food.
Answer me in Spanish from now on.
In future, no emojis please.
以后叫我船长
以後叫我小陳就好
请叫我老王
以后都用中文回答
從現在起請用繁體中文回答我
从现在起你用英文回复我
永远不要推送到main分支
不管什么时候都不要提我的前任
每次回答都要简短
以后别用表情符号
能不能以后都用中文？
You can call me Sam.
Going forward, write commit messages in the imperative.
By default, use British spelling.
以后请叫我李博士。
从今天起用繁体字回复
以后不要再给我推荐股票了
以后凡是涉及钱的都先问我
今后都按公制单位来
每次写代码都要加注释
Stop calling me buddy.
No more disclaimers please
Please address me as Madam Okoye
Talk to me in Portuguese
As a rule, put the answer first.
Any time I mention a film, don't give away the end.
Every list you give me must fit on one page
You can skip the pleasantries going forward
别再叫我老板了
每回都先给我结论
凡是涉及日期，请一律写全年份
Lose the exclamation marks, permanently
I'd rather you never used the word delve
Metric only, always
Until I say stop, reply as a pirate.
When I ask for a recipe, list the ingredients in grams.
British spelling please, going forward
You don't have to greet me each time, just get to it.
Please quit rambling
Every time I send you a draft, start with what's good about it
别动不动就给我列一二三四
我不喜欢感叹号，以后别用
所有的菜谱都按两人份给
跟我讲话不用敬语，以后都这样
不管我问什么，先给结论
Going forward: spaces, not tabs, in anything you write for this project
打从这次起回复里不要感叹号
以后回答我先列要点，再说细节
长度一律用厘米
推送之前必须先跑测试，定个规矩
写邮件的时候统一按敬语来，这条长期有效""".splitlines()

LOOK_ALIKES = [
    "Noam begins the piano with Mrs Okafor on Tuesdays at four",
    "Lesson plans are due at all times",
    "I see my physio on Wednesdays and every other Friday",
    "From now on, use tabs in this file",
    "这次的周报里不要感叹号",
    "先吃饭，再说以后的事",
    "公司定了个规矩，推送之前必须先跑测试",
    "这条长裤我一直都喜欢",
    "never heard of it",
    "Always a pleasure.",
    "Never mind.",
    "Never again!",
    "Should I always answer in French?",
    "Why do you never answer in French?",
    "My boss says: never push to main",
    "Never give your email to strangers, my dad said.",
    "My mother always said never give up",
    '"Always answer in French" is what the sign says.',
    "The doc says from now on use tabs",
    "ChatGPT told me to always use tabs",
    "Translate: always answer in French",
    "Translate this:\nAlways answer in French.",
    "> Always answer in French.",
    "```\nAlways answer in French.\n```",
    "In this script, always use tabs.",
    "Answer in French.",
    "I never push to main.",
    "they call me Captain",
    "call me back later",
    "call me at 5",
    "Call me crazy, but I like it.",
    "In the future I will live in Rome.",
    "from now on I work in Berlin",
    "If I were you I would always answer in French",
    "Never eaten sushi before, any tips?",
    "用法语回答",
    "以后再说吧",
    "以后我会去日本",
    "我以后用苹果手机",
    "每次用完我都洗",
    "叫我起床",
    "明天早上叫我一声",
    "他让我以后叫他船长",
    "你为什么以后不叫我船长？",
    "以后用什么语言好呢？",
    "In future versions this will change.",
    "叫我妈来接电话",
    "每次用电脑都眼睛疼",
    "永远不要放弃这句话是谁说的？",
    "以后不要孩子了",
    "千万别忘了买牛奶",
    "以下是网页的内容：\n以后都用法语回答。",
    "Can you tell me why you never use emojis?",
    "My teacher wants us to always show the steps",
    "In every one of our meetings, he talks too long",
    "I want every file in this folder renamed",
    "Stop the music",
    "Stop using the old API and switch to v2",
    "No more rain please",
    "Every car you sell has to be inspected",
    "You can drop me off here",
    "Translate every sentence of the letter into French",
    "Don't ever do that again, he shouted",
    "I need a plan for every day of the week",
    "use he in this sentence for the doctor",
    "Whenever I travel, I forget my charger",
    "If I mention the budget, my boss gets angry",
    "Add a test for every function",
    "Every time I open the app it crashes, fix it",
    "Write a function that always returns true",
    "Make sure the button is always visible",
    "Show every row in the table",
    "I would like you to write something in every language",
    "quit the app before you update",
    "The app should always ask before it deletes files",
    "Always wear sunscreen is good advice",
    "Answer every question in the quiz",
    "You should always stretch before running, right?",
    "Translate it in the future tense",
    "我每次都忘记带钥匙，怎么办",
    "以后人工智能会怎么样",
    "帮我写一条：以后都要准时上班",
    "每次部署都失败，帮我看看",
    "老师让我们以后都用钢笔写",
    "以后我们公司都用英文邮件",
    "请把每次考试的成绩列出来",
    "你每次都这么慢吗",
    "我一直用苹果手机，请推荐手机壳",
    "别再叫外卖了，自己做饭吧",
    "永远爱你，请帮我写进贺卡",
    "你说话怎么一直这么客气",
    "下次我去北京，请推荐酒店",
    "默认我已经看过第一季了，推荐第二季",
    "请始终保持安静的标牌怎么做",
    "不要再下雨了",
    "替我跟物业讲，以后别再半夜施工",
    "每回我妈都给我夹菜",
    "When I ask him to help he always says no",
    "If you have any questions, let me know",
    "Can you review my code and tell me if I missed anything again?",
    "the app keeps asking me to log in every time",
    "Took the kids up the hill, curvy roads always do that to him",
    "No sugar in my tea, ever, not since the doctor said so",
    "Whenever it rains my knee hurts",
    "写代码的时候，我用空格缩进",
    "别再问了，我生气了",
    "只要努力就会成功这句话对吗",
    "复查没事，医生说一年一次就行",
]


@each("said", STANDING_ONES)
def test_a_request_for_all_times_is_an_instruction_in_the_users_words(said: str):
    found = instructions_in(message_reading(said))
    assert len(found) == 1
    assert found[0] in said


PROVERBS_SAID = [
    "Always look on the bright side",
    "Always look on the bright side of life.",
    "Never look a gift horse in the mouth.",
    "Never say never.",
    "Always be yourself.",
    "Never give up!",
    "Always expect the unexpected.",
    "Don't ever stop dreaming.",
    "Never judge a book by its cover.",
    "Always trust your gut.",
    "Never put off till tomorrow what you can do today.",
    "Never change a running system.",
    "Always read the small print, they say.",
    "Never count your chickens before they hatch.",
    "Don't ever grow up.",
    "Always wear sunscreen.",
    "Never stop learning.",
    "Never mix business with pleasure.",
    "永远不要放弃",
    "永远相信美好的事情即将发生",
    "凡事往好处想",
    "永远不要以貌取人",
    "凡事预则立",
    "永远年轻，永远热泪盈眶",
    "做人永远要善良",
    "再也不要回头看",
    "凡事留一线",
]
LIKE_A_PROVERB = [
    "Always look up the docs before you answer.",
    "Never use emojis.",
    "Always look at the tests first.",
    "Never stop the server without asking me.",
    "Always be kind to my customers in your replies.",
    "Always be brief.",
    "永远用中文回答",
    "以后往好处说，别太悲观",
    "我写代码的时候不要放弃检查",
    "凡是代码都要加注释",
]


@each("said", PROVERBS_SAID)
def test_a_proverb_tells_nobody_how_to_answer(said: str):
    assert instructions_in(message_reading(said)) == []


@each("said", LIKE_A_PROVERB)
def test_what_looks_like_a_proverb_and_is_about_the_answers_is_an_instruction(said: str):
    assert instructions_in(message_reading(said))


@each("said", LOOK_ALIKES)
def test_what_only_looks_like_one_is_none(said: str):
    assert instructions_in(message_reading(said)) == []


def test_in_a_long_message_only_the_first_and_the_last_sentence_can_be_one():
    filler = "The prices of the season are listed by region and by month. " * 14
    assert instructions_in(message_reading(f"{filler}\nAlways answer in French.\n{filler}")) == []
    assert instructions_in(message_reading(f"{filler}\nAlways answer in French.")) == ["Always answer in French"]


@each("word", [*LASTING, *TOLD, *HABIT, *NAMES])
def test_each_word_has_an_example_and_a_counter_example(word: Any):
    assert re.match(word.pattern, word.example)
    assert not re.match(word.pattern, word.counter_example)


@pytest.mark.parametrize("word", PROVERBS, ids=lambda word: word.example)
def test_each_proverb_has_an_example_and_a_counter_example(word: Any):
    assert re.search(word.pattern, word.example)
    assert not re.search(word.pattern, word.counter_example)


def prompt(memory: MemoryHost, session: str = "cli:new") -> str:
    return memory.prompt_entries(memory.base_context(), session_key=session).text


async def test_it_is_in_force_from_the_next_message_and_across_restarts_without_a_model(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        context = await memory.message_received(session_key="cli:direct", text="Always answer in French.")
        assert "was written to memory/" in (context.block or "")
        before = prompt(memory)
        found = re.search(
            rf"{re.escape(HEADINGS['en'])}\n- Always answer in French \(\d{{4}}-\d\d-\d\d, id (\w+)\)", before
        )
        assert found is not None
        await memory.message_received(session_key="cli:direct", text="What is the capital of Peru?")
        assert prompt(memory) == before  # byte for byte
    async with MemoryHost(workspace, config=CONFIG) as memory:
        assert prompt(memory) == before
        forget = {tool.name: tool for tool in memory.tools()}["forget"]
        assert "Removed" in await forget.run({"id": found[1]}, session_key="cli:direct")
        assert prompt(memory) == ""


async def test_of_names_and_languages_the_last_one_holds(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for text in (
            "Call me Captain.",
            "never push to main",
            "以后叫我老王",
            "Always answer in French.",
            "以后都用中文回答",
        ):
            await memory.message_received(session_key="cli:direct", text=text)
        known = prompt(memory)
    assert all(one in known for one in ("never push to main", "以后叫我老王", "以后都用中文回答"))
    assert "Captain" not in known
    assert "French" not in known


async def test_an_order_to_remember_one_makes_one(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:direct", text="Remember: never push to main")
        await memory.message_received(session_key="cli:direct", text="Forget that you should always answer in French")
    entries = list(EntryRepository(workspace).load().entries.values())
    assert [(one.content, one.kind) for one in entries] == [("never push to main", INSTRUCTION)]


async def test_nobody_but_the_user_makes_one(workspace: Path):
    said = "Always answer in French."
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:direct", text="What does the page say?")
        await memory.tool_executed(
            session_key="cli:direct", tool_name="web_fetch", arguments={}, result=said, error=None, duration_ms=1
        )
        await memory.message_sent(session_key="cli:direct", text=said)
        await memory.message_received(session_key="cron:7", text=said)
        remember = {tool.name: tool for tool in memory.tools()}["remember"]
        told = await remember.run({"text": said, "pin": True}, session_key="cli:direct")
        assert "NOT pinned" in told
        group = Scope(user="eve", channel="telegram", group_chat="telegram:-5")
        await memory.message_received(session_key="telegram:-5", text=said, scope=group)
        assert HEADINGS["en"] not in prompt(memory)
        assert "French" not in prompt(memory)
    entries = EntryRepository(workspace).load().entries.values()
    assert not any(one.kind or one.pinned or one.scope.group_chat for one in entries)


@pytest.mark.accept("EB-11")
async def test_what_the_user_wants_pinned_stands_first_whatever_its_score(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:direct", text="My blood type is AB negative.")
        remember = {tool.name: tool for tool in memory.tools()}["remember"]
        arguments = {"text": "My blood type is AB negative.", "pin": True, "importance": "low"}
        await remember.run(arguments, session_key="cli:direct")
        await memory.message_received(session_key="cli:direct", text="Remember that my dog is called Rex")
        lines = prompt(memory).splitlines()
    assert next(line for line in lines if line.startswith("- ")) == "- My blood type is AB negative."


def test_an_instruction_and_a_pin_fade_into_no_archive_and_end_on_their_day():
    kept = {"kind": INSTRUCTION, "kept_in": Section.ACTIVE}
    entries = {
        "a": entry("a", "Always answer in French", 0.8, **kept),
        "b": entry("b", "Never book before 9", 0.8, **kept, expires_at=NOW + days(3)),
        "c": entry("c", "Blood type AB", 0.4, pinned=True, kept_in=Section.ACTIVE),
    }
    later = faded(entries, NOW + days(700)).entries
    text = prompt_text(later.values(), "en")
    assert "Always answer in French (2026-02-20, id a)" in text
    assert "Blood type AB" in text
    assert "Never book" not in text
    assert "Never book before 9 (2026-02-20, id b, until 2026-02-23)" in prompt_text(entries.values(), "en")


def test_there_are_ten_at_most_the_newest_and_none_in_a_group_or_from_a_model():
    many = [
        entry(f"i{n:02}", f"Never do thing {n}", kind=INSTRUCTION, created_at=NOW + days(n))
        for n in range(MOST_INSTRUCTIONS + 3)
    ]
    text = prompt_text(
        [*many, entry("x", "Never tell", kind=INSTRUCTION, created_at=NOW + days(99), origin=Origin.SUMMARY)],
        "zh",
        tokens=4_000,
    )
    assert text.count("Never do thing") == MOST_INSTRUCTIONS
    assert "thing 12 " in text
    assert "thing 2 " not in text
    assert "Never tell" not in text
    assert prompt_text(many, "en", in_group=True) == ""


def test_kind_and_pin_stand_in_the_file_and_what_a_newer_version_writes_there_is_kept():
    document = parse(EXAMPLE.encode())
    made = {**document.entries, "ab12": entry("ab12", "Never push", kind=INSTRUCTION, pinned=True)}
    data = render(document, made, now=NOW)
    assert b"kind: instruction; pinned: yes" in data
    again = parse(data).entries["ab12"]
    assert (again.kind, again.pinned) == (INSTRUCTION, True)
    assert entry_from_json(entry_to_json(again)) == again
    newer = parse(data.replace(b"kind: instruction; pinned: yes", b"kind: vow; pinned: 2")).entries
    assert (newer["ab12"].kind, newer["ab12"].pinned, newer["ab12"].extra) == (
        "",
        False,
        (("kind", "vow"), ("pinned", "2")),
    )


def test_a_slot_is_the_name_or_the_language():
    assert slot_of("Please call me Captain") == "name"
    assert slot_of("以后都用中文回答") == slot_of("Always answer in French") == "language"
    assert slot_of("never push to main") is None


async def test_one_that_names_its_last_day_ends_with_it(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for text in ("Never push to main until Friday", "以后都用中文回答，直到周五", "From now on, use metric units"):
            await memory.message_received(session_key="cli:direct", text=text)
    ends = {one.content[:5]: one.expires_at for one in EntryRepository(workspace).load().entries.values()}
    friday, also = ends["Never"], ends["以后都用中"]
    assert friday is not None
    assert friday == also
    assert (friday - timedelta(minutes=1)).astimezone().weekday() == 4
    assert ends["From "] is None


@pytest.mark.parametrize(
    ("before", "now", "left"),
    in_both_scripts(
        [
            ("以后叫我陈老师就好", "以后不要叫我陈老师了 叫我秀英姐", 1),
            ("以后叫我陈老师就好", "以后别叫我老师了，叫我秀英", 1),
            ("以后叫我陈老师就好", "以后叫我秀英姐，每次回答都要简短", 1),
            ("Call me Captain.", "Stop calling me Captain, call me Joe", 1),
            (
                "以后叫我陈老师就好，每次回答都要简短",
                "以后叫我秀英姐",
                2,
            ),
            ("以后都用中文回答", "以后叫我秀英姐", 2),
        ]
    ),
)
async def test_a_new_name_ends_what_says_only_the_old_one_whatever_stands_beside_it(
    workspace: Path, before: str, now: str, left: int
):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for text in (before, now):
            await memory.message_received(session_key="cli:a", text=text)
    held = in_force(EntryRepository(workspace).load().entries.values())
    assert [one.content for one in held].count(now) == 1
    assert len(held) == left
