"""pydantic-ai: what one conversation is told stands beside the prompt of another, and nowhere else."""

import pytest

from tests.hosts.contract import ExampleContract, Talk, TurnContract, WindowContract, deploy
from tests.support.hosts import (
    FACT,
    QUESTION,
    SECRET,
    block_for,
    calls,
    has_no_block,
    require_framework,
    wait_for_index,
)

require_framework("pydantic-ai", "pydantic_ai")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, Tool  # noqa: E402
from pydantic_ai.capabilities import AbstractCapability  # noqa: E402


class PydanticTalk(Talk):
    def __init__(self, memory, agents, **more):
        super().__init__(memory)
        self.agents = agents
        self.more = {"system_prompt": "You are terse.", **more}
        self.histories = {}

    def agent(self, tools, **more):
        whose = {"deps_type": str, "scope": lambda ctx: {"user": ctx.deps}}
        return self.agents.make(self.memory, tools=tools, **whose, **{**self.more, **more})

    async def ask(self, text, session, *, user="ana", tools=(), **more):
        history = self.histories.get(session)
        agent = self.agent(tools, **more)
        self.result = await agent.run(text, conversation_id=session, deps=user, message_history=history)
        self.histories[session] = self.result.all_messages()
        return self.histories[session]

    async def ask_with_helper(self, text, session, tools):
        inner = self.agent(tools, system_prompt="You are the inner one.")

        async def helper(task: str) -> str:
            """Hand a task on."""
            return (await inner.run(task)).output  # without the user's name: it is known who asks

        await self.ask(text, session, tools=[helper])

    async def ask_until_approval(self, text, session, tool):
        self.waiting = {"tools": [Tool(tool, requires_approval=True)], "output_type": [str, DeferredToolRequests]}
        await self.ask(text, session, **self.waiting)

    async def approve(self):
        approved = DeferredToolResults(approvals={one.tool_call_id: True for one in self.result.output.approvals})
        history = self.result.all_messages()
        await self.agent(**self.waiting).run(message_history=history, deferred_tool_results=approved, deps="ana")


class TestTurns(TurnContract, WindowContract):
    @pytest.fixture
    def talk_with(self, agents):
        return lambda memory: PydanticTalk(memory, agents)

    @pytest.fixture
    def talk_with_window(self, agents):
        return lambda memory, window: PydanticTalk(memory, agents, context_window=window)


class TestExample(ExampleContract):
    script = "pydantic_ai_agent.py"
    is_dialog = True


async def test_streams_have_the_same_hooks_and_one_that_is_left_keeps_the_question(agents):
    memory = agents.env.service()
    agent = agents.make(memory)
    await agent.run(FACT)
    wait_for_index(memory)
    async with agent.run_stream(QUESTION, conversation_id="two") as stream:
        assert await stream.get_output() == "Understood."
    assert "5433" in block_for(agents.env.last, QUESTION)
    async with agent.run_stream("And which host is it?", conversation_id="three"):
        pass
    memory.close()
    assert [one["role"] for one in agents.env.records() if one["session"] == "pydantic-ai:two"] == [
        "user",
        "assistant",
    ]
    assert "And which host is it?" in agents.env.said("user")


def refuse(place: str) -> str:
    """Refuse, and ask for another try."""
    raise ModelRetry(f"The disk of {place} is full, says {SECRET}.")


async def test_a_tool_that_asks_for_another_try_is_noted_as_failed(agents):
    memory = agents.env.service()
    agents.env.server.rules = [calls("refuse", place="Berlin")]
    await agents.make(memory, tools=[refuse]).run("Please look.")
    memory.close()
    assert "failed: ToolRetryError: The disk of Berlin is full" in agents.env.notes()
    assert agents.env.holds(SECRET) == []


class Other(AbstractCapability):
    """Hands every request on as a copy."""

    async def before_model_request(self, ctx, request_context):
        request_context.messages = list(request_context.messages)
        return request_context


@pytest.mark.parametrize("is_first", [False, True])
async def test_other_capabilities_that_make_new_lists_change_nothing(agents, is_first):
    from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability

    memory = agents.env.service()
    ours = MemoryCapability(memory)
    agent = Agent(agents.model(), capabilities=[Other(), ours] if is_first else [ours, Other()], tools=[deploy])
    await agent.run(FACT)
    wait_for_index(memory)
    agents.env.server.rules = [calls("deploy", to="Berlin")]
    result = await agent.run(QUESTION)
    for request in agents.env.server.requests[-2:]:
        assert "5433" in block_for(request, QUESTION)
    assert has_no_block(result.all_messages())
