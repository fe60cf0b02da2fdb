"""The plugin for Claude Code without Claude Code: its folder, and a server that gets the events of its hooks."""

import json
import re
import stat
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.mcp.claude_code.hooks import HOOK_TOOL, SECRET_VARIABLE, fitting_texts
from nanobot_memory_plugins.mcp.claude_code.transcript import read_transcript
from tests.support.files_of import text_of
from tests.support.hosts import IDLE_PLUGIN
from tests.support.mcp_clients import WITHOUT_EMBEDDINGS, ServedWorkspace

SECRET = "s" * 32
SESSION = "11111111-1111-4111-8111-111111111111"


def test_one_command_makes_the_folder_and_the_second_time_changes_nothing(connect, tmp_path):
    made = connect("claude-code", "--plugin", str(tmp_path / "plugin"))
    folder = tmp_path / "plugin"
    assert {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} == {
        ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json",
    }  # fmt: skip
    assert str(folder) in made["start"]
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["memory"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-1] == "--hooks"
    shared = server["env"][SECRET_VARIABLE]
    assert len(shared) >= 32
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    calls = [one["hooks"][0] for groups in hooks.values() for one in groups]
    assert {(one["type"], one["input"]["secret"]) for one in calls} == {("mcp_tool", shared)}
    assert stat.S_IMODE((folder / "hooks" / "hooks.json").stat().st_mode) == 0o600
    before = text_of(folder)
    connect("claude-code", "--plugin", str(folder))
    assert text_of(folder) == before


@pytest.fixture
def served(tmp_path):
    # Generous limits for a busy machine.
    plugins = WITHOUT_EMBEDDINGS["memoryPlugins"] | {"core": {"messageLimit": 20}}
    return ServedWorkspace(tmp_path, {"memoryPlugins": plugins})


@pytest.fixture
def hooked(served, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "quiet", IDLE_PLUGIN)
    client = served.process("--hooks", **{SECRET_VARIABLE: SECRET, "PYTHONPATH": str(tmp_path / "site")})
    client.hello()
    client.ask("tools/list")  # wait until the memory is open, which may take longer than a prompt waits

    def tell(event: str, **fields: str) -> str:
        arguments = {"event": event, "session_id": SESSION, "secret": SECRET, **fields}
        answer = client.ask("tools/call", {"name": HOOK_TOOL, "arguments": arguments})
        return answer["result"]["content"][0]["text"]

    tell.client = client
    yield tell
    client.end()


def records(served) -> list[dict]:
    """Return the stored records, which may be written shortly after a prompt is answered."""
    deadline = time.monotonic() + 10
    while True:
        files = sorted((served.workspace / "memory" / "sessions").glob("*.jsonl"))
        found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


@pytest.mark.slow
def test_a_prompt_is_kept_by_the_hooks_tool_which_no_list_shows_and_nothing_that_no_hook_has_told(hooked, served):
    names = {tool["name"] for tool in hooked.client.ask("tools/list")["result"]["tools"]}
    assert "remember" in names
    assert HOOK_TOOL not in names
    told = {"peanuts": {"secret": ""}, "shellfish": {"secret": "another"}, "sesame": {"session_id": ""}}
    for food, fields in told.items():
        assert hooked("UserPromptSubmit", prompt=f"I am allergic to {food}.", **fields) == "{}"
        assert hooked("PostToolUse", tool_name="Bash", tool_input="{}", tool_response=food, **fields) == "{}"
    assert hooked("UserPromptSubmit", prompt="Good morning.") == "{}"
    assert [one["text"] for one in records(served) if one["role"] == "user"] == ["Good morning."]
    assert [food for food in told if food in served.stored()] == []


@pytest.mark.slow
def test_a_session_has_ended_when_the_host_shows_another_one(hooked, served):
    def ended() -> list[str]:
        notes = "".join(file.read_text() for file in (served.workspace / "memory").glob("2*.md"))
        return re.findall(r"Quiet: claude-code:(\w+)", notes)

    for session in ("first", "second"):
        assert ended() == []
        hooked("UserPromptSubmit", prompt="Good morning.", session_id=session)
        hooked("Stop", last_assistant_message="Good morning.", session_id=session)
    deadline = time.monotonic() + 10
    while not ended() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(ended()) == {"first"}


def test_a_record_is_read_as_far_as_it_is_said(tmp_path):
    def line(kind: str, content: object, **more: object) -> dict:
        return {
            "type": kind,
            "message": {"role": kind, "content": content},
            "timestamp": "2026-11-23T10:00:00Z",
            **more,
        }

    lines = [
        line("user", "old words"),
        {"type": "system", "subtype": "compact_boundary"},
        line("user", "a summary", isCompactSummary=True),
        line("user", "<local-command-stdout>printed</local-command-stdout>"),
        line("user", "<task-notification>done</task-notification>"),
        line("user", "meant", isMeta=False),
        line("user", "<command-name>/clear</command-name>"),
        line("user", "not meant", isMeta=True),
        line("user", "came by itself", turnOrigin="scheduled"),
        line("assistant", [{"type": "text", "text": "of a sub-agent"}], isSidechain=True),
        line("assistant", [{"type": "text", "text": "an answer"}]),
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": ["a block"]}},
        "junk",
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{cut")
    recorded = read_transcript(str(file))
    assert [one["content"] for one in recorded.messages][:1] == ["old words"]
    live = [(one["role"], one["content"], one.get("spoken", True)) for one in recorded.live]
    assert live == [
        ("user", "<task-notification>done</task-notification>", False),
        ("user", "meant", True),
        ("user", "came by itself", False),
        ("assistant", [{"type": "text", "text": "an answer"}], True),
        ("system", "a block", True),
    ]
    assert read_transcript(str(tmp_path / "none.jsonl")).messages == []


def test_the_parts_of_an_answer_are_one_message_and_a_fork_names_its_parent(tmp_path):
    def part(block: dict) -> dict:
        return {"type": "assistant", "message": {"role": "assistant", "id": "msg_1", "content": [block]}}

    lines = [
        {"type": "user", "message": {"role": "user", "content": "count"}, "sessionId": "b"},
        {**part({"type": "text", "text": "I look."}), "sessionId": "b", "requestSessionId": "a"},
        part({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}),
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    recorded = read_transcript(str(file))
    assert [len(one["content"]) for one in recorded.messages if one["role"] == "assistant"] == [2]
    assert recorded.parent == "a"


def test_what_stands_beside_a_prompt_is_whole_or_not_there():
    assert fitting_texts(["", "a" * 90, "b" * 20, "c" * 8], max_chars=100) == ["a" * 90, "c" * 8]
    assert fitting_texts(["a" * 101], max_chars=100) == []
