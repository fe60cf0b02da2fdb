"""Make a recording of the first minutes on the command line, for ``asciinema play``, from a workspace that is made up.

``uv run python docs/make_recording.py [FILE]`` runs each command and writes what it really prints, typed as a person
types. By default it writes docs/pictures/first_minutes.cast.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.picture_workspace import make_workspace  # noqa: E402

RECORDING = Path(__file__).with_name("pictures") / "first_minutes.cast"
COLUMNS, LINES = 110, 30
COMMANDS = (
    'nanobot-memory entries remember "Our staging database listens on port 5433." --tag staging',
    'nanobot-memory search "which port is staging on" --limit 2 --no-embeddings',
    'nanobot-memory timeline "2026-03" --limit 4',
    "nanobot-memory entries list --tag staging",
    "nanobot-memory stats",
    "nanobot-memory entries undo",
)
# Seconds: between two letters, before an answer, and for reading it.
_LETTER, _THINKING, _READING = 0.04, 0.4, 2.5
# What a run of this moment says of this moment and this folder.
_RUN = re.compile(r"\brun [0-9a-f]{6,}\b")


def main(file: Path) -> None:
    """Write the recording."""
    with tempfile.TemporaryDirectory() as home:
        workspace = Path(home) / "agent"
        workspace.mkdir()
        make_workspace(workspace)
        events = list(_events(workspace, Path(home)))
    head = {"version": 2, "width": COLUMNS, "height": LINES, "title": "nanobot-memory"}
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [head, *([round(at, 2), "o", text] for at, text in events)]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _events(workspace: Path, home: Path) -> "list[tuple[float, str]]":
    at, events = 0.5, []
    for command in COMMANDS:
        events.append((at, "\x1b[1m$ \x1b[0m"))
        for letter in command:
            at += _LETTER
            events.append((at, letter))
        at += _THINKING
        events.append((at, "\r\n" + _printed(command, workspace, home).replace("\n", "\r\n")))
        at += _READING
    return events


def _printed(command: str, workspace: Path, home: Path) -> str:
    """Return what a command prints. It must be done well."""
    given = {"HOME": str(home), "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    variables = {name: value for name, value in os.environ.items() if not name.startswith("NANOBOT")} | given
    words = shlex.split(command)[1:]
    done = subprocess.run(  # noqa: S603  # commands of this file
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *words, "--workspace", str(workspace)],
        env=variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=home,
    )
    return _RUN.sub("run 1a2b3c4d", done.stdout.replace(str(workspace), "~/agent"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDING)
