"""A damaged ENTRIES.md: the entries come from the copy, and the bad file is kept."""

from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.consolidation.store.atomic_files import kept_aside
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost
from tests.faults.checking import Outcome, losses
from tests.faults.orders import BEGIN, Order
from tests.faults.processes import Writers
from tests.faults.writer import configuration

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "all 0xFF": lambda data: b"\xff" * len(data),
    "half": lambda data: data[: len(data) // 2 + 7],
    "all NUL": lambda data: bytes(len(data)),
    "NUL at the end": lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
}


async def damaged_long_term_memory(writers: Writers, folder: Path, case: str, rounds: int) -> Outcome:
    """Damage the file between two hosts."""
    outcome = Outcome(f"ENTRIES.md: {case}")
    for number in range(rounds):
        workspace = folder / f"{case.replace(' ', '-')}-{number}"
        name = workspace.name.casefold()
        before = writers.start(Order(str(workspace), str(folder / f"{name}.jsonl"), name, 6 + number, ("entry",)))
        before.wait()
        path = workspace / "memory" / "ENTRIES.md"
        bad = DAMAGE[case](path.read_bytes())
        path.write_bytes(bad)
        lost = []
        known = " ".join(entry.content for entry in EntryRepository(workspace).load().entries.values())
        lost += [f"{one.word} is no entry any more" for one in before.kept if f"{BEGIN}{one.word}" not in known]
        async with MemoryHost(workspace, config=configuration()) as memory:
            prompt = memory.base_context()
        if "\0" in prompt or "\ufffd" in prompt:
            lost.append("the prompt holds what the damage left")
        after = writers.start(Order(str(workspace), str(folder / f"{name}-2.jsonl"), f"{name}2", 2, ("entry",)))
        after.wait()
        kept = [*before.kept, *after.kept]
        if bad and bad not in [aside.read_bytes() for aside in kept_aside(path)]:
            lost.append("the bad file was not kept")
        lost += await losses(workspace, kept)
        lost += [f"{one.word} was refused: {one.reason}" for one in kept if not one.stored]
        outcome.add(kept, lost)
    return outcome
