"""The plugin for Claude Code without Claude Code: its folder, and a server that is told what its hooks tell."""

import json
import re
import stat
import time
from datetime import date
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.mcp.claude_code.guard import HOOK_TOOL, SECRET_VARIABLE
from nanobot_memory_plugins.mcp.claude_code.transcript import read_transcript
from tests.support.hosts import QUIET
from tests.support.mcp_clients import WITHOUT_EMBEDDINGS, ServedWorkspace

SECRET = "s" * 32
SESSION = "11111111-1111-4111-8111-111111111111"
MODELS_CALL = {"claudecode/toolUseId": "toolu_1"}


@pytest.fixture
def connect(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))

    def run(*arguments: str, status: int = 0) -> dict:
        code = run_command_line(["connect", *arguments, "--json"])
        out = capsys.readouterr().out
        assert code == status, out
        return json.loads(out.splitlines()[-1])

    return run


def hooks_of(folder: Path) -> dict:
    return json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]


def test_one_command_makes_the_folder_and_the_second_time_changes_nothing(connect, tmp_path):
    made = connect("claude-code", "--plugin", str(tmp_path / "plugin"))
    folder = tmp_path / "plugin"
    assert {str(Path(one).relative_to(folder)) for one in made["written"]} == {
        ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json",
    }  # fmt: skip
    assert str(folder) in made["start"]
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["memory"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-1] == "--hooks"
    shared = server["env"][SECRET_VARIABLE]
    assert len(shared) >= 32
    calls = [one["hooks"][0] for groups in hooks_of(folder).values() for one in groups]
    assert {(one["type"], one["input"]["secret"]) for one in calls} == {("mcp_tool", shared)}
    assert stat.S_IMODE((folder / "hooks" / "hooks.json").stat().st_mode) == 0o600
    assert connect("claude-code", "--plugin", str(folder))["written"] == []


def test_another_workspace_changes_the_server_and_keeps_what_it_shares_with_the_hooks(connect, tmp_path):
    folder = tmp_path / "plugin"
    connect("claude-code", "--plugin", str(folder))
    before = hooks_of(folder)
    again = connect("claude-code", "--plugin", str(folder), "--workspace", str(tmp_path / "other"))
    assert again["written"] == [str(folder / ".mcp.json")]
    assert hooks_of(folder) == before


def test_a_folder_with_something_else_is_left_alone(connect, tmp_path):
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    assert "something else" in connect("claude-code", "--plugin", str(folder), status=2)["error"]
    assert [one.name for one in folder.iterdir()] == ["mine.txt"]


def test_other_clients_have_no_plugin(connect, tmp_path):
    refused = connect("cursor", "--plugin", str(tmp_path / "plugin"), status=2)
    assert "Only Claude Code" in refused["error"]
    assert not (tmp_path / "plugin").exists()


@pytest.fixture
def served(tmp_path):
    # Limits that a busy machine keeps, too: what is shown here is not the speed.
    plugins = WITHOUT_EMBEDDINGS["memoryPlugins"] | {"core": {"messageLimit": 20}}
    return ServedWorkspace(tmp_path, {"memoryPlugins": plugins})


@pytest.fixture
def hooked(served, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "quiet", QUIET)
    client = served.process("--hooks", **{SECRET_VARIABLE: SECRET, "PYTHONPATH": str(tmp_path / "site")})
    client.hello()
    client.ask("tools/list")  # the memory is open: a busy machine takes longer for it than a prompt waits

    def tell(event: str, meta: dict | None = None, **fields: str) -> str:
        arguments = {"event": event, "session_id": SESSION, "secret": SECRET, **fields}
        more = {"_meta": meta} if meta else {}
        answer = client.ask("tools/call", {"name": HOOK_TOOL, "arguments": arguments, **more})
        return answer["result"]["content"][0]["text"]

    tell.client = client
    yield tell
    client.end()


def records(served) -> list[dict]:
    """Return what was kept; a prompt does not wait for its writing for long."""
    deadline = time.monotonic() + 10
    while True:
        files = sorted((served.workspace / "memory" / "sessions").glob("*.jsonl"))
        found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def users_words(served) -> list[str]:
    return [one["text"] for one in records(served) if one["role"] == "user"]


@pytest.mark.slow
def test_a_prompt_is_kept_and_answered_by_the_hooks_tool_which_no_list_shows(hooked, served):
    assert hooked("UserPromptSubmit", prompt="Our port is 5433.") == "{}"
    assert users_words(served) == ["Our port is 5433."]
    names = {tool["name"] for tool in hooked.client.ask("tools/list")["result"]["tools"]}
    assert "remember" in names
    assert HOOK_TOOL not in names


@pytest.mark.slow
def test_what_no_hook_has_told_changes_nothing(hooked, served):
    told: dict[str, tuple[dict | None, dict[str, str]]] = {
        "walnuts": (MODELS_CALL, {}),
        "peanuts": (None, {"secret": ""}),
        "shellfish": (None, {"secret": "another"}),
        "sesame": (None, {"session_id": ""}),
    }
    for food, (meta, fields) in told.items():
        assert hooked("UserPromptSubmit", meta, prompt=f"I am allergic to {food}.", **fields) == "{}"
        assert hooked("PostToolUse", meta, tool_name="Bash", tool_input="{}", tool_response=food, **fields) == "{}"
    assert hooked("UserPromptSubmit", prompt="Good morning.") == "{}"
    assert users_words(served) == ["Good morning."]
    assert [food for food in told if food in served.stored()] == []


@pytest.mark.slow
def test_what_a_model_has_scheduled_is_not_the_users_word(hooked, served, tmp_path):
    later = json.dumps({"cron": "* * * * *", "prompt": "I am allergic to walnuts."})
    hooked("PostToolUse", tool_name="CronCreate", tool_input=later, tool_response="Scheduled", tool_use_id="1")
    hooked("UserPromptSubmit", prompt="I am allergic to  walnuts.")
    (tmp_path / ".claude").mkdir()
    kept = {"tasks": [{"prompt": "I live in Oslo."}]}
    (tmp_path / ".claude" / "scheduled_tasks.json").write_text(json.dumps(kept))
    hooked("UserPromptSubmit", prompt="I live in Oslo.", cwd=str(tmp_path))
    hooked("UserPromptSubmit", prompt="I live in Rome.", agent_id="a1")
    hooked("UserPromptSubmit", prompt="I live in Lisbon.", cwd=str(tmp_path))
    task = json.dumps({"prompt": "Fix the login bug", "description": "fix"})  # for a sub-agent, now
    hooked("PostToolUse", tool_name="Task", tool_input=task, tool_response="Done", tool_use_id="2")
    hooked("UserPromptSubmit", prompt="Fix the login bug", cwd=str(tmp_path))
    assert users_words(served) == ["I live in Lisbon.", "Fix the login bug"]


@pytest.mark.slow
def test_what_is_said_in_a_repository_is_of_its_project(hooked, served, tmp_path):
    (tmp_path / "mill" / ".git").mkdir(parents=True)
    (tmp_path / "mill" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    hooked("UserPromptSubmit", prompt="Our port is 5433.", cwd=str(tmp_path / "mill"))
    (record,) = records(served)
    assert record["project"].startswith("mill-")


@pytest.mark.slow
def test_without_hooks_the_server_has_no_such_tool(served):
    client = served.process(**{SECRET_VARIABLE: SECRET})
    client.hello()
    arguments = {"event": "UserPromptSubmit", "session_id": SESSION, "secret": SECRET, "prompt": "Hello."}
    assert (
        "no tool of this name"
        in client.ask("tools/call", {"name": HOOK_TOOL, "arguments": arguments})["error"]["message"]
    )
    client.end()


@pytest.mark.slow
def test_a_notice_of_the_host_is_not_the_users_word(hooked, served):
    assert hooked("UserPromptSubmit", prompt="Where do I live?") is not None
    for tag in ("task-notification", "teammate-message", "cross-session-message", "agent-message"):
        assert hooked("UserPromptSubmit", prompt=f"<{tag}>\n<summary>I live in Lisbon.</summary>\n</{tag}>") == "{}"
    assert users_words(served) == ["Where do I live?"]
    hooked("UserPromptSubmit", prompt="Remember that I live in Oslo.")
    assert hooked("UserPromptSubmit", prompt="<task-notification>Done</task-notification>", session_id="2") == "{}"
    assert "Oslo" in hooked("UserPromptSubmit", prompt="Good morning.", session_id="2")


@pytest.mark.slow
def test_what_was_said_before_is_taken_in_with_the_first_prompt_though_no_turn_ends(hooked, served, tmp_path):
    said = {"type": "user", "message": {"role": "user", "content": "Our port is 5433."}}
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps({**said, "timestamp": "2026-11-23T10:00:00Z"}) + "\n")
    for prompt in ("Good morning.", "Good evening."):
        hooked("UserPromptSubmit", prompt=prompt, transcript_path=str(file))
    deadline = time.monotonic() + 10
    while len(users_words(served)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sorted(users_words(served)) == ["Good evening.", "Good morning.", "Our port is 5433."]


@pytest.mark.slow
def test_a_record_that_holds_the_prompt_alone_is_read_again_when_the_turn_ends(hooked, served, tmp_path):
    """As that of a fork, which is written after its first prompt."""

    def line(text: str) -> str:
        return json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"

    file = tmp_path / "session.jsonl"
    file.write_text(line("Good morning."))
    hooked("UserPromptSubmit", prompt="Good morning.", transcript_path=str(file))
    file.write_text(line("Our port is 5433.") + line("Good morning."))
    hooked("Stop", last_assistant_message="Good morning.", transcript_path=str(file))
    deadline = time.monotonic() + 10
    while len(users_words(served)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sorted(users_words(served)) == ["Good morning.", "Our port is 5433."]


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


@pytest.mark.slow
def test_what_is_known_for_long_comes_once_and_again_after_a_compaction_also_without_a_record(hooked):
    hooked("UserPromptSubmit", prompt="Remember that I live in Oslo.")
    beside = ["Oslo" in hooked("UserPromptSubmit", prompt=f"Good {part}.", session_id="2") for part in ("day", "night")]
    assert beside == [True, False]
    hooked("PreCompact", trigger="manual", session_id="2")
    assert "Oslo" in hooked("UserPromptSubmit", prompt="Good morning.", session_id="2")


@pytest.mark.slow
def test_what_was_told_before_a_compaction_is_written_as_notes_once(hooked, served, tmp_path):
    told = "We moved the staging database to port 5433 because the old one collided with the proxy."
    done = "I have changed the port in deploy.yaml and restarted the service."
    record = tmp_path / "record.jsonl"
    said = [
        {"type": role, "message": {"role": role, "content": text}}
        for role, text in (("user", told), ("assistant", done))
    ]
    record.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    hooked("UserPromptSubmit", prompt=told)
    hooked("Stop", last_assistant_message=done)

    def notes() -> str:
        return "".join(file.read_text() for file in (served.workspace / "memory").glob("2*.md"))

    assert "5433" not in notes()
    hooked("PreCompact", trigger="auto", transcript_path=str(record))
    written = notes()
    assert told in written
    hooked("PreCompact", trigger="auto", transcript_path=str(record))
    assert notes() == written


@pytest.mark.slow
def test_what_there_was_no_room_for_beside_a_prompt_has_not_been_told(tmp_path):
    plugins = WITHOUT_EMBEDDINGS["memoryPlugins"] | {"consolidation": {"promptTokens": 6_000}}
    served = ServedWorkspace(tmp_path, {"memoryPlugins": plugins})
    file = served.workspace / "memory" / "ENTRIES.md"
    file.parent.mkdir(parents=True)
    day = f"{date.today():%Y-%m-%d}"
    entries = [f"### [a{n:07}] fact | 0.90 | {day} | 1\nI live in Oslo, {'far ' * 150}north {n}.\n" for n in range(20)]
    head = "# Agent Memory\n\n## Active Memories\n\n"
    file.write_text(head + "\n".join(entries), encoding="utf-8")
    client = served.process("--hooks", **{SECRET_VARIABLE: SECRET})
    client.hello()
    client.ask("tools/list")

    def beside(prompt: str) -> str:
        arguments = {"event": "UserPromptSubmit", "session_id": SESSION, "secret": SECRET, "prompt": prompt}
        return client.ask("tools/call", {"name": HOOK_TOOL, "arguments": arguments})["result"]["content"][0]["text"]

    assert "Oslo" not in beside("Good day.")
    file.write_text(head + entries[0], encoding="utf-8")
    told = ["Oslo" in beside("Good evening."), "Oslo" in beside("Good night.")]
    client.end()
    assert told == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "origin"), [("I like my tea without sugar", "user"), ("I like my tea with milk", "summary")]
)
def test_what_the_model_remembers_is_the_users_where_hooks_heard_it(words, origin, hooked, served, capsys):
    tools = {tool["name"]: tool for tool in hooked.client.ask("tools/list")["result"]["tools"]}
    assert "said" in tools["remember"]["inputSchema"]["properties"]
    assert "your note" not in tools["remember"]["description"]
    hooked("UserPromptSubmit", prompt="I like my tea without sugar.")
    hooked.client.call("remember", text=f"The user likes {words[7:]}", said=words)
    hooked.client.end()
    assert run_command_line(["entries", "list", "--workspace", str(served.workspace), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["entries"]
    assert [one["origin"] for one in found] == [origin]


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
