"""LangChain: what its tools, its checkpoints and its graphs add to what holds in every framework."""

import asyncio

import pytest

from tests.hosts.contract import deploy
from tests.hosts.langchain.conftest import Agents, both_faces
from tests.support.hosts import ASKED, SECRET, TOLD, beside, calls, needs, searchable

needs("langchain", "langchain")

from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402
from langchain_core.tools import ToolException, tool  # noqa: E402
from langgraph.types import Command  # noqa: E402


@tool
def fail(place: str) -> str:
    """Fail, and say so."""
    raise ToolException(f"The disk of {place} is full, says {SECRET}.")


@both_faces
def test_an_error_that_the_model_is_told_of_is_noted_as_a_failure(agents):
    memory = agents.wired.service()
    agents.wired.server.rules = [calls("fail", place="Berlin")]
    failing = fail.model_copy(update={"handle_tool_error": True})
    agents.ask(agents.make(memory, tools=[failing]), "Please look.")
    memory.close()
    assert "failed: The disk of Berlin is full" in agents.wired.notes()
    assert agents.wired.holds(SECRET) == []


def test_a_run_that_is_cancelled_in_a_tool_goes_on_with_its_block(wired, checkpoints):
    agents = Agents(wired, is_async=True)
    started, waits = [], True

    @tool
    async def slow(place: str) -> str:
        """Take long."""
        started.append(place)
        if waits:
            await asyncio.sleep(60)
        return f"Looked at {place}."

    memory = wired.service()
    agent = agents.make(memory, tools=[slow], checkpointer=checkpoints())
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    agents.wired.server.rules = [calls("slow", place="Berlin")]

    async def cancelled() -> None:
        given, config = {"messages": [("user", ASKED)]}, {"configurable": {"thread_id": "two"}}
        task = asyncio.create_task(agent.ainvoke(given, config))
        while not started:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    waits = False
    agents.run(agent, None, "two")
    assert "5433" in beside(wired.last, ASKED)
    memory.close()
    assert "CancelledError" in wired.notes()
    assert [one["text"] for one in wired.records("user") if one["session"] == "langchain:two"] == [ASKED]


def test_a_tool_that_a_person_rejects_is_not_noted(agents, checkpoints):
    memory = agents.wired.service()
    people = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    agent = agents.make(memory, tools=[deploy], middleware=[people], checkpointer=checkpoints())
    agents.wired.server.rules = [calls("deploy", to="Berlin")]
    agents.ask(agent, ASKED)
    agents.run(agent, Command(resume={"decisions": [{"type": "reject"}]}))
    memory.close()
    assert "deploy" not in agents.wired.notes()
    assert agents.wired.said() == [ASKED, "Understood."]


def test_an_agent_that_is_a_node_of_a_graph_hears_the_user_only_where_that_is_said(agents, checkpoints):
    from langgraph.graph import START, MessagesState, StateGraph

    memory = agents.wired.service()
    for name, says in (("quiet", False), ("heard", True)):
        graph = StateGraph(MessagesState)
        graph.add_node("agent", agents.make(memory, nested_is_user=says))
        graph.add_edge(START, "agent")
        agents.ask(graph.compile(checkpointer=checkpoints()), f"I live {name} by the harbour.", name)
    memory.close()
    assert agents.wired.said("user") == ["I live heard by the harbour."]
    assert [one["session"] for one in agents.wired.records("user")] == ["langchain:heard"]
