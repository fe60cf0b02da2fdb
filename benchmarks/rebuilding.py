"""How long an index is built again from its files, beside a migration that rewrites every row and keeps the vectors."""

import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.indexing import chunk
from benchmarks.measure import report
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.database.connection import immediate
from nanobot_memory_plugins.storage.database.writing import derive_again

PASSAGES = 20_000
# Estimated tokens of a passage: a message of ordinary length.
_TOKENS = 60
_A_SESSION = 500


def _write(workspace: Path, passages: int) -> None:
    sessions = MemoryPaths.of(workspace).memory / "sessions"
    sessions.mkdir(parents=True)
    times = random.Random(5)
    for first in range(0, passages, _A_SESSION):
        lines = [
            json.dumps(
                {
                    "id": f"m{number}",
                    "time": f"2026-04-{times.randint(1, 30):02d}T12:00:00+00:00",
                    "role": "user",
                    "text": f"{number} {chunk(number, _TOKENS)}",
                    "origin": "user",
                    "session": f"cli:{first}",
                }
            )
            for number in range(first, min(passages, first + _A_SESSION))
        ]
        (sessions / f"cli_{first}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _index(workspace: Path, *options: str) -> tuple[float, dict[str, object]]:
    """Return the seconds of the command, the start of the program included, and what it says."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "index", "--rebuild", *options, "--json"]
    command += ["--workspace", str(workspace)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return time.perf_counter() - started, said


def main() -> None:
    """Print the three durations, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        _write(workspace, PASSAGES)
        words, _ = _index(workspace, "--no-embeddings")
        report("rebuild of 20,000 passages, words only", words, "s")
        both, said = _index(workspace)
        report("rebuild of 20,000 passages, words and vectors", both, "s")
        with closing(Database.open(workspace / ".storage" / "memory.db")) as database:
            started = time.perf_counter()
            with immediate(database.connection):
                derive_again(database.connection)
            report("a step that writes every row anew", time.perf_counter() - started, "s")
        print(json.dumps(said))


if __name__ == "__main__":
    main()
