"""An app of Google's ADK with memory. Run it with a workspace, a model's server, a session and a message."""

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from nanobot_memory_plugins.core import MemoryService, load_config
from nanobot_memory_plugins.hosts.adk import MemoryPlugin, MemorySummarizer

WINDOW = 128_000  # tokens of the model's window
USER = "ana"


def deploy(service: str) -> dict[str, str]:
    """Deploy a service to staging."""
    return {"result": f"{service} is on staging."}


async def main(workspace: str, server: str, session: str, text: str) -> None:
    """Answer one message, with memory."""
    os.environ["GOOGLE_GEMINI_BASE_URL"] = server.removesuffix("/v1")
    os.environ.setdefault("GOOGLE_API_KEY", "none")
    model = os.environ.get("MODEL", "gemini-2.5-flash")
    config = load_config()
    async with MemoryService(workspace, config=config) as service:
        memory = MemoryPlugin(service, context_window=WINDOW)
        app = App(
            name="shop",
            root_agent=LlmAgent(name="assistant", model=model, instruction="Be brief.", tools=[deploy]),
            plugins=[memory],
            events_compaction_config=EventsCompactionConfig(
                summarizer=MemorySummarizer(memory), compaction_interval=20, overlap_size=2
            ),
        )
        runner = Runner(app=app, session_service=InMemorySessionService())
        await runner.session_service.create_session(app_name="shop", user_id=USER, session_id=session)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in runner.run_async(user_id=USER, session_id=session, new_message=message):
            if event.is_final_response() and event.content:
                print("".join(part.text or "" for part in event.content.parts or ()))
        await runner.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:5]))
