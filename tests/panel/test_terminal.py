"""The panel on a real terminal: it draws, ends, and leaves the terminal as it was."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.panel.web import panel_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")

# Types the key once the panel is drawn, and prints how it ended and whether the terminal's settings are back.
ON_A_TERMINAL = """
import os, pty, select, subprocess, sys, termios
master, slave = pty.openpty()
before, drawn = termios.tcgetattr(slave), b""
panel = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave)
while panel.poll() is None or select.select([master], [], [], 0)[0]:
    if select.select([master], [], [], 0.1)[0]:
        drawn += os.read(master, 65536)
        if b"remembered yet" in drawn:
            os.write(master, b"q")
print(panel.returncode, b"?1049l" in drawn, b"Traceback" in drawn, termios.tcgetattr(slave) == before)
"""


@pytest.mark.slow
def test_it_draws_quits_and_leaves_the_terminal_as_it_was(workspace: Path, config: Path):
    done = subprocess.run(
        [sys.executable, "-c", ON_A_TERMINAL, *panel_command(workspace, config)],
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "0 True False True\n"
