"""The commands ``import`` and ``export``: what they print, their exit statuses, and breaking them off."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock
from nanobot_memory_plugins.core.transfer import Part
from nanobot_memory_plugins.core.transfer.importing import only_import
from tests.transfer.made_memory import make_memory
from tests.transfer.made_nanobot import make_home
from tests.transfer.made_stores import make_markdown
from tests.transfer.snapshots import records, snapshot


@pytest.fixture
def command(workspace: Path, capsys):
    """Run a command on the workspace; return its status, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        status = run_command_line([*map(str, arguments), "--workspace", str(workspace)])
        return status, *capsys.readouterr()

    return run


def test_import_names_the_format_what_was_taken_where_it_went_and_what_was_left(tmp_path: Path, command):
    make_markdown(tmp_path / "notes")
    (tmp_path / "notes" / "broken.md").write_bytes(b"\0" * 9)
    status, out, _ = command("import", tmp_path / "notes", "--all")
    assert status == 0
    assert "a folder of Markdown (markdown)" in out
    assert "taken: 6 notes\n" in out
    assert "  memory/2026-03-03.md: 2\n" in out
    assert "left: it is damaged: it holds NUL bytes\n  broken.md\n" in out
    assert "`nanobot-memory index`" in out
    (tmp_path / "notes" / "worse.md").write_bytes(b"\0" * 9)
    status, out, _ = command("import", tmp_path / "notes")
    assert "left: it is damaged: it holds NUL bytes (2)\n  broken.md\n  worse.md\n" in out
    assert "taken: nothing; 6 taken before\n" in out


def test_import_as_json_is_one_object_on_the_last_line(tmp_path: Path, command):
    source = make_home(tmp_path / "home", 2)
    status, out, _ = command("import", source, "--json", "--dry-run")
    assert status == 0
    (line,) = out.splitlines()
    report = json.loads(line)
    assert (report["ok"], report["format"], report["dry_run"]) == (True, "nanobot", True)
    assert report["taken"] == {"messages": 11, "notes": 3, "entries": 0, "files": 0}
    assert {"file", "why", "count", "lines"} == report["left"][0].keys()


def test_a_dry_run_says_so(tmp_path: Path, command, workspace: Path):
    status, out, _ = command("import", make_markdown(tmp_path / "notes"), "--dry-run")
    assert (status, "would be taken: 6 notes" in out, list(workspace.iterdir())) == (0, True, [])
    assert "would be written to" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "There is nothing at"),
        (
            ["notes", "--from", "evernote"],
            "There is no format evernote. Formats: archive, claude-code, claude-mem, markdown",
        ),
        (["notes", "--from", "archive"], "is no archive. Name the ZIP file"),
        (["notes", "--from", "claude-mem"], "There is no claude-mem.db in"),
        (["notes", "--from", "openclaw"], "There are no memories of OpenClaw in"),
        (["notes", "--from", "nanobot"], "There are no sessions and no memory of nanobot in"),
        (["half.zip"], "no whole ZIP archive: it may have been cut off. Copy it again"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_cannot_be_imported_is_refused_with_cause_and_mend(
    arguments: list[str], words: str, tmp_path: Path, command, monkeypatch, workspace: Path
):
    make_markdown(tmp_path / "notes")
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04half")
    monkeypatch.chdir(tmp_path)
    status, out, err = command("import", *arguments, "--json")
    assert status == (2 if "no format" in words else 1)
    assert words in err
    assert json.loads(out.splitlines()[-1])["ok"] is False
    assert not (workspace / "memory" / "sessions").exists()


def test_export_and_import_by_command(tmp_path: Path, command, workspace: Path, monkeypatch):
    make_memory(workspace)
    monkeypatch.chdir(tmp_path)
    status, out, _ = command("export")
    assert status == 0
    (archive,) = tmp_path.glob("nanobot-memory-mine-*.zip")
    assert str(archive) in out
    status, out, _ = command("export", "--to", "again.zip", "--json")
    answer = json.loads(out)
    assert (answer["path"], answer["files"]) == (str(tmp_path / "again.zip"), len(_exported(workspace)))
    status, _, err = command("export", "--to", "again.zip")
    assert (status, "is there already. Name another file" in err) == (1, True)
    before = _exported(workspace)
    assert run_command_line(["import", "again.zip", "-w", str(tmp_path / "new")]) == 0
    assert _exported(tmp_path / "new") == before


def _exported(workspace: Path) -> dict[str, bytes]:
    elsewhere = (".locks/", ".imports/imports.jsonl")
    return {name: data for name, data in snapshot(workspace).items() if not name.startswith(elsewhere)}


def test_breaking_off_leaves_nothing_half_done(tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 9)

    def interrupt(part: Part) -> None:
        if part.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(source, progress=interrupt)
    assert take(source).taken["messages"] == 9 * 5 + 1
    assert len({record.id for record in records(workspace)}) == len(records(workspace))


def test_two_imports_at_once_are_one_after_the_other(tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 1)
    with only_import(MemoryPaths.of(workspace)), pytest.raises(InputError, match="Another import into this memory"):
        take(source)
    assert take(source).taken


def test_an_agent_that_holds_its_files_is_named_and_the_next_import_goes_on(tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 2)
    paths = MemoryPaths.of(workspace)
    with (
        file_lock(paths, paths.long_term.with_name("2026-03-04.md")),
        pytest.raises(FileBusyError, match=r"2026-03-04.md is locked by another process\. Import again"),
    ):
        take(source, lock_seconds=0.05)
    assert sum(take(source).taken.values()) == 3  # the sessions were there already
    assert len(records(workspace)) == 11


def test_a_memory_that_cannot_be_written_is_named(tmp_path: Path, workspace: Path, command):
    (workspace / "memory").write_text("no folder")
    status, _, err = command("import", make_markdown(tmp_path / "notes"))
    assert (status, "is a file, where the folder of the memory belongs" in err) == (1, True)
    assert (workspace / "memory").read_text() == "no folder"
