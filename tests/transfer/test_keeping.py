"""An export by somebody who may only read, and who can read a memory."""

import os
import tempfile
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.findings import reader_findings


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
