"""Bullets and headings that people write into ENTRIES.md without an id become entries; all other text stays."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
ENTRY = "### [aaaaaaaa] fact | 0.80 | 2026-02-20 | 0\nour staging database listens on port 5433\n"
HEAD = f"# Agent Memory\n\n## Active Memories\n\n{ENTRY}"


def repository_of(workspace: Path, text: str) -> EntryRepository:
    repository = EntryRepository(workspace, clock=ManualClock(NOW))
    repository.path.parent.mkdir(parents=True, exist_ok=True)
    repository.path.write_text(text, encoding="utf-8")
    return repository


def contents(repository: EntryRepository) -> dict[str, str]:
    return {entry.content: entry.category for entry in repository.load().entries.values()}


@pytest.mark.parametrize(
    ("written", "content", "category"),
    [
        ("- I also like tea\n", "I also like tea", "fact"),
        ("* 我喜欢喝茶", "我喜欢喝茶", "fact"),
        ("- a text that\n  goes on\n", "a text that goes on", "fact"),
        ("- [ ] call the bank\n", "call the bank", "todo"),
        ("### preference\nThe cat is called\nBiscuit\n", "The cat is called Biscuit", "preference"),
        ("### [] fact | 0.80 | 2026-02-20 | 0\nThe dog is Waffle\n", "The dog is Waffle", "fact"),
        ("### Fact\r\nThe dog is Waffle\r\n", "The dog is Waffle", "fact"),
    ],
)
def test_what_is_written_without_an_id_is_an_entry_once_the_file_is_put_right(
    written: str, content: str, category: str, tmp_path: Path
):
    repository = repository_of(tmp_path, f"{HEAD}\n{written}")
    assert "has one now" in repair_file(repository)
    assert contents(repository) == {"our staging database listens on port 5433": "fact", content: category}
    assert repository.load().problems == ()
    assert repository.path.read_text(encoding="utf-8").count(content) == 1
    before = repository.path.read_bytes()
    assert repair_file(repository) == ""
    assert repository.path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "Prose that somebody wrote.\n",
        "### Work\nwhat belongs to it\n",
        "```\n- a list in code\n```\n",
        "- [x] this is done\n",
        "### fact\n\nnothing stands right below it\n",
        "- a list\n  - in a list\n",
        "- my password is hunter2-Xk9mQ4\n",
    ],
)
def test_all_other_text_stays_as_it_is(text: str, tmp_path: Path):
    repository = repository_of(tmp_path, f"{HEAD}\n{text}")
    before = repository.path.read_bytes()
    assert repair_file(repository) == ""
    assert repository.path.read_bytes() == before


def test_text_around_what_is_taken_up_stays_byte_for_byte(tmp_path: Path):
    repository = repository_of(tmp_path, f"{HEAD}\nA word before.\n- a fact of mine\n\nOne behind.\n")
    repair_file(repository)
    foreign = repository.load().document.foreign.decode()
    assert foreign.split("\n\n", 1)[1].strip() == "A word before.\n\nOne behind."


def test_a_known_text_is_not_kept_twice_and_the_run_can_be_taken_back(tmp_path: Path):
    text = f"{HEAD}\n- Our staging database listens on port 5433.\n- something new\n"
    repository = repository_of(tmp_path, text)
    repair_file(repository)
    assert sorted(contents(repository)) == ["our staging database listens on port 5433", "something new"]
    run = repository.journal.runs()[-1]
    assert (run.who, run.why) == ("hand", "written without an id")
    undo(repository, run.id, who="test")
    assert sorted(contents(repository)) == ["our staging database listens on port 5433"]


def test_what_was_forgotten_for_good_is_not_taken_up(tmp_path: Path):
    repository = repository_of(tmp_path, f"{HEAD}\n- the gate is on Hill Street\n")
    repair_file(repository)
    gone = next(one for one in repository.load().entries.values() if "gate" in one.content)
    purge(repository, [gone.id], who="test")
    with repository.path.open("a", encoding="utf-8") as file:
        file.write("\n- the gate is on Hill Street\n")
    assert repair_file(repository) == ""
    assert "the gate is on Hill Street" not in contents(repository)


def test_bullets_of_memory_md_are_people_s(tmp_path: Path):
    file = tmp_path / "memory" / "MEMORY.md"
    file.parent.mkdir()
    file.write_text(f"{HEAD}\n- mine alone\n", encoding="utf-8")
    repository = EntryRepository(tmp_path, clock=ManualClock(NOW))
    assert repair_file(repository) == ""
    assert file.read_text(encoding="utf-8") == f"{HEAD}\n- mine alone\n"


def test_a_command_says_what_has_an_id_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    repository_of(tmp_path, f"{HEAD}\n- I also like tea\n")
    assert run_command_line(["entries", "list", "-w", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert "I also like tea" in shown.out
    assert "what was written into ENTRIES.md without an id has one now: " in shown.err


MEMORY = f"# About me\n\n- I live in Porto\n- my password is hunter2-Xk9mQ4\n- [ ] call the bank\n\n{HEAD}"


def test_bullets_of_a_file_are_shown_and_become_entries_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "memory" / "MEMORY.md"
    file.parent.mkdir()
    file.write_text(MEMORY, encoding="utf-8")
    repository = EntryRepository(tmp_path)
    command = ["entries", "remember", "--from", str(file), "-w", str(tmp_path)]
    assert run_command_line(command) == 0
    shown = capsys.readouterr().out
    assert "I live in Porto" in shown
    assert "hunter2" not in shown
    assert "2 would become entries; --yes makes them. MEMORY.md stays as it is." in shown
    assert contents(repository) == {}
    assert run_command_line([*command, "--yes", "--tag", "me"]) == 0
    made = {one.content: one for one in repository.load().entries.values()}
    assert made["I live in Porto"].tags == ("me",)
    assert made["call the bank"].category == "todo"
    assert "- I live in Porto\n" in file.read_text(encoding="utf-8")
    assert run_command_line([*command, "--yes"]) == 0
    assert contents(repository).keys() == made.keys()


@pytest.mark.parametrize(
    ("arguments", "status"), [([], 2), (["a text", "--from", "x.md"], 2), (["--from", "x.md"], 1), (["--from", "."], 1)]
)
def test_nothing_to_remember_is_said(
    arguments: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["entries", "remember", *arguments, "-w", str(tmp_path)]) == status
    assert not (tmp_path / "memory").exists()


PLAIN = "- I like tea\n- [ ] call the bank\n\n### fact\nThe dog is Waffle\n"
BARE = f"# My memory\n\n{PLAIN}\n### plan\nwhat\n\n- a list\n  - in it\n"
BARE_ENTRIES = {"I like tea": "fact", "call the bank": "todo", "The dog is Waffle": "fact"}


def test_in_a_file_without_entries_lines_become_entries_when_it_is_put_right(tmp_path: Path):
    repository = repository_of(tmp_path, BARE)
    assert "has one now" in repair_file(repository)
    assert contents(repository) == BARE_ENTRIES
    text = repository.path.read_text(encoding="utf-8")
    assert text.startswith("# My memory\n\n")
    assert "### plan\nwhat\n" in text
    assert "- a list\n  - in it\n" in text


@pytest.mark.parametrize(
    "written", [BARE, f"{HEAD}\n- I like tea\n- [ ] call the bank\n\n### fact\nThe dog is Waffle\n"]
)
def test_lines_become_entries_at_the_next_write_with_a_run_of_their_own(written: str, tmp_path: Path):
    repository = repository_of(tmp_path, "")
    repository.path.write_text(written, encoding="utf-8")
    there = repository.load().entries
    outcome = repository.update(
        lambda entries: {**entries, "bbbbbbbb": Entry("bbbbbbbb", "the bird is Toast", "fact", 0.8, NOW)},
        who="user",
        why="remember",
    )
    assert [change.id for change in outcome.changes] == ["bbbbbbbb"]
    new = {
        text: kind for text, kind in contents(repository).items() if text not in {one.content for one in there.values()}
    }
    assert new == {**BARE_ENTRIES, "the bird is Toast": "fact"}
    assert [(run.who, len(run.changes)) for run in repository.journal.runs()][-2:] == [("hand", 3), ("user", 1)]


def test_what_is_not_understood_is_said_once_and_in_the_language_of_the_reader(tmp_path: Path, capsys):
    repository_of(tmp_path, f"{BARE}\n1. Has two sisters\n2) Plays chess\n\n### fact\n1. stays a text\n\n3.5 litres\n")
    assert run_command_line(["--lang", "zh", "entries", "list", "-w", str(tmp_path)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.partition("ENTRIES.md，")[2].partition("：")[2][:12] for line in told if "ENTRIES.md，" in line] == [
        "这个标题不是条目的类别（",
        "列表里的列表不算条目；请",
        "编号的行不算条目；请写成",
        "编号的行不算条目；请写成",
    ]
    assert "WARNING" not in "".join(told)


def test_the_doctor_says_what_of_the_text_was_not_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    repository_of(tmp_path, BARE)
    run_command_line(["entries", "list", "-w", str(tmp_path), "--json"])
    listed = capsys.readouterr().out
    assert "this heading names no kind of entry" in listed
    assert "a list in a list is no entry" in listed
    run_command_line(["doctor", "-w", str(tmp_path)])
    told = capsys.readouterr()
    assert told.out.count("this heading names no kind of entry") == 1
    assert "this heading" not in told.err


BODY = ENTRY.removeprefix("### ")


@pytest.mark.parametrize(
    "text",
    [
        f"## Active Memories\n\n#### {BODY}",
        f"## Active Memories\n\n## {BODY}",
        f"## Active Memories\n\n###{BODY}",
        f"## Active Memories\n\n{BODY}",
        f"## Active Memories\n\n> ### {BODY}",
        f"## Active Memories\n\n- {BODY}",
        f"## Active Memories\n\n<h3>{BODY}",
        f"## Active Memories\n\n\\### {BODY}",
        f"## My memories\n\n### {BODY}",
        f"### Active Memories\n\n#### {BODY}",
        f"Active Memories\n===\n\n### {BODY}",
        f"## Active Memories\n\n## Notes\n\n### {BODY}",
    ],
)
def test_the_header_of_an_entry_that_is_read_as_none_is_named_with_its_line(text: str, tmp_path: Path):
    repository = repository_of(tmp_path, f"# Agent Memory\n\n{text}")
    assert repair_file(repository) == ""
    assert contents(repository) == {}
    (problem,) = (told for told in repository.load().problems if "no header of an entry" in told)
    lines = repository.path.read_text(encoding="utf-8").split("\n")
    assert problem.startswith(f"line {next(n for n, line in enumerate(lines, 1) if '[aaaaaaaa]' in line)}: ")


@pytest.mark.parametrize(
    "text", ["See [1] fact | 3 apples.", "| [aaaa] | fact | 0.8 |", "[link](x) | 0.8", "[ab12] is a fact."]
)
def test_brackets_and_bars_of_others_are_no_header(text: str, tmp_path: Path):
    assert repository_of(tmp_path, f"{HEAD}\n{text}\n").load().problems == ()
