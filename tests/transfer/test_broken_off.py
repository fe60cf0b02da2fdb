"""An import that is killed in its midst is finished by the next one, and gives what it would have given."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.bridge.importing import NanobotImporter
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.exporting import export_to
from nanobot_memory_plugins.core.transfer.importing import import_from
from tests.transfer.made_memory import make_memory
from tests.transfer.made_nanobot import make_home
from tests.transfer.snapshots import notes, records, snapshot

ROOT = Path(__file__).parents[2]
# Kills itself when a function is called for the n-th time: before it, behind it, or half-way through a write.
CHILD = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
module, name, when, count, kind, source, workspace = sys.argv[1:]
count = int(count)
place = import_module(module)
owner, _, attribute = name.rpartition(".")
target = getattr(place, owner) if owner else place
inner = getattr(target, attribute)

def killing(*arguments, **more):
    global count
    count -= 1
    if count == 0 and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if count == 0 and when == "half":
        inner(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    answer = inner(*arguments, **more)
    if count == 0 and when == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return answer

setattr(target, attribute, killing)
if kind == "archive":
    from nanobot_memory_plugins.core.transfer.archive_import import import_archive
    import_archive(Path(source), Path(workspace))
else:
    from nanobot_memory_plugins.bridge.importing import NanobotImporter
    from nanobot_memory_plugins.core.transfer.importing import import_from
    import_from(NanobotImporter(), "nanobot", Path(source), Path(workspace))
"""
TAKING = "nanobot_memory_plugins.core.transfer.import_writer"
RESTORING = "nanobot_memory_plugins.core.transfer.archive_import"


def run(point: tuple[str, str, str, int], kind: str, source: Path, workspace: Path) -> int:
    module, name, when, count = point
    arguments = [module, name, when, str(count), kind, str(source), str(workspace)]
    return subprocess.run([sys.executable, "-c", CHILD, *arguments], cwd=ROOT, timeout=60, check=False).returncode


@pytest.mark.parametrize(
    "point",
    [
        (TAKING, "merge_into", "before", 4),
        (TAKING, "merge_into", "after", 5),  # written, and not remembered
        (TAKING, "Ledger.add", "after", 3),
        ("os", "write", "half", 9),
        ("os", "write", "half", 6),
    ],
    ids=lambda point: f"{point[2]} {point[1]} {point[3]}",
)
def test_a_killed_import_is_finished_by_the_next(point, tmp_path: Path, workspace: Path, take):
    source = make_home(tmp_path / "home", 9)
    assert run(point, "nanobot", source, workspace) == -signal.SIGKILL
    take(source)
    whole = tmp_path / "whole"
    import_from(NanobotImporter(), "nanobot", source, whole)
    assert {r.id: r for r in records(workspace)} == {r.id: r for r in records(whole)}
    assert len(records(workspace)) == len(records(whole))
    assert notes(workspace).keys() == notes(whole).keys()
    for day, entries in notes(whole).items():
        assert sorted((n.id, n.details) for n in notes(workspace)[day]) == sorted((n.id, n.details) for n in entries)
    before = snapshot(workspace)
    assert take(source).taken == {}
    assert snapshot(workspace) == before


@pytest.mark.parametrize(
    "point",
    [(RESTORING, "put_file", "before", 5), (RESTORING, "put_file", "after", 7), ("os", "fsync", "before", 4)],
    ids=lambda point: f"{point[2]} {point[1]} {point[3]}",
)
def test_a_killed_restoring_is_finished_by_the_next(point, tmp_path: Path, workspace: Path):
    make_memory(tmp_path / "theirs")
    export_to(tmp_path / "a.zip", tmp_path / "theirs")
    assert run(point, "archive", tmp_path / "a.zip", workspace) == -signal.SIGKILL
    assert list((workspace / "memory").rglob("*.md")) != []
    import_archive(tmp_path / "a.zip", workspace)
    kept = {name: data for name, data in snapshot(workspace).items() if not name.endswith(".tmp")}
    theirs = snapshot(tmp_path / "theirs")
    assert {n: d for n, d in kept.items() if not n.startswith((".locks/", ".imports/imports.jsonl"))} == {
        n: d for n, d in theirs.items() if ".locks" not in n
    }


GOES_ON = """
import sys
from pathlib import Path
from nanobot_memory_plugins.bridge.importing import NanobotImporter
from nanobot_memory_plugins.core.transfer.importing import import_from
print("go", flush=True)
import_from(NanobotImporter(), "nanobot", Path(sys.argv[1]), Path(sys.argv[2]))
"""
ROUNDS = int(os.environ.get("NANOBOT_MEMORY_TRANSFER_ROUNDS", "0"))


@pytest.mark.skipif(not ROUNDS, reason="NANOBOT_MEMORY_TRANSFER_ROUNDS says how often; it takes long")
def test_imports_that_are_killed_at_random_moments_lose_and_double_nothing(tmp_path: Path):
    source = make_home(tmp_path / "home", 500)
    import_from(NanobotImporter(), "nanobot", source, tmp_path / "whole")
    whole = {record.id: record for record in records(tmp_path / "whole")}
    seed = random.Random(3)
    for number in range(ROUNDS):
        workspace = tmp_path / f"mine{number}"
        for _ in range(3):
            with subprocess.Popen(
                [sys.executable, "-c", GOES_ON, str(source), str(workspace)], cwd=ROOT, stdout=subprocess.PIPE
            ) as child:
                assert child.stdout is not None
                child.stdout.readline()
                time.sleep(seed.uniform(0.2, 2.2))
                child.kill()
        import_from(NanobotImporter(), "nanobot", source, workspace)
        assert sorted(record.id for record in records(workspace)) == sorted(whole)
        assert {record.id: record for record in records(workspace)} == whole
        assert sum(map(len, notes(workspace).values())) == 3
        before = snapshot(workspace)
        assert import_from(NanobotImporter(), "nanobot", source, workspace).taken == {}
        assert snapshot(workspace) == before
        shutil.rmtree(workspace)


def test_a_killed_export_leaves_no_archive(tmp_path: Path):
    make_memory(tmp_path / "theirs")
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from nanobot_memory_plugins.core.transfer.exporting import export_to\n"
        "def die(part):\n"
        "    if part.done == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "export_to(Path(sys.argv[1]), Path(sys.argv[2]), progress=die)\n"
    )
    target = tmp_path / "a.zip"
    done = subprocess.run([sys.executable, "-c", code, target, tmp_path / "theirs"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()
    export_to(target, tmp_path / "theirs")
    shutil.rmtree(tmp_path / "theirs")
