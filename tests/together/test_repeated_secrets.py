"""What a message tells as a secret stays hidden where an answer, a tool or a later message repeats it by itself."""

import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from tests.support.files_of import text_of

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30},
        "plugins": {"recall": {"recall_timeout": 20}, "storage": {"embedding_provider": "none"}},
    }
)
REPEATED = [
    ("the staging db password is plumtree-Otter-55 btw", "I will use plumtree-Otter-55 when I connect.", "Otter-55"),
    ("the alarm code is 4471 and the safe is 90-12-33", "Got it: 4471 and 90-12-33.", "4471"),
    ("the alarm code is 4471 and the safe is 90-12-33", "Got it: 4471 and 90-12-33.", "90-12-33"),
    ("my wifi password is tangerine", "Fine, then type tangerine on the phone.", "tangerine"),
    ("我部iPad密碼係837261，轉頭用。", "明白，轉頭用837261。", "837261"),
    ("我的门禁密码是 5520，别告诉别人", "好的，5520 我不会说出去。", "5520"),
    ("Mein WLAN-Passwort ist Kranich!77", "Ich trage Kranich!77 ein.", "Kranich!77"),
    ("For the record the old redis pass was hunter-moss-91", "Then hunter-moss-91 is void.", "hunter-moss"),
    (
        "the master password for my vault is correct horse battery staple",
        "correct horse battery staple, noted",
        "horse",
    ),
]


# Ids, hashes and times, in which any four digits may stand.
_MADE = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{12,}|\d{4}-\d\d-\d\d[T ][\d:.]+")


def kept_in(folder: Path) -> str:
    """Return what stands in all files of a workspace, without ids, hashes and times."""
    return _MADE.sub("*", text_of(folder))


@pytest.mark.parametrize(("said", "answer", "secret"), REPEATED)
async def test_the_answer_that_repeats_a_secret_is_in_no_file(tmp_path, said, answer, secret):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:one", text=said)
        await memory.message_sent(session_key="cli:one", text=answer)
        history = [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
        await memory.before_compaction(
            session_key="cli:one", messages=history * 30, context_window=8_000, reason="token_pressure"
        )
        await memory.session_idle(session_key="cli:one", history=history)
        await memory.flush_index()
    kept = kept_in(tmp_path)
    assert "[REDACTED]" in kept
    assert secret not in kept


async def test_a_later_message_and_a_tool_of_the_conversation_repeat_no_secret(tmp_path):
    history = []

    async def say(memory, text, answer):
        await memory.message_received(session_key="cli:one", text=text, history=tuple(history))
        await memory.message_sent(session_key="cli:one", text=answer)
        history.extend(({"role": "user", "content": text}, {"role": "assistant", "content": answer}))

    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await say(memory, "the staging db password is plumtree-Otter-55 btw", "Thanks.")
        await say(memory, "Who is on call?", "Ana is.")
        await say(memory, "Try to connect.", "plumtree-Otter-55 was refused.")
        await memory.tool_executed(
            session_key="cli:one",
            tool_name="exec",
            arguments={"command": "echo plumtree-Otter-55 | login"},
            result="ok",
        )
        await memory.session_idle(session_key="cli:one", history=history)
        await memory.flush_index()
    kept = kept_in(tmp_path)
    assert "was refused" in kept
    assert "Otter-55" not in kept
