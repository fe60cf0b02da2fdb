"""Damage to the index: its log and its file are truncated, flipped, deleted, replaced."""

import random
import signal
from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost
from tests.faults.checking import Outcome, losses
from tests.faults.orders import Order
from tests.faults.processes import Writers
from tests.faults.writer import configuration

Damage = Callable[[Path, random.Random], None]

_FLIPS = 40


def truncated(path: Path, draw: random.Random) -> None:
    """Cut a file at a random place."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(draw.randrange(size))


def flipped(path: Path, draw: random.Random) -> None:
    """Flip single bits at random places."""
    data = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, _FLIPS)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def zeroed(path: Path, draw: random.Random) -> None:
    """Overwrite one page with zeroes, as a disk does that lost it."""
    page = draw.randrange(max(1, path.stat().st_size // 4096))
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(bytes(4096))


def junk(path: Path, draw: random.Random) -> None:
    """Put something else in the file's place, and take its log away: a whole log would bring the file back."""
    if path.name == "memory.db":
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
    path.write_bytes(draw.randbytes(draw.choice([100, 10_000])))


def emptied(path: Path, draw: random.Random) -> None:
    """Leave nothing in the file."""
    path.write_bytes(b"")


def deleted(path: Path, draw: random.Random) -> None:
    """Remove the file alone; what stands beside it stays."""
    path.unlink()


# What is damaged, and how. Where the database itself is no database any more, putting it aside is required.
CASES: dict[str, tuple[str, Damage]] = {
    "log truncated": ("memory.db-wal", truncated),
    "log flipped": ("memory.db-wal", flipped),
    "log zeroed": ("memory.db-wal", zeroed),
    "log replaced by junk": ("memory.db-wal", junk),
    "log deleted": ("memory.db-wal", deleted),
    "log's index flipped": ("memory.db-shm", flipped),
    "database truncated": ("memory.db", truncated),
    "database flipped": ("memory.db", flipped),
    "database zeroed": ("memory.db", zeroed),
    "database replaced by junk": ("memory.db", junk),
    "database emptied": ("memory.db", emptied),
    "database deleted": ("memory.db", deleted),
}
# After these there must be a new index, and the old one beside it.
PUT_ASIDE = ("database replaced by junk",)


async def damaged(writers: Writers, folder: Path, case: str, rounds: int, *, seed: int = 1) -> Outcome:
    """Damage what a killed or an orderly writer left, and restart."""
    name, damage = CASES[case]
    outcome, aside = Outcome(f"index: {case}"), 0
    draw = random.Random(f"{seed} {case}")
    for number in range(rounds):
        workspace = folder / f"{case.replace(' ', '-')}-{number}"
        says = folder / f"{workspace.name}.jsonl"
        count = draw.randint(12, 100)
        is_killed = draw.random() < 0.5
        writer = writers.start(Order(str(workspace), str(says), f"d{number}", count=10_000 if is_killed else count))
        if is_killed:
            writer.until("kept", count)
            writer.signal(signal.SIGKILL)
        writer.wait()
        path = workspace / ".storage" / name
        if path.exists() and path.stat().st_size:
            damage(path, draw)
        lost = await losses(workspace, writer.kept)
        broken = [one for one in path.parent.glob("memory.db.broken-*") if not one.name.endswith(("-wal", "-shm"))]
        aside += bool(broken)
        if broken or case in PUT_ASIDE:
            lost += await _not_announced(workspace, broken)
        outcome.add(writer.kept, lost)
    outcome.remark = f"{aside} put aside and built again"
    return outcome


async def _not_announced(workspace: Path, broken: list[Path]) -> list[str]:
    """Look whether ``doctor`` names the file that was put aside."""
    async with MemoryHost(workspace, config=configuration()) as memory:
        said = " ".join(f"{finding.state} {finding.hint}" for finding in await memory.diagnose())
    if not broken:
        return ["the damaged index was not put aside"]
    return [f"{one.name} is not announced by doctor" for one in broken if one.name not in said]
