"""In conversation "forget everything about X" takes all that names X, and what is offered for a purge is narrow."""

import asyncio
import re
import shlex

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.values import Scope

from .test_order_in_chat import CONFIG, host, say

pytestmark = pytest.mark.leaving

__all__ = ["host"]


def texts(host: MemoryHost) -> set[str]:
    return {one.content for one in EntryRepository(host.workspace).load().entries.values()}


def recalled(block: str) -> str:
    return "\n".join(line for line in block.splitlines() if line.startswith("- "))


@pytest.mark.parametrize(
    ("about", "others", "chat", "order", "question", "name"),
    [
        (
            ("Our broker is Kafka.", "Anna runs the Kafka cluster.", "kafka's upgrade is due in May."),
            ("The user likes Kafkaesque novels.",),
            "The Kafka logs fill the disk.",
            "Please forget everything you know about Kafka.",
            "What do we know about Kafka, its cluster and its logs?",
            "Kafka",
        ),
        (
            ("豆豆的生日是五月三日。", "我女儿豆豆喜欢画画。"),
            ("用户爱吃土豆豆角。",),
            "豆豆今天发烧了。",
            "忘掉关于豆豆的一切",
            "豆豆的生日是哪天？豆豆发烧了吗？",
            "豆豆",
        ),
        (
            ("豆豆的生日是五月三日。", "我女兒豆豆喜歡畫畫。"),
            ("用戶愛喝大豆豆漿。",),
            "豆豆今天發燒了。",
            "忘掉關於豆豆的一切。",
            "豆豆的生日是哪天？豆豆發燒了嗎？",
            "豆豆",
        ),
    ],
)
async def test_everything_about_a_name_is_forgotten_and_not_brought_up(
    host: MemoryHost, about: tuple[str, ...], others: tuple[str, ...], chat: str, order: str, question: str, name: str
):
    for text in (*about, *others):
        remember(EntryRepository(host.workspace), NewEntry(text), who="user")
    await say(host, chat)
    await say(host, "I play chess on Sundays. 我周日下棋。")
    assert name in recalled(await say(host, question, "cli:two"))
    answer = await say(host, order, "cli:three")
    assert texts(host) == set(others)
    assert [text for text in about if text not in answer] == []
    assert f'--text "{name}"' in answer
    assert "memory/sessions/" in answer
    assert name not in recalled(answer).replace(order.rstrip(".。"), "").replace(others[0], "")
    after = recalled(await say(host, question, "cli:four"))
    assert chat.rstrip(".。") not in after
    assert [text for text in about if text.rstrip(".。") in after] == []
    undo(EntryRepository(host.workspace), who="user")
    assert texts(host) == {*about, *others}
    assert chat.rstrip(".。") in recalled(await say(host, question, "cli:five"))


async def test_what_may_be_another_word_is_asked_about(host: MemoryHost):
    for text in ("豆豆的生日是五月三日。", "用户爱吃土豆豆角。"):
        remember(EntryRepository(host.workspace), NewEntry(text), who="user")
    answer = await say(host, "忘掉关于豆豆的一切")
    assert "可能也与之有关" in answer
    assert "用户爱吃土豆豆角" in answer.split("可能也与之有关")[1]
    assert texts(host) == {"用户爱吃土豆豆角。"}


async def test_what_is_said_again_of_it_counts_again(host: MemoryHost):
    remember(EntryRepository(host.workspace), NewEntry("Our broker is Kafka."), who="user")
    await say(host, "The Kafka logs fill the disk.")
    await say(host, "Forget everything about Kafka.", "cli:two")
    assert "logs fill" not in await say(host, "What fills the disk?", "cli:three")
    await say(host, "What is Kafka?", "cli:four")  # a question states nothing
    assert "logs fill" not in await say(host, "What fills the disk?", "cli:five")
    await say(host, "We use Kafka again.", "cli:six")
    assert "logs fill" in await say(host, "What fills the disk?", "cli:seven")


async def test_what_one_person_wants_forgotten_is_not_taken_from_another(tmp_path):
    core = CONFIG.core.model_copy(update={"share": "user"})
    async with MemoryHost(tmp_path, config=CONFIG.model_copy(update={"core": core})) as host:

        async def told(user: str, text: str, session: str) -> str:
            await host.flush_index()
            scope = {"user": user, "channel": "telegram"}
            return (await host.message_received(session_key=session, text=text, scope=scope)).block or ""

        for user in ("anna", "bert"):
            whose = Scope(user=user, channel="telegram")
            said = NewEntry(f"The broker of {user} is Kafka.", scope=whose)
            remember(EntryRepository(tmp_path), said, who="user")
            await told(user, f"The Kafka logs of {user} fill the disk.", f"telegram:{user}")
        await told("anna", "Forget everything about Kafka.", "telegram:anna2")
        assert texts(host) == {"The broker of bert is Kafka."}
        assert "logs of anna" not in await told("anna", "What fills the disk?", "telegram:anna3")
        assert "logs of bert" in await told("bert", "What fills the disk?", "telegram:bert3")


@pytest.mark.parametrize(
    ("said", "others", "order"),
    [
        (
            "My landlord complained about the noise.",
            ("My landlord is called Otto Brandt.", "The landlord mended the boiler."),
            "Forget what I said about my landlord's complaint.",
        ),
        (
            "The budget of Nightingale is 40,000 euros.",
            ("The Nightingale team meets on Monday.", "Our holiday budget is small."),
            "Forget what I told you about the Nightingale budget.",
        ),
        (
            "房东抱怨噪音太大。",
            ("房东叫陈大明。", "房东修好了锅炉。"),
            "忘掉我说的关于房东抱怨噪音的事",
        ),
    ],
)
async def test_what_is_offered_for_a_purge_takes_the_line_that_is_meant_and_no_other(
    host: MemoryHost, said: str, others: tuple[str, ...], order: str
):
    for text in (*others, said):
        await say(host, text)
    answer = await say(host, order, "cli:two")
    assert said.rstrip(".。") in answer
    (command,) = re.findall(r"`nanobot-memory (purge --text [^`]+)`", answer)
    await host.close()
    arguments = [*shlex.split(command), "--yes", "--workspace", str(host.workspace)]
    assert await asyncio.to_thread(run_command_line, arguments) == 0
    transcripts = (host.workspace / "memory" / "sessions").glob("cli_one*.jsonl")
    left = "".join(path.read_text(encoding="utf-8") for path in transcripts)
    assert said not in left
    assert [text for text in others if text not in left] == []
