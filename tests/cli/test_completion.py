"""Bash and zsh complete commands, options and values."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import SystemClock

PROGRAM = Path(sys.executable).with_name("nanobot-memory")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    now = SystemClock().now().replace(microsecond=0)
    entries = {
        id_: Entry(id_, text, "fact", score, now, group=group)
        for id_, text, score, group in (("tea1", "likes tea", 0.9, "food"), ("bonn", "lived in Bonn", 0.1, ""))
    }
    EntryRepository(tmp_path).update(lambda _: entries, who="test", why="add")
    return tmp_path


def zsh(*words: str, home: Path) -> str:
    """Ask as the script for zsh does, and return what it would hand to the shell."""
    environment = {
        **os.environ,
        "HOME": str(home),
        "_NANOBOT_MEMORY_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": " ".join(("nanobot-memory", *words)),
    }
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.skipif(not PROGRAM.exists(), reason="the console script is not installed beside this Python")
def test_bash_itself_completes_by_the_script_that_is_offered(workspace: Path):
    script = """
        eval "$(_NANOBOT_MEMORY_COMPLETE=source_bash nanobot-memory)"
        COMP_WORDS=(nanobot-memory entries restor); COMP_CWORD=2
        "$(complete -p nanobot-memory | sed 's/.*-F \\([^ ]*\\).*/\\1/')" nanobot-memory
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(workspace)}
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(workspace)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["restore"], done.stderr
