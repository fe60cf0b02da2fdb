"""The memory in apps of Google's Agent Development Kit: the real package, a scripted model, real files."""

import asyncio
import json
import random
import string
from contextlib import aclosing

import pytest

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool, text_of
from tests.support.hosts import ASKED, OPTIONS, PORT, QUIET, ROOT, TOLD, beside, needs, searchable, unfenced

needs("adk", "google.adk")

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

SECRET = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
APP = "shop"


def deploy(to: str) -> dict:
    """Deploy."""
    if to == "production":
        raise ValueError("the quota of 12 machines is exceeded")
    return {"result": f"deployed build 77 to {to} with {SECRET}"}


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


async def told(wired, service: MemoryService | None = None, **more) -> MemoryPlugin:
    """Tell the memory of the port, in a session of its own."""
    plugin = MemoryPlugin(service or wired.service(), **more)
    await ask(running(plugin), TOLD, "told")
    await asyncio.to_thread(searchable, plugin.memory)
    return plugin


def said(plugin: MemoryPlugin, session: str, user: str = "ana") -> list[str]:
    """Return what the transcript of a session holds."""

    async def read(host):
        await host.flush_index()
        return [one["content"] for one in host.history(f"adk:{APP}:{user}:{session}")]

    return plugin.memory.call(read, limit=20).now()


def calls(name: str, **arguments: object) -> ReplyRule:
    """Have the model call a tool first, once."""
    return ReplyRule(
        lambda one: name in one.tool_names and not after_tool(one), Reply(tools=(ToolCall(name, arguments),)), 1
    )


@pytest.mark.smoke
async def test_what_one_session_told_stands_beside_the_question_of_the_next_and_in_no_history(wired):
    plugin = await told(wired)
    runner = running(plugin)
    await ask(runner, ASKED, "asked")
    assert PORT in beside(wired.last, ASKED)
    kept = (await session_of(runner, "asked")).model_dump_json()
    assert PORT not in kept
    await ask(runner, "Thanks.", "asked")
    assert unfenced([one for one in wired.last.messages if ASKED in json.dumps(one)])
    assert said(plugin, "asked") == [ASKED, "Understood.", "Thanks.", "Understood."]


def test_a_new_process_remembers(wired, tmp_path, monkeypatch):
    options = tmp_path / "config.json"
    options.write_text(json.dumps({"memoryPlugins": {"core": OPTIONS["core"], **OPTIONS["plugins"]}}))
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(options))
    script = ROOT / "examples" / "adk_host.py"
    wired.run_script(script, "told", TOLD)
    assert wired.run_script(script, "asked", ASKED) == "Understood.\n"
    assert PORT in beside(wired.last, ASKED)


async def test_a_stream_is_remembered_whole_and_once(wired):
    plugin = await told(wired)
    events = await ask(running(plugin), ASKED, "asked", run_config=RunConfig(streaming_mode=StreamingMode.SSE))
    assert any(event.partial for event in events)
    assert PORT in beside(wired.last, ASKED)
    assert said(plugin, "asked") == [ASKED, "Understood."]


@pytest.mark.smoke
async def test_a_tool_is_noted_with_its_error_and_without_its_secret(wired):
    plugin = MemoryPlugin(wired.service())
    runner = running(plugin, agent(tools=[deploy]))
    wired.server.rules = [calls("deploy", to="staging")]
    await ask(runner, "Deploy to staging.", "s")
    wired.server.rules = [calls("deploy", to="production")]
    with pytest.raises(ValueError, match="quota"):
        await ask(runner, "Deploy to production.", "p")
    notes = wired.notes()
    assert "build 77" in notes
    assert "12 machines" in notes
    assert notes.count("### ") == 2
    assert wired.holds(SECRET) == []


async def test_the_memorys_tools_reach_every_agent_and_answer_in_the_session_of_the_run(wired):
    plugin = await told(wired)
    wired.server.rules = [calls("memory_search", query="staging database port")]
    await ask(running(plugin), "Look it up.", "asked")
    assert PORT in wired.last.text
    assert "memory_search" not in wired.notes()
    await ask(running(MemoryPlugin(plugin.memory, tools=False)), "Hello.", "without")
    assert wired.last.tool_names == []


async def test_a_transfer_keeps_the_message_once_and_the_second_agent_sees_the_block(wired):
    plugin = await told(wired)
    root = agent("front", sub_agents=[agent("billing", description="Bills.")])
    wired.server.rules = [calls("transfer_to_agent", agent_name="billing")]
    await ask(running(plugin, root), ASKED, "asked")
    assert PORT in beside(wired.last, ASKED)
    assert said(plugin, "asked") == [ASKED, "Understood."]
    assert "transfer_to_agent" not in wired.notes()


async def test_what_an_agent_asks_another_as_its_tool_is_nobodys_word_and_its_tools_are_noted(wired):
    plugin = await told(wired)
    prompt = "Which port does the staging database of the customer listen on?"
    inner = agent("look_up", description="Looks things up.", tools=[deploy])
    wired.server.rules = [calls("look_up", request=prompt), calls("deploy", to="staging")]
    runner = running(plugin, agent(tools=[AgentTool(inner)]))
    await ask(runner, ASKED, "asked")
    assert any(prompt in one.last_user for one in wired.server.requests)
    assert prompt not in wired.said("user")
    assert "build 77" in wired.notes()
    assert PORT in beside(wired.last, ASKED)
    assert said(plugin, "asked") == [ASKED, "Understood."]
    await ask(runner, "And now?", "afterwards")
    assert said(plugin, "afterwards") == ["And now?", "Understood."]
    assert "And now?" in wired.said("user")


async def test_what_follows_a_tool_that_was_cut_off_in_that_task_is_the_users(wired):
    task = asyncio.current_task()

    async def slow() -> dict:
        """Take long."""
        asyncio.get_running_loop().call_soon(task.cancel)
        await asyncio.sleep(30)
        return {}

    plugin = MemoryPlugin(wired.service())
    runner = running(plugin, agent(tools=[slow]))
    wired.server.rules = [calls("slow")]
    with pytest.raises(asyncio.CancelledError):
        await ask(runner, "Begin.", "cut")
    task.uncancel()
    await ask(runner, "And now?", "next")
    assert said(plugin, "next") == ["And now?", "Understood."]
    assert "And now?" in wired.said("user")


async def test_a_session_goes_quiet_after_its_last_run_also_one_that_was_cancelled(wired, installed_plugin):
    installed_plugin("quiet", QUIET)
    plugin = MemoryPlugin(wired.service(idle_seconds=0.3))
    runner = running(plugin)
    await ask(runner, "Hello.", "whole")
    wired.server.rules = [ReplyRule(lambda one: "long job" in one.last_user, Reply("Late.", delay=2), 1)]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(runner, "Begin the long job.", "cut"), 0.6)
    for _ in range(200):
        if all(f"Quiet: adk:{APP}:ana:{one}" in wired.notes() for one in ("whole", "cut")):
            break
        await asyncio.sleep(0.05)
    assert f"Quiet: adk:{APP}:ana:whole" in wired.notes()
    assert f"Quiet: adk:{APP}:ana:cut" in wired.notes()


async def test_a_run_that_waited_for_somebody_has_its_block_again_and_keeps_the_message_once(wired):
    plugin = await told(wired)
    sessions = InMemorySessionService()
    root = agent(tools=[FunctionTool(deploy, require_confirmation=True)])
    wired.server.rules = [calls("deploy", to="staging")]
    events = await ask(running(plugin, root, sessions=sessions), ASKED, "asked")
    (asked,) = (call for one in events for call in one.get_function_calls() if "confirmation" in call.name)
    assert wired.notes() == ""
    plugin.memory.close()
    plugin = MemoryPlugin(wired.service())
    yes = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
    answer = types.Content(role="user", parts=[types.Part(function_response=yes)])
    await ask(running(plugin, root, sessions=sessions), answer, "asked")
    assert PORT in beside(wired.last, ASKED)
    assert said(plugin, "asked") == [ASKED, "Understood."]
    assert "build 77" in wired.notes()


async def test_two_users_do_not_share(wired):
    plugin = await told(wired)
    await ask(running(plugin), ASKED, "asked", user="bob")
    assert unfenced(wired.last.messages)
    assert PORT not in wired.last.text
    await ask(running(plugin), ASKED, "again", user="ana")
    assert PORT in beside(wired.last, ASKED)


async def test_old_events_give_way_to_the_memorys_summary(wired):
    plugin = MemoryPlugin(wired.service(), context_window=8_000)
    config = EventsCompactionConfig(summarizer=MemorySummarizer(plugin), compaction_interval=3, overlap_size=0)
    runner = running(plugin, events_compaction_config=config)
    notes = [f"Note {n}: the port of service {n} is {7000 + n}. " + "Nothing else is new. " * 40 for n in range(4)]
    for note in notes:
        await ask(runner, note, "long")
    summaries = [event for event in (await session_of(runner, "long")).events if event.actions.compaction]
    assert summaries
    assert "7000" in summaries[0].actions.compaction.compacted_content.parts[0].text
    # A recalled note stands in the block beside a message, and is no message.
    sent = [text_of(one) for one in wired.last.messages]
    assert [note[:6] for note in notes if any(one.startswith(note) for one in sent)] == ["Note 2", "Note 3"]
    assert "7000" in wired.last.text
    assert len(wired.said("user")) == 4


async def test_a_session_older_than_the_memory_is_taken_in_once(wired):
    sessions = InMemorySessionService()
    bare = Runner(app=App(name=APP, root_agent=agent()), session_service=sessions)
    for number in range(3):
        await ask(bare, f"Note {number}: the port of service {number} is {7000 + number}. " + "So be it. " * 90, "old")
    plugin = MemoryPlugin(wired.service(), context_window=8_000)
    config = EventsCompactionConfig(summarizer=MemorySummarizer(plugin), compaction_interval=4, overlap_size=0)
    runner = running(plugin, sessions=sessions, events_compaction_config=config)
    for text in ("Hello.", "Hello again."):
        await ask(runner, text, "old")
    assert any(one.actions.compaction for one in (await session_of(runner, "old")).events)
    assert len([text for text in said(plugin, "old") if text.startswith("Note")]) == 3
