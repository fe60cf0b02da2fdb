"""pydantic-ai: tools are noted, without their secrets; ours answer; what waits for somebody is no failure."""

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.hosts.contract import deploy
from tests.support.hosts import ASKED, SECRET, TOLD, beside, calls, needs, searchable

needs("pydantic-ai", "pydantic_ai")

from pydantic_ai import DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, Tool  # noqa: E402


def refuse(place: str) -> str:
    """Refuse, and ask for another try."""
    raise ModelRetry(f"The disk of {place} is full, says {SECRET}.")


async def test_a_tool_that_asks_for_another_try_is_noted_as_failed(agents):
    memory = agents.wired.service()
    agents.wired.server.rules = [calls("refuse", place="Berlin")]
    await agents.make(memory, tools=[refuse]).run("Please look.")
    memory.close()
    assert "failed: ToolRetryError: The disk of Berlin is full" in agents.wired.notes()
    assert agents.wired.holds(SECRET) == []


async def test_a_tool_that_waits_for_an_approval_goes_on_with_the_block_and_the_question_is_kept_once(agents):
    memory = agents.wired.service()
    await agents.make(memory).run(TOLD, conversation_id="one")
    searchable(memory)
    agents.wired.server.rules = [calls("deploy", to="Berlin")]
    more = {"tools": [Tool(deploy, requires_approval=True)], "output_type": [str, DeferredToolRequests]}
    waiting = await agents.make(memory, **more).run(ASKED, conversation_id="two")
    assert isinstance(waiting.output, DeferredToolRequests)
    memory.close()
    assert "deploy" not in agents.wired.notes()
    again = agents.wired.service()
    approved = DeferredToolResults(approvals={one.tool_call_id: True for one in waiting.output.approvals})
    result = await agents.make(again, **more).run(
        message_history=waiting.all_messages(), deferred_tool_results=approved
    )
    assert result.output == "Understood."
    assert "5433" in beside(agents.wired.last, ASKED)
    again.close()
    assert "deploy" in agents.wired.notes()
    assert [one["text"] for one in agents.wired.records() if one["session"] == "pydantic-ai:two"] == [
        ASKED,
        "Understood.",
    ]


async def test_what_a_sub_agent_is_asked_is_no_word_of_the_users_and_its_tools_are_noted_with_the_user(agents):
    def whose(ctx: RunContext) -> dict[str, str]:
        return {"user": ctx.deps["name"]}

    memory = agents.wired.service()
    inner = agents.make(memory, tools=[deploy], instructions="You are the inner one.", scope=whose)

    async def helper(ctx: RunContext, task: str) -> str:
        """Hand a task on."""
        return (await inner.run(task)).output  # without the user's name: it is known who asks

    outer = agents.make(memory, tools=[helper], scope=whose)
    await outer.run(TOLD, conversation_id="one", deps={"name": "ana"})
    await outer.run("Remember that the database of Bob listens on port 9977.", deps={"name": "bob"})
    searchable(memory)
    task = f"The user lives in Ulm and likes harps. {ASKED}"
    hands_on, deploys = ToolCall("helper", {"task": task}), ToolCall("deploy", {"to": "Bonn"})
    agents.wired.server.rules = [
        ReplyRule(lambda one: "helper" in one.tool_names and not after_tool(one), Reply(tools=(hands_on,)), 1),
        ReplyRule(lambda one: "inner one" in one.system and not after_tool(one), Reply(tools=(deploys,)), 1),
    ]
    await outer.run("Please have somebody look.", conversation_id="two", deps={"name": "ana"})
    memory.close()
    asked = next(one for one in agents.wired.server.requests if "inner one" in one.system)
    assert "5433" in beside(asked, task)  # it is recalled for, as for the user
    assert "9977" not in asked.text
    assert task not in agents.wired.said("user")
    assert "Bonn" in agents.wired.notes()
    assert {one["user"] for one in agents.wired.records("user")} == {"ana", "bob"}
    assert len({one["session"] for one in agents.wired.records("user")}) == 3
