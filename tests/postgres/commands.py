"""Commands of the command line, run in this process: one of its own takes seconds to begin."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.cli.main import run_command_line


def command(*arguments: str | Path, status: int | None = 0) -> dict[str, Any]:
    """Run a command, and return the object that it prints; it must end with ``status``, unless that is None."""
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        ended = run_command_line([*map(str, arguments), "--json"])
    assert status in (None, ended), complained.getvalue()
    return json.loads(said.getvalue().splitlines()[-1])
