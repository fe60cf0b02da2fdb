"""The file of the entries: written atomically, merged with what people do to it, and mended from its backup."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.consolidation.model.scoring import activated, faded
from nanobot_memory_plugins.consolidation.store.atomic_files import kept_aside
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.journal import BY_HAND
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.store.three_way_merge import merged
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import MemoryFileError

from .made_entries import EXAMPLE, NOW, added, days, entry


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def repository(workspace: Path, clock: ManualClock) -> EntryRepository:
    return EntryRepository(workspace, clock=clock, sleep=lambda _: None)


@pytest.fixture
def warnings():
    told: list[str] = []
    handler = logger.add(lambda message: told.append(message.record["message"]), level="WARNING")
    yield told
    logger.remove(handler)


def add(repository: EntryRepository, *entries, who: str = "test"):
    return repository.update(added(*entries), who=who, why="a test")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


@pytest.mark.accept("EB-02")
def test_a_broken_entry_is_told_once(repository: EntryRepository, warnings: list[str]):
    repository.path.write_text(EXAMPLE.replace("0.88", "much"), encoding="utf-8")
    assert len(repository.load().entries) == 3
    repository.load()
    add(repository, entry("new1", "new"))
    assert len(warnings) == 1
    assert "line 11" in warnings[0]
    assert b"[d4e5f6] fact | much | 2026-02-19 | 8" in repository.path.read_bytes()


@pytest.mark.accept("EB-03")
def test_what_is_saved_is_loaded_and_the_previous_file_is_in_the_backup(repository: EntryRepository):
    repository.path.write_text(EXAMPLE, encoding="utf-8")
    add(repository, entry())
    assert repository.path.with_name("ENTRIES.md.bak").read_text(encoding="utf-8") == EXAMPLE
    again = EntryRepository(repository.paths.workspace)
    assert again.load().entries == repository.load().entries
    assert len(again.load().entries) == 4  # a1b2c3 was there before, and is changed


@pytest.mark.accept("EB-03")
@pytest.mark.parametrize("point", ["before check", "before journal", "after journal", "after seen", "after replace"])
def test_a_crash_at_any_point_leaves_the_old_file_or_the_new_one(repository: EntryRepository, point: str):
    add(repository, entry())
    before = repository.path.read_bytes()

    class CrashError(Exception):
        pass

    def crash(where: str) -> None:
        if where == point:
            raise CrashError

    crashing = EntryRepository(repository.paths.workspace, clock=ManualClock(NOW + days(1)), at=crash)
    with pytest.raises(CrashError):
        add(crashing, entry("new1", "new"))
    assert (repository.path.read_bytes() == before) is not (point == "after replace")
    counts = point in ("after seen", "after replace")
    assert set(repository.load().entries) == ({"a1b2c3", "new1"} if counts else {"a1b2c3"})
    add(repository, entry("new2", "newer"))
    whys = [run.why for run in repository.journal.runs()]
    told = {"before check": 2, "before journal": 2}.get(point, 3)
    assert whys.count("a test") == told
    assert ("broke off before it was written" in whys) is (point == "after journal")
    assert BY_HAND not in {run.who for run in repository.journal.runs()}
    assert set(repository.load().entries) == {"a1b2c3", "new2"} | ({"new1"} if counts else set())


def written(path: Path) -> tuple[int, int, int]:
    """Return what a write changes, and reading does not."""
    stat = os.stat(path)
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def test_nothing_new_writes_nothing(repository: EntryRepository):
    add(repository, entry())
    before = written(repository.path)
    lines = repository.journal.lines()
    repository.clock.set(NOW + days(1))  # type: ignore[attr-defined]
    outcome = repository.update(lambda entries: faded(entries, NOW + days(1)).entries, who="decay", why="time")
    assert outcome.run is None
    assert written(repository.path) == before
    assert repository.journal.lines() == lines


def test_all_that_is_ours_is_for_its_owner_only(repository: EntryRepository):
    add(repository, entry())
    add(repository, entry("new1", "new"))
    for path in repository.paths.memory.rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o077 == 0, path


def test_hand_edits_are_adopted_and_written_down(repository: EntryRepository):
    add(repository, entry("a", "likes tea"), entry("b", "has a dog"), entry("c", "is 40"), entry("d", "rides"))
    text = repository.path.read_text(encoding="utf-8")
    blocks = {id_: slot.data.decode() for id_, slot in parse(text.encode()).slots.items()}
    text = text.replace("likes tea", "likes green tea")  # reworded
    text = text.replace(blocks["b"], "")  # deleted
    text = text.replace("[c] fact | 0.80", "[c] fact | 0.33")  # scored
    text = text.replace(blocks["d"], "") + "\n## Archived Memories\n\n" + blocks["d"]  # moved
    text += "\n### [e] fact | 0.70 | 2026-02-20 | 0\nadded by hand\n"
    repository.path.write_text(text, encoding="utf-8")

    add(repository, entry("new1", "new"))
    entries = repository.load().entries
    assert set(entries) == {"a", "c", "d", "e", "new1"}
    assert entries["a"].content == "likes green tea"
    assert entries["c"].score == 0.33
    assert entries["d"].section is Section.ARCHIVED
    assert entries["d"].score == 0.8
    assert entries["e"].section is Section.ARCHIVED
    by_hand, _ = repository.journal.runs()[-2:]
    assert by_hand.who == BY_HAND
    assert {(c.id, c.action.value) for c in by_hand.changes} == {
        ("a", "changed"), ("b", "removed"), ("c", "changed"), ("d", "archived"), ("e", "added"),
    }  # fmt: skip


def test_a_hand_edit_wins_over_a_change_that_was_made_meanwhile(repository: EntryRepository):
    add(repository, entry("a", "likes tea"), entry("b", "has a dog"))
    base = repository.load().entries
    edit(repository.path, "likes tea", "likes green tea")
    ours = {
        "a": replace(activated(base["a"], NOW + days(1)), content="drinks tea"),
        "b": activated(base["b"], NOW + days(1)),
    }
    repository.update(lambda current: merged(base, current, ours), who="test", why="a test")
    entries = repository.load().entries
    assert (entries["a"].content, entries["a"].hits, entries["b"].hits) == ("likes green tea", 1, 1)


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("point", ["before check", "before journal", "after journal"])
def test_an_edit_in_the_last_instant_is_merged(workspace: Path, point: str, in_place: bool):
    done = []

    def intrude(where: str) -> None:
        if where == point and not done:
            done.append(where)
            path = workspace / "memory" / "ENTRIES.md"
            data = path.read_bytes().replace(b"likes tea", b"likes green tea") + b"\nA line of mine.\n"
            if in_place:
                path.write_bytes(data)
            else:
                (workspace / "new").write_bytes(data)
                os.replace(workspace / "new", path)

    add(EntryRepository(workspace), entry("a", "likes tea"))
    repository = EntryRepository(workspace, at=intrude)
    add(repository, entry("b", "has a dog"))
    assert done
    assert {id_: one.content for id_, one in repository.load().entries.items()} == {
        "a": "likes green tea", "b": "has a dog",
    }  # fmt: skip
    assert b"\nA line of mine.\n" in repository.path.read_bytes()
    assert sorted(run.who for run in repository.journal.runs() if run.changes) == [BY_HAND, "test", "test"]


def test_a_line_of_the_last_instant_before_a_crash_outlives_an_edit_while_the_next_start_finishes(workspace: Path):
    file = workspace / "memory" / "ENTRIES.md"
    add(EntryRepository(workspace), entry("a", "likes tea"))
    done = []

    def write_and_crash(where: str) -> None:
        if where == "after journal":
            file.write_bytes(file.read_bytes() + b"\nIn the last instant.\n")
        if where == "after seen":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add(EntryRepository(workspace, at=write_and_crash), entry("b", "has a dog"))

    def write(where: str) -> None:
        if where == "before check" and not done:
            done.append(where)
            file.write_bytes(file.read_bytes() + b"\nA moment later.\n")

    add(EntryRepository(workspace, at=write), entry("c", "has a cat"))
    assert done
    kept = b"".join(one.read_bytes() for one in [file, *kept_aside(file)])
    assert b"In the last instant." in kept
    assert b"A moment later." in file.read_bytes()


def test_who_writes_an_old_version_back_deletes_nothing_new(repository: EntryRepository, clock: ManualClock):
    add(repository, entry("a", "likes tea"), entry("b", "has a dog"))
    old = repository.path.read_bytes()
    clock.advance(3_600)
    repository.update(lambda e: {**e, "a": activated(e["a"], clock.now())}, who="test", why="hit")
    clock.advance(3_600)
    add(repository, entry("c", "plays chess"))
    repository.path.write_bytes(old.replace(b"has a dog", b"has two dogs") + b"\nmine\n")
    clock.advance(3_600)
    add(repository, entry("d", "rides"))
    entries = repository.load().entries
    assert set(entries) == {"a", "b", "c", "d"}
    assert entries["a"].hits == 1
    assert entries["b"].content == "has two dogs"
    assert repository.path.read_bytes().endswith(b"\nmine\n")


DAMAGES = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2 + 3],
    "ends_in_a_header": lambda data: data[: data.rfind(b"### [") + 30],
    "erased": lambda data: b"\xff" * len(data),
    "erased_in_the_middle": lambda data: data[:200] + b"\xff" * 8 + data[208:],
    "nul": lambda data: data[:150] + b"\0" * 64 + data[214:],
    "binary": lambda data: bytes(range(1, 255)) * 20,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_kept_aside_and_its_last_good_copy_used(
    repository: EntryRepository, damage: str, warnings: list[str]
):
    repository.path.write_text(EXAMPLE + "\n## Mine\n\nmy text\n", encoding="utf-8")
    good = add(repository, entry("new1", "x" * 50)).entries
    bad = DAMAGES[damage](repository.path.read_bytes())
    repository.path.write_bytes(bad)
    assert repository.load().entries == good
    assert add(repository, entry("new2", "newer")).entries == {**good, "new2": entry("new2", "newer")}
    assert b"my text" in repository.path.read_bytes()
    assert [path.read_bytes() for path in kept_aside(repository.path)] == ([bad] if bad else [])
    assert len(warnings) == 1
    assert "damaged" in warnings[0]


def test_without_its_own_copy_a_damaged_file_falls_back_to_the_backup(repository: EntryRepository):
    add(repository, entry("a"))
    add(repository, entry("b", "has a dog"))
    repository.seen_path(repository.path).unlink()
    repository.path.write_bytes(b"\0" * 500)
    assert set(repository.load().entries) == {"a"}


def test_a_file_that_is_only_being_written_is_waited_for(workspace: Path):
    add(EntryRepository(workspace), entry())
    path = workspace / "memory" / "ENTRIES.md"
    data = path.read_bytes()
    path.write_bytes(b"")
    patient = EntryRepository(workspace, sleep=lambda _: path.write_bytes(data) and None)
    assert "new1" in add(patient, entry("new1", "new")).entries
    assert kept_aside(path) == []


def test_a_deleted_file_is_a_deletion_of_all_that_can_be_taken_back(repository: EntryRepository):
    add(repository, entry())
    repository.path.unlink()
    assert repository.load().entries == {}
    add(repository, entry("new1", "new"))
    assert [change.action.value for change in repository.journal.runs()[-2].changes] == ["removed"]


def test_a_link_is_not_written_through(repository: EntryRepository, tmp_path: Path):
    (tmp_path / "elsewhere.md").write_text("theirs\n", encoding="utf-8")
    repository.path.symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(MemoryFileError, match="symbolic link"):
        add(repository, entry())
    assert [run.why for run in repository.journal.runs()] == ["a test", "broke off before it was written"]
    assert (tmp_path / "elsewhere.md").read_text(encoding="utf-8") == "theirs\n"


@pytest.mark.accept("EB-13")
def test_threads_that_write_at_once_lose_nothing(workspace: Path):
    def work(number: int) -> None:
        repository = EntryRepository(workspace, lock_seconds=60)
        for step in range(5):
            add(repository, entry(f"t{number}s{step}", f"text {number} {step}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(EntryRepository(workspace).load().entries) == 30


@pytest.mark.slow
@pytest.mark.accept("EB-13")
def test_processes_that_write_at_once_lose_nothing(workspace: Path):
    script = """
import sys
from datetime import datetime, UTC
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
repository = EntryRepository(sys.argv[1], lock_seconds=60)
for step in range(4):
    one = Entry(f"p{sys.argv[2]}s{step}", f"text {sys.argv[2]} {step}", "fact", 0.8, datetime.now(UTC))
    def hit_and_add(entries):
        counted = {**entries}
        return {**counted, one.id: one}
    repository.update(hit_and_add, who=sys.argv[2], why="a test")
"""
    running = [subprocess.Popen([sys.executable, "-c", script, str(workspace), str(n)]) for n in range(4)]
    assert [process.wait(timeout=120) for process in running] == [0] * 4
    repository = EntryRepository(workspace)
    assert len(repository.load().entries) == 16
    assert sum(len(run.changes) for run in repository.journal.runs()) == 16
