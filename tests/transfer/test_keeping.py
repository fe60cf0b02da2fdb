"""Backups day by day, and who can read a memory."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.keeping_findings import keeping_findings
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.exporting import back_up
from tests.transfer.made_memory import hear, make_memory

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
from nanobot_memory_plugins.core.transfer.exporting import back_up, export_to

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
for report in (exported, backup):
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
        memory = workspace / "memory"
        names = [one.relative_to(memory) for kind in ("*.md", "sessions/*.jsonl") for one in memory.rglob(kind)]
        names = [name for name in names if not name.parts[0].startswith(".")]
        files = len(names)
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
        assert files > 4
        for name in names:
            assert (again / "memory" / name).read_bytes() == (memory / name).read_bytes()
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
    assert not again.is_new
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
    assert again.is_new
    assert done.path.with_name(f"{done.path.name}.damaged").exists()
    assert not back_up(place, workspace, keep=2, now=DAY).is_new


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
