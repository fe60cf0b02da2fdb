"""Bash completes the names of commands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("nanobot-memory")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.skipif(not PROGRAM.exists(), reason="the console script is not installed beside this Python")
def test_bash_itself_completes_by_the_script_that_is_offered(tmp_path: Path):
    script = """
        eval "$(_NANOBOT_MEMORY_COMPLETE=source_bash nanobot-memory)"
        COMP_WORDS=(nanobot-memory entries restor); COMP_CWORD=2
        "$(complete -p nanobot-memory | sed 's/.*-F \\([^ ]*\\).*/\\1/')" nanobot-memory
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["restore"], done.stderr
