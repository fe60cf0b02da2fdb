"""kill -9: at random moments, and at named points between Markdown, queue and database."""

import asyncio
import random
import signal
from contextlib import ExitStack
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryPaths, file_lock
from tests.faults.checking import HALF, Outcome, losses
from tests.faults.orders import Order
from tests.faults.points import POINTS
from tests.faults.processes import Writers

# A workspace lives through so many rounds before a new one is begun: damage may show only later.
_ROUNDS_A_WORKSPACE = 5
_SIGKILL = -signal.SIGKILL


async def at_random_moments(writers: Writers, folder: Path, rounds: int, *, seed: int = 1) -> Outcome:
    """Kill 2 to 8 writers of one workspace, each at a moment of its own; whoever comes next finds everything."""
    outcome, killed = Outcome("kill -9 at random moments, 2 to 8 writers"), 0
    draw = random.Random(seed)
    for number in range(rounds):
        workspace = folder / f"random-{number // _ROUNDS_A_WORKSPACE}"
        started = [
            writers.start(
                Order(str(workspace), str(folder / f"r{number}-{who}.jsonl"), f"r{number}w{who}", count=1_000)
            )
            for who in range(draw.randint(2, 8))
        ]
        started[0].until("kept", draw.randint(1, 40))
        for writer in draw.sample(started, len(started)):
            await asyncio.sleep(draw.uniform(0, 0.1))
            writer.signal(signal.SIGKILL)
        killed += sum(writer.wait() == _SIGKILL for writer in started)
        kept = [one for writer in started for one in writer.kept]
        outcome.add(kept, await losses(workspace, kept))
    outcome.remark = f"{killed} processes killed"
    return outcome


async def at_a_point(writers: Writers, folder: Path, point: str, rounds: int, *, seed: int = 1) -> Outcome:
    """Kill one of two writers as it passes a point for the first to third time."""
    outcome = Outcome(f"kill -9: {point}")
    draw = random.Random(f"{seed} {point}")
    kinds = {"kinds": ("entry",)} if point.startswith(("entries", "new file", "after backup")) else {}
    if "spill" in point:
        kinds = {"kinds": ("note", "tool")}
    for number in range(rounds):
        name = f"{POINTS.index(point)}-{number}"
        workspace = folder / name
        nth = 1 if "removed" in point else draw.randint(1, 3)
        orders = [
            Order(str(workspace), str(folder / f"{name}-{who}.jsonl"), f"p{name}w{who}", count=count, **kinds)
            for who, count in enumerate((18, 6))
        ]
        with ExitStack() as locks:
            if "spill" in point:
                paths = MemoryPaths.of(workspace)
                locks.enter_context(file_lock(paths, paths.memory / "2026-01-01.md"))
            # The first one to start owns the index.
            armed = writers.start(orders[0].at(point, nth))
            armed.until("started")
            other = writers.start(orders[1])
            armed.until("kept" if "removed" in point else "started")
            if point == "after spill":
                armed.wait()
        status = armed.wait()
        other.wait()
        kept = [*armed.kept, *other.kept]
        lost = await losses(workspace, kept)
        if point == "half a write":
            # The half of a record that nobody was told about stays in its file, ended by whoever writes next.
            told = {one.word for one in kept}
            lost = [what for what in lost if what.split()[0] in told or not what.endswith(HALF)]
        if status != _SIGKILL or not armed.has_said("reached"):
            lost.append(f"the point {point!r} was not reached")
        outcome.add(kept, lost)
    return outcome
