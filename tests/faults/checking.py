"""What "nothing lost" means: every acknowledged write is in its file exactly once and is found after a restart."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.values import Level, Query
from tests.faults.orders import BEGIN, END, WORDS, Kept
from tests.faults.writer import configuration

# Seconds after which an index that is not built is a fault.
LONGEST = 60.0
HALF = "half a record"


@dataclass(slots=True)
class Outcome:
    """How the rounds of a case went. ``lost`` says in words what should not have happened."""

    case: str
    rounds: int = 0
    acknowledged: int = 0
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    remark: str = ""

    def add(self, kept: Iterable[Kept], lost: Iterable[str]) -> None:
        """Add a round."""
        known = list(kept)
        self.rounds += 1
        self.acknowledged += sum(one.stored for one in known)
        self.refused += sum(not one.stored for one in known)
        self.lost += [f"round {self.rounds}: {what}" for what in lost]


def truth(workspace: Path) -> dict[str, str]:
    """Return the text of every memory file by its place in the workspace; copies and journals are none."""
    memory = workspace / "memory"
    found = [*memory.glob("*.md"), *(memory / "sessions").glob("*.jsonl")]
    return {path.relative_to(workspace).as_posix(): path.read_text(encoding="utf-8") for path in found}


def losses_in_files(workspace: Path, kept: Iterable[Kept]) -> list[str]:
    """Compare the files with the receipts."""
    files = truth(workspace)
    begun: dict[str, Counter[str]] = {}
    lost = []
    for name, text in files.items():
        for mark, word in WORDS.findall(text):
            begun.setdefault(word, Counter())[f"{mark} {name}"] += 1
        if name.endswith(".jsonl"):
            lost += [f"{line[:60]!r} in {name} is {HALF}" for line in text.split("\n") if line and not _is_json(line)]
    for word, places in begun.items():
        marks = Counter(
            {mark: sum(n for place, n in places.items() if place.startswith(mark)) for mark in (BEGIN, END)}
        )
        if marks[BEGIN] > 1 or marks[END] > 1:
            lost.append(f"{word} stands there more than once: {dict(places)}")
        elif marks[BEGIN] != marks[END]:
            lost.append(f"{word} in {', '.join(places)} is {HALF}")
    for one in kept:
        places = begun.get(one.word)
        if not one.stored:
            continue
        if places is None:
            lost.append(f"{one.word} ({one.kind}, {one.path}) is in no file")
        elif not one.spilled and f"{BEGIN} {one.path}" not in places:
            lost.append(f"{one.word} is not in {one.path}: {dict(places)}")
    lost += [f"{path.name} still waits" for path in (workspace / "memory" / ".spill").glob("*.spill")]
    return lost


async def losses(workspace: Path, kept: Iterable[Kept]) -> list[str]:
    """Restart on a workspace, and say what was lost of what was acknowledged; an empty list is as it should be."""
    receipts = list(kept)
    lost = []
    async with MemoryHost(workspace, config=configuration()) as memory:
        await memory_is_indexed(memory)
        for one in receipts:
            if one.stored:
                found = await memory.search(Query(text=f"{BEGIN}{one.word}", limit=10))
                if not any(f"{BEGIN}{one.word}" in f"{hit.tldr} {hit.text}" for hit in found.hits):
                    lost.append(f"{one.word} ({one.kind}, {one.path}) is not found")
    return losses_in_files(workspace, receipts) + lost + index_faults(workspace)


async def memory_is_indexed(memory: MemoryHost) -> None:
    """Return once searches use an index that holds everything; while it is built again they read the files."""
    deadline = time.monotonic() + LONGEST
    while True:
        await asyncio.wait_for(memory.flush_index(), LONGEST)
        if (await memory.search(Query(text="anything", limit=1))).level is not Level.MARKDOWN:
            return
        assert time.monotonic() < deadline, "there is no index"
        await asyncio.sleep(0.1)


def index_faults(workspace: Path) -> list[str]:
    """Check the index with SQLite alone: its pages, and its full text against the rows."""
    path = workspace / ".storage" / "memory.db"
    with closing(apsw.Connection(str(path))) as connection:
        try:
            pages = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            connection.execute("INSERT INTO docs_fts (docs_fts, rank) VALUES ('integrity-check', 1)")
        except apsw.CorruptError as error:
            pages = [str(error)]
        return [f"the index is not sound: {page}" for page in pages if page != "ok"]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
