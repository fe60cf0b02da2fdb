"""The command line as a process: loading commands, interrupts, and closed pipes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

# The module of a third-party distribution.
COMMANDS = '''
import asyncio, time

def sleeps() -> None:
    """Take long."""
    print("sleeping", flush=True)
    asyncio.run(asyncio.sleep(60))

def talks() -> None:
    """Write a lot."""
    for number in range(100_000):
        print(number)

def whispers() -> None:
    """Write little, after a while."""
    time.sleep(0.3)
    print("psst")
'''
ENTRY_POINTS = """
[nanobot_memory_commands]
sleeps = fake_commands:sleeps
talks = fake_commands:talks
whispers = fake_commands:whispers
gone = no_such_module_at_all:gone
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    site = tmp_path / "site"
    metadata = site / "fake_commands-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "fake_commands.py").write_text(COMMANDS, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-commands\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    home = tmp_path / "home"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NANOBOT_", "_TYPER", "FORCE_"))}
    return kept | {"PYTHONPATH": str(site), "HOME": str(home), "USERPROFILE": str(home), "NO_COLOR": "1"}


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    def start_process(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *arguments]
        return subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start_process


def test_a_command_that_cannot_be_loaded_fails_with_its_reason(environment: dict[str, str], monkeypatch, capsys):
    monkeypatch.syspath_prepend(environment["PYTHONPATH"])
    assert run_command_line(["gone", "x", "--limit", "3"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "fake-commands 1.2: the module no_such_module_at_all is missing" in line


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_prints_one_line(start: Callable[..., subprocess.Popen[bytes]]):
    process = start("sleeps")
    assert process.stdout is not None
    assert process.stdout.readline() == b"sleeping\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"nanobot-memory: Interrupted.\n")


@pytest.mark.parametrize("command", ["talks", "whispers"])
def test_a_closed_pipe_is_no_error(command: str, start: Callable[..., subprocess.Popen[bytes]]):
    process = start(command)
    assert process.stdout is not None
    if command == "talks":
        assert process.stdout.readline() == b"0\n"
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=60)
    assert errors == b""
