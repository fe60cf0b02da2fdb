"""What is no answer costs nothing but a second and a third question, and then it is said what was given up."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.extraction.answer import AnswerOutcome, read_answer
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Health
from nanobot_memory_plugins.core.clock import ManualClock

from .learning import Model, chat, host, item, stored

TOLD = {
    "en": ("I moved to Leipzig last week.", "The user lives in Leipzig", "I moved to Leipzig"),
    "zh": ("我上周搬到了成都。", "用户住在成都", "我上周搬到了成都"),
}
# Ten thousand items are more than a day's budget; that an empty answer is asked for once more is another matter.
PLENTY = {"language_model": {"daily_tokens": 10_000_000, "thinking_tokens": 0}}
MANY = [{"content": f"The user owns boat number {n}", "said": "boats", "category": "fact"} for n in range(10_000)]
JUNK = {
    "empty": "",
    "a refusal": "I'm sorry, but I can't help with that.",
    "a refusal in Chinese": "抱歉，我无法提供这类信息。",
    "prose": "The user seems to have moved. They like [tea] and {coffee}.",
    "prose in Chinese": "用户最近搬家了，看起来很开心。",
    "half JSON": '[{"content": "The user lives in Lei',
    "a cut array": '[{"content": "The user owns a boat", "said": "a boat", "category": "fact"}, {"content": "The us',
    "a thought without an end": "<think>The user said [something] about moving, so I should",
    "a thought of another kind": "<|channel|>analysis<|message|>The user moved. We need an array [",
    "wrong ids": json.dumps([{"id": "zz", "now": "The user lives on the moon"}, {"ends": ["k1"], "confirms": "k9"}]),
    "other things": json.dumps([{"name": "Leipzig"}, 7]),
    "10,000 items": json.dumps(MANY),
    "another language": json.dumps([{"content": "Der Nutzer mag Kamele sehr", "said": "Kamele", "category": "fact"}]),
}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")


async def idle(memory, history, session="cli:one"):
    await memory.session_idle(session_key=session, history=history)


def now() -> ManualClock:
    return ManualClock(datetime(2026, 3, 10, 12, tzinfo=UTC))


@pytest.mark.accept("EB-05")
@pytest.mark.parametrize("language", TOLD)
@pytest.mark.parametrize("junk", JUNK)
async def test_whatever_junk_a_model_answers_nothing_is_lost_and_nothing_asked_for_ever(
    workspace: Path, junk, language
):
    said, content, quote = TOLD[language]
    history = chat(said, "Nice.")
    model = Model(JUNK[junk], [item(content, said=quote)])
    async with host(workspace, model, clock=now(), core=PLENTY) as memory:
        await idle(memory, history)
        assert stored(workspace) == {}
        await idle(memory, history)
    assert set(stored(workspace)) == {content}

    model = Model(JUNK[junk])
    async with host(workspace, model, clock=now(), core=PLENTY) as memory:
        for _ in range(5):
            await idle(memory, history, "cli:two")
            await memory.turn_finished(session_key="cli:two", messages=history, context_window=32_000)
        findings = await memory.diagnose()
    assert 2 <= len(model.asked) <= 3
    assert set(stored(workspace)) == {content}
    assert not any((workspace / "memory" / ".entries" / "pending").glob("*.json"))
    run = EntryRepository(workspace).journal.runs()[-1]
    assert run.why.startswith("gave up 2 messages of session cli:two: the model ")
    (told,) = [one for one in findings if "given up in the last 7 days" in one.state]
    assert told.health is (Health.DEGRADED if run.why.endswith("has not answered") else Health.GOOD)


async def test_what_came_later_has_chances_of_its_own(workspace: Path):
    history = chat("I moved to Leipzig last week.", "Nice.")
    more = [*history, *chat("My dog is called Rex.", "A fine name.")]
    model = Model("", "", "", [item("The user's dog is called Rex", said="My dog is called Rex")])
    async with host(workspace, model, clock=now(), core=PLENTY) as memory:
        await idle(memory, history)
        await idle(memory, history)
        await idle(memory, more)
        await idle(memory, more)
    assert set(stored(workspace)) == {"The user's dog is called Rex"}
    assert "Leipzig" in model.asked[2]
    assert "Leipzig" not in model.asked[3].split("Conversation:")[-1]
    assert "1 time, the model has not answered" in str(await doctor(workspace))


async def doctor(workspace: Path) -> list[str]:
    async with host(workspace, None, clock=now(), core=PLENTY) as memory:
        return [f"{one.state} {one.hint}" for one in await memory.diagnose()]


async def test_what_was_not_answered_is_asked_about_when_the_session_is_quiet_again_not_after_the_next_turn(workspace):
    history = chat("I moved to Leipzig last week.", "Nice.")
    model = Model("")
    async with host(workspace, model, clock=now(), core=PLENTY) as memory:
        await idle(memory, history)
        for _ in range(3):
            await memory.turn_finished(session_key="cli:one", messages=history, context_window=32_000)
        assert len(model.asked) == 1
        await idle(memory, chat("Hello!", "Hi."), "cli:two")
    assert len(model.asked) == 2


async def test_who_was_cut_off_has_more_room_the_next_time_and_keeps_what_is_whole_the_last_time(workspace: Path):
    room: list[int] = []
    cut = '[{"content": "The user lives in Leipzig", "said": "I moved to Leipzig", "category": "fact"}, {"content": "T'

    async def model(messages, *, max_tokens: int, purpose: str) -> str:
        room.append(max_tokens)
        return cut

    history = chat("I moved to Leipzig last week.", "Nice.")
    async with host(workspace, model, clock=now(), core=PLENTY) as memory:
        for _ in range(4):
            await idle(memory, history)
    assert room == [2_000, 4_000, 6_000]
    assert set(stored(workspace)) == {"The user lives in Leipzig"}


def test_an_answer_that_says_the_same_again_until_it_is_cut_has_said_all():
    one = '{"content": "The user likes tea", "category": "fact"}'
    assert read_answer(f"[{one}, {one}, {one[:30]}").kind is AnswerOutcome.ITEMS
    assert read_answer(f"[{one}, {one[:30]}").kind is AnswerOutcome.CUT
    assert read_answer(f'[{one[:-1]}, "said": ["a", "b"], "importance": "hi').kind is AnswerOutcome.CUT
    assert read_answer(f"[{one}").kind is AnswerOutcome.ITEMS
    assert read_answer(f"[{one}] That is {{all}}.").kind is AnswerOutcome.ITEMS


@pytest.mark.parametrize(
    "thought",
    [
        "<think>[1]</think>",
        "The user likes [tea]. So</think>\n",
        "[THINK]a [b][/THINK]",
        "◁think▷[x]◁/think▷",
        "<seed:think>[x]</seed:think>",
        "<|channel|>analysis<|message|>[x]<|end|><|start|>assistant<|channel|>final<|message|>",
    ],
)
def test_a_thought_is_none_of_the_answer(thought: str):
    (one,) = read_answer(thought + '[{"content": "The user likes </think> tags", "category": "fact"}]').candidates
    assert one.content == "The user likes </think> tags"
