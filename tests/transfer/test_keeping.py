"""An export by somebody who may only read, and who can read a memory."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.findings import reader_findings
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from tests.transfer.made_memory import make_memory

# Writes an archive of a workspace as somebody who may read it alone.
AS_READER = """
import os, shutil, sys, tempfile
from pathlib import Path
from nanobot_memory_plugins.core.transfer.archive import export_to

workspace, target = map(Path, sys.argv[1:])
if os.geteuid() == 0:
    # The interpreter may lie where only root comes: what is imported late is imported before, by doing it once.
    with tempfile.TemporaryDirectory() as other:
        copy = shutil.copytree(workspace, Path(other) / "mine", copy_function=shutil.copyfile)
        export_to(Path(other) / "all.zip", Path(copy))
    os.setgid(65534)
    os.setuid(65534)
assert not os.access(workspace / "memory", os.W_OK)
report = export_to(target / "all.zip", workspace)
print(report.files, [name for name, _ in report.left])
"""


def test_who_may_only_read_a_memory_can_take_all_of_it_along():
    # Not below tmp_path: after giving up root, the child must still reach it.
    top = Path(tempfile.mkdtemp())
    try:
        workspace, target = top / "mine", top / "backups"
        target.mkdir()
        make_memory(workspace)
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
        assert done.stdout.splitlines() == [f"{files} []"], done.stderr
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


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_doctor_says_whether_others_can_read_the_memory():
    with tempfile.TemporaryDirectory() as folder:  # the folders of a test are closed to others
        (Path(folder) / "memory").mkdir(mode=0o755)
        Path(folder).chmod(0o755)
        [finding] = reader_findings(Path(folder))
        assert "chmod o-rwx" in finding.state
        Path(folder).chmod(0o700)
        [finding] = reader_findings(Path(folder))
        assert finding.state == "no other user of this machine can read the memory"
