"""pydantic-ai: capabilities of others."""

import pytest

from tests.hosts.contract import deploy
from tests.support.hosts import ASKED, TOLD, beside, calls, needs, searchable, unfenced

needs("pydantic-ai", "pydantic_ai")

from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.capabilities import AbstractCapability  # noqa: E402


class Other(AbstractCapability):
    """Hands every request on as a copy."""

    async def before_model_request(self, ctx, request_context):
        request_context.messages = list(request_context.messages)
        return request_context


@pytest.mark.parametrize("is_first", [False, True])
async def test_other_capabilities_that_make_new_lists_change_nothing(agents, is_first):
    from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability

    memory = agents.wired.service()
    ours = MemoryCapability(memory)
    agent = Agent(agents.model(), capabilities=[Other(), ours] if is_first else [ours, Other()], tools=[deploy])
    await agent.run(TOLD)
    searchable(memory)
    agents.wired.server.rules = [calls("deploy", to="Berlin")]
    result = await agent.run(ASKED)
    for request in agents.wired.server.requests[-2:]:
        assert "5433" in beside(request, ASKED)
    assert unfenced(result.all_messages())
