"""The journal in parts: nothing is lost but what is too old, and everything can still be taken back."""

import os
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations import undo as history
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store import journal_parts
from nanobot_memory_plugins.consolidation.store.journal_parts import JournalLimits, older_parts
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock

from .made_entries import NOW, added, days, entry
from .nightly_days import Days, Model, operations

SMALL = JournalLimits(size=1)


@pytest.fixture
def repository(workspace: Path) -> EntryRepository:
    return EntryRepository(workspace, clock=ManualClock(NOW))


def say(repository: EntryRepository, number: int) -> str:
    return remember(repository, NewEntry(f"fact number {number}"), who="test").entry.id


def rotate(repository: EntryRepository, limits: JournalLimits = SMALL, now=NOW) -> bool:
    with repository.locked():
        return repository.journal.rotate(limits, now)


def test_older_parts_are_compressed_and_history_undo_and_restore_still_know_them(repository: EntryRepository):
    ids = []
    for number in range(5):
        ids.append(say(repository, number))
        assert rotate(repository)
    names = [path.name for path in older_parts(repository.journal.path)]
    assert names == [f"journal-00000{n}.jsonl{'.gz' if n < 5 else ''}" for n in range(1, 6)]
    runs = repository.journal.runs()
    assert [run.changes[0].id for run in runs] == ids
    assert EntryRepository(repository.paths.workspace).load().entries.keys() == set(ids)
    history.undo(repository, runs[0].id, who="user")
    assert ids[0] not in repository.load().entries
    history.restore(repository, ids[0], now=NOW, who="user")
    assert ids[0] in repository.load().entries


def test_the_last_run_is_undone_byte_for_byte_after_a_rotation(repository: EntryRepository):
    say(repository, 1)
    before = repository.path.read_bytes()
    say(repository, 2)
    rotate(repository)
    history.undo(repository, who="user")
    assert repository.path.read_bytes() == before


def test_a_short_journal_stays_in_one_part(repository: EntryRepository):
    say(repository, 1)
    assert not rotate(repository, JournalLimits())
    assert older_parts(repository.journal.path) == []


def test_a_journal_that_nobody_rotates_begins_a_part_by_itself(repository: EntryRepository, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.consolidation.store.journal._LONGEST", 2_000)
    ids = [say(repository, number) for number in range(20)]
    assert len(older_parts(repository.journal.path)) >= 2
    assert [run.changes[0].id for run in repository.journal.runs()] == ids


@pytest.mark.parametrize("keep_runs", [0, 3])
def test_old_parts_are_dropped_but_never_the_last_runs(repository: EntryRepository, keep_runs: int):
    for number in range(4):
        say(repository, number)
        rotate(repository)
    limits = JournalLimits(size=1 << 20, keep_days=30, keep_runs=keep_runs)
    rotate(repository, limits, NOW + days(29))
    assert len(repository.journal.runs()) == 4
    rotate(repository, limits, NOW + days(31))
    assert len(repository.journal.runs()) == keep_runs
    rotate(repository, JournalLimits(size=1 << 20), NOW + days(9_999))
    assert len(repository.journal.runs()) == keep_runs


@pytest.mark.parametrize("at", ["replace", "unlink", "write_private"])
def test_a_crash_at_any_step_loses_no_run(repository: EntryRepository, monkeypatch: pytest.MonkeyPatch, at: str):
    ids = [say(repository, 0)]
    rotate(repository)
    ids.append(say(repository, 1))

    class Crash(BaseException):
        pass

    def crash(*_arguments, **_more):
        raise Crash

    with monkeypatch.context() as patched:
        if at == "unlink":
            patched.setattr(Path, "unlink", crash)
        elif at == "replace":
            replace = os.replace
            patched.setattr(os, "replace", lambda a, b: (replace(a, b) and crash()) or crash())
        else:
            patched.setattr(journal_parts, "write_private", crash)
        with pytest.raises(Crash):
            rotate(repository)
    again = EntryRepository(repository.paths.workspace, clock=ManualClock(NOW))
    assert [run.changes[0].id for run in again.journal.runs()] == ids
    ids.append(say(again, 2))
    rotate(again)
    assert [run.changes[0].id for run in again.journal.runs()] == ids
    assert set(again.load().entries) == set(ids)


def test_a_damaged_part_costs_only_itself(repository: EntryRepository):
    for number in range(3):
        say(repository, number)
        rotate(repository)
    first = older_parts(repository.journal.path)[0]
    first.write_bytes(first.read_bytes()[:30])
    assert len(repository.journal.runs()) == 2
    first.write_bytes(b"junk")
    assert len(repository.journal.runs()) == 2


def test_two_processes_write_and_rotate_at_once(repository: EntryRepository, workspace: Path):
    code = textwrap.dedent(
        """
        import sys
        from tests.consolidation.test_journal_parts import EntryRepository, SMALL, rotate, say
        repository = EntryRepository(sys.argv[1])
        for number in range(12):
            say(repository, f"{sys.argv[2]} {number}")
            rotate(repository)
        """
    )
    root = Path(__file__).parents[2]
    started = [subprocess.Popen([sys.executable, "-c", code, str(workspace), str(n)], cwd=root) for n in range(2)]
    assert [process.wait(120) for process in started] == [0, 0]
    runs = repository.journal.runs()
    assert len(runs) == 24
    assert {run.changes[0].id for run in runs} == set(repository.load().entries)


async def test_the_daily_consolidation_rotates_as_configured(workspace: Path):
    world = Days(workspace)
    world.add(*(entry(f"e{number}", f"fact {number}") for number in range(40)))
    await world.run(Model(operations()), journal_bytes=4_096)
    assert len(older_parts(world.memory.repository.journal.path)) == 1
    assert len(world.entries()) == 40
    world.memory.repository.update(added(entry("x", "one more")), who="test", why="add")
    assert len(world.entries()) == 41


def test_runs_are_read_from_the_first_forgetting_on(tmp_path: Path):
    repository = EntryRepository(tmp_path, clock=ManualClock(datetime(2026, 2, 20, tzinfo=UTC)))
    kept = [remember(repository, NewEntry(text), who="test").entry.id for text in ("tea", '"why":"forget"', "bread")]
    assert list(repository.journal.since_forgotten()) == []
    forget(repository, kept[:1], who="test")
    remember(repository, NewEntry("milk"), who="test")
    assert [run.why for run in repository.journal.since_forgotten()] == ["forget", "remember"]
