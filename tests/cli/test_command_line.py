"""The command line as a process: its commands, exit statuses, streams, and what it imports."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[bytes]]

# A distribution of a third party, with commands that behave in every way that matters here.
COMMANDS = '''
import asyncio, sys, time
import typer
from nanobot_memory_plugins.core.cli.options import JsonOption, print_json
from nanobot_memory_plugins.core.errors import StoreError

def light(as_json: JsonOption = False) -> None:
    """Do little."""
    heavy = {"nanobot", "fastembed", "onnxruntime", "numpy", "apsw", "watchfiles", "rich.console"}
    print_json({"heavy": sorted(heavy & set(sys.modules)), "中文": "é"})

group = typer.Typer(help="Several.")

@group.command()
def only(name: str) -> None:
    """Say a name."""
    typer.echo(f"hello {name}")

def fails(as_json: JsonOption = False) -> None:
    """Fail as a command should."""
    raise StoreError("The index is locked.", hint="Close the other program.")

def breaks() -> None:
    """Fail as a command should not."""
    {}["secret" + "-value"]

def missing_file() -> None:
    """Fail for want of a file."""
    open("/nowhere/at/all")

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

nothing = 3
'''
ENTRY_POINTS = """
[nanobot_memory_commands]
light = fake_commands:light
several = fake_commands:group
fails = fake_commands:fails
breaks = fake_commands:breaks
missing-file = fake_commands:missing_file
sleeps = fake_commands:sleeps
talks = fake_commands:talks
whispers = fake_commands:whispers
nothing = fake_commands:nothing
gone = no_such_module_at_all:gone
doctor = fake_commands:light
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
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    def run_it(*arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *arguments]
        return subprocess.run(
            command, env=environment | variables, cwd=tmp_path, capture_output=True, timeout=120, check=False
        )

    return run_it


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    def start_it(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *arguments]
        return subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start_it


@pytest.mark.parametrize("arguments", [["gone"], ["gone", "--help"], ["gone", "x", "--limit", "3"]])
def test_a_command_that_cannot_be_loaded_fails_alone(arguments: list[str], run: Run):
    done = run(*arguments)
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert "fake-commands 1.2: the module no_such_module_at_all is missing" in line


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_one_line(start: Callable[..., subprocess.Popen[bytes]]):
    process = start("sleeps")
    assert process.stdout is not None
    assert process.stdout.readline() == b"sleeping\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"nanobot-memory: Interrupted.\n")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("language", "said"), [("en", "Interrupted."), ("zh", "已中断。")])
def test_an_interrupt_while_modules_are_imported_is_one_line(
    language: str, said: str, environment: dict[str, str], tmp_path: Path
):
    (tmp_path / "slow").mkdir()
    slow = "import sys, time\nsys.stdout.write('importing\\n')\nsys.stdout.flush()\ntime.sleep(60)\n"
    (tmp_path / "slow" / "typer.py").write_text(slow, encoding="utf-8")
    paths = os.pathsep.join(filter(None, (str(tmp_path / "slow"), environment.get("PYTHONPATH", ""))))
    process = subprocess.Popen(
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "doctor", "--lang", language],
        env=environment | {"PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"importing\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.decode()) == (130, f"nanobot-memory: {said}\n")


@pytest.mark.parametrize("command", ["talks", "whispers"])
def test_a_reader_that_leaves_is_no_drama(command: str, start: Callable[..., subprocess.Popen[bytes]]):
    process = start(command)
    assert process.stdout is not None
    if command == "talks":
        assert process.stdout.readline() == b"0\n"
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=60)
    assert errors == b""


@pytest.mark.slow
def test_no_color_is_respected_on_a_terminal(environment: dict[str, str], tmp_path: Path):
    def shown(**variables: str) -> bytes:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "plugins"]
        plain = {key: value for key, value in environment.items() if key != "NO_COLOR"}
        settings = {"TERM": "xterm-256color", "NANOBOT_MEMORY_PLUGINS": "", **variables}
        done = subprocess.run(command, env=plain | settings, cwd=tmp_path, stdout=theirs, stderr=theirs, check=False)
        os.close(theirs)
        chunks = []
        while True:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.close(ours)
        assert done.returncode == 0
        return b"".join(chunks)

    assert b"\x1b[2m" in shown()
    assert b"\x1b[3" not in shown(NO_COLOR="1")
