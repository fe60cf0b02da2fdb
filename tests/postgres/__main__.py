"""Run rounds in which something is broken off: ``python -m tests.postgres [--rounds N] [--seed N]``."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.fault_rounds import Rounds


def main() -> int:
    """Run the rounds that are asked for; return 0 where nothing was lost or doubled."""
    parser = argparse.ArgumentParser(description="Break things off, and count what is lost.")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    logger.disable("nanobot_memory_plugins")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    folder.chmod(0o755)
    begun = time.monotonic()
    try:
        server = OwnServer(folder / "s")
        with server.running():
            rounds = Rounds(folder, server, seed=given.seed)
            signal.signal(signal.SIGINT, lambda *_: setattr(rounds, "is_enough", True))  # and look at what there is
            outcome = rounds.run(given.rounds, lambda line: print(line, flush=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{outcome.breaks.total()} rounds in {time.monotonic() - begun:.0f} s: {dict(outcome.breaks)}")
    print(
        f"{outcome.kept:,} kept, {len(outcome.lost)} lost, {len(outcome.doubled)} doubled, "
        f"{outcome.unsent} bytes unsent {outcome.counted_wrongly}"
    )
    for line in [*outcome.lost, *outcome.doubled][:20]:
        print(line)
    return 0 if outcome.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
