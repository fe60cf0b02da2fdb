"""Notes about a group conversation belong to the group, not to its last writer."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.support.files_of import text_of
from tests.support.patient import patient_config

CONFIG = patient_config()
MESSAGES = [
    ("mei", "I'm Mei, the owner. The marzipan supplier is Baker Lin, and he delivers to the back door on weekdays."),
    ("tom", "Tom here, I do the mornings, and the marzipan order goes out before three in the afternoon."),
    ("ana", "Good, thanks."),
]
SESSION = "telegram:-100"


def scope_of(user: str) -> dict[str, str]:
    return {"user": user, "channel": "telegram", "group_chat": SESSION}


async def hold_conversation(memory: MemoryHost, way: str) -> None:
    history = []
    for user, text in MESSAGES:
        await memory.message_received(session_key=SESSION, text=text, history=tuple(history), scope=scope_of(user))
        await memory.message_sent(session_key=SESSION, text="I see.", scope=scope_of(user))
        history.extend(({"role": "user", "content": text}, {"role": "assistant", "content": "I see."}))
    if way == "quiet":
        await memory.session_idle(session_key=SESSION, history=history, ended=True)
    else:
        await memory.before_compaction(
            session_key=SESSION, messages=history * 20, context_window=4_000, reason="token_pressure"
        )
    await memory.flush_index()


@pytest.mark.parametrize("way", ["quiet", "compaction"])
async def test_a_note_about_a_group_belongs_to_the_group(tmp_path: Path, way: str):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await hold_conversation(memory, way)
        notes = "".join(path.read_text("utf-8") for path in (tmp_path / "memory").glob("2*.md"))
        assert ("arzipan" in notes) is (way == "quiet")  # the transcript has the compacted messages
        assert "user: " not in notes
        asked = await memory.message_received(
            session_key="telegram:333",
            text="What do you remember of the marzipan supplier?",
            scope={"user": "ana", "channel": "telegram"},
        )
        assert "Baker Lin" not in (asked.block or "")
        asked = await memory.message_received(
            session_key="telegram:-100:2", text="What do you remember of the marzipan supplier?", scope=scope_of("tom")
        )
        assert "Baker Lin" in (asked.block or "")
    assert "Baker Lin" in text_of(tmp_path)
