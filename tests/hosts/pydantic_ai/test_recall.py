"""pydantic-ai: what one conversation is told stands beside the prompt of another, and nowhere else."""

import asyncio

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.support.hosts import ASKED, PORT, TOLD, beside, needs, searchable, unfenced

needs("pydantic-ai", "pydantic_ai")


@pytest.mark.smoke
async def test_what_was_told_stands_beside_the_prompt_of_another_conversation_and_in_no_later_history(agents):
    memory = agents.wired.service()
    agent = agents.make(memory)
    await agent.run(TOLD, conversation_id="one")
    searchable(memory)
    result = await agent.run(ASKED, conversation_id="two")
    assert "5433" in beside(agents.wired.last, ASKED)
    assert unfenced(result.all_messages())
    later = await agent.run("And the weather?", message_history=result.all_messages())
    assert unfenced(later.all_messages())
    assert "5433" not in str([one for one in agents.wired.last.messages[:-1] if one["role"] != "system"])


async def test_what_is_known_for_long_stands_in_the_instructions_the_same_in_every_request(agents):
    def clock() -> str:
        """Tell the time."""
        return "noon"

    memory = agents.wired.service()
    agents.wired.server.rules = [
        ReplyRule(lambda one: True, Reply(tools=(ToolCall("remember", {"text": TOLD, "said": PORT}),)), times=1)
    ]
    await agents.make(memory).run(TOLD)
    searchable(memory)
    agents.wired.server.rules = [ReplyRule(lambda one: True, Reply(tools=(ToolCall("clock"),)), times=1)]
    agent = agents.make(memory, tools=[clock], instructions="You are terse.")
    result = await agent.run("Hello, what time is it?")
    first, second = agents.wired.server.requests[-2:]
    assert "You are terse." in first.system
    assert PORT in first.system
    assert first.system == second.system
    assert result.output == "Understood."


async def test_whose_it_is_comes_from_the_run(agents):
    memory = agents.wired.service()
    agent = agents.make(memory, deps_type=str, scope=lambda ctx: {"user": ctx.deps})
    await agent.run(TOLD, deps="ana")
    await agent.run("My sister plays the harp.", deps="bob")
    searchable(memory)
    await agent.run(ASKED, deps="bob")
    assert "5433" not in agents.wired.last.text
    await agent.run(ASKED, deps="ana")
    assert "5433" in beside(agents.wired.last, ASKED)


async def test_a_conversation_that_began_without_memory_is_taken_in_once(agents):
    result = await agents.make(None).run(TOLD, conversation_id="one")
    memory = agents.wired.service()
    agent = agents.make(memory)
    result = await agent.run("Thank you for that.", message_history=result.all_messages())
    await agent.run("And thanks once more.", message_history=result.all_messages())
    memory.close()
    assert agents.wired.said("user") == [TOLD, "Thank you for that.", "And thanks once more."]


async def test_streams_have_the_same_hooks_and_one_that_is_left_keeps_the_question(agents):
    memory = agents.wired.service()
    agent = agents.make(memory)
    await agent.run(TOLD)
    searchable(memory)
    async with agent.run_stream(ASKED, conversation_id="two") as stream:
        assert await stream.get_output() == "Understood."
    assert "5433" in beside(agents.wired.last, ASKED)
    async with agent.run_stream("And which host is it?", conversation_id="three"):
        pass
    memory.close()
    assert [one["role"] for one in agents.wired.records() if one["session"] == "pydantic-ai:two"] == [
        "user",
        "assistant",
    ]
    assert "And which host is it?" in agents.wired.said("user")


async def test_a_run_that_is_cancelled_keeps_the_question(agents):
    memory = agents.wired.service()
    agents.wired.server.rules = [ReplyRule(lambda one: True, Reply("Late.", delay=5), times=1)]
    task = asyncio.create_task(agents.make(memory).run(TOLD, conversation_id="one"))
    while not agents.wired.server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    memory.close()
    assert agents.wired.said() == [TOLD]


WINDOW = 1_500
HARBOURS = [
    f"In harbour {number} lie {number * 7} ships with salt, tar and rope on board. " * 8 + "So it is."
    for number in range(12)
]


async def test_a_history_that_fills_the_window_becomes_a_summary_with_the_system_prompt(agents):
    def count(harbour: str) -> str:
        """Count the ships."""
        return f"There are 21 ships in {harbour}. " * 10

    memory = agents.wired.service()
    agent = agents.make(memory, tools=[count], context_window=WINDOW, system_prompt="You are a harbour master.")
    calls = Reply(tools=(ToolCall("count", {"harbour": "three"}),))
    agents.wired.server.rules = [
        ReplyRule(lambda one: "harbour 3 " in one.last_user and not after_tool(one), calls, times=1)
    ]
    history = None
    for text in HARBOURS:
        result = await agent.run(text, message_history=history, conversation_id="one")
        history = result.all_messages()
        assert text in str(result.new_messages())
    sent = agents.wired.last.messages
    assert "You are a harbour master." in agents.wired.last.system
    assert len([one for one in sent if "[Summary of the earlier conversation]" in str(one["content"])]) == 1
    assert len(history) < len(HARBOURS)
    assert len(sent) < len(HARBOURS)
    called = {one["id"] for message in sent for one in message.get("tool_calls") or ()}
    assert called == {message["tool_call_id"] for message in sent if message["role"] == "tool"}
    assert unfenced(history)
    memory.close()
    assert agents.wired.said("user") == HARBOURS
