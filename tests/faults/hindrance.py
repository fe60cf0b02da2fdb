"""Whatever else may come between: locks, many at once, a clock set back, suspension, cancellation."""

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from tests.faults.checking import Outcome, losses
from tests.faults.orders import BEGIN, END, KINDS, Kept, Order, word_of
from tests.faults.processes import Writers, held_up
from tests.faults.writer import one

# Seconds that a turn may take beside a locked index: the limit of `on_message_received`, 0.5 s, five times.
LONGEST_TURN = 2.5
TOGETHER = ("2 processes", "4 processes", "8 processes", "8 threads", "8 threads in each of 2 processes")

# Takes the whole file, as a backup program does, and lets go when its input ends. In WAL mode nobody gets in then.
_HOLDER = """
import sys, time, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(20000)
if sys.argv[2] == "whole":
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def locked(database: Path, *, whole: bool) -> Iterator[None]:
    """Have another process hold the database's lock: against everybody, or against writers only."""
    command = [sys.executable, "-c", _HOLDER, str(database), "whole" if whole else "writers"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.stdin.close()
            holder.wait(30)


async def turns_beside_a_lock(writers: Writers, folder: Path, rounds: int, *, whole: bool, seconds: float) -> Outcome:
    """Take turns while another process holds an exclusive lock, for ``seconds``; no turn may wait for it."""
    who = "against everybody" if whole else "against writers"
    outcome, slowest = Outcome(f"exclusive lock {who}, {seconds:g} s"), 0.0
    settings = MemoryConfig.model_validate({"plugins": {"storage": {"embedding_provider": "none"}}})
    for number in range(rounds):
        workspace = folder / f"lock-{whole}-{number}"
        before = writers.start(Order(str(workspace), str(folder / f"k{whole}{number}.jsonl"), f"k{number}", count=12))
        before.wait()
        kept: list[Kept] = []
        with locked(workspace / ".storage" / "memory.db", whole=whole):
            async with MemoryHost(workspace, config=settings) as memory:
                ends, turn = time.monotonic() + seconds, 0
                while time.monotonic() < ends:
                    for kind in KINDS:
                        word = word_of(f"lock {whole} {number}", turn)
                        begun = time.perf_counter()
                        receipt = await one(memory, kind, f"{BEGIN}{word} {word[::-1]} {END}{word}", "cli:lock")
                        slowest = max(slowest, time.perf_counter() - begun)
                        where = receipt.path.relative_to(workspace).as_posix() if receipt.path else ""
                        kept.append(Kept(word, kind, receipt.stored, where, receipt.spilled, receipt.reason))
                        turn += 1
                    await asyncio.sleep(seconds / 20)
        lost = await losses(workspace, [*before.kept, *kept])
        lost += [f"{one.word} was refused: {one.reason}" for one in kept if not one.stored]
        outcome.add([*before.kept, *kept], lost)
    if slowest > LONGEST_TURN:
        outcome.lost.append(f"a turn took {slowest:.2f} s")
    outcome.remark = f"slowest call {slowest:.2f} s"
    return outcome


async def together(writers: Writers, folder: Path, case: str, rounds: int) -> Outcome:
    """Let many write at once; everything is acknowledged and kept."""
    outcome = Outcome(f"at once: {case}")
    processes = {"8 threads": 1, TOGETHER[-1]: 2}.get(case) or int(case.split()[0])
    threads = 8 if "threads" in case else 1
    for number in range(rounds):
        name = f"{TOGETHER.index(case)}-{number}"
        workspace = folder / name
        orders = [
            Order(str(workspace), str(folder / f"{name}-{who}.jsonl"), f"{name}w{who}", count=12, threads=threads)
            for who in range(processes)
        ]
        started = [writers.start(order) for order in orders]
        lost = [f"{writer.order.name} failed" for writer in started if writer.wait()]
        kept = [one for writer in started for one in writer.kept]
        lost += await losses(workspace, kept)
        lost += [f"{one.word} was refused: {one.reason}" for one in kept if not one.stored]
        if len(kept) != 12 * processes * threads:
            lost.append(f"{len(kept)} calls were answered")
        outcome.add(kept, lost)
    return outcome


async def clock_set_back(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Set the wall clock back at every look at it, by up to three hours: weeks in all, fewer than observations last."""
    outcome, draw = Outcome("clock going backwards"), random.Random(1)
    for number in range(rounds):
        workspace = folder / f"clock-{number}"
        back = draw.choice([0.001, 1, 600, 10_800])
        orders = [
            Order(str(workspace), str(folder / f"c{number}-{who}.jsonl"), f"c{number}w{who}", backwards=back)
            for who in range(2)
        ]
        started = [writers.start(order) for order in orders]
        lost = [f"{writer.order.name} failed" for writer in started if writer.wait()]
        kept = [one for writer in started for one in writer.kept]
        lost += await losses(workspace, kept)
        lost += [f"{one.word} was refused: {one.reason}" for one in kept if not one.stored]
        outcome.add(kept, lost)
    return outcome


async def suspended(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Suspend one of two writers at a random moment, whatever it holds; the other goes on meanwhile."""
    outcome, draw = Outcome("SIGSTOP and SIGCONT of a writer"), random.Random(1)
    for number in range(rounds):
        workspace = folder / f"stop-{number}"
        orders = [
            Order(
                str(workspace), str(folder / f"s{number}-{who}.jsonl"), f"s{number}w{who}", count=count, kinds=KINDS[:5]
            )
            for who, count in enumerate((120, 60))
        ]
        stopped = writers.start(orders[0])
        stopped.until("kept", draw.randint(1, 30))
        await asyncio.sleep(draw.uniform(0, 0.02))
        with held_up(stopped):
            other = writers.start(orders[1])
            other.until("kept", 60)
        lost = [f"{writer.order.name} failed" for writer in (stopped, other) if writer.wait()]
        kept = [*stopped.kept, *other.kept]
        lost += await losses(workspace, kept)
        lost += [f"{one.word} was refused: {one.reason}" for one in kept if not one.stored]
        outcome.add(kept, lost)
    return outcome


async def cancelled(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Cancel everything that a host was asked, at random moments, and close it."""
    outcome, draw = Outcome("host cancelled at a random point"), random.Random(1)
    for number in range(rounds):
        workspace = folder / f"cancel-{number // 10}"
        says = str(folder / f"x{number}.jsonl")
        after = draw.choice([0.0001, 0.01, 0.05, 0.2, 0.5]) * draw.uniform(0.5, 2)
        writer = writers.start(Order(str(workspace), says, f"x{number}", count=10_000, width=4, cancel_after=after))
        lost = [f"{writer.order.name} failed"] if writer.wait() else []
        kept = writer.kept
        lost += await losses(workspace, kept)
        outcome.add(kept, lost)
    return outcome
