"""An agent of pydantic-ai with memory: ``pydantic_ai_agent.py WORKSPACE BASE_URL [MODEL]`` answers standard input.

It needs ``pip install "nanobot-memory-hosts[plugins,pydantic-ai]" "pydantic-ai-slim[openai]"``. ``/new`` starts another
conversation.
"""

import asyncio
import sys
import uuid

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.hosts.pydantic_ai import MemoryCapability

WINDOW = 128_000  # tokens of the model's window; history is shortened before it is full


async def main(workspace: str, base_url: str, name: str = "gpt-5-mini") -> None:
    """Answer each line of standard input, with memory."""
    async with MemoryService(workspace) as memory:
        model = OpenAIChatModel(name, provider=OpenAIProvider(base_url=base_url))
        agent = Agent(model, capabilities=[MemoryCapability(memory, context_window=WINDOW)])
        conversation, history = str(uuid.uuid4()), []
        for line in map(str.strip, sys.stdin):
            if line == "/new":
                conversation, history = str(uuid.uuid4()), []
                continue
            # The conversation is the session. With several users, scope= names the owner.
            result = await agent.run(line, message_history=history, conversation_id=conversation)
            history = result.all_messages()
            print(result.output)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
