"""An agent of the OpenAI Agents SDK with memory. Run it with a workspace, a model's server, a session and a message."""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from nanobot_memory_plugins.core import MemoryService, load_config
from nanobot_memory_plugins.hosts.openai_agents import AgentsMemory

WINDOW = 128_000  # tokens of the model's window


@function_tool
def deploy(service: str) -> str:
    """Deploy a service to staging."""
    return f"{service} is on staging."


async def main(workspace: str, server: str, session: str, text: str) -> None:
    """Answer one message, with memory."""
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=server, api_key=os.environ.get("OPENAI_API_KEY", "none"))
    model = OpenAIChatCompletionsModel(model=os.environ.get("MODEL", "scripted"), openai_client=client)
    config = load_config()
    async with MemoryService(workspace, config=config) as service:
        memory = AgentsMemory(service, context_window=WINDOW)
        agent = Agent(name="assistant", instructions="Be brief.", model=model, tools=[deploy, *memory.tools()])
        history = memory.session(SQLiteSession(session, f"{workspace}/history.db"))
        result = await Runner.run(agent, text, **memory.turn(history))
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:5]))
