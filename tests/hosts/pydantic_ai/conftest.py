"""Agents of pydantic-ai with memory."""

from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryService
from tests.support.hosts import HostEnvironment


class Agents:
    """Makes agents over one workspace."""

    def __init__(self, env: HostEnvironment) -> None:
        self.env = env

    def model(self) -> Any:
        """Return the scripted model. Each event loop has connections of its own: they end with their requests."""
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(
            base_url=self.env.server.base_url,
            api_key="none",
            max_retries=0,
            default_headers={"Connection": "close"},
        )
        return OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=client))

    def make(self, memory: MemoryService | None, **more: Any) -> Any:
        """Return an agent; of ``more`` the names of the capability's arguments go to it."""
        from pydantic_ai import Agent

        from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability

        own = {name: more.pop(name) for name in ("session_key", "scope", "context_window") if name in more}
        capabilities = [MemoryCapability(memory, **own)] if memory is not None else []
        return Agent(self.model(), capabilities=capabilities, **more)


@pytest.fixture
def agents(env: HostEnvironment) -> Agents:
    return Agents(env)
