"""Where PostgreSQL's driver is installed and no dsn is set, it is not imported."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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

folder, postgres, beyond = json.load(sys.stdin)
found = asyncio.run(live(folder, postgres))
loaded = "nanobot_memory_plugins.postgres.plugin" in sys.modules
print(json.dumps([found, loaded, sorted(set(beyond) & set(sys.modules))]))
"""
COMMANDS = """
import contextlib, io, json, sys
from nanobot_memory_plugins.core.cli.main import run_command_line
arguments, beyond = json.load(sys.stdin)
with contextlib.redirect_stdout(io.StringIO()):
    code = run_command_line(arguments)
print(json.dumps([code, sorted(set(beyond) & set(sys.modules))]))
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


@pytest.mark.parametrize(
    ("postgres", "imported"),
    [
        (None, []),
        ({}, []),
        ({"tenant": "our-team"}, []),
        ({"dsn": ""}, []),
        ({"dsn": "host=/nowhere dbname=none"}, sorted(BEYOND)),
    ],
    ids=["nothing", "no option", "a tenant", "an empty dsn", "a dsn"],
)
def test_a_life_without_a_dsn_imports_no_driver(tmp_path: Path, postgres: dict[str, str] | None, imported: list[str]):
    found, loaded, beyond = run(SCRIPT, [str(tmp_path), postgres, BEYOND], tmp_path)
    assert (found, loaded) == (1, True)
    assert beyond == imported


@pytest.mark.parametrize("arguments", [["--help"], ["postgres", "--help"], ["search", "gate", "--no-embeddings"]])
def test_a_command_without_a_dsn_imports_no_driver(tmp_path: Path, arguments: list[str]):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-16.md").write_text("The garden gate is green.\n", encoding="utf-8")
    assert run(COMMANDS, [arguments, BEYOND], tmp_path) == [0, []]
