"""Asks one question in a process of its own: ``asks.py WORKSPACE BASE_URL QUESTION CONVERSATION``."""

import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability
from tests.support.hosts import OPTIONS

workspace, base_url, question, conversation = sys.argv[1:]
with MemoryService(workspace, config=MemoryConfig.model_validate(OPTIONS)) as memory:
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=base_url, api_key="none"))
    agent = Agent(model, capabilities=[MemoryCapability(memory)])
    print(agent.run_sync(question, conversation_id=conversation).output)
