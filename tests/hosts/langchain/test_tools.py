"""LangChain: tools are noted, without their secrets; ours answer; an interrupt is no failure."""

import asyncio

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.hosts.contract import deploy
from tests.hosts.langchain.conftest import Agents, both_faces
from tests.support.hosts import ASKED, SECRET, TOLD, beside, calls, needs, searchable, unfenced

needs("langchain", "langchain")

from langchain_core.tools import ToolException, tool  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402


@tool
def fail(place: str) -> str:
    """Fail, and say so."""
    raise ToolException(f"The disk of {place} is full, says {SECRET}.")


@tool
def approve(place: str) -> str:
    """Deploy after somebody has agreed."""
    return f"Deployed to {place}: {interrupt('May I?')}."


@both_faces
def test_an_error_that_the_model_is_told_of_is_noted_as_a_failure(agents):
    memory = agents.wired.service()
    agents.wired.server.rules = [calls("fail", place="Berlin")]
    failing = fail.model_copy(update={"handle_tool_error": True})
    agents.ask(agents.make(memory, tools=[failing]), "Please look.")
    memory.close()
    assert "failed: The disk of Berlin is full" in agents.wired.notes()
    assert agents.wired.holds(SECRET) == []


@both_faces
def test_an_interrupted_run_goes_on_with_its_block_in_another_memory(agents, checkpoints):
    """Whoever resumes calls no hook of the beginning: the block has to have been kept."""
    saver = checkpoints()
    memory = agents.wired.service()
    agent = agents.make(memory, tools=[approve], checkpointer=saver)
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    agents.wired.server.rules = [calls("approve", place="Berlin")]
    agents.ask(agent, ASKED, "two")
    memory.close()
    assert "approve" not in agents.wired.notes()  # it waits, and has not failed
    again = agents.wired.service()
    state = agents.run(agents.make(again, tools=[approve], checkpointer=saver), Command(resume="yes"), "two")
    assert state["messages"][-2].content == "Deployed to Berlin: yes."
    assert "5433" in beside(agents.wired.last, ASKED)
    assert unfenced(state["messages"])
    again.close()
    assert "approve" in agents.wired.notes()
    assert [one["text"] for one in agents.wired.records() if one["session"] == "langchain:two"] == [
        ASKED,
        "Understood.",
    ]


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


@both_faces
def test_what_a_sub_agent_is_asked_is_no_word_of_the_users_and_its_tools_are_noted_with_the_user(agents):
    memory = agents.wired.service()
    inner = agents.make(memory, tools=[deploy], system_prompt="You are the inner one.")

    if agents.is_async:

        @tool
        async def helper(task: str) -> str:
            """Hand a task on."""
            return (await inner.ainvoke({"messages": [("user", task)]}))["messages"][-1].content
    else:

        @tool
        def helper(task: str) -> str:
            """Hand a task on."""
            return inner.invoke({"messages": [("user", task)]})["messages"][-1].content

    agents.ask(agents.make(memory), TOLD, "one")
    searchable(memory)
    task = f"The user lives in Ulm and likes harps. {ASKED}"
    agents.wired.server.rules = [
        ReplyRule(
            lambda one: "helper" in one.tool_names and not after_tool(one),
            Reply(tools=(ToolCall("helper", {"task": task}),)),
            1,
        ),
        ReplyRule(
            lambda one: "inner one" in one.system and not after_tool(one),
            Reply(tools=(ToolCall("deploy", {"to": "Bonn"}),)),
            1,
        ),
    ]
    agents.ask(agents.make(memory, tools=[helper]), "Please have somebody look.", "two")
    memory.close()
    asked = next(one for one in agents.wired.server.requests if "inner one" in one.system)
    assert "5433" in beside(asked, task)  # it is recalled for
    assert task not in agents.wired.said("user")
    assert "Bonn" in agents.wired.notes()
    assert {one["session"] for one in agents.wired.records("user")} == {"langchain:one", "langchain:two"}


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
