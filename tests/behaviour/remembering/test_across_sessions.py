"""What was said, done, noted and understood in one session is there in the next, after a restart too."""

import pytest

from nanobot_memory_plugins.core import Level, MemoryHost, Note, Query, Tier, is_fenced
from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes
from tests.behaviour.kit.waiting import until


async def ask(memory: MemoryHost, text: str, session: str = "cli:new") -> str:
    return await Conversation(memory, session).hear(text)


async def found(memory: MemoryHost, words: str, tier: Tier = Tier.HEAVY) -> str:
    return "\n".join(f"{hit.tldr} {hit.text}" for hit in (await memory.search(Query(text=words, tier=tier))).hits)


TOLD = [
    ("My favourite editor is Helix, with the gruvbox theme.", "Which editor did I say I prefer?", "Helix"),
    ("The staging database listens on port 6543.", "Do you remember the port of the staging database?", "6543"),
    ("My dentist is Dr. Sandhu on Fraser Street.", "What is the name of my dentist?", "Sandhu"),
    ("我们决定用 Cloudflare 免费计划部署", "之前决定怎么部署？", "Cloudflare"),
    ("我喜欢用 Python 写脚本，不用 JavaScript", "我上次说喜欢用什么语言写脚本？", "Python"),
    ("我把冬天的轮胎放在地下室了。", "冬天的轮胎放在哪里？", "地下室"),
]


async def test_a_later_session_is_told_what_was_said_before_a_restart(life: Life):
    async with life.host() as memory:
        for number, (said, _, _) in enumerate(TOLD):
            await Conversation(memory, f"cli:old{number}").turn(said)
    async with life.host() as memory:
        await memory.flush_index()
        for number, (_, asked, part) in enumerate(TOLD):
            block = await ask(memory, asked, f"cli:new{number}")
            assert part in block, asked
            assert is_fenced(block)
    # An index is nothing but a copy: without it the same is found.
    for file in (life.workspace / ".storage").glob("memory.db*"):
        file.unlink()
    async with life.host() as memory:
        await memory.flush_index()
        _, asked, part = TOLD[1]
        assert part in await ask(memory, asked, "cli:newer")


async def test_what_was_done_noted_answered_and_written_by_hand_is_found_as_well(life: Life):
    life.memory.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text("# Home\n\nThe cat of the house is called Miga.\n", encoding="utf-8")
    async with life.host() as memory:
        await keep_notes(memory, "The kiln of the pottery class is set to 1040 degrees.")
        command = {"command": "make"}
        await memory.tool_executed(
            session_key=KEY, tool_name="exec", arguments=command, result="all 17 targets of lantern built"
        )
        await memory.message_sent(session_key=KEY, text="The ferry to Bowen Island leaves at 14:35.")
        # Before anything of it is indexed.
        assert "14:35" in await ask(memory, "When did you say the ferry to Bowen Island leaves?")
    async with life.host() as memory:
        await memory.flush_index()
        assert "1040" in await ask(memory, "Do you remember the degrees of the kiln?", "cli:1")
        assert "17 targets" in await ask(memory, "What did you tell me about the targets of lantern?", "cli:2")
        assert "14:35" in await ask(memory, "When did you say the ferry to Bowen Island leaves?", "cli:3")
        assert "Miga" in await found(memory, "cat of the house")


async def test_with_vectors_it_is_found_by_meaning_without_a_common_word(life_with_vectors: Life):
    async with life_with_vectors.host() as memory:
        await Conversation(memory).turn("My sister adopted a kitten from the shelter.")
        await Conversation(memory).turn("The invoice for the boiler is due next month.")
        await Conversation(memory).turn("我每周三晚上去学陶艺。")
        await memory.flush_index()
        await until(lambda: memory.store.status().vectors >= 6)
        for asked, part in (
            ("Who has a young cat at home?", "kitten"),
            ("家里的猫是谁领养的？", "kitten"),
            ("On which evening do I go to the pottery class?", "陶艺"),
        ):
            result = await memory.search(Query(text=asked))
            assert result.level in (Level.HYBRID, Level.NUMPY)
            assert part in result.hits[0].text, asked
        assert "kitten" in await ask(memory, "Do you remember who has a young cat at home?")


@pytest.mark.accept("LR-06")
async def test_a_light_search_looks_into_first_lines_tags_and_titles_alone(life: Life):
    note = Note("the database is sqlite", details="wombats everywhere", tags=("deploy",), title="Storage decision")
    chinese = Note("数据库用 sqlite，端口 8123", details="袋熊到处都是", tags=("部署",))
    async with life.host() as memory:
        for one in (note, chinese):
            await memory.keep(one, session_key=KEY)
        await memory.flush_index()
        for words in ("database", "deploy", "Storage decision", "部署端口"):
            assert "sqlite" in await found(memory, words, Tier.LIGHT), words
        for words in ("wombats", "袋熊"):
            assert await found(memory, words, Tier.LIGHT) == ""
            assert "sqlite" in await found(memory, words)


FOLLOW_UPS = [
    (("My sister will look after Quibble.", "That is kind of her.", "how much does he eat?"), "half a tin"),
    (("Let's look at the bathroom tiles again.", "You chose the red ones.", "and why?"), "out of stock"),
    (("Let's move house", "Is Falkenstein still up?", "no idea, yes. What port did it run on?"), "8443"),
    (("给乐乐买双球鞋", "好呀，想买什么牌子？", "他多大了？"), "九岁"),
    (("水龙头又漏了", "不是约了孙师傅吗？", "对，他收多少钱？"), "一百二"),
]


async def test_a_follow_up_is_answered_by_what_its_turn_before_speaks_of(life: Life):
    told = (
        "My cat Quibble gets half a tin twice a day.",
        "We picked the red tiles for the bathroom because the blue ones were out of stock.",
        "Our server in Falkenstein runs on port 8443 since the move.",
        "我儿子乐乐九岁，三月过的生日。",
        "水管工孙师傅上门费一百二。",
    )
    async with life.host() as memory:
        for number, said in enumerate(told):
            await Conversation(memory, f"cli:{number}").turn(said)
        await memory.flush_index()
        answered = []
        for (before, reply, asked), part in FOLLOW_UPS:
            talk = Conversation(memory, f"cli:{asked}")
            talk.history = [{"role": "user", "content": before}, {"role": "assistant", "content": reply}]
            answered.append(part in await talk.hear(asked))
    assert sum(answered) >= 3, answered
