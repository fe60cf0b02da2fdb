"""The run of Claude Code's tests where Claude Code cannot be installed: left out in words, or failed, as is wanted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NO_PACKAGE = "#!/bin/sh\necho 'npm error 404 @anthropic-ai/claude-code is not in this registry.' >&2\nexit 1\n"


@pytest.mark.parametrize(("npm", "why"), [("", "npm is not installed"), (NO_PACKAGE, "is not in this registry")])
@pytest.mark.parametrize("options", [["--where-possible"], []], ids=["where-possible", "by-hand"])
def test_without_the_package_the_tests_are_left_out_where_that_is_wanted(tmp_path, npm, why, options):
    (tmp_path / "bin").mkdir()
    if npm:
        program = tmp_path / "bin" / "npm"
        program.write_text(npm, encoding="utf-8")
        program.chmod(0o755)
    command = [sys.executable, "-m", "release.claude_code", *options, str(tmp_path / "folder")]
    variables = {**os.environ, "PATH": str(tmp_path / "bin")}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if options else 1)
    assert why in (done.stdout if options else done.stderr)
    assert ("are left out" in done.stdout) is bool(options)
    assert "Traceback" not in done.stderr
