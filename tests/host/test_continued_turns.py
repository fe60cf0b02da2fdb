"""Restored and continued turns, waiting tools, and a history that fills the window."""

import asyncio

import pytest

from nanobot_memory_plugins.core import MemoryHost, MemoryService, is_fenced
from nanobot_memory_plugins.core.host.framework_calls import none_on_failure
from nanobot_memory_plugins.core.host.history import unanswered_messages
from tests.host.conftest import CONFIG, FACT, QUESTION, notes, store_the_port, transcript

WINDOW = 2_000
SECRET = " The key is sk-proj-Qx7Lm2Vb9Tz4Rk8Wp1Nd6Hs3Jf5Gc0Ya"


async def test_a_restored_turn_has_its_block_and_does_not_keep_the_message_again(memory):
    store_the_port(memory)
    block = await memory.turn("asked").received(QUESTION)
    turn = memory.turn("asked").restore(QUESTION, block)
    assert is_fenced(block)
    assert turn.with_block([{"role": "user", "content": QUESTION}])[0]["content"].endswith(block)
    assert await turn.received(QUESTION) == block
    assert not turn.was_late
    await turn.replied([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "On 5433."}])
    assert transcript(memory, "asked") == [("user", QUESTION), ("assistant", "On 5433.")]


@pytest.mark.parametrize("suspensions", [(), InterruptedError, (ValueError, InterruptedError)])
async def test_a_waiting_tool_is_noted_only_when_it_finishes(memory, suspensions):
    turn = memory.turn("asked")
    with pytest.raises(InterruptedError):
        async with turn.tool("deploy", {"to": "Berlin"}, call_id="1", suspensions=suspensions):
            raise InterruptedError("somebody has to approve")
    with pytest.raises(InterruptedError), turn.tool("deploy", {"to": "Bremen"}, call_id="2", suspensions=suspensions):
        raise InterruptedError("somebody has to approve")
    assert ("somebody has to approve" in notes(memory)) is (suspensions == ())
    async with turn.tool("deploy", {"to": "Berlin"}, call_id="1", suspensions=suspensions) as call:
        call.result = "deployed"
    assert "deploy" in notes(memory)


async def test_open_turn_records_the_history_of_an_unknown_session(memory):
    before = [{"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."}]
    turn = memory.turn("seen late")
    assert await memory.open_turn(turn, QUESTION, before, unknown=True) == ""
    assert [text for _, text in transcript(memory, "seen late")] == [FACT, "Noted.", QUESTION]
    await memory.open_turn(memory.turn("seen late"), "And thanks.", [*before, *before], unknown=True)
    assert len(transcript(memory, "seen late")) == 4
    other = memory.turn("other")
    memory.open_turn(other, QUESTION, before[1:]).now()  # the history of a known session is not compared
    assert "5433" in other.block
    assert transcript(memory, "other") == [("user", QUESTION)]


async def test_open_turn_does_not_wait_for_the_recording_of_a_history(memory, monkeypatch):
    go_on = asyncio.Event()
    monkeypatch.setattr(MemoryHost, "resume", lambda _host, **_given: go_on.wait())
    await memory.open_turn(memory.turn("seen late"), QUESTION, [{"role": "user", "content": FACT}], unknown=True)
    assert transcript(memory, "seen late") == [("user", QUESTION)]

    async def release(_host):
        go_on.set()

    memory.call(release).now()


def history(turns: int) -> list[dict[str, str]]:
    return [
        {"role": role, "content": f"{role} tells of harbour {number}, its {number * 7} ships and their cargo. " * 5}
        for number in range(turns)
        for role in ("user", "assistant")
    ]


async def test_compact_replaces_the_history_before_the_question_when_the_window_is_full(memory):
    turn = memory.turn("long")
    await turn.received(QUESTION)
    few, many = history(2), history(30)
    asked = {"role": "user", "content": QUESTION}
    assert await turn.compact([*few, asked], context_window=WINDOW) is None
    assert await turn.compact([*many, asked], context_window=0) is None
    called = [("assistant", "", [("1", "look", {})]), ("tool", "It is 5433. " * 20, (), "1")]
    summary = await turn.compact([*many, asked, *called], context_window=WINDOW)
    assert 0 < summary.keep_from <= len(many)
    assert "harbour" in summary.text
    again = [{"role": "user", "content": summary.text}, asked, *called * 20]
    assert await turn.compact(again, context_window=WINDOW) is None  # only the summary precedes the question
    assert turn.compact([*many, asked], context_window=WINDOW).now() is not None


async def test_open_turn_keeps_unanswered_messages(memory):
    answered = [{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Good morning!"}]
    waiting = [{"role": "user", "content": FACT}, {"role": "user", "content": "By the way:"}]
    assert list(unanswered_messages([*answered, *waiting])) == waiting
    assert list(unanswered_messages(answered)) == list(unanswered_messages([])) == []
    await memory.open_turn(memory.turn("several"), QUESTION, [*answered, *waiting])
    memory.open_turn(memory.turn("several"), "Thanks.", [*answered, *waiting]).now()
    memory.open_turn(memory.turn("inner", parent="several"), "Look.", waiting).now()
    assert [text for _, text in transcript(memory, "several")] == [FACT, "By the way:", QUESTION, "Thanks."]
    assert transcript(memory, "inner") == [("assistant", "Look.")]  # nothing of the user


async def test_continue_turn_recalls_again_without_keeping_the_message_twice(memory):
    store_the_port(memory)
    asked = QUESTION + SECRET
    first = await memory.turn("asked").received(asked)
    assert transcript(memory, "asked")
    turn = memory.turn("asked")
    await memory.continue_turn(turn, [{"role": "user", "content": asked}])
    again = turn.block
    assert "5433" in first
    assert "5433" in again
    assert turn.with_block([{"role": "user", "content": asked}])[0]["content"].endswith(again)
    assert len(transcript(memory, "asked")) == 1


async def test_continue_turn_does_not_keep_its_message(memory):
    store_the_port(memory)
    turn = memory.turn("asked")
    prompt = "Which port does our staging database listen on?"
    request = [{"role": "user", "content": prompt}]
    await memory.continue_turn(turn, request)
    await memory.continue_turn(turn, [])
    assert "5433" in turn.block
    assert transcript(memory, "asked") == []


async def test_continue_turn_does_not_resume_a_paused_memory(memory):
    await memory.turn("asked").received("memory pause")
    await memory.continue_turn(memory.turn("asked"), [{"role": "user", "content": "memory resume"}])
    await memory.turn("asked").received("My cat is called Tom.")
    assert transcript(memory, "asked") == []


async def test_a_continued_message_is_quotable_only_if_the_transcript_has_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation")
    with MemoryService(tmp_path, config=CONFIG) as memory:
        await memory.turn("asked").received(FACT)
    with MemoryService(tmp_path, config=CONFIG) as memory:  # another process continues
        for session, text, is_users in (("asked", FACT, True), ("nested", "Our cat is called Tom.", False)):
            await memory.continue_turn(memory.turn(session), [{"role": "user", "content": text}])
            remember = next(tool for tool in memory.tools() if tool.name == "remember")
            answer = await remember.run({"text": text, "said": text}, session_key=session)
            assert ("your note" in answer) is not is_users


async def test_the_answer_to_a_continued_private_message_is_not_kept(memory):
    private = "/private I have bought a zebra."
    await memory.continue_turn(memory.turn("asked"), [{"role": "user", "content": private}])
    await memory.turn("asked").replied("The zebra needs a stable.")
    assert transcript(memory, "asked") == []


async def test_none_on_failure_returns_none_but_passes_cancellations_on():
    @none_on_failure
    async def callback(error):
        raise error

    assert await callback(ValueError("no")) is None
    with pytest.raises(asyncio.CancelledError):
        await callback(asyncio.CancelledError())
