"""LangChain: history that fills the window is replaced in the checkpoint by the memory's summary."""

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool, text_of
from tests.hosts.langchain.conftest import both_faces
from tests.support.hosts import needs, unfenced

needs("langchain", "langchain")

from langchain_core.tools import tool  # noqa: E402

WINDOW = 1_500
HARBOURS = [
    f"In harbour {number} lie {number * 7} ships with salt, tar and rope on board. " * 8 for number in range(12)
]


@tool
def count(harbour: str) -> str:
    """Count the ships."""
    return f"There are 21 ships in {harbour}. " * 10


@both_faces
def test_a_history_that_fills_the_window_becomes_a_summary_and_the_question_stays(agents, checkpoints):
    memory = agents.wired.service()
    agent = agents.make(memory, tools=[count], checkpointer=checkpoints(), context_window=WINDOW)
    agents.wired.server.rules = [
        ReplyRule(
            lambda one: "harbour 3 " in one.last_user and not after_tool(one),
            Reply(tools=(ToolCall("count", {"harbour": "three"}),)),
            1,
        )
    ]
    for text in HARBOURS:
        state = agents.ask(agent, text)
        assert text in [one.content for one in state["messages"]]
    sent = agents.wired.last.messages
    first = text_of(sent[0])
    assert first.startswith("[Summary of the earlier conversation]")
    assert len(sent) < len(HARBOURS)
    assert text_of(sent[-1]).startswith(HARBOURS[-1])
    assert len(str(sent)) // 3 < WINDOW
    # What calls a tool and what answers stand together.
    called = {one["id"] for message in sent for one in message.get("tool_calls") or ()}
    assert called == {message["tool_call_id"] for message in sent if message["role"] == "tool"}
    assert unfenced(state["messages"])
    memory.close()
    assert agents.wired.said("user") == HARBOURS  # once each, and no summary among them
