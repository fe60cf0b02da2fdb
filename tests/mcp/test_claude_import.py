"""Sessions that Claude Code has recorded are imported, each message once."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

FIRST, FORK = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def line(session: str, number: int, role: str, content: object, **more: object) -> dict:
    return {
        "type": role,
        "uuid": f"line-{number}",
        "sessionId": session,
        "timestamp": f"2026-11-20T10:00:{number:02d}.000Z",
        "cwd": "/nowhere",
        "message": {"role": role, "content": content},
        **more,
    }


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    folder = tmp_path / ".claude" / "projects" / "-nowhere"
    folder.mkdir(parents=True)

    def said(session: str) -> list[dict]:
        return [
            {"type": "queue-operation", "sessionId": session},
            line(session, 1, "user", "Our port is 5433."),
            line(session, 2, "assistant", [{"type": "text", "text": "Noted."}]),
            line(session, 3, "user", [{"type": "tool_result", "tool_use_id": "a", "content": "I live in Lisbon."}]),
            line(session, 4, "user", "<task-notification>I live in Oslo.</task-notification>"),
            line(session, 5, "user", "a caveat", isMeta=True),
        ]

    for session, more in ((FIRST, []), (FORK, [line(FORK, 6, "user", "Our lamp is green.")])):
        (folder / f"{session}.jsonl").write_text("\n".join(map(json.dumps, [*said(session), *more])))
    return tmp_path / ".claude"


def test_what_was_said_is_taken_once_and_what_nobody_said_is_not(claude, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    workspace = tmp_path / "workspace"

    def run() -> dict:
        capsys.readouterr()
        assert run_command_line(["import", str(claude), "--workspace", str(workspace), "--json"]) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    assert run()["format"] == "claude-code"
    files = sorted((workspace / "memory" / "sessions").glob("*.jsonl"))
    records = [json.loads(one) for file in files for one in file.read_text().splitlines()]
    said = [(one["role"], one["text"], one["session"]) for one in records]
    assert said == [
        ("user", "Our port is 5433.", f"claude-code:{FIRST}"),
        ("assistant", "Noted.", f"claude-code:{FIRST}"),
        ("user", "Our lamp is green.", f"claude-code:{FORK}"),
    ]
    run()
    assert sorted((workspace / "memory" / "sessions").glob("*.jsonl")) == files
    assert sum(len(file.read_text().splitlines()) for file in files) == 3
