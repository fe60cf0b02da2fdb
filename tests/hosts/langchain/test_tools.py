"""LangChain: what its tools, its checkpoints and its graphs add to what holds in every framework."""

import asyncio

import pytest

from tests.hosts.contract import deploy
from tests.hosts.langchain.conftest import Agents, both_faces
from tests.support.hosts import FACT, QUESTION, SECRET, block_for, calls, require_framework, wait_for_index

require_framework("langchain", "langchain")

from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402
from langchain_core.tools import ToolException, tool  # noqa: E402
from langgraph.types import Command  # noqa: E402


@tool
def fail(place: str) -> str:
    """Fail, and say so."""
    raise ToolException(f"The disk of {place} is full, says {SECRET}.")


@both_faces
def test_an_error_that_the_model_is_told_of_is_noted_as_a_failure(agents):
    memory = agents.env.service()
    agents.env.server.rules = [calls("fail", place="Berlin")]
    failing = fail.model_copy(update={"handle_tool_error": True})
    agents.ask(agents.make(memory, tools=[failing]), "Please look.")
    memory.close()
    assert "failed: The disk of Berlin is full" in agents.env.notes()
    assert agents.env.holds(SECRET) == []


def test_a_run_that_is_cancelled_in_a_tool_goes_on_with_its_block(env, checkpoints):
    agents = Agents(env, is_async=True)
    started, waits = [], True

    @tool
    async def slow(place: str) -> str:
        """Take long."""
        started.append(place)
        if waits:
            await asyncio.sleep(60)
        return f"Looked at {place}."

    memory = env.service()
    agent = agents.make(memory, tools=[slow], checkpointer=checkpoints())
    agents.ask(agent, FACT, "one")
    wait_for_index(memory)
    agents.env.server.rules = [calls("slow", place="Berlin")]

    async def cancelled() -> None:
        given, config = {"messages": [("user", QUESTION)]}, {"configurable": {"thread_id": "two"}}
        task = asyncio.create_task(agent.ainvoke(given, config))
        while not started:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    waits = False
    agents.run(agent, None, "two")
    assert "5433" in block_for(env.last, QUESTION)
    memory.close()
    assert "CancelledError" in env.notes()
    assert [one["text"] for one in env.records("user") if one["session"] == "langchain:two"] == [QUESTION]


def test_a_tool_that_a_person_rejects_is_not_noted(agents, checkpoints):
    memory = agents.env.service()
    people = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    agent = agents.make(memory, tools=[deploy], middleware=[people], checkpointer=checkpoints())
    agents.env.server.rules = [calls("deploy", to="Berlin")]
    agents.ask(agent, QUESTION)
    agents.run(agent, Command(resume={"decisions": [{"type": "reject"}]}))
    memory.close()
    assert "deploy" not in agents.env.notes()
    assert agents.env.said() == [QUESTION, "Understood."]


def test_an_agent_that_is_a_node_of_a_graph_hears_the_user_only_where_that_is_said(agents, checkpoints):
    from langgraph.graph import START, MessagesState, StateGraph

    memory = agents.env.service()
    for name, says in (("quiet", False), ("heard", True)):
        graph = StateGraph(MessagesState)
        graph.add_node("agent", agents.make(memory, nested_is_user=says))
        graph.add_edge(START, "agent")
        agents.ask(graph.compile(checkpointer=checkpoints()), f"I live {name} by the harbour.", name)
    memory.close()
    assert agents.env.said("user") == ["I live heard by the harbour."]
    assert [one["session"] for one in agents.env.records("user")] == ["langchain:heard"]
