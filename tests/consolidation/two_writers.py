"""Interleavings of our writer, a foreign one and crashes, drawn from a seed; what may not happen is asserted."""

import os
import random
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.scoring import activated, faded
from nanobot_memory_plugins.consolidation.operations.undo import restore
from nanobot_memory_plugins.consolidation.store.atomic_files import kept_aside
from nanobot_memory_plugins.consolidation.store.document import Heading, parse
from nanobot_memory_plugins.consolidation.store.journal import last_known
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock

from .made_entries import NOW, entry

POINTS = ["before check", "before journal", "after journal", "after replace", "after seen"]


class CrashError(BaseException):
    """The process ends here."""


class Foreign:
    """Somebody who edits the file as people and other programs do, without our lock."""

    def __init__(self, path: Path, draw: random.Random) -> None:
        self.path = path
        self.draw = draw
        self.tokens: set[str] = set()  # its lines that must be somewhere
        self.dropped: set[str] = set()  # and those that it took out
        self.read: bytes | None = None  # what it has open
        self.count = 0

    def act(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        what = self.draw.choice(["line", "line", "reword", "delete", "move", "score", "add", "open", "save"])
        if what == "open":
            self.read = data
            return
        if what == "save":
            if self.read is None:
                return
            data, self.read = self.read, None
        slots = parse(data).slots
        self.count += 1
        token = f"foreign-{self.count}-{self.draw.randrange(10**9)}"
        if what in ("line", "save"):
            place = self.draw.choice(["top", "end", "between"])
            text = f"{token}\n\n".encode()
            if place == "between" and slots:
                block = self.draw.choice(list(slots.values())).data
                data = data.replace(block, block.rstrip(b"\n") + b"\n\n" + text, 1)
            else:
                data = text + data if place == "top" else data.rstrip(b"\n") + b"\n\n" + text
        elif what == "add":
            section = b"## Archived Memories\n" if self.draw.random() < 0.3 else b"## Active Memories\n"
            new = f"\n### [{token[-6:]}f] fact | 0.60 | 2026-02-20 | 0\n{token}\n".encode()
            if section not in data:
                data = data.rstrip(b"\n") + b"\n\n" + section
            data = data.replace(section, section + new + b"\n", 1)
        elif slots:
            slot = self.draw.choice(list(slots.values()))
            if what == "reword":
                data = data.replace(slot.block.text, token.encode(), 1)
            elif what == "score":
                header = slot.block.header
                data = data.replace(header, b"|".join([header.split(b"|")[0], b" 0.55 ", *header.split(b"|")[2:]]), 1)
            else:
                data = data.replace(slot.data, b"", 1)
                if what == "move" and b"## Archived Memories\n" in data:
                    data = data.replace(b"## Archived Memories\n", b"## Archived Memories\n\n" + slot.data, 1)
        if self.draw.random() < 0.5:
            self.path.write_bytes(data)
        else:
            other = self.path.with_name("foreign.tmp")
            other.write_bytes(data)
            os.replace(other, self.path)
        self._note(data)

    def _note(self, data: bytes) -> None:
        """Remember which of its words it wants to find again: those that it wrote, and did not take out itself."""
        now = {word for word in data.decode().split() if word.startswith("foreign-")}
        self.dropped |= self.tokens - now
        self.tokens = now - self.dropped


def everywhere(repository: EntryRepository, *, done: bool) -> str:
    """Return the file and what was kept aside; after a crash also the backup, from which the next write takes it."""
    files = [repository.path, *kept_aside(repository.path)]
    if not done:
        files.append(repository.path.with_name("ENTRIES.md.bak"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def check(
    repository: EntryRepository, foreign: Foreign, known: dict[str, Entry], removed: set[str], *, done: bool
) -> None:
    snapshot = repository.load()
    assert snapshot.problems == ()
    headings = [piece.section for piece in snapshot.document.pieces if isinstance(piece, Heading)]
    assert len(headings) == len(set(headings)) <= 2
    text = everywhere(repository, done=done)
    runs = repository.journal.runs()
    journaled = "\n".join(
        one.content for run in runs for c in run.changes for one in (c.before, c.after) if one is not None
    )
    for token in foreign.tokens:
        # Words of an entry that we forgot since then are in the journal.
        assert token in text or (removed and token in journaled), token
    for id_ in known:
        assert id_ in snapshot.entries or last_known(runs, id_) is not None, id_


def interleave(folder: Path, seed: int) -> int:
    """Run one interleaving; return how many foreign writes there were."""
    draw = random.Random(seed)
    (folder / "memory").mkdir(parents=True)
    clock = ManualClock(NOW)
    path = folder / "memory" / "ENTRIES.md"
    if draw.random() < 0.5:
        path.write_text("# Mine\n\nforeign-0\n", encoding="utf-8")
    foreign = Foreign(path, draw)
    foreign.tokens = {"foreign-0"} if path.exists() else set()
    known: dict[str, Entry] = {}
    removed: set[str] = set()
    for step in range(draw.randint(3, 8)):
        clock.advance(draw.choice([1, 60, 86_400, 30 * 86_400]))
        plan = {point: draw.choice(["", "", "", "foreign", "foreign", "crash"]) for point in POINTS}

        def at(point: str, plan: dict[str, str] = plan) -> None:
            what, plan[point] = plan.get(point, ""), ""
            if what == "foreign":
                foreign.act()
            elif what == "crash":
                raise CrashError

        repository = EntryRepository(folder, clock=clock, at=at, sleep=lambda _: None)
        kind = draw.choice(["add", "add", "hit", "fade", "forget"])
        new = entry(f"s{step}x{seed}", f"ours {step}", draw.choice([0.1, 0.6, 0.9]), last_activated=clock.now())

        def change(entries, kind=kind, new=new):
            if kind == "add":
                return {**entries, new.id: new}
            if kind == "fade":
                stay = faded(entries, clock.now())
                removed.update(stay.forgotten)
                return stay.entries
            if not entries:
                return entries
            chosen = sorted(entries)[seed % len(entries)]
            if kind == "forget":
                removed.add(chosen)
                return {id_: one for id_, one in entries.items() if id_ != chosen}
            return {**entries, chosen: activated(entries[chosen], clock.now())}

        try:
            outcome = repository.update(change, who="test", why=kind)
            known.update(outcome.entries)
            done = True
        except CrashError:
            done = False
        if draw.random() < 0.6:
            foreign.act()
        check(EntryRepository(folder, clock=clock, sleep=lambda _: None), foreign, known, removed, done=done)
    last = EntryRepository(folder, clock=clock, sleep=lambda _: None)
    last.update(lambda entries: {**entries, "end": entry("end", "the end")}, who="test", why="end")
    check(last, foreign, known, removed, done=True)
    gone = sorted(known.keys() - last.load().entries.keys())
    for id_ in gone:
        restore(last, id_, now=clock.now(), who="test")
    assert known.keys() <= last.load().entries.keys()
    assert {one.section for one in last.load().entries.values()} <= set(Section)
    return foreign.count
