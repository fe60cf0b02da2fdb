"""The entries on their way from MEMORY.md into ENTRIES.md, and back."""

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from loguru import logger

from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.consolidation.operations.late_sections import IMPORTED, MOVED, late_entries
from nanobot_memory_plugins.consolidation.operations.migrate import POINTER, import_entries, move_entries, rest_of
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.remember import forget
from nanobot_memory_plugins.consolidation.operations.undo import last_undoable, undo
from nanobot_memory_plugins.consolidation.store.atomic_files import kept_aside
from nanobot_memory_plugins.consolidation.store.document import Slot, Text, parse
from nanobot_memory_plugins.consolidation.store.journal import last_known
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, WantedState
from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from tests.support.files_of import holders_of

from .made_entries import EXAMPLE, NOW, added, entry, entry_lists, foreign
from .test_spoken import config

MINE = "# Notes of mine\n\nThe port is 7071.\n\n"
BELOW = "\n## More of mine\n\nBo is a dog.\n"


def opened(workspace: Path, **more) -> EntryRepository:
    return EntryRepository(workspace, clock=ManualClock(NOW), sleep=lambda _: None, **more)


@pytest.fixture
def warnings():
    told: list[str] = []
    handler = logger.add(lambda message: told.append(message.record["message"]), level="WARNING")
    yield told
    logger.remove(handler)


@pytest.fixture
def repository(workspace: Path) -> EntryRepository:
    made = opened(workspace)
    made.paths.long_term.write_text(MINE + EXAMPLE.removeprefix("# Agent Memory\n\n") + BELOW, encoding="utf-8")
    return made


def test_every_entry_moves_and_other_text_stays(repository: EntryRepository):
    before = repository.load().entries
    assert repository.load().entries == before  # not moved yet, and in force all the same
    assert move_entries(repository)
    snapshot = repository.load()
    assert snapshot.path.name == "ENTRIES.md"
    assert snapshot.entries == before
    assert {one.section for one in snapshot.entries.values()} == set(Section)
    text = repository.paths.long_term.read_text(encoding="utf-8")
    assert text.split() == (MINE + BELOW + POINTER.decode()).split()
    assert not parse(text.encode()).slots


def test_a_workspace_without_entries_gets_them_in_their_own_file(workspace: Path):
    repository = opened(workspace)
    repository.paths.long_term.write_text(MINE, encoding="utf-8")
    assert not move_entries(repository)
    repository.update(added(entry("new1", "rides a bike")), who="test", why="add")
    assert list(parse(repository.own_path.read_bytes()).slots) == ["new1"]
    assert repository.load().path == repository.own_path
    assert repository.paths.long_term.read_text(encoding="utf-8") == MINE


def test_entries_of_an_older_version_in_a_damaged_file_are_not_taken_for_none(repository: EntryRepository):
    repository.update(added(entry("new1", "rides a bike")), who="test", why="add")  # which keeps a copy, there
    before = repository.load().entries
    repository.paths.long_term.write_bytes(b"\0" * 4096)
    assert repository.load().entries == before
    move_entries(opened(repository.paths.workspace))
    assert opened(repository.paths.workspace).load().entries == before


def test_moving_twice_writes_nothing_the_second_time(repository: EntryRepository):
    move_entries(repository)
    files = [repository.own_path, repository.paths.long_term, repository.journal.path]
    before = [(file.read_bytes(), os.stat(file).st_mtime_ns) for file in files]
    assert not move_entries(repository)
    assert [(file.read_bytes(), os.stat(file).st_mtime_ns) for file in files] == before


def test_the_move_is_one_run_that_undo_takes_back_to_the_byte(repository: EntryRepository):
    before = repository.paths.long_term.read_bytes()
    entries = repository.load().entries
    move_entries(repository)
    run = last_undoable(repository.journal.runs())
    assert run is not None
    assert (run.why, len(run.changes)) == (MOVED, 4)
    undo(repository, who="user")
    assert repository.paths.long_term.read_bytes() == before
    assert repository.load().path == repository.paths.long_term
    assert repository.load().entries == entries
    assert not move_entries(repository)  # the next start leaves it so
    assert repository.paths.long_term.read_bytes() == before
    with pytest.raises(InputError):
        undo(repository, run.id, who="user")


def test_undo_after_changes_moves_the_entries_as_they_are_now(repository: EntryRepository):
    move_entries(repository)
    run = last_undoable(repository.journal.runs())
    repository.update(added(entry("new1", "rides a bike")), who="test", why="add")
    now = repository.load().entries
    repository.own_path.write_bytes(repository.own_path.read_bytes() + b"\n# Somebody's text\n")
    repository.paths.long_term.write_text("Dream wrote this.\n", encoding="utf-8")
    undo(repository, run.id, who="user")
    assert repository.load().path == repository.paths.long_term
    assert repository.load().entries == now
    text = repository.paths.long_term.read_text(encoding="utf-8")
    assert "Dream wrote this." in text
    assert "# Somebody's text" in text


def test_the_files_before_are_in_the_backups(repository: EntryRepository):
    before = repository.paths.long_term.read_bytes()
    move_entries(repository)
    assert repository.paths.long_term.with_name("MEMORY.md.bak").read_bytes() == before


def test_a_rewriting_by_others_costs_no_entry(repository: EntryRepository):
    """What nanobot's Dream job does: the whole file anew, from what it had read."""
    before = repository.load().entries
    move_entries(repository)
    repository.paths.long_term.write_text("# Memory\n\nThe user's port is 7071.\n", encoding="utf-8")
    move_entries(repository)
    assert repository.load().entries == before
    assert repository.paths.long_term.read_text(encoding="utf-8") == "# Memory\n\nThe user's port is 7071.\n"


def test_an_old_version_written_back_brings_nothing_back_that_was_forgotten(repository: EntryRepository):
    old = repository.paths.long_term.read_bytes()
    move_entries(repository)
    forget(repository, ["a1b2c3"], who="user")
    repository.update(lambda now: {**now, "d4e5f6": replace(now["d4e5f6"], content="writes Rust")}, who="t", why="t")
    expected = repository.load().entries
    repository.paths.long_term.write_bytes(old)  # from a process that had read it before
    assert repository.load().entries == expected  # not in force
    move_entries(repository)
    assert repository.load().entries == expected
    assert not parse(repository.paths.long_term.read_bytes()).slots


def written_late(repository: EntryRepository, old: str) -> str:
    """Write the old sections with one text changed and one entry more, as another program may."""
    edited = old.replace("不喜欢过多注释", "喜欢注释").replace(
        "## Archived", "### [h4nd] fact | 0.60 | 2026-02-20 | 0\nhas a dog\n\n## Archived"
    )
    repository.paths.long_term.write_text(edited, encoding="utf-8")
    return edited


def test_what_appears_in_the_old_sections_waits_until_it_is_asked_for(repository: EntryRepository):
    old = repository.paths.long_term.read_text(encoding="utf-8")
    move_entries(repository)
    before = repository.load().entries
    edited = written_late(repository, old)
    assert not move_entries(repository)
    assert repository.load().entries == before
    assert repository.paths.long_term.read_text(encoding="utf-8") == edited
    assert set(late_entries(repository)) == {"a1b2c3", "h4nd"}
    outcome = import_entries(repository, who="user")
    assert {change.id for change in outcome.changes} == {"a1b2c3", "h4nd"}
    assert outcome.run is not None
    assert outcome.run.why == IMPORTED
    entries = repository.load().entries
    assert entries["a1b2c3"].content.endswith("喜欢注释")
    assert entries["h4nd"].content == "has a dog"
    assert len(entries) == 5
    assert not parse(repository.paths.long_term.read_bytes()).slots
    assert "Bo is a dog." in repository.paths.long_term.read_text(encoding="utf-8")
    assert not late_entries(repository)
    assert not import_entries(repository, who="user").changes


def test_undo_takes_an_import_back_and_moves_nothing_else(repository: EntryRepository):
    old = repository.paths.long_term.read_text(encoding="utf-8")
    move_entries(repository)
    before = repository.load().entries
    written_late(repository, old)
    run = import_entries(repository, who="user").run
    assert run is not None
    undo(repository, run.id, who="user")
    assert repository.load().entries == before
    assert repository.load().path == repository.own_path


def test_what_was_forgotten_or_has_ended_is_not_imported(repository: EntryRepository):
    old = repository.paths.long_term.read_text(encoding="utf-8")
    move_entries(repository)
    repository.update(added(entry("gone", "collects stamps"), entry("past", "lives in Rome")), who="t", why="t")
    forget(repository, ["gone"], who="user")
    repository.update(lambda now: {**now, "past": replace(now["past"], superseded_by="d4e5f6")}, who="t", why="t")
    expected = repository.load().entries
    late = "".join(
        f"### [{id_}] fact | 0.70 | 2026-02-20 | 0\n{text}\n\n"
        for id_, text in [("gone", "collects rare stamps"), ("more", "Collects stamps."), ("past", "lives in Rome")]
    )
    repository.paths.long_term.write_text(old.replace("## Archived", f"{late}## Archived"), encoding="utf-8")
    assert not late_entries(repository)
    import_entries(repository, who="user")
    assert repository.load().entries == expected
    assert not parse(repository.paths.long_term.read_bytes()).slots


def test_nothing_is_imported_while_the_entries_are_in_memory_md(repository: EntryRepository):
    assert not late_entries(repository)
    with pytest.raises(InputError):
        import_entries(repository, who="user")


def test_one_id_for_two_texts_makes_two_entries(repository: EntryRepository):
    repository.own_path.write_text(
        "## Active Memories\n\n### [a1b2c3] fact | 0.60 | 2026-02-20 | 0\nanother\n", encoding="utf-8"
    )
    import_entries(repository, who="user")
    contents = sorted(one.content for one in repository.load().entries.values())
    assert len(contents) == 5
    assert {"another", "用户喜欢简洁的代码风格，不喜欢过多注释"} < set(contents)


def test_what_was_purged_does_not_come_back_and_leaves_no_trace_in_either_file(repository: EntryRepository):
    old = repository.paths.long_term.read_bytes()
    move_entries(repository)
    purge(repository, ["a1b2c3"], who="user")
    memory = repository.paths.memory
    traces = holders_of(memory, "简洁的代码")
    assert traces == []
    repository.paths.long_term.write_bytes(old)
    move_entries(repository)
    assert "a1b2c3" not in repository.load().entries
    assert "简洁的代码".encode() not in repository.paths.long_term.read_bytes()


def test_a_damaged_file_is_left_alone(repository: EntryRepository):
    move_entries(repository)
    damaged = EXAMPLE.encode() + b"\0\0"
    repository.paths.long_term.write_bytes(damaged)
    before = repository.load().entries
    move_entries(repository)
    assert repository.paths.long_term.read_bytes() == damaged
    assert repository.load().entries == before


@settings(max_examples=80)
@given(foreign, entry_lists, foreign)
def test_the_text_of_others_is_all_there_in_its_order(above: str, entries, below: str):
    data = render(parse(f"{above}\n\n".encode()), {one.id: one for one in entries}, now=NOW) + f"\n{below}\n".encode()
    document = parse(data)
    rest, position = rest_of(document), 0
    texts = [piece.data for piece in document.pieces if isinstance(piece, Text)]
    if b"".join(texts).strip() in (b"", b"# Agent Memory"):
        return
    for text in texts:
        position = rest.index(text, position) + len(text)
    assert set(rest) - set(b"".join(texts)) <= set(b"\n")


# --- crashes and foreign writers --------------------------------------------------------------------------------------

POINTS = ["before check", "before journal", "after journal", "after replace", "after seen"]
POINTS += ["before taking out", "taking out", "after taking out"]


class CrashError(BaseException):
    """The process ends here."""


# The journal is passed twice: when edits by hand are settled, and for the move.
@pytest.mark.parametrize(("point", "time"), [*((p, 1) for p in POINTS), ("before journal", 2), ("after journal", 2)])
def test_after_a_crash_each_entry_is_in_force_once_and_the_next_start_goes_on(
    repository: EntryRepository, point: str, time: int
):
    before = repository.load().entries
    passes: list[str] = []

    def crash(passed: str) -> None:
        passes.append(passed)
        if passed == point and passes.count(point) == time:
            raise CrashError

    with pytest.raises(CrashError):
        move_entries(opened(repository.paths.workspace, at=crash))
    assert opened(repository.paths.workspace).load().entries == before
    move_entries(opened(repository.paths.workspace))
    after = opened(repository.paths.workspace).load()
    assert (after.path.name, after.entries) == ("ENTRIES.md", before)
    text = repository.paths.long_term.read_text(encoding="utf-8")
    assert text.split() == (MINE + BELOW + POINTER.decode()).split()


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("in_place", [True, False])
def test_what_somebody_writes_at_any_moment_is_kept(repository: EntryRepository, point: str, in_place: bool):
    before = repository.load().entries
    done: list[str] = []

    def write(passed: str) -> None:
        if passed != point or done:
            return
        done.append(passed)
        file = repository.paths.long_term
        data = file.read_bytes() + b"\nWritten in the last instant.\n"
        if in_place:
            file.write_bytes(data)
        else:
            other = file.with_name("other.tmp")
            other.write_bytes(data)
            os.replace(other, file)

    move_entries(opened(repository.paths.workspace, at=write))
    assert b"Written in the last instant." in repository.paths.long_term.read_bytes()
    move_entries(opened(repository.paths.workspace))
    assert done
    after = opened(repository.paths.workspace).load()
    assert (after.path.name, after.entries) == ("ENTRIES.md", before)
    assert b"Written in the last instant." in repository.paths.long_term.read_bytes()
    assert repository.paths.long_term.read_bytes().startswith(MINE.encode())


@pytest.mark.parametrize("point", POINTS)
def test_an_import_that_breaks_off_is_finished_at_the_next_start(repository: EntryRepository, point: str):
    old = repository.paths.long_term.read_text(encoding="utf-8")
    move_entries(repository)
    written_late(repository, old)

    def crash(passed: str) -> None:
        if passed == point:
            raise CrashError

    with pytest.raises(CrashError):
        import_entries(opened(repository.paths.workspace, at=crash), who="user")
    again = opened(repository.paths.workspace)
    move_entries(again)
    if late_entries(again):  # nothing of it was done
        import_entries(again, who="user")
    entries = again.load().entries
    assert entries["h4nd"].content == "has a dog"
    assert len(entries) == 5
    assert not parse(repository.paths.long_term.read_bytes()).slots


@pytest.mark.parametrize("seed", [613, 682, 762, 1421, 1575, 1584, 1764])  # found by longer runs
def test_edits_while_the_next_start_finishes_are_kept(tmp_path: Path, seed: int):
    interleave(tmp_path, random.Random(seed))


@pytest.mark.slow
def test_no_order_of_crashes_edits_and_starts_loses_an_entry_or_a_line(tmp_path: Path):
    for seed in range(int(os.environ.get("NANOBOT_MEMORY_INTERLEAVINGS", "150"))):
        try:
            interleave(tmp_path / str(seed), random.Random(seed))
        except Exception as error:
            raise AssertionError(f"interleaving {seed}") from error


def interleave(folder: Path, draw: random.Random) -> None:
    (folder / "memory").mkdir(parents=True)
    clock = ManualClock(NOW)
    first = EntryRepository(folder, clock=clock, sleep=lambda _: None)
    first.paths.long_term.write_text(MINE, encoding="utf-8")
    known = {f"a{n}": entry(f"a{n}", f"known {n}", n / 10) for n in range(1, 8)}
    with first.locked():
        first.write(lambda _: WantedState(known), who="test", why="as older versions did", path=first.paths.long_term)
    wanted, lines = dict(first.load().entries), {"The port is 7071."}
    read: list[bytes] = []

    def somebody() -> None:
        file = first.paths.long_term
        data = file.read_bytes()
        line = f"line-{draw.randrange(10**9)}"
        if draw.random() < 0.3 and read:
            data = read.pop()
            lines.intersection_update(data.decode().splitlines())
        elif draw.random() < 0.3:
            read.append(data)
        lines.add(line)
        file.write_bytes(data + f"\n{line}\n".encode())

    for step in range(6):
        crash_at, edit_at = draw.choice([*POINTS, ""]), draw.choice([*POINTS, "", ""])

        def at(point: str, crash_at: str = crash_at, edit_at: list[str] = [edit_at]) -> None:  # noqa: B006
            if point == edit_at[0]:
                edit_at[0] = ""
                somebody()
            if point == crash_at:
                raise CrashError

        clock.advance(60)
        repository = EntryRepository(folder, clock=clock, sleep=lambda _: None, at=at)
        try:
            if step and draw.random() < 0.7:
                move_entries(repository)
            else:
                new = entry(f"s{step}", f"ours {step}")
                repository.update(added(new), who="test", why="add")
                wanted[new.id] = new
        except CrashError:
            pass
        if draw.random() < 0.5:
            somebody()
    clock.advance(60)
    last = EntryRepository(folder, clock=clock, sleep=lambda _: None)
    move_entries(last)
    last.update(added(entry("end", "the end")), who="test", why="end")
    snapshot = last.load()
    runs = last.journal.runs()
    for id_ in wanted:  # an old version written back in the last instant takes entries out, which can be restored
        assert id_ in snapshot.entries or last_known(runs, id_) is not None, id_
    assert len({one.content for one in snapshot.entries.values()}) == len(snapshot.entries)
    assert not any(isinstance(piece, Slot) for piece in parse(last.paths.long_term.read_bytes()).pieces)
    text = b"\n".join(file.read_bytes() for file in [last.paths.long_term, *kept_aside(last.paths.long_term)]).decode()
    assert not [line for line in lines if line not in text]


@pytest.mark.parametrize("holds_entries", [True, False])
async def test_entries_that_cannot_be_locked_are_said_to_be_left_only_where_there_are_any(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str], holds_entries: bool
):
    repository = opened(workspace)
    repository.paths.long_term.write_text(EXAMPLE if holds_entries else MINE, encoding="utf-8")
    if not holds_entries:
        repository.own_path.write_text(EXAMPLE, encoding="utf-8")

    def refused(_: EntryRepository):
        raise MemoryFileError("The entries cannot be locked: Permission denied.")

    monkeypatch.setattr(EntryRepository, "locked", refused)
    async with MemoryHost(workspace, config=config()):
        pass
    assert any("are left in MEMORY.md" in one for one in warnings) is holds_entries
