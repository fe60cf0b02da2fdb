"""LangChain: other middleware."""

import pytest

from tests.hosts.contract import deploy
from tests.support.hosts import ASKED, TOLD, beside, calls, needs, searchable

needs("langchain", "langchain")

from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402
from langgraph.types import Command  # noqa: E402


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_tool_that_a_person_decides_about_is_noted_once_it_has_run(agents, checkpoints, decision):
    memory = agents.wired.service()
    people = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    agent = agents.make(memory, tools=[deploy], middleware=[people], checkpointer=checkpoints())
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    agents.wired.server.rules = [calls("deploy", to="Berlin")]
    agents.ask(agent, ASKED, "two")
    agents.run(agent, Command(resume={"decisions": [{"type": decision}]}), "two")
    assert "5433" in beside(agents.wired.last, ASKED)
    memory.close()
    assert ("deploy" in agents.wired.notes()) is (decision == "approve")
    kept = [one["text"] for one in agents.wired.records() if one["session"] == "langchain:two"]
    assert kept == [ASKED, "Understood."]
