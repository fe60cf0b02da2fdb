"""Whatever people, processes and crashes do to the file, in whatever order: no id is lost that nobody took out."""

import re
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.operations.changes import forget, restore
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock

from .made_entries import NOW, added, entry

_KILLS = ("never", "before check", "before record", "renaming", "after replace")
_steps = st.lists(
    st.tuples(st.sampled_from(["write", "edit", "append", "delete", "forget", "state", "last instant"]),
              st.sampled_from(_KILLS)),
    min_size=3, max_size=10,
)  # fmt: skip


class Killed(BaseException):
    """Stands for the end of the process."""


class _Life:
    """A workspace and what must be in it: ``wanted`` ids, and those that ``may`` be there besides."""

    def __init__(self, folder: Path) -> None:
        (folder / "memory").mkdir()
        self.folder, self.number, self.moment = folder, 0, NOW
        self.wanted: set[str] = set()
        self.may: set[str] = set()
        self.forgotten: set[str] = set()

    def repository(self, kill: str = "never", hook=None) -> EntryRepository:
        def at(point: str) -> None:
            if hook is not None and point == "before record":
                hook()
            if point == kill:
                raise Killed

        self.moment += timedelta(seconds=1)
        return EntryRepository(self.folder, clock=ManualClock(self.moment), at=at)

    def new(self) -> str:
        self.number += 1
        return f"id{self.number:04}"

    def written(self, id_: str, kill: str, hook=None) -> None:
        def ends(*_: object) -> None:
            raise Killed

        where = "nanobot_memory_plugins.core.files.replace._keep_backup"
        try:
            if kill == "renaming":
                with patch(where, ends):
                    self.repository(kill, hook).update(added(entry(id_, f"text of {id_}")), who="user", why="add")
            else:
                self.repository(kill, hook).update(added(entry(id_, f"text of {id_}")), who="user", why="add")
            self.wanted.add(id_)
        except Killed:
            self.may.add(id_)  # nobody was told that it is kept

    def step(self, what: str, kill: str) -> None:
        path = self.folder / "memory" / "ENTRIES.md"
        match what:
            case "write":
                self.written(self.new(), kill)
            case "edit" if path.exists():
                text = path.read_text(encoding="utf-8")
                path.write_text(re.sub(r"text of (\w+)$", r"edited \1", text, count=1, flags=re.MULTILINE), "utf-8")
            case "append":
                id_ = self.new()
                text = path.read_text(encoding="utf-8") if path.exists() else ""
                path.write_text(
                    text + f"\n## Active Memories\n\n### [{id_}] fact | 0.80 | 2026-02-20 | 0\nby hand\n", "utf-8"
                )
                self.wanted.add(id_)
            case "delete" if path.exists():
                text = path.read_text(encoding="utf-8")
                if blocks := re.findall(r"^### \[\w+\] [^\n]*\n[^\n]+\n(?:<!--[^\n]*\n)?", text, re.MULTILINE):
                    path.write_text(text.replace(blocks[0], ""), encoding="utf-8")
                    for known in (self.wanted, self.may, self.forgotten):
                        known.discard(blocks[0][5:11])
            case "forget":
                there = set(self.repository().load().entries) & self.wanted
                if there:
                    forget(self.repository(), [min(there)], who="user")
                    self.wanted.discard(min(there))
                    self.forgotten.add(min(there))
            case "state":
                state = self.repository().state
                self.repository().settle()  # what was written down alone is told to nobody once that is gone
                state.close()
                for file in state.path.parent.glob("state.db*"):
                    file.unlink()
            case "last instant" if path.exists():
                mine = self.new()

                def hook() -> None:
                    if mine not in self.wanted:
                        self.wanted.add(mine)
                        with path.open("a", encoding="utf-8") as file:
                            file.write(f"\n## Active Memories\n\n### [{mine}] fact | 0.80 | 2026-02-20 | 0\nby hand\n")

                self.written(self.new(), "never" if kill == "before record" else kill, hook)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(_steps)
def test_any_interleaving_of_writes_edits_and_kills_keeps_every_id(steps):
    folder = Path(tempfile.mkdtemp())
    try:
        life = _Life(folder)
        for what, kill in steps:
            life.step(what, kill)
            there = set(life.repository().load().entries)
            assert life.wanted <= there, (what, kill, life.wanted - there)
            assert there <= life.wanted | life.may
        repository = life.repository()
        repository.settle()
        assert life.wanted <= set(repository.load().entries)
        document = parse(repository.path.read_bytes()) if repository.path.exists() else parse(b"")
        assert document.problems == ()
        standing = re.findall(r"^### \[(\w+)\]", document.data.decode(), re.MULTILINE)
        assert len(standing) == len(set(standing))
        for id_ in life.forgotten & set(repository.load().forgotten):
            restore(repository, id_, who="user")
        assert not repository.load().forgotten
    finally:
        EntryRepository(folder).state.close()
        shutil.rmtree(folder)
