"""Stops a server once whoever started it has ended: run as a process, with the server's folder and process number.

Its standard input is a pipe that its parent holds open, and that the system closes when the parent ends, however it
ends.
"""

import contextlib
import os
import signal
import sys
from pathlib import Path


def wait_and_stop(folder: Path, process: int) -> None:
    """Wait for the end of standard input, then end the server, if its folder still names this process."""
    while sys.stdin.buffer.read(1):
        continue
    with contextlib.suppress(OSError, ValueError):
        named = int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        if named == process:
            os.kill(process, signal.SIGINT)


if __name__ == "__main__":
    # A terminal's Ctrl-C is for the parent, after whose end there is still something to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wait_and_stop(Path(sys.argv[1]), int(sys.argv[2]))
