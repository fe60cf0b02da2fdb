"""Entries that went with an edit of the file: the list and doctor say so, and how they come back."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line

from .made_entries import added, entry


def add(repository: EntryRepository, *entries) -> None:
    repository.update(added(*entries), who="test", why="a test")


def _without_file(file: Path) -> None:
    file.unlink()


def _without_sections(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"## Active", b"## My active"))


def _other_headings(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"### [", b"#### ["))


@pytest.mark.parametrize("edit", [_without_file, _without_sections, _other_headings])
def test_entries_that_went_with_an_edit_are_told_by_list_and_doctor_with_the_way_back(workspace: Path, capsys, edit):
    at = ["--workspace", str(workspace)]

    def run(*arguments: str) -> str:
        assert run_command_line([*arguments, *at]) in (0, 1)
        told = capsys.readouterr()
        return " ".join(f"{told.out} {told.err}".split())

    add(EntryRepository(workspace), entry("a"))
    add(EntryRepository(workspace), entry("b", "has a dog"))
    edit(workspace / "memory" / "ENTRIES.md")
    shown = run("entries", "list")
    went = next(run for run in EntryRepository(workspace).journal.runs() if run.who == "hand")
    for _ in range(2):
        assert "There are no entries" in shown
        told = f"`nanobot-memory entries undo {went.id}` brings them back"
        assert shown.count(f"2 entries were taken out of ENTRIES.md by others in the last 7 days; {told}") == 1
        assert f"entries undo {went.id}" in run("doctor")
        shown = run("entries", "list")
    assert sum(run.who == "hand" for run in EntryRepository(workspace).journal.runs()) == 1
    run("entries", "undo", went.id)
    assert set(EntryRepository(workspace).load().entries) == {"a", "b"}
    assert "taken out" not in run("entries", "list") + run("doctor")


def test_that_somebody_took_out_one_entry_among_several_is_said_once(workspace: Path, capsys):
    for number in range(3):
        add(EntryRepository(workspace), entry(f"id{number}", f"has {number} dogs"))
    file = workspace / "memory" / "ENTRIES.md"
    before, head, rest = file.read_text(encoding="utf-8").partition("### [")
    file.write_text(before + head + rest.partition("### [")[2], encoding="utf-8")
    at = ["--workspace", str(workspace)]
    for command, says in ((["search", "dogs"], True), (["search", "dogs"], False), (["entries", "list"], False)):
        run_command_line([*command, *at])
        assert ("1 entry was taken out" in " ".join(capsys.readouterr().err.split())) == says
    run_command_line(["doctor", *at])
    assert "good      entries taken out" in capsys.readouterr().out


def test_that_entries_went_while_nobody_looked_is_logged_and_written_down_at_the_start(workspace: Path):
    add(EntryRepository(workspace), entry("a"))
    (workspace / "memory" / "ENTRIES.md").unlink()
    told: list[str] = []
    repository = EntryRepository(workspace, tell=told.append)
    for _ in range(2):
        assert repair_file(repository) == ""
    assert len(told) == 1
    assert "brings it back" in told[0]
    add(repository, entry("b", "has a dog"))
    assert set(repository.load().entries) == {"b"}
    undo(repository, repository.journal.runs()[1].id, who="test")
    assert set(repository.load().entries) == {"a", "b"}
