"""pydantic-ai: what one conversation is told stands beside the prompt of another, and nowhere else."""

import asyncio

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.hosts.contract import ExampleContract, Talk, TurnContract
from tests.support.hosts import ASKED, TOLD, beside, needs, searchable, unfenced

needs("pydantic-ai", "pydantic_ai")


class PydanticTalk(Talk):
    def __init__(self, memory, agents):
        super().__init__(memory)
        self.agents = agents
        self.histories = {}

    async def ask(self, text, session, *, user="ana", tools=()):
        more = {"deps_type": str, "scope": lambda ctx: {"user": ctx.deps}, "tools": tools}
        agent = self.agents.make(self.memory, instructions="You are terse.", **more)
        history = self.histories.get(session)
        result = await agent.run(text, conversation_id=session, deps=user, message_history=history)
        self.histories[session] = result.all_messages()
        return self.histories[session]


class TestTurns(TurnContract):
    @pytest.fixture
    def talk_with(self, agents):
        return lambda memory: PydanticTalk(memory, agents)


class TestExample(ExampleContract):
    script = "pydantic_ai_agent.py"
    is_dialog = True


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
