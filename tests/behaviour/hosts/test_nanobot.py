"""nanobot-ai in this process, unmodified: what its turns, tools, commands and compactions give the memory and get."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from nanobot_memory_plugins.core import redact_text
from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.life import KEY, Life
from tests.behaviour.kit.model import ReadingModel, forget_call, remember_call, search_call
from tests.behaviour.kit.nanobot import NARROW, Nanobot, answering, summing_up
from tests.behaviour.kit.waiting import until

FACT = "The staging database runs on host Brunhilde, port 6543."
QUESTION = "On which host does the staging database run?"
NIGHTLY = ("dream:20260101-000000", "cron:backup", "heartbeat")

pytestmark = pytest.mark.host


async def say(loop: Any, *texts: str, session: str = KEY) -> list[str]:
    answers = [await loop.process_direct(text, session_key=session) for text in texts]
    return [answer.content if answer is not None else "" for answer in answers]


async def test_a_turn_is_recalled_beside_a_later_message_and_never_stored_again(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    async with nanobot.loop() as loop:
        assert await say(loop, FACT, session="cli:old") == ["Noted."]
    async with nanobot.loop() as loop:
        prompt = loop.context.build_system_prompt()
        assert isinstance(prompt, str), "no coroutine, in a running event loop"
        await say(loop, QUESTION, "And its port?", "你好！")
    first, _, hello = model.asked()[-3:]
    assert first.last_user.startswith(QUESTION)
    assert first.last_user.count("host Brunhilde") == 1
    assert "Brunhilde" not in first.system
    assert hello.last_user == "你好！", "where nothing helps the request is the host's own"
    assert [one["text"] for one in life.transcript()] == [
        QUESTION,
        "Noted.",
        "And its port?",
        "Noted.",
        "你好！",
        "Noted.",
    ]
    assert json.dumps(life.transcript(), ensure_ascii=False).count("Brunhilde") == 0


@pytest.mark.accept("NC-15", "EB-16", "EB-11")
async def test_the_model_remembers_searches_and_forgets_by_its_tools(nanobot: Nanobot, life: Life, model: ReadingModel):
    said = "I am allergic to peanuts."
    answering(model, "allergic to peanuts", remember_call("The user is allergic to peanuts.", said))
    answering(model, "note the weather", ToolCall("remember", {"text": "It rained in Oslo.", "kind": "note"}))
    answering(model, "what is forbidden", search_call("peanuts"))
    answering(model, "peanuts are fine", forget_call("peanuts"))
    async with nanobot.loop() as loop:
        await say(loop, said, "Please note the weather.")
        await say(loop, "Tell me what is forbidden.", session="cli:other")
    answered = model.asked()[-1]
    assert "The user is allergic to peanuts." in answered.system
    assert "peanuts" in str(answered.last.get("content")), "the tool's answer"
    assert {"remember", "forget", "memory_search"} <= set(answered.tool_names)
    assert "It rained in Oslo." in "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("????-*.md"))
    assert [entry["content"] for entry in life.entries()] == ["The user is allergic to peanuts."]
    async with nanobot.loop() as loop:
        await say(loop, "You may drop it, peanuts are fine.", "What now?", session="cli:third")
    assert "allergic to peanuts" not in model.asked()[-1].system
    assert life.command("entries", "list", "--json").json["entries"] == []


async def test_what_a_tool_did_is_observed_without_secrets_and_a_failure_shortly(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    secret = "ghp_aB3dE5gH7jK9mN1pQ4rS6tU8vW2xY0zC5fG7"
    assert secret not in redact_text(f"key {secret}")
    (life.workspace / "plan.md").write_text(f"Ship the kraken on Friday, key {secret}.", encoding="utf-8")
    answering(model, "read the plan", ToolCall("read_file", {"path": "plan.md"}), reply="Friday.")
    answering(model, "read the other", ToolCall("read_file", {"path": "gone.md"}), reply="It is gone.")
    async with nanobot.loop() as loop:
        assert await say(loop, "read the plan", "read the other") == ["Friday.", "It is gone."]
    notes = "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("????-*.md"))
    assert "kraken" in notes
    assert "gone.md" in notes
    ours = [name for name in life.files_with(secret) if name.startswith(("memory/", ".storage/"))]
    assert ours == []


@pytest.mark.accept("PL-06")
def test_the_sdk_recalls_from_one_instance_and_one_event_loop_to_the_next(nanobot: Nanobot, model: ReadingModel):
    from nanobot.nanobot import Nanobot as Sdk

    async def one(text: str, session: str) -> str:
        async with Sdk.from_config(nanobot.config_file) as bot:
            return str((await bot.run(text, session_key=session)).content)

    assert asyncio.run(one(FACT, "sdk:one")) == "Noted."
    asyncio.run(one(QUESTION, "sdk:two"))
    assert "host Brunhilde" in model.asked()[-1].last_user


async def test_people_who_write_over_the_bus_have_memories_of_their_own(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    from nanobot.bus.events import InboundMessage
    from nanobot.bus.queue import MessageBus

    bus = MessageBus()
    async with nanobot.loop(bus=bus) as loop:
        running = asyncio.create_task(loop.run())
        for sender, chat, text in (("ann", "7", FACT), ("ann", "8", QUESTION), ("bob", "9", QUESTION)):
            await bus.publish_inbound(InboundMessage("telegram", sender, chat, text))
            async with asyncio.timeout(60):
                while (await bus.consume_outbound()).content != "Noted.":
                    pass
        loop.stop()
        await running
    first, second = model.asked()[-2:]
    assert "host Brunhilde" in first.last_user
    assert "Brunhilde" not in second.last_user
    assert {record["text"] for record in life.transcript("telegram:7")} == {FACT, "Noted."}


async def test_nanobots_own_sessions_are_left_alone(nanobot: Nanobot, life: Life, model: ReadingModel):
    model.learn("The nightly job ran.", "nightly job")
    async with nanobot.loop(core={"idleSeconds": 0.05}) as loop:
        await say(loop, FACT)
        for key in NIGHTLY:
            await say(loop, QUESTION, "run the nightly job", session=key)
            assert "host Brunhilde" not in model.asked()[-2].last_user
    assert [life.transcript(key) for key in NIGHTLY] == [[], [], []]
    assert life.files_with("The nightly job ran.") == []


@pytest.mark.accept("EB-20")
@pytest.mark.parametrize("trigger", ["idle", "/new", "/compact"])
async def test_a_session_that_is_quiet_ended_or_cut_is_learned_from(
    trigger: str, nanobot: Nanobot, life: Life, model: ReadingModel
):
    model.learn("The user works as a nurse in Oslo.", "I am a nurse in Oslo now")
    patience = 0.3 if trigger == "idle" else 600
    async with nanobot.loop(core={"idleSeconds": patience}) as loop:
        await say(loop, "I am a nurse in Oslo now.", "How cold is it there?", "Then I need a coat.")
        if trigger != "idle":
            await say(loop, trigger, "Go on.")
        await until(lambda: life.files_with("works as a nurse"), "what was learned")
        await until(lambda: "works as a nurse" in loop.context.build_system_prompt(), "the prompt's entries")
        await say(loop, "hello", session="cli:next")
    assert "works as a nurse" in model.asked()[-1].system
    (entry,) = life.entries()
    assert entry["source_session"] == KEY


@pytest.mark.accept("NC-07", "V3-14", "FL-02", "FL-04", "NC-08")
async def test_under_token_pressure_facts_are_flushed_and_a_summary_stands_for_what_is_cut(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    model.learn("The kraken project ships on Friday.", "kraken project ships on Friday", kind="decision")
    summary = "They agreed that the kraken project ships on Friday, and went through some messages of many words."
    model.summary = summary
    summing_up(model, summary)
    nanobot.defaults = dict(NARROW)
    async with nanobot.loop() as loop:
        await say(loop, FACT, session="cli:old")
        replies = await say(loop, "The kraken project ships on Friday.")
        for number in range(8):
            replies += await say(loop, f"message {number}: " + "many words " * 400)
        before = len(model.requests)
        replies += await say(loop, QUESTION)
    assert set(replies) == {"Noted."}, "nobody sees anything of it"
    assert model.asked("reading"), "what is cut is saved first"
    assert life.files_with("The kraken project ships on Friday.")
    last = next(one for one in model.requests[before:] if one.tool_names and QUESTION in one.last_user)
    assert summary in last.text
    assert "message 7:" in last.text
    assert "message 0:" not in last.text
    assert "host Brunhilde" in last.last_user, "summary, recent messages and what is recalled"
    said = [record["text"] for record in life.transcript()]
    assert len(said) == 20, "compaction does not shorten the transcript"
    found = life.command("search", "kraken Friday", "--json").json["hits"]
    assert found


async def test_the_system_prompt_is_the_same_to_the_byte_between_compactions(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    (life.workspace / "AGENTS.md").write_text("- Answer briefly.\n" * 2_000, encoding="utf-8")
    life.memory.mkdir()
    (life.memory / "MEMORY.md").write_text("- 用户住在苏州。\n" * 2_000, encoding="utf-8")
    answering(model, "read the plan", ToolCall("read_file", {"path": "AGENTS.md"}))
    async with nanobot.loop() as loop:
        for number in range(3):
            await say(loop, FACT, QUESTION, f"read the plan {number}", session=f"cli:{number % 2}")
    prompts = {request.system for request in model.asked() if request.tool_names}
    assert len(prompts) == 1


@pytest.mark.accept("BB-01", "BB-02", "BB-05", "BB-06", "V3-14")
async def test_large_files_of_the_prompt_keep_head_and_tail_and_small_ones_pass_unchanged(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    large = "\n".join(f"- rule {number}: keep it short" for number in range(2_000))
    facts = "\n".join(f"- fact {number}: the port is {number}" for number in range(2_000))
    life.memory.mkdir()
    files = {"AGENTS.md": large, "SOUL.md": "Be kind.", "USER.md": "# User\n\nLikes tea.", "memory/MEMORY.md": facts}
    for name, text in files.items():
        (life.workspace / name).write_text(text, encoding="utf-8")
    async with nanobot.loop() as loop:
        await say(loop, "hello")
        system = loop.context.build_system_prompt()
        assert isinstance(system, str), "no coroutine, in a running event loop"
        for text in (large, facts):
            assert text.splitlines()[0] in system
            assert text.splitlines()[-1] in system
            assert text.splitlines()[1_500] not in system
        assert "## SOUL.md\n\nBe kind.\n\n## USER.md\n\n# User\n\nLikes tea." in system
        parts = [part for part in system.split("\n\n---\n\n") if "rule 0:" in part or "fact 0:" in part]
        assert 20_000 < sum(map(len, parts)) <= 0.98 * 24_000
        for name in files:
            (life.workspace / name).unlink()
        for name, text in files.items():
            (life.workspace / name).write_text(text[:2_000], encoding="utf-8")
        small = loop.context.build_system_prompt()
    async with nanobot.loop(bootstrap={"enabled": False}) as loop:
        await say(loop, "hello")
        assert loop.context.build_system_prompt() == small
    for name in ("AGENTS.md", "memory/MEMORY.md"):
        assert f"read {name} for full content" in system


FAILING = """
import asyncio, time
from nanobot_memory_plugins.core import hookimpl

@hookimpl
def on_message_received():
    {message}

@hookimpl
async def on_tool_executed():
    {tool}

@hookimpl
def before_compaction():
    {compaction}
"""
FAILURES = {
    "raises": ("raise KeyError", "raise KeyError", "raise KeyError"),
    "exits": ("raise SystemExit(3)", "raise SystemExit(3)", "raise KeyboardInterrupt"),
    "cancels": ("raise asyncio.CancelledError", "raise asyncio.CancelledError", "raise asyncio.CancelledError"),
    "garbage": ("return 17", "return {'note': object()}", "return 'no summary'"),
    "hangs": ("return asyncio.sleep(600)", "await asyncio.sleep(600)", "return asyncio.sleep(600)"),
}


@pytest.mark.accept("PL-04", "V3-09", "PL-06")
async def test_plugins_that_fail_leave_the_hosts_output_as_it_is_without_them(
    nanobot: Nanobot, life: Life, model: ReadingModel, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
):
    (life.workspace / "plan.md").write_text("Ship on Friday.", encoding="utf-8")
    answering(model, "read the plan", ToolCall("read_file", {"path": "plan.md"}), reply="It says Friday.")
    summing_up(model, "nanobot's own summary")

    async def output(session: str) -> tuple[list[str], str]:
        async with nanobot.loop(core={"messageLimit": 1.0, "toolLimit": 0.3, "compactionLimit": 0.3}) as loop:
            texts = ("Hello there.", "read the plan", "/compact", "What now?")
            return await say(loop, *texts, session=session), model.asked()[-1].last_user

    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot")
    alone = await output("cli:alone")
    for name, (message, tool, compaction) in FAILURES.items():
        source = FAILING.format(message=message, tool=tool, compaction=compaction)
        install(name, source, alone=True)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(["nanobot", *FAILURES]))
    assert await output("cli:beside") == alone


@pytest.mark.accept("LR-04")
async def test_doctor_names_where_the_memory_takes_hold_and_what_is_not_possible(nanobot: Nanobot, life: Life):
    findings = {one["subject"]: one for one in life.command("doctor", "--json").json["findings"]}
    seams = {name: one for name, one in findings.items() if "seam" in name}
    assert len(seams) >= 6
    assert [one for one in seams.values() if one["health"] in ("bad", "degraded")] == []
    (draft,) = (one for name, one in seams.items() if "draft" in name)
    assert "not possible" in draft["state"]
    assert findings["nanobot-ai"]["health"] == "good"
