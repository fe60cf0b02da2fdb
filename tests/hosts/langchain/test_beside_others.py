"""LangChain: other middleware, structured answers, a memory that is away, and sessions that go quiet."""

import time

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.support.hosts import ASKED, QUIET, TOLD, beside, needs, searchable

needs("langchain", "langchain")

from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.types import Command  # noqa: E402


@tool
def deploy(place: str) -> str:
    """Deploy the shop."""
    return f"Deployed to {place}."


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_tool_that_a_person_decides_about_is_noted_once_it_has_run(agents, checkpoints, decision):
    memory = agents.wired.service()
    people = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    agent = agents.make(memory, tools=[deploy], middleware=[people], checkpointer=checkpoints())
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    call = Reply(tools=(ToolCall("deploy", {"place": "Berlin"}),))
    agents.wired.server.rules = [ReplyRule(lambda one: not after_tool(one), call, times=1)]
    agents.ask(agent, ASKED, "two")
    agents.run(agent, Command(resume={"decisions": [{"type": decision}]}), "two")
    assert "5433" in beside(agents.wired.last, ASKED)
    memory.close()
    assert ("deploy" in agents.wired.notes()) is (decision == "approve")
    kept = [one["text"] for one in agents.wired.records() if one["session"] == "langchain:two"]
    assert kept == [ASKED, "Understood."]


def test_a_session_that_has_gone_quiet_is_told_of_also_after_a_run_that_failed(agents, installed_plugin):
    installed_plugin("quiet", QUIET)
    memory = agents.wired.service(idle_seconds=0.5)
    agents.ask(agents.make(memory), TOLD, "one")
    agents.wired.server.rules = [ReplyRule(lambda one: True, Reply(status=400))]
    with pytest.raises(Exception, match="scripted failure"):
        agents.ask(agents.make(memory), ASKED, "two")
    for _ in range(100):
        if "Quiet: langchain:one" in agents.wired.notes() and "Quiet: langchain:two" in agents.wired.notes():
            break
        time.sleep(0.1)
    assert "Quiet: langchain:one" in agents.wired.notes()
    assert "Quiet: langchain:two" in agents.wired.notes()
    memory.close()
    assert agents.wired.said("user") == [TOLD, ASKED]
