"""`nanobot-memory init` shows the setup, writes the user's names, prepares the model and runs the doctor."""

import json
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.bridge.cli import init_command
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.values.diagnosis import Finding

KEY = "sk-abcdefghijklmnopqrstuvwxyz123456"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_WORKSPACE", "NANOBOT_MEMORY_PLUGINS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".nanobot").mkdir()
    return tmp_path


@pytest.fixture
def config(home: Path) -> Path:
    file = home / ".nanobot" / "config.json"
    raw = {
        "agents": {"defaults": {"provider": "custom", "model": "m", "workspace": str(home / "ws")}},
        "providers": {"custom": {"apiKey": KEY, "apiBase": "http://127.0.0.1:1/v1"}},
        "channels": {"sendProgress": False, "memoryPlugins": {"recall": {"heavyTopK": 5}, "flush": False}},
    }
    file.write_text(json.dumps(raw, indent=4) + "\n", encoding="utf-8")
    file.chmod(0o600)
    return file


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the model and the doctor, which have their own tests. The list records the calls."""
    calls: list[str] = []

    def prepare(name: str | None) -> bool:
        calls.append(f"model {name}")
        return True

    async def collect_findings(workspace: Path, *_: Any) -> list[Finding]:
        calls.append(f"doctor {workspace.name}")
        return [Finding("python", "3")]

    monkeypatch.setattr(init_command, "prepare_model", prepare)
    monkeypatch.setattr(init_command, "collect_findings", collect_findings)
    return calls


def init(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run_command_line(["init", *arguments])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_it_writes_nothing_that_is_the_default_and_says_that_the_set_is_active(config: Path, calls, capsys):
    before = config.read_bytes()
    code, told = init(capsys)
    assert code == 0, told
    assert config.read_bytes() == before
    assert not config.with_name("config.json.bak").exists()
    assert f"Active         {len(installed_plugins()) - 1} plugins: all but flush, which" in told
    assert calls == ["model None", "doctor ws"]
    assert "Ready" in told
    assert "nanobot agent -m" in told


def test_it_writes_who_one_is_and_nothing_else(config: Path, calls, capsys):
    before = config.read_bytes()
    code, told = init(capsys, "--me", "telegram:111")
    assert code == 0, told
    raw = json.loads(config.read_text(encoding="utf-8"))
    section = raw["channels"].pop("memoryPlugins")
    assert section.pop("core") == {"people": {"owner": ["telegram:111", "cli"]}}
    was = json.loads(before)
    assert section == was["channels"].pop("memoryPlugins")
    assert raw == was
    assert config.with_name("config.json.bak").read_bytes() == before
    assert config.stat().st_mode & 0o777 == 0o600
    assert KEY not in told


def test_it_says_where_several_may_write_and_makes_the_owners_names_one(home, calls, capsys):
    file = home / ".nanobot" / "config.json"
    file.write_text('{"channels": {"telegram": {"enabled": true, "allowFrom": ["*"]}}}', encoding="utf-8")
    assert run_command_line(["init", "--no-model"]) == 0
    shown = capsys.readouterr().out
    assert "each sees their own memories, since several may write in telegram" in shown
    assert "nanobot-memory init --me" in shown
    assert run_command_line(["init", "--no-model", "--me", "telegram:111"]) == 0
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["channels"]["memoryPlugins"]["core"]["people"] == {"owner": ["telegram:111", "cli"]}
    capsys.readouterr()
    assert run_command_line(["init", "--no-model"]) == 0
    assert "nanobot-memory init --me" not in capsys.readouterr().out


def test_what_prepares_the_model_speaks_the_language_that_was_asked_for(config: Path, monkeypatch, capfd):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    raw = json.loads(config.read_text(encoding="utf-8"))
    raw["channels"]["memoryPlugins"]["storage"] = {"embeddingModel": "no-such-model"}
    config.write_text(json.dumps(raw), encoding="utf-8")
    _, told = init(capfd, "--lang", "zh")
    (line,) = (line for line in told.splitlines() if line.startswith("nanobot-memory:"))  # the other process's
    assert line.startswith("nanobot-memory: 没有嵌入模型 'no-such-model'")
