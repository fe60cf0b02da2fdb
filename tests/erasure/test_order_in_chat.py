""" "Forget that" in a conversation: what was forgotten is not brought up, and the answer says where it still stands."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.undo import restore
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query, Withheld
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.host.withheld_words import WithheldWords
from nanobot_memory_plugins.core.host.withholding import without_lines
from tests.support.files_of import contents_of

CONFIG = MemoryConfig.model_validate(
    {
        "plugins": {"storage": {"embeddingProvider": "none"}, "recall": {"recallTimeout": 30}},
        "core": {"messageLimit": 60},
    }
)


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MemoryHost]:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")
    (tmp_path / "memory").mkdir()
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        yield memory


async def say(host: MemoryHost, text: str, session: str = "cli:one") -> str:
    """Say something in a session whose live context is empty, as after a restart."""
    await host.flush_index()
    return (await host.message_received(session_key=session, text=text)).block or ""


@pytest.mark.parametrize(
    ("order", "forget", "question", "telling"),
    [
        (
            "Remember that our test database listens on port 5433.",
            "Forget that our test database listens on port 5433.",
            "Which port does our test database listen on?",
            "port 5433",
        ),
        ("记住：我们的测试库端口是 5433。", "忘掉测试库端口的事", "测试库端口是多少？", "5433"),
    ],
)
async def test_what_was_forgotten_is_brought_up_neither_beside_the_order_nor_after_it(
    host: MemoryHost, order: str, forget: str, question: str, telling: str
):
    await say(host, order)
    await say(host, "I play chess on Sundays, by the way.")
    assert telling in await say(host, question, "cli:two")
    answer = await say(host, forget, "cli:three")
    recalled = [line for line in answer.splitlines() if line.startswith("- ")]
    assert [line for line in recalled if telling in line and "orget" not in line and "忘" not in line] == []
    assert "memory/sessions/" in answer
    (gone,) = {change.id for run in EntryRepository(host.workspace).journal.runs() for change in run.changes}
    assert f"nanobot-memory purge {gone}" in answer
    for session in ("cli:two", "cli:four"):
        after = await say(host, question, session)
        assert [line for line in after.splitlines() if order.rstrip(".。") in line] == []
    assert "chess" in await say(host, "When do I play chess?", "cli:five")


async def test_after_a_restart_it_is_not_brought_up_and_what_is_restored_is(host: MemoryHost):
    order, question = "Remember that our boat lies at pier 97.", "At which pier does our boat lie?"
    await say(host, order)
    await say(host, "Forget that our boat lies at pier 97.", "cli:two")
    await host.close()
    async with MemoryHost(host.workspace, config=CONFIG) as again:
        assert "Remember that our boat lies" not in await say(again, question, "cli:three")
        repository = EntryRepository(host.workspace)
        (gone,) = {change.id for run in repository.journal.runs() for change in run.changes}
        restore(repository, gone, now=repository.clock.now(), who="user")
        assert "our boat lies at pier 97" in await say(again, question, "cli:four")


async def test_what_is_said_again_counts_again(host: MemoryHost):
    question = "At which pier does our boat lie?"
    await say(host, "Remember that our boat lies at pier 97.")
    await say(host, "Forget that our boat lies at pier 97.", "cli:two")
    assert "lies at pier 97" not in await say(host, question, "cli:three")
    await say(host, "Well, our boat lies at pier 97.", "cli:four")
    assert "lies at pier 97" in await say(host, question, "cli:five")


@pytest.mark.parametrize(
    ("said", "order", "word"),
    [
        ("My dentist appointment is on Friday at ten.", "Forget what I said about the dentist.", "dentist"),
        ("豆豆的牙医预约是周五十点。", "忘掉牙医预约的事", "牙医预约"),
    ],
)
async def test_what_no_entry_says_is_offered_from_the_conversation(host: MemoryHost, said: str, order: str, word: str):
    await say(host, said)
    answer = await say(host, order, "cli:two")
    assert "memory/sessions/" in answer
    assert said in answer
    assert f'nanobot-memory purge --text "{word}' in answer


async def test_entries_forget_names_the_echoes_and_what_removes_them(
    host: MemoryHost, capsys: pytest.CaptureFixture[str]
):
    await say(host, "Remember that I'm allergic to peanuts.")
    await host.message_sent(session_key="cli:two", text="You're allergic to peanuts. Shall I cook?")
    await host.close()
    (gone,) = EntryRepository(host.workspace).load().entries
    command = ["entries", "forget", gone, "--workspace", str(host.workspace)]
    assert await asyncio.to_thread(run_command_line, command) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "cli_two" in said
    assert f"`nanobot-memory purge {gone} --nearly` shows the lines" in said


async def test_nothing_is_offered_where_nobody_said_it(host: MemoryHost):
    await say(host, "My dentist appointment is on Friday at ten.")
    assert "purge" not in await say(host, "Forget what I said about the zeppelin.", "cli:two")


async def test_the_forget_tool_says_where_the_conversation_still_has_it(host: MemoryHost):
    await say(host, "Remember that our boat lies at pier 97.")
    await host.flush_index()
    forget = next(tool for tool in host.tools() if tool.name == "forget")
    answer = await forget.run({"query": "our boat lies at pier 97"}, session_key="cli:one")
    assert "memory/sessions/" in answer
    assert "nanobot-memory purge " in answer


async def test_the_tools_that_search_do_not_bring_it_up_either_and_the_rest_of_the_message_they_do(tmp_path: Path):
    plugins = {**CONFIG.plugins, "recall": {"recallMemoryAlias": True}}
    async with MemoryHost(tmp_path, config=CONFIG.model_copy(update={"plugins": plugins})) as host:

        async def ask(name: str, **arguments: str) -> str:
            tool = next(one for one in host.tools() if one.name == name)
            return await tool.run(arguments, session_key="cli:three")

        await say(host, "Remember that our boat lies at pier 97.")
        await say(host, "Well, our boat lies at pier 97. My uncle mends its sails on Mondays.", "cli:four")
        await host.flush_index()
        boat = "boat pier uncle sails"
        ids = [part.split(" ")[0] for part in (await ask("memory_search", query=boat)).split("- id ")[1:]]
        assert "pier 97" in "".join([await ask("memory_get", id=one) for one in ids])
        await say(host, "Forget that our boat lies at pier 97.", "cli:two")
        await host.flush_index()
        for answer in [await ask("memory_search", query=boat), await ask("recall_memory", query=boat)]:
            assert ("uncle" in answer, "boat lies at pier 97" in answer) == (True, False)
        read = [await ask("memory_get", id=one) for one in ids]
        assert ("uncle" in "".join(read), "pier 97" in "".join(read)) == (True, False)
        assert any("There is no memory with this id" in one for one in read)


@pytest.mark.parametrize(("share", "is_for_all"), [("user", False), ("agent", True)])
async def test_what_one_person_says_again_counts_again_for_those_who_see_it(
    tmp_path: Path, share: str, is_for_all: bool
):
    core = CONFIG.core.model_copy(update={"share": share})
    async with MemoryHost(tmp_path, config=CONFIG.model_copy(update={"core": core})) as host:

        async def told(user: str, text: str, session: str) -> str:
            await host.flush_index()
            scope = {"user": user, "channel": "telegram"}
            return (await host.message_received(session_key=session, text=text, scope=scope)).block or ""

        said, question = "Our boat lies at pier 97.", "At which pier does our boat lie?"
        for name in ("anna", "bert"):
            await told(name, said, f"telegram:{name}")
        await told("anna", "Remember that our boat lies at pier 97.", "telegram:anna")
        await told("anna", "Forget that our boat lies at pier 97.", "telegram:anna2")
        for name in ("anna", "bert"):
            assert said not in await told(name, question, f"telegram:{name}3")
        await told("anna", "Well, our boat lies at pier 97.", "telegram:anna4")
        assert "boat lies at pier 97" in await told("anna", question, "telegram:anna5")
        assert (said in await told("bert", question, "telegram:bert5")) is is_for_all


async def test_the_answer_names_lines_of_others_to_nobody(tmp_path: Path):
    core = CONFIG.core.model_copy(update={"share": "user"})
    async with MemoryHost(tmp_path, config=CONFIG.model_copy(update={"core": core})) as host:

        async def told(user: str, text: str) -> str:
            scope = {"user": user, "channel": "telegram"}
            session = f"telegram:{user}"
            return (await host.message_received(session_key=session, text=text, scope=scope)).block or ""

        await told("bert", "Our boat lies at pier 97.")
        await told("anna", "Remember that our boat lies at pier 97.")
        answer = await told("anna", "Forget that our boat lies at pier 97.")
    assert ("telegram_anna" in answer, "telegram_bert" in answer) == (True, False)


async def test_where_there_is_no_time_to_look_everywhere_the_answer_says_so(
    host: MemoryHost, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("nanobot_memory_plugins.consolidation.commands.conversations._LOOK_SECONDS", 0.0)
    await say(host, "Remember that our boat lies at pier 97.")
    answer = await say(host, "Forget that our boat lies at pier 97.", "cli:two")
    assert "no time to look everywhere" in answer
    assert "--dry-run` lists every place" in answer


def test_of_a_block_only_the_lines_that_hold_it_go_and_headings_with_nothing_below():
    said = "- user: our boat lies at pier 97 (line 1)"
    text = f"a.jsonl\n{said}\nb.jsonl\n- one\n{said}\n- two\nc\n- three"
    assert (
        without_lines(text, WithheldWords([Withheld("our boat lies at pier 97")]))
        == "b.jsonl\n- one\n- two\nc\n- three"
    )
    assert without_lines(text, WithheldWords([Withheld("our boat lies at pier 98")])) == text


@pytest.mark.parametrize(
    ("order", "echo", "forget", "question", "telling", "innocent"),
    [
        (
            "Remember that my locker is behind the Wisteria gate.",
            "Noted: your locker is behind the Wisteria gate.",
            "Forget that my locker is behind the Wisteria gate.",
            "Where is my locker?",
            "Wisteria",
            "The gym has a blue locker for my sister.",
        ),
        (
            "记住：我的储物柜在紫藤门后面。",
            "好的，你的储物柜就在紫藤门后面。",
            "忘掉我的储物柜在紫藤门后面",
            "我的储物柜在哪里？",
            "紫藤",
            "健身房的储物柜是蓝色的。",
        ),
        (
            "Remember that I'm allergic to peanuts.",
            "Noted, you're allergic to peanuts.",
            "Forget that I'm allergic to peanuts.",
            "What am I allergic to?",
            "peanuts",
            "My sister is allergic to cats.",
        ),
        (
            "Remember that I'm vegetarian.",
            "You're vegetarian, got it.",
            "Forget that I'm vegetarian.",
            "Am I vegetarian?",
            "re vegetarian",
            "My sister cooks a vegetarian stew.",
        ),
        (
            "记住：我爱喝茶。",
            "好的，你爱喝茶，我记住了。",
            "忘掉我爱喝茶",
            "我爱喝什么？",
            "爱喝茶",
            "我妹妹爱喝咖啡。",
        ),
    ],
)
async def test_the_echo_of_the_assistant_is_not_brought_up_either_and_what_shares_a_word_is(
    host: MemoryHost, order: str, echo: str, forget: str, question: str, telling: str, innocent: str
):
    await say(host, order)
    await host.message_sent(session_key="cli:one", text=echo)
    await say(host, innocent, "cli:innocent")
    assert telling in await say(host, question, "cli:two")
    assert echo in [hit.text for hit in (await host.search(Query(text=question, limit=20))).hits]
    answer = await say(host, forget, "cli:three")
    assert "nanobot-memory purge " in answer
    assert "--nearly" in answer
    after = await say(host, question, "cli:four")
    for shown in (answer, after):
        recalled = [line for line in shown.splitlines() if line.startswith("- ")]
        assert [line for line in recalled if telling in line and forget.rstrip(".。") not in line] == []
    assert innocent.rstrip(".。") in after


async def test_the_command_that_the_answer_names_removes_the_echoes_too(
    host: MemoryHost, capsys: pytest.CaptureFixture[str]
):
    await say(host, "Remember that I'm allergic to peanuts.")
    await host.message_sent(session_key="cli:one", text="You're allergic to peanuts. Shall I cook?")
    await say(host, "My sister is allergic to cats.")
    answer = await say(host, "Forget that I'm allergic to peanuts.", "cli:two")
    (command,) = re.findall(r"`nanobot-memory (purge \w+ --nearly)`", answer)
    lines = re.findall(r"memory/sessions/\S+ line \d+", answer)
    assert len(lines) == 3
    await host.close()
    arguments = [*command.split(), "--yes", "--workspace", str(host.workspace)]
    assert await asyncio.to_thread(run_command_line, arguments) == 0
    files = [data.decode("utf-8", "replace") for data in contents_of(host.workspace).values()]
    assert [text for text in files if "peanuts" in text] == []
    assert any("[…] Shall I cook?" in text for text in files)
    assert any("My sister is allergic to cats." in text for text in files)
