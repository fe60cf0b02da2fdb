"""Every command on a narrow terminal without colours and without UTF-8."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.values.entries import Entry

TEXT = "用户喜欢乌龙茶 🍵 and “curly” quotes"
# What each command is called with; the others are called without arguments.
ARGUMENTS = {
    "why": ["茶?", "--no-embeddings"],
    "search": ["茶?", "--no-embeddings"],
    "entries show": ["tea1"],
    "entries remember": ["喝咖啡 ☕"],
    "entries forget": ["tea1"],
    "entries restore": ["tea1"],
    "entries group": ["tea1", "--to", "饮料"],
    "purge": ["tea1", "--dry-run"],
    "scrub": ["--dry-run"],
    "consolidate": ["--dry-run"],
    "eval": ["nowhere", "--run", "out.jsonl"],
    "models pull": ["nowhere/at/all"],
    "bench": ["--size", "0"],
    "init": ["--no-model"],
    "config get": ["core.share"],
    "config show": ["recall"],
    "export": ["--to", "out.zip"],
    "import": ["nowhere"],
}
# They start what has tests of its own.
LEFT_OUT = {"demo", "panel"}
WORKSPACE_LESS = ("redact", "eval", "models", "bench", "config")

TERMINAL = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "COLUMNS": "20", "NO_COLOR": "1"}

RUNNER = """
import contextlib, io, json, sys
from nanobot_memory_plugins.core.cli.main import run_command_line
for arguments in json.loads(sys.argv[1]):
    print("\\n$", *[ascii(one) for one in arguments], flush=True)
    code = run_command_line(arguments)
    print("\\n=", code, flush=True)
"""


def all_commands() -> list[str]:
    """Return every command as one would type it, sub-commands included."""
    group = typer.main.get_command(app)
    found: list[str] = []
    context = typer.Context(group)
    for name in group.list_commands(context):  # type: ignore[attr-defined]
        command = group.get_command(context, name)  # type: ignore[attr-defined]
        below = getattr(command, "commands", {})
        found += [f"{name} {one}" for one in below] or [name]
    return [one for one in found if one.split()[0] not in LEFT_OUT]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    now = SystemClock().now().replace(microsecond=0)
    folder = tmp_path / "arbeitsplätze 工作"
    folder.mkdir()
    entries = {"tea1": Entry("tea1", TEXT, "fact", 0.9, now), "tea2": Entry("tea2", TEXT, "fact", 0.8, now)}
    EntryRepository(folder).update(lambda _: entries, who="test", why="添加")
    return folder


@pytest.mark.slow
def test_no_command_ends_in_a_traceback_on_a_poor_terminal(workspace: Path, tmp_path: Path):
    calls = []
    for command in all_commands():
        arguments = [*command.split(), *ARGUMENTS.get(command, [])]
        needs_no_workspace = command.split()[0] in WORKSPACE_LESS
        calls.append(arguments if needs_no_workspace else [*arguments, "--workspace", str(workspace)])
        calls.append([*command.split(), "--help"])
    plain = {
        key: value for key, value in os.environ.items() if not key.startswith(("NO_COLOR", "LC_", "LANG", "PYTHON"))
    }
    own = {
        "HOME": str(tmp_path),
        "NANOBOT_MEMORY_PLUGINS": "storage,recall,consolidation",
        "NANOBOT_MEMORY_CACHE": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(calls)],
        env={**plain, **own, **TERMINAL},
        cwd=tmp_path,
        input=b"",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    shown = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, shown[-2_000:]
    assert "Traceback" not in shown, shown[shown.index("Traceback") - 500 :][:2_000]
    assert "Unexpected" not in shown, shown[shown.index("Unexpected") - 500 :][:2_000]
    codes = [line for line in shown.splitlines() if line.startswith("= ")]
    assert len(codes) == len(calls)
    assert {"= 0", "= 1", "= 2"} >= set(codes)
    assert "\x1b[3" not in shown
