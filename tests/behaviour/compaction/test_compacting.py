"""Compaction leaves a summary that fits, the last messages, and no tool call without its result."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from nanobot_memory_plugins.core import estimate_tokens, logger
from nanobot_memory_plugins.tools.scripted_model import Reply
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.long_talk import chat, largest_request, parted, talk, tool_turn
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

GOOD = "- Decision: topic 3 uses PostgreSQL\n- TODO: topic 5 needs word7\n- Open question: topic 9"
HOST = "db-7.example.org"
FACT = chat(f"We decided that the staging host is {HOST}, port 6543.", "Noted.")


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The logged lines."""
    lines: list[str] = []
    logger.enable("nanobot_memory_plugins")
    handler = logger.add(lines.append, format="{message}", level="DEBUG")
    yield lines
    logger.remove(handler)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load only the compaction plugin, for tests with many or long histories."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "compaction")


def tokens(history: list[dict[str, Any]]) -> int:
    return sum(estimate_tokens(str(one.get("content") or "")) for one in history)


async def compact(memory: Any, history: list[dict[str, Any]], key: str = "cli:direct", window: int = 32_000) -> Any:
    return await Conversation(memory, key, history=list(history)).compact(window=window, keep=False)


@pytest.mark.accept("NC-07")
async def test_the_models_summary_the_last_messages_and_recall_work_together(life: Life, model: ReadingModel):
    model.summary = GOOD
    history = [*FACT, *talk(30)]
    async with life.host() as memory:
        talked = Conversation(memory, history=list(history))
        summary = await talked.compact(window=32_000)
        assert GOOD in summary.text
        assert 0 < summary.keep_from < len(history)
        assert history[summary.keep_from]["role"] == "user"
        assert talked.history[1:] == history[summary.keep_from :]
        assert tokens(talked.history) < tokens(history) / 2
        await memory.flush_index()
        asked = "Do you remember which staging host we decided on?"
        assert (HOST in summary.text) != (HOST in await talked.hear(asked)), "it stands there once"
        await until(lambda: len(model.asked("reading")) == 1)
    assert len(model.asked("compaction")) == 1


@pytest.mark.accept("AC-03", "AC-06")
@pytest.mark.usefixtures("alone")
async def test_any_behaviour_of_the_model_ends_in_a_usable_summary_with_logged_steps(
    life: Life, model: ReadingModel, log: list[str]
):
    faults = [
        Reply(status=500),
        Reply(status=400),
        Reply(junk=b"{{{"),
        Reply(cut=True),
        Reply("{'junk': "),
        Reply(""),
        Reply("I'm sorry, but I can't help with that."),
    ]
    history = [*FACT, *talk(30)]

    async def compacted_despite(fault: Reply) -> None:
        model.fails = {"compaction": fault}
        summary = await compact(memory, history, f"cli:{fault}")
        assert HOST in summary.text, fault
        assert "6543" in summary.text, fault
        assert "junk" not in summary.text
        assert 0 < summary.keep_from < len(history), fault

    async with life.host(core={"languageModel": {"attempts": 1}}) as memory:
        for fault in faults:
            await compacted_despite(fault)
    async with life.host(core={"languageModel": {"attempts": 1, "timeout": 0.1, "purposeTimeouts": {}}}) as memory:
        await compacted_despite(Reply(GOOD, delay=0.5))
    lines = "".join(log)
    assert all(f"compaction: step {number}" in lines for number in (1, 2, 3))
    # Where there is no model the words come out the same each time.
    model.fails = {}
    made = []
    for key in ("cli:a", "cli:b"):
        async with life.host(model=False) as memory:
            made.append(await compact(memory, history, key))
    assert HOST in made[0].text
    assert made[0] == made[1]


@pytest.mark.accept("AC-03")
@pytest.mark.usefixtures("alone")
async def test_after_one_failure_the_model_is_asked_once_more(life: Life, model: ReadingModel):
    model.summary = GOOD
    answers = iter([Reply("NO_REPLY")])
    answer = model.answer

    def first_fails(body: Any) -> Reply:
        given = answer(body)
        return next(answers, given) if model.asked("compaction") else given

    model.answer = first_fails
    async with life.host() as memory:
        assert GOOD in (await compact(memory, [*FACT, *talk(30)])).text
    assert len(model.asked("compaction")) == 2


@pytest.mark.accept("AC-04")
@pytest.mark.usefixtures("alone")
async def test_no_request_exceeds_the_budget_of_a_chunk(life: Life, model: ReadingModel):
    model.summary = "- Decision 决定: topic 3 is about word3, we have the plan"
    histories = {
        "small": (talk(120), 8_000),
        "large": (talk(8, words=1_000), 32_000),
        "one huge": ([*talk(10), *chat("x y " * 8_000, "Read."), *talk(10)], 16_000),
        "tools": ([one for n in range(20) for one in tool_turn(n, "line of output\n" * 100)], 8_000),
        "Chinese": (chat(*(f"第{n}条：" + "我们决定采用新的方案。" * 30 for n in range(40))), 8_000),
    }
    async with life.host() as memory:
        for name, (history, window) in histories.items():
            model.requests.clear()
            summary = await compact(memory, history, f"cli:{name}", window)
            assert model.asked("compaction"), name
            assert largest_request(model, "compaction") * 1.2 <= window * 0.4, name
            assert estimate_tokens(summary.text) + tokens(history[summary.keep_from :]) <= window, name


async def test_a_chinese_conversation_is_summarised_and_recognised_in_chinese(life: Life, model: ReadingModel):
    said = "我们决定把测试数据库放在 db-7.example.org 上。"
    model.summary = "- 决定：测试数据库在 db-7.example.org 上，其余方案都已确认"
    model.learn("测试数据库在 db-7.example.org 上", said)
    history = chat(said, "好的。", *(f"第{n}条：" + "我们决定采用新的方案。" * 20 for n in range(30)))
    async with life.host() as memory:
        assert model.summary in (await compact(memory, history, window=8_000)).text
        await until(lambda: "db-7" in Conversation(memory, "cli:next").prompt())
        known = Conversation(memory, "cli:next").prompt()
    for purpose in ("compaction", "reading"):
        systems = {request.system.splitlines()[0] for request in model.asked(purpose)}
        assert [("你" in system, " the " in system) for system in systems] == [(True, False)], purpose
    assert "关于用户的关键信息" in known


@pytest.mark.accept("AC-05")
@pytest.mark.usefixtures("alone")
async def test_an_earlier_summary_is_carried_forward(life: Life, model: ReadingModel):
    async with life.host() as memory:
        talked = Conversation(memory, history=[*chat("The release ticket is REL-4812.", "Noted."), *talk(30)])
        model.summary = "- Decision: the release ticket is REL-4812, and the topics from 3 to 20 are settled"
        await talked.compact()
        asked = len(model.asked("compaction"))
        model.summary = GOOD  # which leaves it out
        talked.history += talk(20, topic="other")
        summary = await talked.compact()
        assert "REL-4812" in model.asked("compaction")[asked].last_user
        assert "REL-4812" in summary.text
        model.fails = {"compaction": Reply(status=400)}
        for topic in ("third", "fourth"):
            talked.history += talk(20, topic=topic)
            summary = await talked.compact()
            assert "REL-4812" in summary.text
        # It is known among the messages by its mark, and nobody has said it.
        assert summary.text.startswith("[Summary of the earlier conversation]\n")
        assert summary.text.count("[Summary of the earlier conversation]") == 1
        await talked.idle()
        assert not [one["text"] for one in life.transcript() if "are settled" in one["text"]]
    task = model.asked("compaction")[0].text
    assert all(words in task for words in ("decisions", "TODOs", "open questions"))


@pytest.mark.accept("AC-02", "AC-03")
@pytest.mark.usefixtures("alone")
async def test_an_oversized_message_is_left_out_of_the_call_and_mentioned(life: Life, model: ReadingModel):
    model.summary = GOOD
    middle = "the-very-middle-9"
    huge = "Report of March. " + "data " * 6_000 + middle + " data" * 6_000 + " end of report."
    async with life.host() as memory:
        summary = await compact(memory, [*talk(5), *chat("Here it is.", huge), *talk(10)], window=16_000)
        assert "Left out because of their size" in summary.text
        assert "Report of March" in summary.text
        model.fails = {"compaction": Reply(status=400)}
        many = chat(*(f"Report {n}: we decided on plan {n}. " + "data " * 5_000 for n in range(3)))
        summary = await compact(memory, many, "cli:many", 8_000)
        assert "we decided on plan 1" in summary.text
    assert all(middle not in one.text for one in model.asked("compaction"))


@pytest.mark.accept("AC-07")
@pytest.mark.usefixtures("alone")
async def test_a_tool_call_is_never_separated_from_its_result(life_without_model: Life):
    rng = random.Random(7)
    async with life_without_model.host() as memory:
        # What calls a tool is no summary of ours, whatever it begins with.
        mark = (await compact(memory, talk(30))).text.splitlines()[0]
        first, result = tool_turn(0)[1:3]
        late = [first | {"content": mark, "tool_calls": first["tool_calls"][:1]}, *chat("", "One moment.")[1:], result]
        assert parted(late, (await compact(memory, late, "cli:late")).keep_from) == []
        for number in range(12):
            history = [
                one
                for n in range(rng.randint(1, 12))
                for one in (
                    tool_turn(n, "x" * rng.choice((4, 400, 4_000)))
                    if rng.random() < 0.7
                    else chat(f"Go on with {n}. " * rng.choice((1, 40)), "Fine.")
                )
            ]
            history = history[: rng.randint(1, len(history))]
            while history and history[-1].get("tool_calls"):
                history.pop()  # a host cuts between turns
            window = rng.choice((2_000, 8_000, 32_000))
            summary = await compact(memory, history, f"cli:{number}", window)
            assert parted(history, summary.keep_from) == []
            assert summary.keep_from > 0
            assert summary.text
            assert estimate_tokens(summary.text) + tokens(history[summary.keep_from :]) <= window


@pytest.mark.usefixtures("alone")
async def test_at_most_half_of_a_short_history_remains_and_something_is_always_cut(life_without_model: Life):
    async with life_without_model.host() as memory:
        for count in range(1, 9):
            history = chat(*(f"Message {n} is short." for n in range(count)))
            summary = await compact(memory, history, f"cli:{count}", 200_000)
            assert len(history) - summary.keep_from <= count // 2, count
            assert summary.keep_from > 0
            if count > 3:
                assert summary.keep_from < len(history)


@pytest.mark.usefixtures("alone")
async def test_the_tail_begins_with_a_user_message_if_that_costs_at_most_half_of_it(life_without_model: Life):
    steps = [{"role": "assistant", "content": f"Step {n}: " + "word " * 400} for n in range(40)]
    async with life_without_model.host() as memory:
        kept = {}
        for at in (2, 33, 39):  # where the user says something among the steps
            history = [*chat("Do the long job."), *steps[:at], *chat("And then?"), *steps[at:]]
            summary = await compact(memory, history, f"cli:{at}")
            kept[at] = history[summary.keep_from :]
    assert kept[33][0]["role"] == "user"
    assert len(kept[33]) == 8
    assert len(kept[39]) > 4
    assert kept[2][0]["role"] == kept[39][0]["role"] == "assistant"


@pytest.mark.usefixtures("alone")
async def test_no_message_remains_at_the_end_of_a_session(life_without_model: Life):
    history = talk(6)
    async with life_without_model.host() as memory:
        ended, asked = [
            await memory.before_compaction(
                session_key=f"cli:{reason}", messages=history, context_window=32_000, reason=reason
            )
            for reason in ("session_ended", "command")
        ]
    assert ended.keep_from == len(history)
    assert asked.keep_from < len(history)
