"""LangChain: what one session is told stands beside the question in another, and nowhere else."""

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall
from tests.hosts.langchain.conftest import both_faces
from tests.support.hosts import ASKED, PORT, TOLD, beside, needs, searchable, unfenced

needs("langchain", "langchain")


@both_faces
@pytest.mark.smoke
def test_what_was_told_stands_beside_the_question_of_another_session_and_in_no_later_history(agents, checkpoints):
    memory = agents.wired.service()
    agent = agents.make(memory, checkpointer=checkpoints())
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    state = agents.ask(agent, ASKED, "two")
    assert "5433" in beside(agents.wired.last, ASKED)
    assert unfenced(state["messages"])
    assert "memory_turn" not in state
    later = agents.ask(agent, "And what is the weather like?", "two")
    assert "5433" not in "".join(str(one) for one in later["messages"])
    assert agents.wired.last.messages[-1]["content"].startswith("And what is the weather like?")
    assert "5433" not in str(agents.wired.last.messages[:-1][1:])


def test_what_is_known_for_long_stands_behind_the_system_prompt_the_same_in_every_request(agents, checkpoints):
    from langchain_core.tools import tool

    @tool
    def clock() -> str:
        """Tell the time."""
        return "noon"

    memory = agents.wired.service()
    agents.wired.server.rules = [
        ReplyRule(lambda one: True, Reply(tools=(ToolCall("remember", {"text": TOLD, "said": PORT}),)), times=1)
    ]
    agents.ask(agents.make(memory), TOLD, "one")
    searchable(memory)
    agents.wired.server.rules = [ReplyRule(lambda one: True, Reply(tools=(ToolCall("clock"),)), times=1)]
    agents.ask(agents.make(memory, tools=[clock], system_prompt="You are terse."), "Hello, what time is it?", "two")
    first, second = agents.wired.server.requests[-2:]
    assert first.system.startswith("You are terse.\n\n")
    assert PORT in first.system
    assert first.system == second.system


def test_whose_it_is_comes_from_the_configuration(agents):
    memory = agents.wired.service()
    agent = agents.make(memory)
    agents.ask(agent, TOLD, "one", user_id="ana")
    agents.ask(agent, "My door code is the year of my birth.", "two", user_id="bob")
    searchable(memory)
    agents.ask(agent, ASKED, "three", user_id="bob")
    assert "5433" not in agents.wired.last.text
    agents.ask(agent, ASKED, "four", user_id="ana")
    assert "5433" in beside(agents.wired.last, ASKED)


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
