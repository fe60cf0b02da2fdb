"""Nothing is put beside a message where nothing helps, and nothing twice."""

from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes

SAID = (
    "The staging database listens on port 6543.",
    "Good night! My boyfriend Tom works as a baker, he gets up at 3.",
    "We use lock number 7301 for the label job from now on.",
    "我喜欢用 Python 写脚本。",
    "我把冬天的轮胎放在地下室了。",
)
NEEDS_NOTHING = [
    "Write a haiku about autumn leaves",
    "2 + 2 = ?",
    "hi",
    "haha nice one",
    "thank you, very kind",
    "how does a combination lock work?",
    "Explain what photosynthesis is",
    "Translate 'good night' into German",
    "解释一下什么是光合作用",
    "今年冬天好冷啊",
    "哈哈真好",
    "为什么冬天会下雪",
    "谢谢！",
    "写一首关于春天的诗",
]


async def test_a_message_that_needs_nothing_gets_nothing(life: Life):
    async with life.host() as memory:
        for number, said in enumerate(SAID):
            await Conversation(memory, f"cli:old{number}").turn(said)
        await memory.flush_index()
        silent = [text for text in NEEDS_NOTHING if not await Conversation(memory, f"cli:{text}").hear(text)]
        assert len(silent) >= 13, set(NEEDS_NOTHING) - set(silent)
        # Theirs are memories that a question brings up.
        assert "baker" in await Conversation(memory, "cli:asks").hear("What does Tom work as?")
        assert "地下室" in await Conversation(memory, "cli:问").hear("冬天的轮胎放在哪里？")


async def test_what_stands_in_the_live_context_is_not_said_again_and_what_is_cut_out_of_it_is(life: Life):
    question = "Do you remember the port of the staging database?"
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(SAID[0], "The port 6543 of staging, noted.")
        await memory.flush_index()
        assert await talk.turn(question) == ""
        # The host has let go of the beginning.
        talk.history = []
        assert "6543" in await talk.hear(question)


async def test_a_message_does_not_recall_itself_nor_the_question_that_was_asked_before(life: Life):
    question = "Do you remember the colour of the harbour lighthouse in Whitby?"
    async with life.host() as memory:
        assert await Conversation(memory, "cli:1").turn(question, "I don't know that.") == ""
        await memory.flush_index()
        assert await Conversation(memory, "cli:2").turn(question, "No.") == ""


async def test_our_own_block_is_neither_stored_nor_recalled(life: Life):
    async with life.host() as memory:
        await keep_notes(memory, "The kiln of the pottery class is set to 1040 degrees.")
        await memory.flush_index()
        block = await Conversation(memory, "cli:1").hear("Do you remember the degrees of the kiln?")
        assert "1040" in block
        # A host that keeps the block with the message, and a model that says it again.
        await memory.message_received(session_key=KEY, text=f"The kiln is hot.\n\n{block}")
        await memory.message_sent(session_key=KEY, text=f"So it is. {block}")
        await memory.tool_executed(session_key=KEY, tool_name="read_file", arguments={}, result=f"It holds: {block}")
        await memory.flush_index()
        again = await Conversation(memory, "cli:2").hear("Do you remember the degrees of the kiln?")
    assert [one["text"] for one in life.transcript()] == ["The kiln is hot.", "So it is."]
    assert again.count("1040") == 1
    notes = "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("2*.md"))
    assert notes.count("1040") == 1


async def test_what_was_said_twice_is_injected_once(life: Life):
    async with life.host() as memory:
        await keep_notes(
            memory, "我的猫叫小白", "我的猫叫小白。", "My telescope is a Dobson", "my telescope is a Dobson!"
        )
        await memory.flush_index()
        assert (await Conversation(memory, "cli:1").hear("你记得我的猫叫什么吗？")).count("小白") == 1
        assert (await Conversation(memory, "cli:2").hear("Do you remember my telescope?")).count("Dobson") == 1


async def test_the_template_of_a_host_is_no_memory(life: Life):
    life.memory.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text(
        "# Long-term Memory\n\n## Preferences\n\n(User preferences learned over time)\n\n---\n\n"
        "## Home\n\nThe user's preferences are tea.\n",
        encoding="utf-8",
    )
    async with life.host() as memory:
        await memory.flush_index()
        block = await Conversation(memory).hear("Do you remember my preferences?")
    assert "(User preferences" not in block
