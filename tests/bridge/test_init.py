"""`nanobot-memory init`: shows, asks, writes, prepares, examines. A second run or an interrupt harms nothing."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.bridge.cli import init_command, plan
from nanobot_memory_plugins.bridge.model_preparation import Prepared
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.config import writing
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health

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
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Leave out the model and the doctor, which have tests of their own; the list says what was called."""
    called: list[str] = []

    def prepare(name: str | None) -> Prepared:
        called.append(f"model {name}")
        return Prepared.THERE

    async def examine(workspace: Path, *_: Any) -> list[Finding]:
        called.append(f"doctor {workspace.name}")
        return [Finding("python", "3")]

    monkeypatch.setattr(init_command, "prepare_model", prepare)
    monkeypatch.setattr(init_command, "examine", examine)
    return called


# Who one is differs from the defaults, and is written.
ME = ("--me", "telegram:111")


def init(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run_command_line(["init", *arguments])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_it_writes_nothing_that_is_the_default_and_says_that_the_set_is_active(config: Path, quick, capsys):
    before = config.read_bytes()
    code, told = init(capsys, "--yes")
    assert code == 0, told
    assert config.read_bytes() == before
    assert not config.with_name("config.json.bak").exists()
    assert f"Active         {len(installed_plugins()) - 1} plugins: all but flush, which" in told
    assert "nothing to write" in told
    assert quick == ["model None", "doctor ws"]
    assert "Ready" in told
    assert "nanobot agent -m" in told


def test_it_writes_who_one_is_and_nothing_else(config: Path, quick, capsys):
    before = config.read_bytes()
    code, told = init(capsys, "--yes", "--me", "telegram:111")
    assert code == 0, told
    raw = json.loads(config.read_text(encoding="utf-8"))
    section = raw["channels"].pop("memoryPlugins")
    assert section.pop("core") == {"people": {"owner": ["telegram:111", "cli"]}}
    was = json.loads(before)
    assert section == was["channels"].pop("memoryPlugins")
    assert raw == was
    assert config.with_name("config.json.bak").read_bytes() == before
    assert config.stat().st_mode & 0o777 == 0o600


def test_what_it_shows_is_what_changes_and_no_key(config: Path, quick, capsys):
    code, told = init(capsys, "--me", "telegram:111")
    assert code == 1
    assert '"telegram:111"' in told
    assert "--yes" in told
    assert KEY not in told
    assert quick == []
    assert not config.with_name("config.json.bak").exists()


def test_a_second_run_changes_no_byte(config: Path, quick, capsys):
    init(capsys, "--yes", *ME)
    files = {file: file.read_bytes() for file in config.parent.iterdir()}
    code, told = init(capsys, *ME)
    assert code == 0, told
    assert "nothing to write" in told
    assert {file: file.read_bytes() for file in config.parent.iterdir()} == files


def test_a_configuration_of_the_plugins_alone_can_be_named(home: Path, quick, capsys):
    file = home / "memory.json"
    file.write_text("{}")
    assert init(capsys, "--yes", "--config", str(file), *ME)[0] == 0
    assert json.loads(file.read_text())["memoryPlugins"] == {"core": {"people": {"owner": ["telegram:111", "cli"]}}}


def test_what_is_bad_is_told_with_its_mend_and_fails(config: Path, quick, capsys, monkeypatch):
    async def bad(*_: Any) -> list[Finding]:
        return [Finding("disk", "full", Health.BAD, "Use --workspace.")]

    monkeypatch.setattr(init_command, "examine", bad)
    code, told = init(capsys, "--yes")
    assert code == 1
    assert "bad  disk\n    full\n" in told
    assert "Use --workspace." in told
    assert "Ready" not in told


def test_an_old_or_missing_nanobot_a_shadowed_file_and_a_folder_that_cannot_be_written(
    config: Path, home, quick, capsys, monkeypatch
):
    before = config.read_bytes()

    def missing(_name: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr(plan, "version", missing)
    assert "pip install nanobot-ai" in init(capsys, "--yes")[1]
    monkeypatch.setattr(plan, "version", lambda _name: "0.1.4")
    assert "pip install --upgrade" in init(capsys, "--yes")[1]
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(init_command, "prepare_model", lambda _name: Prepared.THERE)
    monkeypatch.setattr(writing, "replace_file", _refuse)
    code, told = init(capsys, "--yes", *ME)
    assert code == 2
    assert "Make the file and its folder writable" in told
    raw = json.loads(before)
    del raw["channels"]["memoryPlugins"]
    config.write_text(json.dumps(raw))
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(home / "own.json"))
    assert "unset NANOBOT_MEMORY_CONFIG" in init(capsys, "--yes")[1]


def _refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("point", ["plan", "before the write", "after the write", "model", "doctor"])
def test_an_interrupt_at_any_point_leaves_the_file_whole_and_the_next_run_completes(
    config: Path, quick, capsys, monkeypatch, point: str
):
    before = config.read_bytes()
    real = writing.replace_file

    def interrupted(*_: object, **__: object) -> Any:
        raise KeyboardInterrupt

    def interrupted_after(*arguments: Any) -> None:
        real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        target, name, what = {
            "plan": (init_command, "make_plan", interrupted),
            "before the write": (writing, "replace_file", interrupted),
            "after the write": (writing, "replace_file", interrupted_after),
            "model": (init_command, "prepare_model", interrupted),
            "doctor": (init_command, "examine", interrupted),
        }[point]
        patch.setattr(target, name, what)
        assert init(capsys, "--yes", *ME)[0] == 130
    written = point in ("after the write", "model", "doctor")
    assert (config.read_bytes() != before) == written
    json.loads(config.read_bytes())
    code, told = init(capsys, "--yes", *ME)
    assert code == 0, told
    assert config.with_name("config.json.bak").read_bytes() == before
    assert {file.name for file in config.parent.iterdir()} <= {"config.json", "config.json.bak", ".config.json.lock"}


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("interrupts", [False, True])
def test_on_a_terminal_it_asks_and_takes_no_or_an_interrupt_for_an_answer(config: Path, home: Path, interrupts: bool):
    before = config.read_bytes()
    primary, secondary = pty.openpty()
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "init", "--no-model", *ME]
    process = subprocess.Popen(
        command,
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        start_new_session=True,
    )
    os.close(secondary)
    try:
        shown = read_until(primary, b"Write this?")
        assert b"Write this?" in shown
        rest = b""
        if not interrupts:
            os.write(primary, b"n\n")
        # The first interrupt may come while the question is still being written; people press again.
        for _ in range(10 if interrupts else 1):
            if interrupts:
                process.send_signal(signal.SIGINT)
            rest += read_until(primary, None, 5.0 if interrupts else 60.0)
            if process.poll() is not None:
                break
        assert process.wait(60) in ((1, 130) if interrupts else (1,)), rest
    finally:
        process.kill()
        process.wait()
        os.close(primary)
    assert interrupts or b"Nothing was written" in rest
    assert b"Traceback" not in rest
    assert config.read_bytes() == before


def read_until(terminal: int, wanted: bytes | None, seconds: float = 60.0) -> bytes:
    """Read a terminal until something stands there, or to its end, but not for longer than ``seconds``."""
    shown = b""
    end = time.monotonic() + seconds
    while wanted is None or wanted not in shown:
        if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
            break
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    return shown


def test_it_says_where_several_may_write_and_makes_the_owners_names_one(home, quick, capsys):
    file = home / ".nanobot" / "config.json"
    file.write_text('{"channels": {"telegram": {"enabled": true, "allowFrom": ["*"]}}}', encoding="utf-8")
    assert run_command_line(["init", "--yes", "--no-model"]) == 0
    shown = capsys.readouterr().out
    assert "Several people may write in telegram: each sees their own memories" in shown
    assert "nanobot-memory init --me" in shown
    assert run_command_line(["init", "--yes", "--no-model", "--me", "telegram:111"]) == 0
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["channels"]["memoryPlugins"]["core"]["people"] == {"owner": ["telegram:111", "cli"]}
    capsys.readouterr()
    assert run_command_line(["init", "--yes", "--no-model"]) == 0
    assert "nanobot-memory init --me" not in capsys.readouterr().out
