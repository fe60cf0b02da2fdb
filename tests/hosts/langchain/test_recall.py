"""LangChain: what one session is told stands beside the question in another, and nowhere else."""

import asyncio

import pytest

from tests.hosts.contract import ExampleContract, Talk, TurnContract
from tests.hosts.langchain.conftest import both_faces
from tests.support.hosts import TOLD, needs

needs("langchain", "langchain")


class LangChainTalk(Talk):
    def __init__(self, memory, agents, saver):
        super().__init__(memory)
        self.agents = agents
        self.more = {"system_prompt": "You are terse.", "checkpointer": saver}

    async def ask(self, text, session, *, user="ana", tools=()):
        agent = self.agents.make(self.memory, tools=tools, **self.more)
        given = {"messages": [("user", text)]}
        config = {"configurable": {"thread_id": session, "user_id": user}}
        if self.agents.is_async:
            state = await agent.ainvoke(given, config)
        else:
            state = await asyncio.to_thread(agent.invoke, given, config)
        assert "memory_turn" not in state
        return state["messages"]


@both_faces
class TestTurns(TurnContract):
    @pytest.fixture
    def talk_with(self, agents, checkpoints):
        return lambda memory: LangChainTalk(memory, agents, checkpoints())


class TestExample(ExampleContract):
    script = "langchain_agent.py"
    is_dialog = True


def test_a_thread_that_began_without_memory_is_taken_in_once(agents, checkpoints):
    from langchain.agents import create_agent

    saver = checkpoints()
    agents.ask(create_agent(agents.model(), [], checkpointer=saver), TOLD, "one")
    memory = agents.wired.service()
    agent = agents.make(memory, checkpointer=saver)
    agents.ask(agent, "Thank you for that.", "one")
    agents.ask(agent, "And thanks once more.", "one")
    memory.close()
    assert agents.wired.said("user") == [TOLD, "Thank you for that.", "And thanks once more."]
