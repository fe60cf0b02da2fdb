"""pydantic-ai: structured answers, capabilities of others, a memory that is away, and sessions that go quiet."""

import asyncio

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.support.hosts import ASKED, QUIET, TOLD, beside, needs, searchable, unfenced

needs("pydantic-ai", "pydantic_ai")

from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.capabilities import AbstractCapability  # noqa: E402


class Other(AbstractCapability):
    """Hands every request on as a copy."""

    async def before_model_request(self, ctx, request_context):
        request_context.messages = list(request_context.messages)
        return request_context


def deploy(place: str) -> str:
    """Deploy the shop."""
    return f"Deployed to {place}."


@pytest.mark.parametrize("is_first", [False, True])
async def test_other_capabilities_that_make_new_lists_change_nothing(agents, is_first):
    from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability

    memory = agents.wired.service()
    ours = MemoryCapability(memory)
    agent = Agent(agents.model(), capabilities=[Other(), ours] if is_first else [ours, Other()], tools=[deploy])
    await agent.run(TOLD)
    searchable(memory)
    call = Reply(tools=(ToolCall("deploy", {"place": "Berlin"}),))
    agents.wired.server.rules = [ReplyRule(lambda one: not after_tool(one), call, times=1)]
    result = await agent.run(ASKED)
    for request in agents.wired.server.requests[-2:]:
        assert "5433" in beside(request, ASKED)
    assert unfenced(result.all_messages())


async def test_a_session_that_has_gone_quiet_is_told_of_also_after_a_run_that_failed(agents, installed_plugin):
    installed_plugin("quiet", QUIET)
    memory = agents.wired.service(idle_seconds=0.5)
    await agents.make(memory).run(TOLD, conversation_id="one")
    agents.wired.server.rules = [ReplyRule(lambda one: True, Reply(status=400))]
    with pytest.raises(Exception, match="scripted failure"):
        await agents.make(memory).run(ASKED, conversation_id="two")
    for _ in range(100):
        if "Quiet: pydantic-ai:one" in agents.wired.notes() and "Quiet: pydantic-ai:two" in agents.wired.notes():
            break
        await asyncio.sleep(0.1)
    assert "Quiet: pydantic-ai:one" in agents.wired.notes()
    assert "Quiet: pydantic-ai:two" in agents.wired.notes()
