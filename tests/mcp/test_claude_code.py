"""Claude Code itself with the plugin, against a scripted model."""

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.scopes.projects import git
from nanobot_memory_plugins.core.text.fence import fenced_blocks
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ScriptedServer, ToolCall
from tests.behaviour.kit.nanobot import be_user_of
from tests.support.claude_code import MISSING, ClaudeCode, Conversation, calling, program, since_answer, turns_of
from tests.support.nanobot import Installation
from tests.support.wire_servers import AnthropicServer

pytestmark = [pytest.mark.skipif(program() is None, reason=MISSING), pytest.mark.slow]
CONFIGURATION = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 20}}}
PORT = "our staging database listens on port 5433"
KNOWN = "Key facts about the user:"
SECOND = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def model():
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def claude(tmp_path, model) -> ClaudeCode:
    return ClaudeCode(tmp_path, model, CONFIGURATION)


def fenced(text: str) -> str:
    return "\n".join(fenced_blocks(text))


def said(claude: ClaudeCode, role: str) -> list[str]:
    return [record["text"] for record in claude.records() if record["role"] == role]


def remember(text: str, **more: str) -> ToolCall:
    return ToolCall("mcp__plugin_nanobot-memory_memory__remember", {"text": text, "said": text, **more})


def known_in(request) -> str:
    return since_answer(request).partition(KNOWN)[2].partition("</system-reminder>")[0]


def test_what_one_session_is_told_stands_fenced_beside_the_question_of_the_next(claude, model):
    done = claude.ask(f"For the record, {PORT}.")
    assert "hook" not in done.stderr.lower()
    told = len(turns_of(model))
    claude.ask("Which port does our staging database listen on?")
    first = turns_of(model)[told]
    assert PORT in fenced(since_answer(first))
    assert "5433" not in json.dumps(first.body["raw"]["system"])
    assert said(claude, "user") == [f"For the record, {PORT}.", "Which port does our staging database listen on?"]
    assert said(claude, "assistant") == ["Understood."] * 2


def test_what_is_known_for_long_comes_with_the_first_prompt_and_not_with_the_second(claude, model):
    model.rules = [calling("Remember", remember(PORT))]
    claude.ask(f"Remember that {PORT}.")
    claude.ask("Good morning.", "--session-id", SECOND)
    assert PORT in known_in(turns_of(model)[-1])
    claude.ask("And now?", "--resume", SECOND)
    last = turns_of(model)[-1]
    assert KNOWN not in since_answer(last)
    assert last.text.count(KNOWN) == 1


def test_what_is_known_of_a_project_stands_in_its_prompts_and_in_no_other_projects(claude, model):
    repositories = [claude.project.parent / name for name in ("mill", "quay")]
    for folder in repositories:
        git(claude.project.parent, "init", "--quiet", str(folder))
    claude.project = repositories[0]
    built, prefers = "this repository is built with Bazel", "I prefer tabs"
    model.rules = [calling("Bazel", remember(built, kind="decision"), remember(prefers, kind="preference"))]
    claude.ask(f"Remember that {built}. And remember that {prefers}.")
    for folder, is_built in zip(repositories, (True, False), strict=True):
        claude.project = folder
        claude.ask("Good morning.")
        known = known_in(turns_of(model)[-1])
        assert ("Bazel" in known) is is_built
        assert "tabs" in known


def test_tools_and_failures_are_noted_and_the_memorys_own_are_not(claude, model):
    own = (f"mcp__plugin_nanobot-memory_memory__{name}" for name in ("memory_search", "search"))
    model.rules = [
        calling(
            "Count",
            ToolCall("Bash", {"command": "echo 4711 lamps", "description": "count"}),
            ToolCall("Bash", {"command": "ls /no/such/folder", "description": "look"}),
            *(ToolCall(name, {"query": "lamps"}) for name in own),
        )
    ]
    claude.ask("Count the lamps.")
    notes = "\n".join(file.read_text() for file in (claude.workspace / "memory").glob("2*.md"))
    assert "echo 4711 lamps" in notes
    assert notes.count("failed: ") == 1
    assert "No such file" in notes.partition("no/such/folder")[2]
    assert "mcp__plugin" not in notes


def test_a_compaction_that_comes_by_itself_is_advised_and_what_is_known_comes_again(claude, model):
    def summed_up(_request) -> Reply:
        model.input_tokens = 90
        return Reply("<summary>They met.</summary>")

    model.rules = [
        ReplyRule(lambda one: "detailed summary" in since_answer(one), summed_up),
        calling("Remember", remember(PORT)),
    ]
    claude.environment |= {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "20"}
    with Conversation(claude) as conversation:
        conversation.ask(f"Remember that {PORT}.")
        conversation.ask("Good morning.")
        model.input_tokens = 190_000
        for prompt in ("Our lamp is green.", "Our dog is brown.", "Our cat is grey."):
            conversation.ask(prompt)
    (asked,) = (since_answer(one) for one in model.requests if "detailed summary" in since_answer(one))
    assert PORT in asked.partition("Keep in the summary what stands here")[2]
    assert [PORT in known_in(one) for one in turns_of(model)].count(True) == 2
    assert len(said(claude, "user")) == 5


def test_a_turn_goes_on_without_a_server(claude, model):
    servers = claude.plugin / ".mcp.json"
    servers.write_text(servers.read_text().replace("nanobot_memory_plugins.core.cli", "nanobot_memory_plugins.nowhere"))
    done = claude.ask("Good morning.")
    assert done.stdout.strip() == "Understood."
    assert len([line for line in done.stderr.splitlines() if "retired" not in line and line.strip()]) <= 1


def servers_of(claude: ClaudeCode) -> list[int]:
    """Return the processes that serve the workspace of this test."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(claude.workspace) in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found


def gone(claude: ClaudeCode, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while (left := servers_of(claude)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not left


def test_a_killed_server_costs_no_turn_and_no_word(claude, model):
    with Conversation(claude) as conversation:
        conversation.ask("Our lamp is green.")
        for number in servers_of(claude):
            os.kill(number, signal.SIGKILL)
        assert conversation.ask("Our dog is brown.")["result"] == "Understood."
        assert conversation.ask("Our cat is grey.")["result"] == "Understood."
    assert gone(claude)
    assert sorted(said(claude, "user")) == ["Our cat is grey.", "Our dog is brown.", "Our lamp is green."]


def test_no_server_outlives_a_killed_host(claude, model):
    conversation = Conversation(claude)
    conversation.ask("Our lamp is green.")
    assert servers_of(claude)
    conversation.process.kill()
    with conversation:
        assert gone(claude)
    assert said(claude, "user") == ["Our lamp is green."]


def test_a_sub_agents_prompt_is_not_the_users_word_and_its_tools_are_noted(claude, model):
    asked = {"description": "count", "prompt": "SUB-TASK: I am allergic to walnuts.", "subagent_type": "claude"}
    model.rules = [
        calling("Delegate it", ToolCall("Agent", asked)),
        calling("SUB-TASK", ToolCall("Bash", {"command": "echo 4711 lamps", "description": "count"})),
    ]
    claude.ask("Delegate it.")
    assert said(claude, "user") == ["Delegate it."]
    notes = "\n".join(file.read_text() for file in (claude.workspace / "memory").glob("2*.md"))
    assert "echo 4711 lamps" in notes


@pytest.mark.host
async def test_what_nanobot_is_told_claude_code_finds_and_back(tmp_path, monkeypatch, model):
    with ScriptedServer() as server:
        shared = CONFIGURATION["memoryPlugins"]
        nanobot = Installation(tmp_path / "nanobot", server, shared)
        be_user_of(nanobot.home, monkeypatch)
        claude = ClaudeCode(tmp_path / "claude", model, CONFIGURATION, workspace=nanobot.workspace)
        loop = nanobot.loop()
        await loop.process_direct(f"For the record, {PORT}.", session_key="cli:direct")
        with Conversation(claude) as conversation:  # while nanobot runs
            conversation.ask("Which port does our staging database listen on?")
            assert PORT in since_answer(turns_of(model)[-1])
            conversation.ask("For the record, the review of the quarter takes place in Lisbon.")
        await loop.process_direct("Where does the review of the quarter take place?", session_key="cli:another")
        await loop.aclose()
        asked = next(one for one in reversed(server.requests) if one.tool_names)
        assert "Lisbon" in asked.text
