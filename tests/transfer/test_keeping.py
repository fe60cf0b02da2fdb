"""Backups day by day, copies of sync programs merged, and who can read a memory."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.keeping_findings import keeping_findings
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer import exporting
from nanobot_memory_plugins.core.transfer.archive_contents import belongings
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.backups import back_up
from nanobot_memory_plugins.core.transfer.conflict_copies import conflict_copies
from tests.transfer.made_memory import add_entry, hear, make_memory

DAY = datetime(2026, 3, 6, 22, tzinfo=UTC)


@pytest.fixture
def told(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object, status: int = 0) -> dict[str, object]:
        assert run_command_line([*map(str, arguments), "-w", str(workspace), "--json"]) == status
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    return run


# Writes an archive and a backup of a workspace as somebody who may read it alone.
AS_READER = """
import os, shutil, sys, tempfile
from datetime import UTC, datetime
from pathlib import Path
from nanobot_memory_plugins.core.transfer.backups import back_up
from nanobot_memory_plugins.core.transfer.exporting import export_to

workspace, target = map(Path, sys.argv[1:])
if os.geteuid() == 0:
    # The interpreter may lie where only root comes: what is imported late is imported before, by doing it once.
    with tempfile.TemporaryDirectory() as other:
        copy = shutil.copytree(workspace, Path(other) / "mine", copy_function=shutil.copyfile)
        back_up(Path(other) / "backups", Path(copy), keep=2, now=datetime.now(UTC))
    os.setgid(65534)
    os.setuid(65534)
assert not os.access(workspace / "memory", os.W_OK)
exported = export_to(target / "all.zip", workspace)
backup = back_up(target, workspace, keep=2, now=datetime.now(UTC))
for report in (exported, backup.report):
    print(report.files, [name for name, _ in report.left])
"""


@pytest.mark.parametrize("has_locks", [True, False])
def test_who_may_only_read_a_memory_can_take_all_of_it_along(has_locks: bool):
    # Not below tmp_path: after giving up root, the child must still reach it.
    top = Path(tempfile.mkdtemp())
    try:
        workspace, target = top / "mine", top / "backups"
        target.mkdir()
        make_memory(workspace)
        if not has_locks:
            shutil.rmtree(workspace / "memory" / ".locks")
        files = len(list(belongings(MemoryPaths.of(workspace))))
        for one in (top, *top.rglob("*")):
            one.chmod(0o555 if one.is_dir() else 0o444)
        target.chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-c", AS_READER, str(workspace), str(target)], capture_output=True, text=True
        )
        assert done.stdout.splitlines() == [f"{files} []"] * 2, done.stderr
        again = top / "again"
        target.chmod(0o755)
        import_archive(target / "all.zip", again)
        texts = [path for path in (workspace / "memory").rglob("*") if path.suffix in (".md", ".jsonl")]
        assert len(texts) > 4
        for path in texts:
            assert (again / path.relative_to(workspace)).read_bytes() == path.read_bytes()
    finally:
        for one in (top, *top.rglob("*")):
            if one.is_dir():
                one.chmod(0o755)
        shutil.rmtree(top)


def test_there_is_one_whole_archive_a_day_and_the_last_ones_stay(workspace: Path, tmp_path: Path):
    make_memory(workspace)
    place = tmp_path / "backups"
    foreign = place / "nanobot-memory-other-abcdef-20200101.zip"
    made = []
    for day in range(5):
        hear(workspace, f"something new {day}", day + 10)
        made.append(back_up(place, workspace, keep=3, now=DAY + timedelta(days=day)))
        foreign.touch()
    assert sorted(path.name for path in place.iterdir()) == sorted(
        [foreign.name, *(one.path.name for one in made[-3:])]
    )
    assert [path.name for path in made[3].removed] == [made[0].path.name]
    again = back_up(place, workspace, keep=3, now=DAY + timedelta(days=4))
    assert again.report is None
    other = tmp_path / "other"
    other.mkdir()
    import_archive(again.path, other)
    here, there = (
        [path.read_bytes() for path in sorted((one / "memory" / "sessions").iterdir())] for one in (workspace, other)
    )
    assert here == there


def test_a_damaged_backup_of_today_is_put_aside_and_made_again(workspace: Path, tmp_path: Path):
    make_memory(workspace)
    place = tmp_path / "backups"
    done = back_up(place, workspace, keep=2, now=DAY)
    done.path.write_bytes(done.path.read_bytes()[:-200])
    again = back_up(place, workspace, keep=2, now=DAY)
    assert again.report is not None
    assert done.path.with_name(f"{done.path.name}.damaged").exists()
    assert back_up(place, workspace, keep=2, now=DAY).report is None


def test_two_backups_at_once_are_one(workspace: Path, tmp_path: Path):
    make_memory(workspace)
    place, found, failures = tmp_path / "backups", [], []

    def once() -> None:
        try:
            found.append(back_up(place, workspace, keep=2, now=DAY))
        except InputError as error:
            failures.append(error)

    threads = [threading.Thread(target=once) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(one.report is not None for one in found) == 1
    assert [path.suffix for path in place.iterdir()] == [".zip"]


@pytest.mark.parametrize("words", [("export", "--daily", "--to"), ("export", "--to")])
def test_ctrl_c_leaves_no_part_of_an_archive(words: tuple[str, ...], workspace: Path, tmp_path: Path, monkeypatch):
    make_memory(workspace)
    written = exporting._write

    def interrupted(*arguments: object) -> object:
        written(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(exporting, "_write", interrupted)
    target = tmp_path / "out" / "x.zip"
    target.parent.mkdir()
    to = target.parent if "--daily" in words else target
    assert run_command_line([*words, str(to), "-w", str(workspace)]) == 130
    assert list(target.parent.iterdir()) == []
    monkeypatch.undo()
    assert run_command_line([*words, str(to), "-w", str(workspace)]) == 0


def test_nothing_older_goes_when_today_cannot_be_written(workspace: Path, tmp_path: Path):
    make_memory(workspace)
    place = tmp_path / "backups"
    first = back_up(place, workspace, keep=1, now=DAY)
    shutil.rmtree(workspace / "memory")
    with pytest.raises(InputError, match="There is no memory"):
        back_up(place, workspace, keep=1, now=DAY + timedelta(days=1))
    assert first.path.exists()


def test_the_command_makes_backups_and_refuses_a_place_that_is_none(
    workspace: Path, tmp_path: Path, told, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    make_memory(workspace)
    done = told("export", "--daily", "--keep", "2")
    assert done["new"]
    assert Path(str(done["path"])).parent == tmp_path / "home" / "nanobot-memory-backups"
    assert not told("export", "--daily", "--keep", "2")["new"]
    assert "lies in the memory" in str(told("export", "--daily", "--to", workspace / "memory" / "x", status=1)["error"])
    assert "is a file" in str(told("export", "--daily", "--to", done["path"], status=2)["error"])


NAMES = (
    "{stem} (Ana's conflicted copy 2026-03-06){end}",
    "{stem} (Ana 的冲突副本 2026-03-06){end}",
    "{stem}.sync-conflict-20260306-101112-ABCDEFG{end}",
    "{stem} 2{end}",
    "{stem} (1){end}",
)


@pytest.mark.parametrize("form", NAMES)
def test_a_copy_of_a_sync_program_is_found_and_merged_into_its_file(form: str, workspace: Path, tmp_path: Path, told):
    make_memory(workspace)
    memory = workspace / "memory"
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(workspace, elsewhere)
    hear(workspace, "said here", 20)
    hear(elsewhere, "said there", 21)
    add_entry(EntryRepository(workspace), "The user sells figs.")
    add_entry(EntryRepository(elsewhere), "The user sells dates.")
    copies = []
    for file in (*(elsewhere / "memory" / "sessions").iterdir(), elsewhere / "memory" / "ENTRIES.md"):
        place = memory / file.parent.relative_to(elsewhere / "memory")
        copies.append(place / form.format(stem=file.stem, end=file.suffix))
        shutil.copy(file, copies[-1])
    assert [one.path for one in conflict_copies(MemoryPaths.of(workspace))] == sorted(copies)
    [finding] = [one for one in keeping_findings(workspace) if one.subject == "copies of a sync program"]
    assert "import --conflicts" in finding.hint
    assert len(told("import", "--conflicts", "--dry-run")["copies"]) == 2
    assert all(path.exists() for path in copies)
    merged = told("import", "--conflicts")["copies"]
    assert [row["removed"] for row in merged] == [True, True], merged
    said = b"".join(path.read_bytes() for path in (memory / "sessions").iterdir())
    assert said.count(b"said here") == said.count(b"said there") == said.count(b"walnut message 1") == 1
    kept = [one.content for one in EntryRepository(workspace).load().entries.values()]
    assert sum("figs" in text for text in kept) == sum("dates" in text for text in kept) == 1
    assert not conflict_copies(MemoryPaths.of(workspace))
    assert told("import", "--conflicts")["copies"] == []


def test_what_is_said_of_a_copy_calls_it_one_and_names_it_as_it_is_called(workspace: Path, capsys):
    make_memory(workspace)
    notes = next((workspace / "memory" / "sessions").glob("*.jsonl"))
    copy = notes.with_name(f"{notes.stem}.sync-conflict-20260306-101112-ABCDEFG.jsonl")
    said = {"id": "01a221b0-0209-71e2-9df6-e0ffd8a1f998", "time": "2026-03-06T09:25:12.713+00:00", "role": "user"}
    said |= {"text": "The boat is blue.", "origin": "user", "session": "cli:direct"}
    copy.write_bytes(notes.read_bytes() + json.dumps(said).encode() + b"\n")
    capsys.readouterr()
    for arguments in (["--conflicts", "--dry-run"], ["--conflicts"], ["--undo"]):
        assert run_command_line(["import", *arguments, "-w", str(workspace)]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert copy.name in told
        assert "an export of this memory" not in told
        assert ".zip" not in told
        assert ("a copy that a sync program left" in told) == ("--conflicts" in arguments)
    assert copy.exists()


@pytest.mark.parametrize("form", [" 2", " (1)", "2", " 12"])
@pytest.mark.parametrize(
    ("first", "second", "is_copy"),
    [
        ("The boat lies at the pier beside the red barn.", "The figs are ripe in August, the dates later on.", False),
        ("第一章 船停在码头边的红色谷仓旁。", "第二章 无花果八月成熟，枣子要再晚一两个月。", False),
        ("One.", "Two.", False),
        ("One.", "One.", True),
        ("The boat lies at the pier beside the red barn.", "The boat lies at the pier beside the blue barn.", True),
        ("船停在码头边的红色谷仓旁。", "船停在码头边的蓝色谷仓旁。", True),
    ],
)
def test_a_document_with_a_number_is_a_copy_where_it_says_the_same(
    form: str, first: str, second: str, is_copy: bool, workspace: Path
):
    book = workspace / "memory" / "book"
    book.mkdir(parents=True)
    (book / "Chapter.md").write_text(first, encoding="utf-8")
    copy = book / f"Chapter{form}.md"
    copy.write_text(second, encoding="utf-8")
    found = [one.path for one in conflict_copies(MemoryPaths.of(workspace))]
    assert found == ([copy] if is_copy and form != "2" else [])
    marked = book / "Chapter (Ana's conflicted copy 2026-03-06).md"
    marked.write_text(second, encoding="utf-8")
    assert marked in [one.path for one in conflict_copies(MemoryPaths.of(workspace))]


def test_bullets_of_a_copy_that_were_written_by_hand_become_entries(workspace: Path, told):
    make_memory(workspace)
    repository = EntryRepository(workspace)
    add_entry(repository, "The user sells figs.")
    gone = told("entries", "remember", "The user sells plums.")["entry"]
    told("entries", "forget", gone["id"])
    copy = workspace / "memory" / "ENTRIES (Ana's conflicted copy 2026-03-06).md"
    copy.write_text(
        "# Memories\n\n- I also like tea\n- the user sells figs.\n- The user sells plums.\n\n### todo\nBuy a kettle\n",
        encoding="utf-8",
    )
    [merged] = told("import", "--conflicts")["copies"]
    kept = {one.content: one.category for one in EntryRepository(workspace).load().entries.values()}
    assert kept.keys() >= {"I also like tea", "Buy a kettle", "The user sells figs."}
    assert kept["Buy a kettle"] == "todo"
    assert sum("figs" in text for text in kept) == 1
    assert not any("plums" in text for text in kept)
    assert merged["removed"]
    assert not copy.exists()


def test_a_copy_that_was_merged_comes_back_with_the_undo(workspace: Path, told):
    make_memory(workspace)
    memory = workspace / "memory"
    transcript = next((memory / "sessions").glob("*.jsonl"))
    copy = transcript.with_name(f"{transcript.stem}.sync-conflict-20260306-101112-ABCDEFG.jsonl")
    said = {"id": "01a221b0-0209-71e2-9df6-e0ffd8a1f999", "time": "2026-03-06T09:25:12.713+00:00", "role": "user"}
    said |= {"text": "The spare key is with Petr", "origin": "user", "session": "cli:direct"}
    copy.write_bytes(transcript.read_bytes() + json.dumps(said).encode() + b"\n")
    text = memory / "MEMORY (Ana's conflicted copy 2026-03-06).md"
    text.write_text("# Memory\n\nA line of the laptop.\n", encoding="utf-8")
    before = {path.relative_to(memory): path.read_bytes() for path in (copy, text)}
    merged = told("import", "--conflicts")["copies"]
    assert [row["removed"] for row in merged] == [True, True]
    back = [told("import", "--undo")["copies"] for _ in before]
    assert sorted(name for names in back for name in names) == sorted(path.as_posix() for path in before)
    assert {path: (memory / path).read_bytes() for path in before} == before
    assert b"Petr" not in transcript.read_bytes()
    assert not (memory / ".imports" / "replaced").exists()
    assert len(told("import", "--conflicts")["copies"]) == 2
    assert b"Petr" in transcript.read_bytes()


def test_a_copy_that_was_merged_keeps_nothing_that_is_forgotten_for_good(workspace: Path, told):
    make_memory(workspace)
    memory = workspace / "memory"
    transcript = next((memory / "sessions").glob("*.jsonl"))
    copy = transcript.with_name(f"{transcript.stem}.sync-conflict-20260306-101112-ABCDEFG.jsonl")
    said = {"id": "01a221b0-0209-71e2-9df6-e0ffd8a1f999", "time": "2026-03-06T09:25:12.713+00:00", "role": "user"}
    said |= {"text": "Zebulon Krieger has the key", "origin": "user", "session": "cli:direct"}
    copy.write_bytes(transcript.read_bytes() + json.dumps(said).encode() + b"\n")
    told("import", "--conflicts")
    told("purge", "--text", "Zebulon Krieger", "--yes")
    assert not [path for path in memory.rglob("*") if path.is_file() and b"Zebulon" in path.read_bytes()]


def test_what_an_import_put_beside_the_memory_is_forgotten_for_good_with_it(workspace: Path, told):
    make_memory(workspace)
    memory = workspace / "memory"
    text = memory / "MEMORY (Ana's conflicted copy 2026-03-06).md"
    text.write_text("# Memory\n\nZebulon Krieger lives here. The kiln is warm.\n", encoding="utf-8")
    own = memory / "people" / "club.md"
    own.parent.mkdir()
    own.write_text("Zebulon Krieger rows. The boat is blue.\n", encoding="utf-8")
    told("import", "--conflicts")
    (beside,) = (memory / "imported").iterdir()
    words = ("purge", "--text", "Zebulon Krieger")
    left = {row["where"]: row["why"] for row in told(*words, "--dry-run")["traces"] if not row["removed"]}
    assert {name for name, why in left.items() if "--everywhere" in why} >= {
        f"memory/imported/{beside.name}",
        "memory/people/club.md",
    }
    told(*words, "--everywhere", "--yes")
    assert "The kiln is warm." in beside.read_text(encoding="utf-8")
    assert "The boat is blue." in own.read_text(encoding="utf-8")
    assert not [path for path in memory.rglob("*") if path.is_file() and b"Zebulon" in path.read_bytes()]


def test_what_only_looks_like_a_copy_is_none(workspace: Path):
    make_memory(workspace)
    memory = workspace / "memory"
    for name in ("topics/part 2.md", "topics/garden (draft).md", "2026-03-02-10.md"):
        (memory / name).write_text("mine", encoding="utf-8")
    assert conflict_copies(MemoryPaths.of(workspace)) == []


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_doctor_says_whether_others_can_read_the_memory():
    with tempfile.TemporaryDirectory() as folder:  # the folders of a test are closed to others
        (Path(folder) / "memory").mkdir(mode=0o755)
        Path(folder).chmod(0o755)
        [finding] = keeping_findings(Path(folder))
        assert "chmod o-rwx" in finding.state
        Path(folder).chmod(0o700)
        [finding] = keeping_findings(Path(folder))
        assert finding.state == "no other user of this machine can read the memory"


def test_keeping_some_is_for_daily_backups_alone(workspace: Path, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (workspace / "memory").mkdir(parents=True, exist_ok=True)
    assert run_command_line(["export", "--keep", "3", "-w", str(workspace)]) == 2
    assert "--keep is for --daily" in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.glob("*.zip")) == []
