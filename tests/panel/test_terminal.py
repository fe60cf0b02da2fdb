"""The panel on a real terminal: it draws, ends, and leaves the terminal as it was."""

import contextlib
import os
import re
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.panel.web.server import panel_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")

COLOUR = re.compile(r"[34]8;5;(\d+)")
# Of the 256 colours.
GREYS = {16, 59, 102, 145, 188, 231, *range(232, 256)}


class Terminal:
    """A pseudo-terminal with a panel on it."""

    def __init__(self, command: list[str], **variables: str) -> None:
        import fcntl
        import struct
        import termios

        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        environment = {**os.environ, "TERM": "xterm-256color", **variables}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        self.drawn = b""

    def sees(self, text: bytes) -> None:
        end = monotonic() + 60
        while text not in self.drawn:
            assert monotonic() < end, self.drawn[-2_000:]
            self._read(0.2)

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def end(self) -> int:
        """Wait for the end, reading on, and return the exit status."""
        end = monotonic() + 30
        while self.process.poll() is None:
            assert monotonic() < end
            self._read(0.1)
        self._read(0.2)
        return self.process.returncode

    def settings_are_back(self) -> bool:
        import termios

        return termios.tcgetattr(self._slave) == self.before

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self._master, self._slave):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _read(self, seconds: float) -> None:
        while select.select([self._master], [], [], seconds)[0]:
            self.drawn += os.read(self._master, 65_536)
            seconds = 0


@pytest.mark.slow
def test_it_draws_quits_and_leaves_the_terminal_as_it_was(workspace: Path, config: Path):
    RepositoryAccess(EntryRepository(workspace)).add("likes oolong tea, 喜欢乌龙茶")
    terminal = Terminal(panel_command(workspace, config), LANG="C.UTF-8", NO_COLOR="1")
    try:
        terminal.sees(b"likes oolong tea")
        terminal.press(b"q")
        assert terminal.end() == 0
        assert b"\x1b[?1049l" in terminal.drawn  # back from the other screen
        assert terminal.settings_are_back()
        assert b"Traceback" not in terminal.drawn
        assert {int(colour) for colour in COLOUR.findall(terminal.drawn.decode())} <= GREYS
    finally:
        terminal.close()
