"""Which messages are answered with a memory, from how good a memory on, and how long recall may take."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.behaviour.kit.command import option
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.scored_store import install_scored_store

# In these lives all that is found is needed, or whatever is needed is shown.
ALL_THAT_IS_FOUND = {"needThreshold": 0}
EVERY_MEMORY = {"minUsefulness": 0}
EXPLICIT = [
    "Let's continue where we left off",
    "What did we discuss about the budget?",
    "Do you remember my dog?",
    "What happened at the office last week?",
    "Remind me what I ordered",
    "What did I say about the boiler?",
    "按之前约定的配置继续",
    "你说过哪家餐厅好？",
    "我們上次聊過的那本書叫什麼？",
    "你還記得我的貓嗎？",
    "上周五开会说了啥",
    "约好的时间是几点",
    "之前决定怎么部署？",
    "你记得我的生日吗？",
]
IMPLICIT = [
    "Which port does the database use?",
    "What's my sister's name?",
    "Can you recommend a hotel in Rome?",
    "给我那个端口和命令",
    "我的猫叫什么",
    "我对什么过敏？",
    "他最喜欢哪支球队？",
    "给我推荐一家餐厅",
    "我住在哪个城市？",
]
NEITHER = [
    "Write a haiku about autumn",
    "How do I reverse a list in Python?",
    "Tell me a joke",
    "Explain which sort is fastest, and when",
    "Translate 'good morning' into German",
    "Can I divide by zero?",
    "2+2=?",
    "给我讲个笑话",
    "什么是光合作用？",
    "法国的首都是哪里？",
]


@pytest.fixture
def store(install: Callable[..., None]) -> Callable[[], Any]:
    return install_scored_store(install)


async def ask(memory: MemoryHost, text: str) -> str:
    """Ask in a session of its own, and return what stands beside the message."""
    return (await memory.message_received(session_key=f"ask:{text[:40]}", text=text)).block or ""


async def tiers_of(life: Life, store: Callable[[], Any], texts: list[str], **recall: Any) -> list[str]:
    """Return at which tier each message is answered: heavy, light, or off."""
    found = []
    async with life.host(recall={**ALL_THAT_IS_FOUND, "enableProbeOnOff": False, **recall}) as memory:
        for text in texts:
            store().queries.clear()
            await ask(memory, text)
            found.append(store().queries[0].tier.value if store().queries else "off")
    return found


@pytest.mark.accept("LR-02")
async def test_explicit_words_ask_for_all_of_memory_implicit_ones_for_a_light_look_and_others_for_none(
    life: Life, store: Callable[[], Any]
):
    found = iter(await tiers_of(life, store, [*EXPLICIT, *IMPLICIT, *NEITHER]))
    heavy, light, off = ([next(found) for _ in texts] for texts in (EXPLICIT, IMPLICIT, NEITHER))
    assert heavy.count("heavy") >= 12, list(zip(EXPLICIT, heavy, strict=True))
    assert light.count("light") >= 8, list(zip(IMPLICIT, light, strict=True))
    assert off.count("off") >= 9, list(zip(NEITHER, off, strict=True))


@pytest.mark.accept("LR-02")
async def test_the_words_are_those_of_the_configuration(life: Life, store: Callable[[], Any]):
    asked = ["Hark! a poem", "聽著，一首詩", "a colour for the fence", "do you remember? 你说过"]
    words = {"explicitAnchors": ["hark", "听着"], "implicitSignals": ["colour"]}
    assert await tiers_of(life, store, asked, **words) == ["heavy", "heavy", "light", "off"]
    assert await tiers_of(life, store, asked) == ["off", "off", "off", "heavy"]


@pytest.mark.accept("LR-03")
async def test_without_such_words_memory_is_probed_once_and_a_strong_memory_is_put_beside_the_message(
    life: Life, store: Callable[[], Any]
):
    text = "Tell me what they did with the staging database"
    async with life.host() as memory:
        for coverage, shown in ((0.05, False), (0.9, True)):
            store().coverage = coverage
            store().queries.clear()
            assert ("6543" in await ask(memory, text)) is shown
            assert len(store().queries) == 1
    async with life.host(recall={**ALL_THAT_IS_FOUND, "enableProbeOnOff": False}) as memory:
        store().queries.clear()
        assert await ask(memory, text) == ""
        assert store().queries == []


@pytest.mark.parametrize("text", ["The port of the staging database is open now.", "那边的数据库端口现在开着了。"])
async def test_a_memory_is_shown_from_a_need_of_one_half_on(life: Life, store: Callable[[], Any], text: str):
    # The better a memory meets the message the more it is needed: somewhere between nothing and all it turns.
    nothing, all_of_it = 0.0, 1.0
    async with life.host(recall=EVERY_MEMORY) as memory:
        for _ in range(12):
            store().coverage = (nothing + all_of_it) / 2
            if await ask(memory, text):
                all_of_it = store().coverage
            else:
                nothing = store().coverage
        needed = []
        for store().coverage in (nothing, all_of_it):
            told = await life.command_beside("why", text, "--json")
            needed.append(told.json["need"]["probability"])
    assert 0.49 < needed[0] < 0.5 <= needed[1] < 0.51


@pytest.mark.accept("LR-08", "V5-11")
async def test_a_search_that_takes_longer_than_its_tier_may_brings_nothing_and_one_in_time_does(
    life: Life, store: Callable[[], Any]
):
    limits = [option(f"recall.{one}Ms") for one in LIMITED]
    assert limits == [80, 180, 450]
    # A thousand times as long, by the injected clock: the machine's own never comes near.
    longer = {f"{name}Ms": limit * 1_000 for name, limit in zip(LIMITED, limits, strict=True)}
    patient = {"messageLimit": 10_000}
    async with life.host(core=patient, recall={**ALL_THAT_IS_FOUND, **longer, "recallTimeout": None}) as memory:
        for (text, searches), limit in zip(LIMITED.values(), limits, strict=True):
            for seconds, shown in ((limit - 1, True), (limit + 1, False)):
                store().seconds = seconds / searches
                assert ("6543" in await ask(memory, text)) is shown, (text, seconds)
    async with life.host(core=patient, recall={**ALL_THAT_IS_FOUND, "recallTimeout": 30}) as memory:
        for seconds, shown in ((29, True), (31, False)):
            store().seconds = seconds
            assert ("6543" in await ask(memory, "Do you remember the port?")) is shown


# A message of each tier, and how many searches it takes where the light one finds nothing.
LIMITED = {
    "probe": ("Write a poem about the staging database", 1),
    "light": ("Which port does the staging database use?", 2),
    "heavy": ("Do you remember the port of the staging database?", 1),
}


@pytest.mark.accept("V5-11")
async def test_a_search_that_never_ends_holds_up_no_message_and_the_message_is_kept(
    life: Life, store: Callable[[], Any]
):
    async with life.host(recall={"recallTimeout": 0.02}) as memory:
        store().hangs = True
        async with asyncio.timeout(30):
            context = await memory.message_received(session_key="cli:direct", text="Do you remember the port?")
        assert context.block is None
        assert context.receipt.stored
        store().hangs = False
        # Late is no failure: the next message is answered.
        assert "6543" in await Conversation(memory, "cli:next").turn("Do you remember the port?")


UNSURE = [
    "I don't recall that.",
    "I have no idea.",
    "You haven't told me your birthday yet.",
    "I don't have that information.",
    "Maybe it was 8080.",
    "我不确定，可能是 8080",
    "抱歉，我没有相关记录。",
    "您没有告诉过我您的生日。",
    "没印象。",
    "我没有之前对话的记忆。",
]
SURE = [
    "It is 8080.",
    "端口是 8080。",
    "",
    "先备份数据库，然后再升级。",
    "The staging database was moved on Monday, and the old one is read-only since then.",
    # A hedge in a long answer is not about the answer.
    "Back up the database first, then upgrade it in three steps: stop the writers, run the migration, and start them "
    "again. That is probably done in ten minutes, and the log tells you when each of the three steps is over.",
]


async def test_an_unsure_draft_brings_memory_and_a_sure_one_nothing(life: Life, store: Callable[[], Any]):
    async with life.host() as memory:
        # What the message alone does not bring up.
        store().coverage = 0.14

        async def review(draft: str) -> str:
            key = f"draft:{draft[:40]}"
            assert not (await memory.message_received(session_key=key, text="Write about the database")).block
            return await memory.review_draft(session_key=key, text="Write about the database", draft=draft) or ""

        brought = [draft for draft in UNSURE if "6543" in await review(draft)]
        assert len(brought) >= 8, set(UNSURE) - set(brought)
        left = [draft for draft in SURE if not await review(draft)]
        assert len(left) >= 5, set(SURE) - set(left)
        # Once for each message.
        key = f"draft:{UNSURE[0][:40]}"
        again = await memory.review_draft(session_key=key, text="Write about the database", draft=UNSURE[0])
        assert again is None
