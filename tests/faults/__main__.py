"""Print what was lost under every fault: ``python -m tests.faults [--rounds N] [WORD...]``.

A case runs when one of the words is in its name; without words all run. ``--rounds`` is the most that a case runs.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from loguru import logger

from tests.faults import damage, hindrance, kills, long_term, messages, space
from tests.faults.checking import Outcome
from tests.faults.points import POINTS
from tests.faults.processes import Writers

Case = Callable[[Writers, Path], Coroutine[Any, Any, Outcome]]


def cases(most: int) -> dict[str, Case]:
    """Return every case by its name, with the rounds that it runs."""

    def up_to(wanted: int) -> int:
        return min(most, wanted)

    seconds = 30 if most >= 200 else 3
    found: dict[str, Case] = {"kill -9 at random": partial(_swap(kills.at_random_moments), up_to(200))}
    for point in POINTS:
        found[f"kill -9 point: {point}"] = partial(_swap(kills.at_a_point), point, up_to(10))
    for name in damage.CASES:
        found[f"index: {name}"] = partial(_swap(damage.damaged), name, up_to(20))
    found["full: limit"] = partial(_swap(space.file_size_limit), up_to(20))
    found["full: file system"] = partial(_swap(space.full_disk), up_to(5))
    found["read-only"] = partial(_swap(space.read_only), up_to(10))
    for name in long_term.DAMAGE:
        found[f"ENTRIES.md: {name}"] = partial(_swap(long_term.damaged_long_term_memory), name, up_to(10))
    for whole in (True, False):
        locked = partial(hindrance.turns_beside_a_lock, rounds=1, whole=whole, seconds=seconds)
        found[f"lock {whole}"] = partial(lambda call, writers, folder: call(writers, folder), locked)
    for name in hindrance.TOGETHER:
        found[f"at once: {name}"] = partial(_swap(hindrance.together), name, up_to(10))
    found["clock"] = partial(_swap(hindrance.clock_set_back), up_to(10))
    found["suspended"] = partial(_swap(hindrance.suspended), up_to(40))
    found["cancelled"] = partial(_swap(hindrance.cancelled), up_to(50))
    found["messages: odd"] = lambda writers, folder: messages.odd_messages(folder, up_to(5))
    found["messages: long"] = lambda writers, folder: messages.long_message(folder, 50 if most >= 50 else 5)
    return found


def _swap(function: Callable[..., Coroutine[Any, Any, Outcome]]) -> Callable[..., Coroutine[Any, Any, Outcome]]:
    """Take the case's own arguments first, and writers and folder behind them."""

    def call(*arguments: Any) -> Coroutine[Any, Any, Outcome]:
        *own, writers, folder = arguments
        return function(writers, folder, *own)

    return call


async def run(wanted: dict[str, Case]) -> int:
    """Run the cases and print a line for each; return how many lost something."""
    print(f"{'fault':58}{'rounds':>7}{'kept':>8}{'refused':>9}{'lost':>6}{'seconds':>9}  remark")
    bad = 0
    with tempfile.TemporaryDirectory() as folder, Writers() as writers:
        for case in wanted.values():
            begun = time.monotonic()
            one = await case(writers, Path(folder))
            line = f"{one.case:58}{one.rounds:7}{one.acknowledged:8}{one.refused:9}{len(one.lost):6}"
            print(f"{line}{time.monotonic() - begun:9.0f}  {one.remark}", flush=True)
            for what in one.lost[:10]:
                print(f"    {what}", flush=True)
            bad += bool(one.lost)
    return bad


def main() -> int:
    """Return 0 when nothing was lost in any case."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    logger.remove()
    known = cases(given.rounds)
    words = [word.casefold() for word in given.words]
    wanted = {name: case for name, case in known.items() if not words or any(w in name.casefold() for w in words)}
    return 1 if asyncio.run(run(wanted)) else 0


if __name__ == "__main__":
    sys.exit(main())
