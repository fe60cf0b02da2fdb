"""Commands as people type them: words without quotes, filters without words, folders in which a file is in the way."""

import json
import re
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from nanobot_memory_plugins.consolidation.cli.shown import show_entries
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line

NOTES = """### 2026-03-06 10:00 coffee
type: note
tags: coffee
tl;dr: Ana prefers dark roast

### 2026-03-06 11:00 tea
type: note
tags: tea
tl;dr: Jo prefers green tea
"""


ENTRIES = """# Agent Memory

## Active Memories

### [0a1b2c3d] fact | 0.80 | 2026-03-08 | 0
Acme pays in Hamburg
<!-- created: 2026-03-08T06:00:00+00:00; activated: 2026-03-08T06:00:00+00:00; importance: high; tags: work -->

### [1a1b2c3d] fact | 0.80 | 2026-02-08 | 0
Jo prefers tea
<!-- created: 2026-02-08T06:00:00+00:00; activated: 2026-02-08T06:00:00+00:00; importance: high; tags: work -->
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-03-06.md").write_text(NOTES, encoding="utf-8")
    return tmp_path


def test_a_filter_needs_no_words(workspace: Path, capsys: pytest.CaptureFixture[str]):
    assert run_command_line(["search", "--tag", "coffee", "-w", str(workspace), "--no-embeddings"]) == 0
    shown = capsys.readouterr()
    assert "Ana prefers dark roast" in shown.out
    assert "green tea" not in shown.out
    assert "level 2" not in shown.err  # words alone were asked for


@pytest.mark.parametrize(
    ("filters", "found", "left"),
    [
        (["--tag", "work"], ["Acme pays in Hamburg", "Jo prefers tea"], ["Old lines", "green tea"]),
        (["--kind", "long_term"], ["Acme pays in Hamburg", "Jo prefers tea", "Old lines"], ["green tea"]),
        (["--since", "2026-03-07"], ["Acme pays in Hamburg"], ["Jo prefers", "Old lines", "green tea"]),
        (["--since", "2026-03-07", "pays"], ["Acme pays in Hamburg"], ["Jo prefers", "Old lines", "green tea"]),
        (["--until", "2026-02", "--origin", "user"], ["Jo prefers tea"], ["Acme", "Old lines", "green tea"]),
        (["--since", "2026-02", "--limit", "2"], ["Acme pays in Hamburg", "green tea"], ["Jo prefers tea"]),
    ],
    ids=" ".join,
)
def test_a_filter_finds_the_entries_too(filters, found, left, workspace: Path, capsys: pytest.CaptureFixture[str]):
    memory = workspace / "memory"
    (memory / "ENTRIES.md").write_text(ENTRIES, encoding="utf-8")
    (memory / "MEMORY.md").write_text("# Ours\n\nOld lines.\n", encoding="utf-8")
    assert run_command_line(["search", *filters, "-w", str(workspace), "--no-embeddings"]) == 0
    shown = capsys.readouterr().out
    assert [text for text in found if text not in shown] == []
    assert [text for text in left if text in shown] == []


# What reads a memory, or changes one that is there.
OF_A_MEMORY = [
    ["search", "x"],
    ["why", "x"],
    ["index"],
    ["export", "--to", "x.zip"],
    ["timeline"],
    ["entries", "list"],
    ["entries", "history"],
    ["entries", "remember", "a new fact"],
    ["audit"],
    ["stats"],
    ["consolidate", "--dry-run"],
    ["people", "list"],
    ["scrub", "--dry-run"],
    ["purge", "--text", "a long sentence that nobody said", "--dry-run"],
    ["import", "--undo"],
]


@pytest.mark.parametrize("arguments", [*OF_A_MEMORY, ["import", "notes"]], ids=" ".join)
def test_a_file_in_the_place_of_the_memory_is_said(arguments: list[str], tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\nJo prefers green tea.\n")
    (tmp_path / "memory").write_text("x")
    assert run_command_line([*arguments, "-w", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "is a file, where the folder of the memory belongs. `nanobot-memory doctor` says how" in " ".join(
        said.split()
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["memory", "notes"]


def test_what_the_system_refuses_comes_with_what_helps(workspace: Path, capsys: pytest.CaptureFixture[str]):
    (workspace / "memory" / ".locks").write_text("in the way")
    assert run_command_line(["entries", "remember", "a new fact", "-w", str(workspace)]) == 1
    assert "`nanobot-memory doctor` says which file it is" in capsys.readouterr().err


def test_a_pipe_gets_a_line_an_entry(workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = "bread is at the bakery in Hill Street, which opens at seven, and on Sundays not before nine"
    assert run_command_line(["entries", "remember", text, "-w", str(workspace)]) == 0
    capsys.readouterr()
    assert run_command_line(["entries", "list", "-w", str(workspace)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith(f"  0  {text}")


def test_a_table_has_no_column_that_is_empty():
    used = datetime(2026, 3, 6, tzinfo=UTC)
    out = Console(file=StringIO(), force_terminal=True, width=80)
    show_entries([Entry("aaaaaaaa", "tea", "fact", 0.5, used), Entry("bbbbbbbb", "milk", "fact", 0.5, used)], out)
    assert "group" not in out.file.getvalue()
    show_entries([Entry("aaaaaaaa", "tea", "fact", 0.5, used, group="life")], out)
    assert "group" in out.file.getvalue()


@pytest.mark.parametrize(
    ("arguments", "cut", "whole"),
    [
        (["entries", "list"], "70 more; --all shows them.", "fact number 119 of ours"),
        (["entries", "history"], "70 more; --all shows them.", "fact number 119 of ours"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_long_list_is_cut_on_a_terminal_alone(arguments, cut, whole, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    used = datetime.now(UTC)
    made = {
        f"{n:08x}": Entry(f"{n:08x}", f"fact number {n} of ours", "fact", 0.5 - n / 1_000, used) for n in range(120)
    }
    EntryRepository(tmp_path).update(lambda _: made, who="test", why="add")

    def told(*more: str) -> str:
        assert run_command_line([*arguments, *more, "-w", str(tmp_path)]) == 0
        return capsys.readouterr().out

    piped = told()
    assert (whole in piped, "more;" in piped, piped.count("fact number")) == (True, False, 120)
    monkeypatch.setenv("FORCE_COLOR", "1")
    on_terminal = re.sub(r"\x1b\[[\d;]*m", "", told())
    assert (whole in on_terminal, cut in on_terminal, on_terminal.count("fact number")) == (False, True, 50)
    everything = re.sub(r"\x1b\[[\d;]*m", "", told("--all"))
    assert ("more;" in everything, everything.count("fact number")) == (False, 120)


def test_a_history_says_how_many_runs_are_older(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for text in ("Jo likes tea", "Ana likes coffee", "Kim likes milk"):
        assert run_command_line(["entries", "remember", text, "-w", str(tmp_path)]) == 0
    capsys.readouterr()
    assert run_command_line(["entries", "history", "--limit", "1", "-w", str(tmp_path)]) == 0
    assert "2 more; --limit shows them." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "dark roast"], 0),
        (["search", "dark roast", "--since", "2026-13-01"], 2),
        (["why", "dark roast"], 0),
        (["index"], 0),
        (["index", "-w", "nowhere"], 1),
        (["timeline", "--since", "2026-13-01"], 2),
    ],
)
def test_each_line_beside_the_answer_names_the_program(
    arguments: list[str], code: int, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    (tmp_path / "config.json").write_text(
        json.dumps({"memoryPlugins": {"recal": {}, "storage": {"embeddingProvider": "none"}}}), encoding="utf-8"
    )
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(tmp_path / "config.json"))
    (workspace / "memory" / "ENTRIES.md").write_text("# Active Memories\n\n### [] fact | 0.80\nx\n", encoding="utf-8")
    place = [] if "-w" in arguments else ["-w", str(workspace)]
    assert run_command_line([*arguments, *place]) == code
    lines = [line for line in capsys.readouterr().err.splitlines() if line.strip()]
    assert lines
    assert [line for line in lines if not line.startswith(("nanobot-memory: ", "WARNING "))] == []


def test_the_history_tells_time_by_the_clock_of_who_reads_it(workspace: Path, capsys):
    assert run_command_line(["entries", "remember", "x", "-w", str(workspace)]) == 0
    assert run_command_line(["entries", "history", "-w", str(workspace)]) == 0
    assert re.search(rf"  {datetime.now():%Y-%m-%d} \d\d:\d\d  ", capsys.readouterr().out)
