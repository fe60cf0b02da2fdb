"""The memory in apps of Google's Agent Development Kit: the real package, a scripted model, real files."""

import asyncio
from contextlib import aclosing

import pytest

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.tools.scripted_model import text_of
from tests.hosts.contract import ExampleContract, Talk, TurnContract
from tests.support.hosts import FACT, PORT, QUESTION, block_for, calls, require_framework, wait_for_index

require_framework("adk", "google.adk")

from google.adk.agents import LlmAgent, RunConfig  # noqa: E402
from google.adk.agents.run_config import StreamingMode  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.apps.app import EventsCompactionConfig  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.adk.tools import FunctionTool  # noqa: E402
from google.adk.tools.agent_tool import AgentTool  # noqa: E402
from google.genai import types  # noqa: E402

from nanobot_memory_plugins.hosts.adk import MemoryPlugin, MemorySummarizer  # noqa: E402

APP = "shop"


def agent(name: str = "assistant", **more) -> LlmAgent:
    return LlmAgent(name=name, model="gemini-2.5-flash", **more)


def running(plugin: MemoryPlugin, root: LlmAgent | None = None, *, sessions=None, **more) -> Runner:
    app = App(name=APP, root_agent=root or agent(), plugins=[plugin], **more)
    return Runner(app=app, session_service=sessions or InMemorySessionService())


def message(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


async def session_of(runner: Runner, session: str, user: str = "ana"):
    known = await runner.session_service.get_session(app_name=APP, user_id=user, session_id=session)
    if known is None:
        known = await runner.session_service.create_session(app_name=APP, user_id=user, session_id=session)
    return known


async def ask(runner: Runner, text, session: str, user: str = "ana", **more) -> list:
    await session_of(runner, session, user)
    said = message(text) if isinstance(text, str) else text
    async with aclosing(runner.run_async(user_id=user, session_id=session, new_message=said, **more)) as events:
        return [event async for event in events]


async def told(env, service: MemoryService | None = None, **more) -> MemoryPlugin:
    """Tell the memory of the port, in a session of its own."""
    plugin = MemoryPlugin(service or env.service(), **more)
    await ask(running(plugin), FACT, "told")
    await asyncio.to_thread(wait_for_index, plugin.memory)
    return plugin


class AdkTalk(Talk):
    helper_argument = "request"

    def __init__(self, memory: MemoryService | None) -> None:
        super().__init__(memory)
        self.sessions = InMemorySessionService()
        self.plugins: dict[MemoryService, MemoryPlugin] = {}

    async def ask(self, text, session, *, user="ana", tools=()):
        root = agent(instruction="You are terse.", tools=list(tools))
        plugins = []
        if self.memory is not None:
            plugins = [self.plugins.setdefault(self.memory, MemoryPlugin(self.memory))]
        runner = Runner(app=App(name=APP, root_agent=root, plugins=plugins), session_service=self.sessions)
        self.events = await ask(runner, text, session, user)
        return (await session_of(runner, session, user)).model_dump_json()

    async def ask_with_helper(self, text, session, tools):
        inner = agent("helper", instruction="You are the inner one.", description="Looks things up.", tools=list(tools))
        await self.ask(text, session, tools=[AgentTool(inner)])

    async def ask_until_approval(self, text, session, tool):
        self.waiting = {"session": session, "tools": [FunctionTool(tool, require_confirmation=True)]}
        await self.ask(text, **self.waiting)

    async def approve(self):
        (asked,) = (call for one in self.events for call in one.get_function_calls() if "confirmation" in call.name)
        yes = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        await self.ask(types.Content(role="user", parts=[types.Part(function_response=yes)]), **self.waiting)


class TestTurns(TurnContract):
    @pytest.fixture
    def talk_with(self):
        return AdkTalk


class TestExample(ExampleContract):
    script = "adk_host.py"
    is_dialog = False


async def test_without_the_memorys_tools_none_is_offered(env):
    await ask(running(MemoryPlugin(env.service(), tools=False)), "Hello.", "without")
    assert env.last.tool_names == []


async def test_a_stream_is_remembered_whole_and_once(env):
    plugin = await told(env)
    events = await ask(running(plugin), QUESTION, "asked", run_config=RunConfig(streaming_mode=StreamingMode.SSE))
    assert any(event.partial for event in events)
    assert PORT in block_for(env.last, QUESTION)
    assert env.said(session="asked") == [QUESTION, "Understood."]


async def test_a_transfer_keeps_the_message_once_and_the_second_agent_sees_the_block(env):
    plugin = await told(env)
    root = agent("front", sub_agents=[agent("billing", description="Bills.")])
    env.server.rules = [calls("transfer_to_agent", agent_name="billing")]
    await ask(running(plugin, root), QUESTION, "asked")
    assert PORT in block_for(env.last, QUESTION)
    assert env.said(session="asked") == [QUESTION, "Understood."]
    assert "transfer_to_agent" not in env.notes()


async def test_what_follows_a_tool_that_was_cut_off_in_that_task_is_the_users(env):
    task = asyncio.current_task()

    async def slow() -> dict:
        """Take long."""
        asyncio.get_running_loop().call_soon(task.cancel)
        await asyncio.sleep(30)
        return {}

    plugin = MemoryPlugin(env.service())
    runner = running(plugin, agent(tools=[slow]))
    env.server.rules = [calls("slow")]
    with pytest.raises(asyncio.CancelledError):
        await ask(runner, "Begin.", "cut")
    task.uncancel()
    await ask(runner, "And now?", "next")
    assert env.said(session="next") == ["And now?", "Understood."]
    assert "And now?" in env.said("user")


async def test_old_events_give_way_to_the_memorys_summary(env):
    plugin = MemoryPlugin(env.service(), context_window=8_000)
    config = EventsCompactionConfig(summarizer=MemorySummarizer(plugin), compaction_interval=3, overlap_size=0)
    runner = running(plugin, events_compaction_config=config)
    notes = [f"Note {n}: the port of service {n} is {7000 + n}. " + "Nothing else is new. " * 40 for n in range(4)]
    for note in notes:
        await ask(runner, note, "long")
    summaries = [event for event in (await session_of(runner, "long")).events if event.actions.compaction]
    assert summaries
    assert "7000" in summaries[0].actions.compaction.compacted_content.parts[0].text
    # A recalled note stands in the block beside a message, and is no message.
    sent = [text_of(one) for one in env.last.messages]
    assert [note[:6] for note in notes if any(one.startswith(note) for one in sent)] == ["Note 2", "Note 3"]
    assert "7000" in env.last.text
    assert len(env.said("user")) == 4


async def test_a_session_older_than_the_memory_is_taken_in_once(env):
    sessions = InMemorySessionService()
    bare = Runner(app=App(name=APP, root_agent=agent()), session_service=sessions)
    for number in range(3):
        await ask(bare, f"Note {number}: the port of service {number} is {7000 + number}. " + "So be it. " * 90, "old")
    plugin = MemoryPlugin(env.service(), context_window=8_000)
    config = EventsCompactionConfig(summarizer=MemorySummarizer(plugin), compaction_interval=4, overlap_size=0)
    runner = running(plugin, sessions=sessions, events_compaction_config=config)
    for text in ("Hello.", "Hello again."):
        await ask(runner, text, "old")
    assert any(one.actions.compaction for one in (await session_of(runner, "old")).events)
    assert len([text for text in env.said(session="old") if text.startswith("Note")]) == 3
