"""No message recalls itself: the live context is recognized in its stored form."""

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.recall.deduplicate import LiveContext, fold_line
from tests.support.chinese import in_both_scripts
from tests.support.patient import patient_config

CONFIG = patient_config()
SAID = in_both_scripts(
    [
        "my phone is +351 912 345 678, mail marta@helix.example",
        "Remember: the wifi password at the Porto office is tangerine42, and the alarm is off at night",
        "  Which   port did we use,\r\n with password=Zebra-4711-Quokka, last time?  ",
        "你还记得我的手机号 13912345678 和邮箱 xiaoyu@chen.example 吗",
        "之前的测试库密码：Tq7-zebra-Lim9，端口是 5433，记得吗？",
    ]
)
LONG = "We talked about the harbour before. " + "The crane lifts boxes of tea and rice all day. " * 60
PLACED = [f"Do you remember? {LONG} my mail is ida@harbour.example. {LONG}"]


@pytest.fixture
async def memory(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        yield host


def recalls(block: str | None, text: str) -> list[str]:
    """Return the lines of a block that come from a message."""
    stored = fold_line(redact_text(text))
    said = [line.partition("user: ")[2] for line in (block or "").splitlines() if line.startswith("- ")]
    return [line for line in said if line and fold_line(line)[:28] in stored]


async def test_a_message_with_hidden_secrets_does_not_recall_itself(memory):
    for number, text in enumerate(SAID + PLACED):
        await memory.message_received(session_key=f"cli:{number}", text=text)
    await memory.flush_index()
    for number, text in enumerate(SAID + PLACED):
        said = await memory.message_received(session_key=f"cli:again-{number}", text=text)
        assert recalls(said.block, text) == []
        asked = await memory.message_received(
            session_key=f"cli:{number}",
            text="What did I tell you before? 我之前说了什么？" + text[:20],
            history=[{"role": "user", "content": text}, {"role": "assistant", "content": "OK."}],
        )
        assert recalls(asked.block, text) == []


def test_a_memory_with_hidden_parts_is_recognized_by_its_other_words_in_order():
    live = LiveContext(["What was the note?", "note AKIAQ3EGT7XKBN2LZ5WD of the harbour"])
    assert live.contains("note [API_KEY] of the harbour")
    assert live.contains("[API_KEY]")
    assert not live.contains("harbour note [API_KEY]")
