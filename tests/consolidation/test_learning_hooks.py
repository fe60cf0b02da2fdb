"""When sessions are learned from, through a `MemoryHost`."""

import asyncio
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.core.values import Origin

from .learning import Model, chat, host, item, stored
from .made_entries import NOW

TEA = chat("I like green tea, and I live in Hamburg.", "Noted.", "My dog is called Rex.", "A fine name.")
ANSWER = [item("The user likes green tea"), item("The user lives in Hamburg"), item("The user's dog is called Rex")]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")


async def idle(memory, history, *, ended=False, session="cli:direct"):
    await memory.session_idle(session_key=session, history=history, ended=ended)


async def compact(memory, messages, session="cli:direct"):
    return await memory.before_compaction(
        session_key=session, messages=messages, context_window=32_000, reason="token_pressure"
    )


async def turn(memory, messages, session="cli:direct"):
    await memory.turn_finished(session_key=session, messages=messages, context_window=32_000)


@pytest.mark.accept("EB-20")
@pytest.mark.parametrize("ended", [True, False])
async def test_a_session_that_is_quiet_or_over_is_learned_from_once(workspace: Path, ended: bool):
    model = Model(ANSWER)
    async with host(workspace, model) as memory:
        await idle(memory, TEA, ended=ended)
        await idle(memory, TEA, ended=True)
    async with host(workspace, model) as memory:
        await idle(memory, TEA)
    assert len(model.asked) == 1
    assert len(stored(workspace)) == 3


@pytest.mark.accept("EB-20")
async def test_what_is_compacted_is_learned_from_after_the_turn_and_never_inside(workspace: Path):
    model = Model(ANSWER)
    async with host(workspace, model) as memory:
        await turn(memory, TEA)
        await compact(memory, TEA[:2])
        assert model.asked == []
        await turn(memory, TEA[2:])
        assert len(model.asked) == 1
        assert "Rex" not in model.asked[0].partition("Conversation:")[2]
        assert set(stored(workspace)) == {"The user likes green tea", "The user lives in Hamburg"}
        await turn(memory, TEA[2:])
        await idle(memory, TEA[2:])
    assert len(model.asked) == 2
    assert set(stored(workspace)) == {one["content"] for one in ANSWER}


async def test_what_is_compacted_survives_a_restart_and_the_loss_of_the_index(workspace: Path):
    async with host(workspace, Model(ANSWER)) as memory:
        await compact(memory, TEA)
    model = Model(ANSWER)
    async with host(workspace, model) as memory:
        await idle(memory, chat("Hello!", "Hi."), session="cli:other")
    assert len(model.asked) == 1
    assert len(stored(workspace)) == 3


async def test_what_several_compactions_cut_is_learned_from_together(workspace: Path):
    model = Model(ANSWER)
    async with host(workspace, model) as memory:
        await compact(memory, TEA[:2])
        await compact(memory, TEA)
        await compact(memory, TEA[2:])
        await turn(memory, [])
    assert len(model.asked) == 1
    assert len(stored(workspace)) == 3


async def test_a_compaction_at_the_end_of_a_session_is_one_use_of_the_model(workspace: Path):
    model = Model(ANSWER)
    async with host(workspace, model) as memory:
        await compact(memory, TEA)
        await idle(memory, TEA, ended=True)
    assert len(model.asked) == 1


@pytest.mark.accept("EB-20")
async def test_turns_in_the_background_are_learned_from_with_their_origin_unless_it_is_switched_off(workspace: Path):
    job = chat("Check the disk.", "Deleting old snapshots frees the disk. You like tea.")
    model = Model([item("Deleting old snapshots frees the disk", "experience"), item("The user likes tea")])
    async with host(workspace, model, extractBackgroundTurns=False) as memory:
        await turn(memory, job, "heartbeat")
        await idle(memory, job, session="cron:disk", ended=True)
    assert model.asked == []
    async with host(workspace, model) as memory:
        await turn(memory, job, "heartbeat")
        await turn(memory, job, "heartbeat")
        await idle(memory, chat("Check the mail.", "No mail. The mail server needs port 993."), session="cron:mail")
    assert len(model.asked) == 2
    (one,) = stored(workspace).values()
    assert (one.source_session, one.origin) == ("heartbeat", Origin.ASSISTANT)


async def test_what_recall_injected_is_not_learned_from(workspace: Path):
    echo = f"{fence(['The user owns a yacht.'], language='en')}\n\nI prefer trains."
    model = Model([item("The user owns a yacht"), item("The user prefers trains")])
    async with host(workspace, model) as memory:
        await idle(memory, chat(echo, "You own a yacht, but prefer trains."))
    assert set(stored(workspace)) == {"The user prefers trains"}
    assert "yacht." not in model.asked[0]


async def test_switched_off_nothing_is_asked_and_nothing_kept(workspace: Path):
    model = Model(ANSWER)
    async with host(workspace, model, extract=False) as memory:
        await idle(memory, TEA)
        await compact(memory, TEA)
        await turn(memory, TEA, "heartbeat")
    assert model.asked == []
    assert stored(workspace) == {}
    assert not list((workspace / "memory").rglob("pending"))


async def test_a_model_that_is_away_costs_nothing_but_time(workspace: Path):
    async with host(workspace, None) as memory:
        await idle(memory, TEA, ended=True)
    away = Model(ConnectionRefusedError("away"))
    async with host(workspace, away, clock=ManualClock(NOW)) as memory:
        await idle(memory, chat("And my cat is called Tom.", "Fine."), session="cli:two")
    model = Model(lambda prompt: [*ANSWER, item("The user's cat is called Tom")])
    async with host(workspace, model, clock=ManualClock(NOW)) as memory:
        await idle(memory, [], session="cli:three")
        await idle(memory, [], session="cli:three")
    assert len(stored(workspace)) == 4


@pytest.mark.parametrize(
    "content",
    [None, b"\xff\xfe", 7, ["text", {"type": "image_url"}, None], {"text": "x"}, "\ud800\0", "I like tea. " * 400_000],
)
async def test_any_content_is_taken(workspace: Path, content: object):
    history = [{"role": "user", "content": content}, {"role": "assistant", "content": content}, None, 7, {}]
    # A single failure would make the plugin rest.
    async with host(workspace, Model(ANSWER), core={"breakerFailures": 1}) as memory:
        await compact(memory, history)
        await idle(memory, history, ended=True)
        assert [one.state.value for one in memory.plugins.reports() if one.name == "consolidation"] == ["active"]


async def test_the_loop_goes_on_while_long_messages_are_learned_from(workspace: Path):
    long = [{"role": "user", "content": "I like green tea. My dog is called Rex. " * 20_000}]
    lag = 0.0

    async def watch() -> None:
        nonlocal lag
        clock = asyncio.get_running_loop().time
        while True:
            before = clock()
            await asyncio.sleep(0.01)
            lag = max(lag, clock() - before)

    async with host(workspace, Model(ANSWER)) as memory:
        watching = asyncio.create_task(watch())
        await idle(memory, long)
        watching.cancel()
    assert lag < 2
