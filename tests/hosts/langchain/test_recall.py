"""LangChain: what one session is told stands beside the question in another, and nowhere else."""

import asyncio

import pytest

from tests.hosts.contract import ExampleContract, Talk, TurnContract, WindowContract
from tests.hosts.langchain.conftest import both_faces
from tests.support.hosts import require_framework

require_framework("langchain", "langchain")

from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402
from langchain_core.tools import StructuredTool  # noqa: E402
from langgraph.types import Command  # noqa: E402


class LangChainTalk(Talk):
    def __init__(self, memory, agents, saver, **more):
        super().__init__(memory)
        self.agents = agents
        self.more = {"system_prompt": "You are terse.", "checkpointer": saver, **more}

    async def ask(self, text, session, *, user="ana", tools=(), **more):
        return await self.run({"messages": [("user", text)]}, session, user=user, tools=tools, **more)

    async def run(self, given, session, *, user="ana", tools=(), **more):
        agent = self.agents.make(self.memory, tools=tools, **self.more, **more)
        config = {"configurable": {"thread_id": session, "user_id": user}}
        if self.agents.is_async:
            state = await agent.ainvoke(given, config)
        else:
            state = await asyncio.to_thread(agent.invoke, given, config)
        assert "memory_turn" not in state
        return state["messages"]

    async def ask_with_helper(self, text, session, tools):
        inner = self.agents.make(self.memory, tools=tools, system_prompt="You are the inner one.")

        async def ahelper(task: str) -> str:
            """Hand a task on."""
            return (await inner.ainvoke({"messages": [("user", task)]}))["messages"][-1].content

        def helper(task: str) -> str:
            """Hand a task on."""
            return inner.invoke({"messages": [("user", task)]})["messages"][-1].content

        await self.ask(text, session, tools=[StructuredTool.from_function(helper, ahelper)])

    async def ask_until_approval(self, text, session, tool):
        people = HumanInTheLoopMiddleware(interrupt_on={tool.__name__: True})
        self.waiting = {"session": session, "tools": [tool], "middleware": [people]}
        await self.ask(text, **self.waiting)

    async def approve(self):
        await self.run(Command(resume={"decisions": [{"type": "approve"}]}), **self.waiting)


@both_faces
class TestTurns(TurnContract, WindowContract):
    @pytest.fixture
    def talk_with(self, agents, checkpoints):
        return lambda memory: LangChainTalk(memory, agents, checkpoints())

    @pytest.fixture
    def talk_with_window(self, agents, checkpoints):
        return lambda memory, window: LangChainTalk(memory, agents, checkpoints(), context_window=window)


class TestExample(ExampleContract):
    script = "langchain_agent.py"
    is_dialog = True
