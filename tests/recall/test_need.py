"""Whether a message needs memory is asked before anything is put beside it."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Hit, MemoryConfig, MemoryHost, Origin
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.text import Word, fold, wishes
from nanobot_memory_plugins.recall.need import need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import decide_tier
from nanobot_memory_plugins.recall.salience import salient
from tests.support.chinese import in_both_scripts
from tests.support.each import each

SAID = (
    ("user", "Good night! My boyfriend Tom works as a baker, he gets up at 3."),
    ("assistant", "Good night, and greetings to the baker."),
    ("user", "Thank you. That is very fine."),
    ("user", "We use lock number 7301 for the label job from now on."),
    ("user", "我把冬天的轮胎放在地下室了，钟点工是王阿姨。"),
)


CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recallTimeout": 20}},
    }
)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        for role, text in SAID:
            if role == "user":
                await host.message_received(session_key="a", text=text)
            else:
                await host.message_sent(session_key="a", text=text)
        await host.flush_index()
        yield host


@pytest.mark.parametrize(
    "text",
    [
        "haha nice one",
        "I like that lock on the new door",
        "今年冬天好冷啊",
        "哈哈真好",
        "thank you, very kind",
        "how does a combination lock work?",
        "为什么冬天会下雪",
    ],
)
async def test_a_message_that_shares_a_word_and_needs_nothing_gets_nothing(memory: MemoryHost, text: str):
    assert (await memory.message_received(session_key="b", text=text)).block is None


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("what does Tom work as?", "baker"),
        ("which lock number does the label job use?", "7301"),
        ("冬天的轮胎放在哪里？", "地下室"),
    ],
)
async def test_a_question_about_what_was_said_is_answered(memory: MemoryHost, text: str, evidence: str):
    assert evidence in ((await memory.message_received(session_key="b", text=text)).block or "")


ADVICE = in_both_scripts(
    [
        "Could we seat Bernard next to the band?",
        "is the balcony flat at number 9 too small for us",
        "shud i say yes to the night shifts",
        "Which sofa should we get for the den?",
        "My aunt asks if we would mind her parrot for a month",
        "給爸爸挑個收音機，哪種好？",
        "公司让我周六去加班，答不答应？",
        "换个高一点的床垫合适吗",
        "这件羽绒服送岳母行吗",
    ]
)
NO_ADVICE = in_both_scripts(
    [
        "Good morning to you!",
        "Turn 14 stone into kilograms",
        "My neighbour has bought a tractor.",
        "who painted the Night Watch?",
        "I moved to Bergen in March.",
        "把这句话翻成英文",
        "早上好呀",
        "我昨天去了趟银行",
        "鲸鱼是鱼吗",
    ]
)


@pytest.mark.leaving
@pytest.mark.parametrize(("texts", "wanted"), [(ADVICE, True), (NO_ADVICE, False)], ids=["advice", "none"])
def test_who_asks_what_to_do_wants_advice(texts: list[str], wanted: bool):
    assert [text for text in texts if wishes.wants_advice(text) is not wanted] == []


def test_weak_hits_are_enough_for_who_wants_advice():
    text = "Two ovens at once blow the fuse of our shop."
    hits = [Hit("id", text, "memory/x.jsonl", 1, 1.0, Origin.USER, coverage=0.0, similarity=0.2)]
    asked, told = "Should we get an air fryer as well?", "We are getting an air fryer as well."
    assert need(asked, decide_tier(asked, (), RecallOptions()), hits) > 0.4
    assert need(told, decide_tier(told, (), RecallOptions()), hits) < 0.4


@pytest.mark.leaving
@each("word", [*wishes.WISHES, *wishes.ADVICE])
def test_each_pattern_finds_its_example_and_not_its_counter_example(word: Word):
    assert re.search(word.pattern, fold(word.example))
    assert not re.search(word.pattern, fold(word.counter_example))


EMPTY = [
    ("assistant", "OK, noted."),
    ("assistant", "Got it, I'll keep that in mind!"),
    ("assistant", "I do not know your shoe size, you never told me."),
    ("user", "What is my shoe size?"),
    ("assistant", "好的，已经记下了。"),
    ("assistant", "我不清楚，你没有告诉过我你的鞋码。"),
    ("user", "我的鞋码是多少？"),
]


@pytest.mark.parametrize(("role", "text"), in_both_scripts(EMPTY))
async def test_what_says_nothing_is_not_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str, text: str):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="a", text="I wear size 43 shoes. 我穿43码的鞋。")
        if role == "user":
            await memory.message_received(session_key="a", text=text)
        else:
            await memory.message_sent(session_key="a", text=text)
        await memory.flush_index()
        question = "which shoe size do I wear? 我穿多大码的鞋？ noted"
        block = (await memory.message_received(session_key="b", text=question)).block or ""
    assert "43" in block
    assert text not in block


@pytest.mark.parametrize(
    ("asked", "answer", "is_memory"),
    in_both_scripts(
        [
            ("And what is Zdenka's allergy?", "OK, noted.", False),
            ("Do you remember which allergy Zdenka has?", "Got it!", False),
            ("Zdenka 对什么过敏？", "好的，记下了。", False),
            ("你知道电话是几号吗？", "当然，没错。", False),
            ("Is Zdenka's allergy a bad one?", "Absolutely!", True),
            ("Zdenka 的过敏是不是很严重？", "当然，没错。", True),
            ("When you come, is it fine to bring nuts?", "Definitely, it's fine.", True),
        ]
    ),
)
def test_an_acknowledgement_is_a_memory_only_behind_a_question_that_yes_answers(
    asked: str, answer: str, is_memory: bool
):
    hit = Hit("id", answer, "memory/sessions/a.jsonl", 2, 1.0, Origin.ASSISTANT, source="transcript", answers=asked)
    assert salient([hit], RecallOptions()) == [hit] * is_memory


async def test_what_was_invented_on_request_is_not_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(
            session_key="a", text="Write the beginning of a story in which the narrator says: I live in Venice."
        )
        await memory.message_sent(session_key="a", text="I live in Venice, above the fish market, she said.")
        await memory.message_received(session_key="a", text="By the way, I live in Rostock.")
        await memory.flush_index()
        block = (await memory.message_received(session_key="b", text="Where do I live?")).block or ""
    assert "Rostock" in block
    assert "Venice" not in block


@pytest.mark.parametrize(
    "wish", ["Could you do a limerick for me, with a parrot?", "Compose four lines of verse.", "写一首小诗。"]
)
async def test_an_invention_is_known_by_its_request_where_only_the_answer_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wish: str
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="a", text=wish)
        await memory.message_sent(session_key="a", text="There was a chef who lived in Venice, by the sea.")
        await memory.message_received(session_key="b", text="By the way, I live in Rostock, by the sea.")
        await memory.flush_index()
        block = (await memory.message_received(session_key="c", text="Do I live in a town by the sea?")).block or ""
    assert "Rostock" in block
    assert "Venice" not in block


async def test_the_host_s_empty_template_is_not_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(
        "# Long-term Memory\n\n## Preferences\n\n(User preferences learned over time)\n\n---\n\n"
        "## Important Notes\n\n(Things to remember)\n\n"
        "## Home\n\nThe user's preferences are tea.\n"
    )
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.flush_index()
        block = (await memory.message_received(session_key="b", text="Do you remember my preferences?")).block or ""
    assert "tea" in block
    assert "(User preferences" not in block


@pytest.mark.parametrize(
    "text",
    [
        'Fix the grammar: "Me and him goes to market yesterday"',
        "Translate: what did we talk about last week?",
        "翻译成英文：我们昨天聊了什么？",
    ],
)
async def test_a_text_that_is_handed_over_recalls_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(datetime(2026, 5, 18, 10, tzinfo=UTC))
    async with MemoryHost(tmp_path, config=CONFIG, clock=clock) as memory:
        await memory.message_received(session_key="a", text="The market in Leeds opens at nine. 市场九点开门。")
        await memory.message_received(session_key="a", text="We moved the server room to building F. 机房搬到F楼了。")
        await memory.flush_index()
        clock.set(datetime(2026, 5, 19, 10, tzinfo=UTC))
        assert (await memory.message_received(session_key="b", text=text)).block is None
        asked = (await memory.message_received(session_key="c", text="What did we talk about yesterday?")).block
    assert "market" in (asked or "")


SUPPOSED = (
    (
        "If I sold the house I would move to Calgary, but my knees would not like the ice.",
        "if I sold the house",
        "Calgary",
    ),
    ("If I won the lottery I'd live in Venice.", "won the lottery", "Venice"),
    ("假如我是市长，我会住在大理。", "假如我是市长", "大理"),
)


@pytest.mark.parametrize(("said", "condition", "unreal"), in_both_scripts(SUPPOSED))
async def test_what_is_only_supposed_is_recalled_where_it_is_asked_for_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, condition: str, unreal: str
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="a", text=said)
        await memory.message_received(session_key="a", text="By the way, I live in Rostock. 对了，我住在罗斯托克。")
        await memory.flush_index()
        block = (await memory.message_received(session_key="b", text="Where do I live? 我住在哪里？")).block or ""
        asked = (await memory.message_received(session_key="c", text=f"what did I say, {condition}?")).block or ""
    assert unreal not in block
    assert "Rostock" in block
    assert unreal in asked
