"""The command line as a process: its commands, exit statuses, streams, and what it imports."""

import json
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


def test_a_light_command_imports_nothing_heavy(run: Run):
    done = run("light", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8").splitlines()[-1]) == {"heavy": [], "中文": "é"}


def test_redact_imports_nothing_heavy(environment: dict[str, str], tmp_path: Path):
    script = (
        "import sys\n"
        "from nanobot_memory_plugins.core.cli.main import run_command_line\n"
        "code = run_command_line(['redact'])\n"
        "heavy = {'nanobot', 'fastembed', 'onnxruntime', 'numpy', 'apsw'} & set(sys.modules)\n"
        "sys.exit(code or sorted(heavy) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        cwd=tmp_path,
        input=b"hello\n",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"hello\n", b"")


@pytest.mark.slow
def test_the_help_lists_every_command_and_says_which_cannot_be_loaded(run: Run):
    done = run("--help", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    for line in ("light", "Do little.", "several", "Several.", "plugins", "doctor", "gone"):
        assert line in text
    assert "cannot be loaded: the module no_such_module_at_all is missing" in text
    assert "cannot be loaded: the entry point names neither a function nor a typer.Typer" in text


@pytest.mark.parametrize("arguments", [["gone"], ["gone", "--help"], ["gone", "x", "--limit", "3"]])
def test_a_command_that_cannot_be_loaded_fails_alone(arguments: list[str], run: Run):
    done = run(*arguments)
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert "fake-commands 1.2: the module no_such_module_at_all is missing" in line


def test_a_typer_object_becomes_a_group(run: Run):
    done = run("several", "only", "you")
    assert (done.returncode, done.stdout) == (0, b"hello you\n")


def test_our_own_commands_cannot_be_taken_over(run: Run):
    done = run("doctor", "--help")
    assert b"Check the installation" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "nanobot-memory "),
        ([], 2, "Usage"),
        (["ligt"], 2, "Did you mean 'light'?"),
        (["light", "--nope"], 2, "No such option"),
        (["several", "only"], 2, "Missing argument"),
        (["plugins", "--config", "nowhere.json"], 2, "does not exist"),
        (["fails"], 1, "nanobot-memory: The index is locked. Close the other program."),
        (["breaks"], 1, "Unexpected KeyError at"),
        (["missing-file"], 1, "nanobot-memory: No such file or directory: /nowhere/at/all"),
    ],
)
def test_exit_statuses(arguments: list[str], code: int, said: str, run: Run):
    done = run(*arguments, COLUMNS="200")
    output = (done.stdout + done.stderr).decode()
    assert done.returncode == code, output
    assert said in output
    assert "Traceback" not in output
    assert "secret-value" not in output
    assert "\x1b" not in output


def test_a_traceback_is_there_for_the_asking(run: Run):
    assert b"Traceback" in run("--verbose", "fails").stderr
    assert b"Traceback" in run("breaks", NANOBOT_MEMORY_DEBUG="1").stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["search", "tea", "--limit", "2000"], "--limit"),
        (["search", "tea", "--origin", "robot"], "robot"),
        (["search"], "say what to look for"),
        (["cost", "--days", "0"], "--days"),
        (["export", "--nosuch"], "--nosuch"),
        (["nosuch"], "nosuch"),
        (["entries", "show"], "ID"),
        (["plugins", "--config", "nowhere.json"], "nowhere.json"),
    ],
)
def test_wrong_use_is_told_to_programs_as_json(run: Run, arguments: list[str], error: str):
    done = run(*arguments, "--json")
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert told["ok"] is False
    assert error in told["error"]
    assert done.stderr
    assert run(*arguments).stdout == b""


def test_a_failure_is_told_to_programs_as_json(run: Run):
    done = run("fails", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "ok": False,
        "error": "The index is locked.",
        "hint": "Close the other program.",
        "mend": "Close the other program.",
    }


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


def test_a_shell_is_offered_the_commands(run: Run):
    variables = {"_NANOBOT_MEMORY_COMPLETE": "complete_bash", "COMP_WORDS": "nanobot-memory lig", "COMP_CWORD": "1"}
    assert run(**variables).stdout.decode().split() == ["light"]


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
