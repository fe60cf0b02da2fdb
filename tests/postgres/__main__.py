"""Run rounds in which something is broken off: ``python -m tests.postgres [--rounds N] [--seed N] [--minutes N]``.

Disks that can be filled are made for root alone.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from nanobot_memory_plugins.core import logger
from tests.postgres.fault_rounds import Rounds
from tests.postgres.server_pair import ServerPair, can_mount

_DISK_MEGABYTES = 600


def main() -> int:
    """Run the rounds that are asked for; return 0 where nothing was lost or doubled."""
    parser = argparse.ArgumentParser(description="Break things off, and count what is lost.")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--minutes", type=float, default=0.0, help="begin no round after so long")
    given = parser.parse_args()
    logger.disable("nanobot_memory_plugins")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    begun = time.monotonic()
    try:
        with ServerPair(folder, disk_megabytes=_DISK_MEGABYTES if can_mount() else 0).running() as servers:
            rounds = Rounds(folder, servers, seed=given.seed)
            signal.signal(signal.SIGINT, lambda *_: setattr(rounds, "is_enough", True))  # and look at what there is
            if given.minutes:
                limit = threading.Timer(given.minutes * 60, lambda: setattr(rounds, "is_enough", True))
                limit.daemon = True
                limit.start()
            outcome = rounds.run(given.rounds, lambda line: print(line, flush=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{outcome.breaks.total()} rounds in {time.monotonic() - begun:.0f} s: {dict(outcome.breaks)}")
    print(
        f"{outcome.kept:,} kept, {len(outcome.lost)} lost, {len(outcome.doubled)} doubled, "
        f"{outcome.unsent} bytes unsent {outcome.counted_wrongly} {outcome.neighbour}"
    )
    for line in [*outcome.lost, *outcome.doubled][:20]:
        print(line)
    return 0 if outcome.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
