"""LangChain: what one session is told stands beside the question in another, and nowhere else."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core.text.fence import fenced_blocks
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall
from tests.support.hosts import ASKED, PORT, TOLD, beside, needs, searchable, unfenced

needs("langchain", "langchain")

ASKS = Path(__file__).with_name("asks.py")


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


def test_what_was_told_is_known_in_a_new_process(agents):
    memory = agents.wired.service()
    agents.ask(agents.make(memory), TOLD, "one")
    memory.close()
    assert agents.wired.run_script(ASKS, ASKED, "two").strip() == "Understood."
    assert "5433" in beside(agents.wired.last, ASKED)


def test_messages_and_answers_are_kept_once_each_with_their_session(agents, checkpoints):
    memory = agents.wired.service()
    agent = agents.make(memory, checkpointer=checkpoints())
    agents.ask(agent, TOLD)
    agents.ask(agent, ASKED)
    memory.close()
    assert agents.wired.said("user") == [TOLD, ASKED]
    assert agents.wired.said("assistant") == ["Understood.", "Understood."]
    assert {one["session"] for one in agents.wired.records()} == {"langchain:one"}


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


def test_a_question_with_a_picture_has_its_block_behind_the_text(agents):
    memory = agents.wired.service()
    agent = agents.make(memory)
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    content = [{"type": "text", "text": ASKED}, picture]
    agents.ask(agent, {"messages": [{"role": "user", "content": content}]}, "two")
    sent = agents.wired.last.messages[-1]["content"]
    assert [part["type"] for part in sent] == ["text", "image_url", "text"]
    assert "5433" in sent[-1]["text"]
    memory.close()
    assert agents.wired.said("user") == [TOLD, ASKED]


def test_a_run_without_a_thread_is_a_session_of_its_own(agents):
    agent = agents.make(memory := agents.wired.service())
    agents.ask(agent, TOLD, None)
    agents.ask(agent, ASKED, None)
    memory.close()
    assert len({one["session"] for one in agents.wired.records()}) == 2


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


def test_a_session_key_and_a_scope_of_ones_own_are_used(agents):
    agent = agents.make(
        memory := agents.wired.service(),
        session_key=lambda config: f"shop:{config['configurable']['customer']}",
        scope=lambda config: {"user": config["configurable"]["customer"], "channel": "shop"},
    )
    agents.ask(agent, TOLD, None, customer="c7")
    memory.close()
    assert {one["session"] for one in agents.wired.records()} == {"shop:c7"}
    assert {(one["user"], one["channel"]) for one in agents.wired.records()} == {("c7", "shop")}


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


def test_streaming_has_the_same_hooks(agents):
    import asyncio

    memory = agents.wired.service()
    agent = agents.make(memory)
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    given, config = {"messages": [("user", ASKED)]}, {"configurable": {"thread_id": "two"}}

    async def stream() -> list:
        return [part async for part in agent.astream(given, config, stream_mode="messages")]

    parts = asyncio.run(stream()) if agents.is_async else list(agent.stream(given, config, stream_mode="messages"))
    assert "".join(part.content for part, _ in parts) == "Understood."
    assert "5433" in beside(agents.wired.last, ASKED)
    memory.close()
    assert agents.wired.said("assistant") == ["Understood.", "Understood."]


def test_streams_of_values_and_messages_show_no_block(agents):
    memory = agents.wired.service()
    agent = agents.make(memory)
    agents.ask(agent, TOLD, "one")
    searchable(memory)
    given, config = {"messages": [("user", ASKED)]}, {"configurable": {"thread_id": "two"}}
    parts = {mode: list(agent.stream(given, config, stream_mode=mode)) for mode in ("values", "messages", "updates")}
    assert "5433" in beside(agents.wired.request_with(ASKED), ASKED)
    assert not fenced_blocks(str(parts["values"]) + str(parts["messages"]))
    assert "Understood." in str(parts["updates"])


def test_sessions_side_by_side_have_their_own_blocks(agents):
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    colours = ("crimson", "turquoise", "ochre", "violet", "ivory", "bronze")
    memory = agents.wired.service()
    agent = agents.make(memory)
    for number, colour in enumerate(colours):
        agents.ask(agent, f"Remember that gate {number} of the harbour is painted in {colour}.", "told")
    searchable(memory)
    questions = {f"t{number}": f"In which colour is gate {number} of the harbour painted?" for number in range(6)}

    async def together() -> None:
        runs = [
            agent.ainvoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
            for thread, text in questions.items()
        ]
        await asyncio.gather(*runs)

    if agents.is_async:
        asyncio.run(together())
    else:
        with ThreadPoolExecutor(len(questions)) as pool:
            list(pool.map(lambda one: agents.ask(agent, one[1], one[0]), questions.items()))
    memory.close()
    for (thread, text), colour in zip(questions.items(), colours, strict=True):
        assert colour in beside(agents.wired.request_with(text), text)
        kept = [one["text"] for one in agents.wired.records("user") if one["session"] == f"langchain:{thread}"]
        assert kept == [text]
