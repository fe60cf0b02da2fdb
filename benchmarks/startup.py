"""What the bridge adds to nanobot's start: seconds to import both, minus seconds to import nanobot alone."""

import statistics
import subprocess
import sys
import time

from benchmarks.measure import report

REPETITIONS = 9
HOST = "import nanobot.agent.loop, nanobot.cli.commands"
BRIDGE = f"{HOST}; import nanobot_memory_plugins.bridge.tools"


def _seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the median of the differences; the two are run in turns, so that both see the same machine."""
    _seconds(BRIDGE)
    differences, hosts = [], []
    for _ in range(REPETITIONS):
        host = _seconds(HOST)
        hosts.append(host)
        differences.append(_seconds(BRIDGE) - host)
    report("import of nanobot alone", statistics.median(hosts) * 1000, "ms")
    report("the bridge adds", statistics.median(differences) * 1000, "ms", limit=300)


if __name__ == "__main__":
    main()
