"""The memory in runs of the OpenAI Agents SDK: the real package, a scripted model, real files."""

import asyncio
import json

import pytest

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool
from tests.hosts.contract import ExampleContract, Talk, TurnContract, deploy
from tests.hosts.openai_agents.conftest import both_forms
from tests.support.hosts import FACT, PORT, QUESTION, block_for, calls, has_no_block, require_framework, wait_for_index
from tests.support.wire_servers import ResponsesServer

require_framework("openai-agents", "agents")

from agents import (  # noqa: E402
    FunctionTool,
    RunConfig,
    RunHooks,
    Runner,
    RunState,
    SQLiteSession,
    function_tool,
    handoff,
)

from nanobot_memory_plugins.hosts.openai_agents import AgentsMemory  # noqa: E402


async def told(env, agent, service=None) -> AgentsMemory:
    """Tell the memory of the port, in a session of its own."""
    memory = AgentsMemory(service or env.service())
    await Runner.run(agent(), FACT, **memory.turn("told"))
    await asyncio.to_thread(wait_for_index, memory._memory)
    return memory


class AgentsTalk(Talk):
    helper_argument, recalls_inside = "input", False

    def __init__(self, memory: MemoryService | None, agent) -> None:
        super().__init__(memory)
        self.agent = agent
        self.sessions: dict[str, SQLiteSession] = {}

    async def ask(self, text, session, *, user="ana", tools=()):
        stored = self.sessions.setdefault(session, SQLiteSession(session))
        turns = AgentsMemory(self.memory)
        own = turns.tools() if self.memory is not None else []
        more = turns.turn(session, scope={"user": user}) if self.memory is not None else {}
        made = [one if isinstance(one, FunctionTool) else function_tool(one) for one in tools]
        self.asked = self.agent(instructions="You are terse.", tools=[*own, *made])
        self.result = await Runner.run(self.asked, text, session=stored, **more)
        return await stored.get_items()

    async def ask_with_helper(self, text, session, tools):
        inner = self.agent("inner", instructions="You are the inner one.", tools=list(map(function_tool, tools)))
        hooks = AgentsMemory(self.memory).nested_hooks()
        await self.ask(text, session, tools=[inner.as_tool("helper", "Looks things up.", hooks=hooks)])

    async def ask_until_approval(self, text, session, tool):
        await self.ask(text, session, tools=[function_tool(needs_approval=True)(tool)])
        self.kept = json.dumps(self.result.to_state().to_json())
        assert PORT not in self.kept
        self.session = session

    async def approve(self):
        state = await RunState.from_json(self.asked, json.loads(self.kept))
        for one in state.get_interruptions():
            state.approve(one)
        more = AgentsMemory(self.memory).turn(self.session, scope={"user": "ana"})
        await Runner.run(self.asked, state, session=self.sessions[self.session], **more)


@both_forms
class TestTurns(TurnContract):
    @pytest.fixture
    def talk_with(self, agent):
        return lambda memory: AgentsTalk(memory, agent)


class TestExample(ExampleContract):
    script = "openai_agents_host.py"
    is_dialog = False


@both_forms
async def test_a_stream_is_remembered_as_well(env, agent):
    memory = await told(env, agent)
    session = SQLiteSession("asked")
    result = Runner.run_streamed(agent(), QUESTION, session=session, **memory.turn("asked"))
    async for _ in result.stream_events():
        pass
    assert PORT in block_for(env.last, QUESTION)
    assert has_no_block(await session.get_items())
    assert env.said("assistant")[-1] == "Understood."


@pytest.mark.parametrize("env", ["responses"], indirect=True)
async def test_a_conversation_that_the_server_holds_gets_its_block_once(env, agent):
    memory = await told(env, agent)
    asking = agent(tools=[function_tool(deploy)])
    first = await Runner.run(asking, "Hello.", **memory.turn("asked"))
    env.server.rules = [calls("deploy", to="staging")]
    await Runner.run(asking, QUESTION, previous_response_id=first.last_response_id, **memory.turn("asked"))
    question, result = env.server.requests[-2:]
    assert PORT in block_for(question, QUESTION)
    assert [one["role"] for one in question.messages if one["role"] != "system"] == ["user"]
    assert [one["role"] for one in result.messages if one["role"] != "system"] == ["tool"]
    assert env.said(session="asked") == ["Hello.", "Understood.", QUESTION, "Understood."]


async def test_a_hand_over_keeps_the_message_once_and_the_second_agent_sees_the_block(env, agent):
    memory = await told(env, agent)
    env.server.rules = [calls("transfer_to_billing")]
    first = agent("front", handoffs=[handoff(agent("billing"))])
    await Runner.run(first, QUESTION, **memory.turn("asked"))
    assert PORT in block_for(env.last, QUESTION)
    assert env.said("user").count(QUESTION) == 1


@both_forms
async def test_a_session_is_compacted_by_the_memorys_summary(env, agent):
    service = env.service()
    memory = AgentsMemory(service, context_window=3_000)
    stored = SQLiteSession("long")
    session = memory.session(stored, full_at=0.5)
    for number in range(8):
        text = f"Note {number}: the port of service {number} is {7000 + number}. " + "Nothing else is new. " * 60
        await Runner.run(agent(), text, **memory.turn(session))
        if isinstance(env.server, ResponsesServer):  # asked for by the SDK after the turn
            assert sum(map(tokens_of, await stored.get_items())) <= 1_500
    items = await session.get_items()
    first = items[0]
    assert first["role"] == "system"
    assert "7000" in first["content"]
    assert len(items) < 16
    assert any("7000" in one.system for one in env.server.requests[-2:])
    assert len(env.said("user")) == 8


async def test_compaction_parts_no_call_from_its_result_or_its_reasoning(env):
    stored = SQLiteSession("long")
    for number in range(12):
        ids = [f"call_{number}_{n}" for n in range(2)]
        said = [{"role": "user", "content": f"Deploy build {number}. " + "Nothing else is new. " * 20}]
        await stored.add_items(
            [
                *said,
                {"type": "reasoning", "id": f"rs_{number}", "summary": []},
                *({"type": "function_call", "call_id": id_, "name": "deploy", "arguments": "{}"} for id_ in ids),
                *({"type": "function_call_output", "call_id": id_, "output": "Done. " * 90} for id_ in ids),
            ]
        )
    before = await stored.get_items()
    for window in (1_000, 1_500, 2_000, 8_000):
        await stored.clear_session()
        await stored.add_items(before)
        session = AgentsMemory(env.service(), context_window=window).session(stored)
        await session.run_compaction({"force": True})
        after = await stored.get_items()
        assert len(after) < len(before)
        called = {one["call_id"] for one in after if one.get("type") == "function_call"}
        assert {one["call_id"] for one in after if one.get("type") == "function_call_output"} == called
        first = after[1].get("type", "message")
        assert first in ("message", "reasoning")
        waiting = {"type": "function_call", "call_id": "waits", "name": "deploy", "arguments": "{}"}
        await stored.add_items([waiting])
        await session.run_compaction({"force": True})
        assert await stored.get_items() == [*after, waiting]


async def test_the_callers_own_hooks_and_filter_go_on_working(env, agent):
    seen = []

    class Own(RunHooks):
        async def on_agent_start(self, context, agent):
            seen.append("start")

        async def on_tool_end(self, context, agent, tool, result):
            seen.append("tool")

        async def on_handoff(self, context, from_agent, to_agent):
            seen.append(f"{from_agent.name} to {to_agent.name}")

        async def on_agent_end(self, context, agent, output):
            seen.append("end")

    async def own_filter(data):
        seen.append("filter")
        data.model_data.instructions = "Be kind."
        return data.model_data

    memory = AgentsMemory(env.service())
    env.server.rules = [
        calls("deploy", to="staging"),
        ReplyRule(after_tool, Reply(tools=(ToolCall("transfer_to_billing"),)), 1),
    ]
    front = agent("front", tools=[function_tool(deploy)], handoffs=[handoff(agent("billing"))])
    config = RunConfig(call_model_input_filter=own_filter)
    await Runner.run(front, "Deploy.", **memory.turn("s", hooks=Own(), run_config=config))
    assert seen == ["start", "filter", "tool", "filter", "front to billing", "start", "filter", "end"]
    assert "Be kind." in env.last.system
    assert config.call_model_input_filter is own_filter
