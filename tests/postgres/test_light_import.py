"""Where PostgreSQL's driver is installed and no dsn is set, it is not imported."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# What reaches a server, or is only there for one.
BEYOND = ("psycopg", "psycopg_binary", "nanobot_memory_plugins.postgres.store")
SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from nanobot_memory_plugins.core import Erasure, MemoryHost, Note, Query
from nanobot_memory_plugins.core.config import config_from_mapping

async def live(folder, postgres):
    options = {"storage": {"embeddingProvider": "none"}} | ({"postgres": postgres} if postgres is not None else {})
    config, problems = config_from_mapping({"memoryPlugins": options})
    async with MemoryHost(Path(folder), config=config) as memory:
        await memory.message_sent(session_key="cli:direct", text="The harbour is closed on Monday.")
        await memory.keep(Note("the garden gate is green"))
        await memory.flush_index()
        hits = (await memory.search(Query("garden gate"))).hits
        await memory.eraser.erase(Erasure(texts=("the garden gate is green",)))
        return len(hits)

lives, beyond = json.load(sys.stdin)
lived = []
for folder, postgres in lives:
    found = asyncio.run(live(folder, postgres))
    loaded = "nanobot_memory_plugins.postgres.plugin" in sys.modules
    lived.append([found, loaded, sorted(set(beyond) & set(sys.modules))])
print(json.dumps(lived))
"""
COMMANDS = """
import contextlib, io, json, sys
from nanobot_memory_plugins.core.cli.main import run_command_line
commands, beyond = json.load(sys.stdin)
done = []
for arguments in commands:
    with contextlib.redirect_stdout(io.StringIO()):
        code = run_command_line(arguments)
    done.append([code, sorted(set(beyond) & set(sys.modules))])
print(json.dumps(done))
"""


def run(script: str, told: object, folder: Path) -> Any:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(told),
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**environment, "HOME": str(folder), "NANOBOT_MEMORY_WORKSPACE": str(folder), "PGHOST": "db.example.com"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


WITHOUT_DSN: tuple[dict[str, str] | None, ...] = (None, {}, {"tenant": "our-team"}, {"dsn": ""})


def test_a_life_without_a_dsn_imports_no_driver(tmp_path: Path):
    """One process lives them all: what the first has imported, the last shows."""
    lives = [(str(tmp_path / str(number)), postgres) for number, postgres in enumerate(WITHOUT_DSN)]
    assert run(SCRIPT, [lives, BEYOND], tmp_path) == [[1, True, []]] * len(WITHOUT_DSN)


def test_a_life_with_a_dsn_imports_it(tmp_path: Path):
    lives = [(str(tmp_path / "with"), {"dsn": "host=/nowhere dbname=none"})]
    assert run(SCRIPT, [lives, BEYOND], tmp_path) == [[1, True, sorted(BEYOND)]]


def test_a_command_without_a_dsn_imports_no_driver(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-16.md").write_text("The garden gate is green.\n", encoding="utf-8")
    commands = [["--help"], ["postgres", "--help"], ["search", "gate", "--no-embeddings"]]
    assert run(COMMANDS, [commands, BEYOND], tmp_path) == [[0, []]] * len(commands)
