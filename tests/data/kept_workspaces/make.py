"""Makes the kept workspaces with an older program, in whose environment it runs: README.md beside it says how.

``python make.py CHECKOUT FOLDER``: the checkout of that program, and where the workspaces go.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

CHECKOUT, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(CHECKOUT))  # for tests.support
# The options of a nanobot of then, in both spellings.
OPTIONS = {
    "core": {"idleSeconds": 0.3, "message_limit": 20, "share": "auto", "people": {"ana": ["telegram:111", "cli"]}},
    "storage": {"embeddingProvider": "none", "observationMaxAgeDays": 0, "chunkMaxTokens": 200},
    "recall": {"recallTopK": 6, "inject_budget_chars": 1500, "minRelativeOdds": 0.2, "explicitAnchors": ["之前"]},
    "consolidation": {"consolidationDelay": 0, "consolidationSchedule": False},
    "summary": {"summaryMode": "concat", "summaryMinTurns": 2},
    "flush": {"reserveFloor": 18000},
    "bootstrap": {"totalMaxChars": 23000},
    "redaction": {"contacts": "user"},
}
# Those of another host, under the names of the design documents.
FLAT = {
    "memory": {"recallTopK": 6, "summaryMode": "concat", "enableSummaries": True, "summaryMinTurns": 2},
    "memory_search": {"tiers": {"light_top_k": 4}, "timeouts": {"heavy_ms": 400}},
    "memoryPlugins": {
        "core": {"messageLimit": 20},
        "storage": {"embeddingProvider": "none", "observationMaxAgeDays": 0},
    },
}
NOTES = "# Notes of mine\n\nThe port is 7071.\n\n## Ideas\n\n- a bench below the pear tree\n"
BEGIN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAYS = (
    ("Hello! I am Ana and I live in Lisbon.", "Remember that my sister Kim is allergic to peanuts."),
    ("记住我每天六点半起床。", "Always answer in bullet points.", "Count the jars in the larder, please."),
    ("Remember that the boiler code is 4455.", "Remember that my dentist is Dr. Lindqvist.", "Forget my dentist."),
    ("My cellar key hangs behind the barometer.", "The archive password is Brk-Zx9!kQ77, keep going.", "Thanks!"),
)
COMMANDS = (
    ("entries", "remember", "Acme pays within 14 days", "--group", "work/clients"),
    ("purge", "--text", "the boiler code is 4455", "--yes"),
    ("index",),
)


async def plain(workspace: Path, clock) -> None:
    """A host of one's own: the entries stand in MEMORY.md."""
    from nanobot_memory_plugins.core import MemoryHost
    from nanobot_memory_plugins.core.config import load_config

    config, problems = load_config(workspace / "config.json")
    assert not problems, problems
    os.environ["NANOBOT_MEMORY_PLUGINS"] = "storage,recall,observation,summary,flush,consolidation,compaction"
    session, history = "cli:direct", []
    async with MemoryHost(workspace, config=config) as memory:
        for text in (DAYS[0][1], DAYS[1][0], "My cellar key hangs behind the barometer; the meter is read in April."):
            clock.set(clock.now() + timedelta(hours=20))
            await memory.message_received(session_key=session, text=text, history=list(history))
            await memory.message_sent(session_key=session, text="Understood.")
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": "Understood."}]
        await memory.tool_executed(
            session_key=session,
            tool_name="exec",
            arguments={"command": "pear --prune"},
            result="pruned 14 branches",
            error=None,
            duration_ms=31,
        )
        await memory.session_idle(session_key=session, history=history)
        await memory.flush_index()
    del os.environ["NANOBOT_MEMORY_PLUGINS"]


async def nanobot(made, clock) -> None:
    """A stock nanobot: the entries stand in ENTRIES.md."""
    for number, texts in enumerate(DAYS):
        clock.set(BEGIN + timedelta(days=number))
        loop = made.loop()
        for text in texts:
            await loop.process_direct(text, session_key=f"cli:{number}")
        await asyncio.sleep(3)  # the session is idle meanwhile
        await loop.aclose()


def begin(workspace: Path, options: object) -> Path:
    """Write what people had written before."""
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "MEMORY.md").write_text(NOTES, "utf-8")
    (workspace / "config.json").write_text(json.dumps(options, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return workspace


def keep(workspace: Path, place: Path) -> None:
    """Copy a workspace without locks, and its index as the statements that make it again, which can be read."""
    with closing(sqlite3.connect(workspace / ".storage" / "memory.db")) as index:
        # The words' own tables are made by FTS5 again, before the triggers that need them.
        own = ("docs_fts", "sqlite_master", "writable_schema")
        lines = [one for one in index.iterdump() if one.startswith("CREATE TRIGGER") or not any(o in one for o in own)]
        ((words,),) = index.execute("SELECT sql FROM sqlite_master WHERE name = 'docs_fts'").fetchall()
        at = next(n for n, one in enumerate(lines) if one.startswith("CREATE TRIGGER"))
        lines[at:at] = [f"{words};", "INSERT INTO docs_fts (docs_fts) VALUES ('rebuild');"]
        numbers = ("application_id", "user_version")
        lines += [f"PRAGMA {one}={index.execute(f'PRAGMA {one}').fetchone()[0]};" for one in numbers]
    place.with_name(f"{place.name}.index.sql").write_text("\n".join(lines) + "\n", "utf-8")
    shutil.copytree(workspace, place, ignore=shutil.ignore_patterns("*.lock", "memory.db*", ".locks"))


def main() -> None:
    """Live both lives, and keep what they leave."""
    from nanobot_memory_plugins.core import memory_host
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.testing.scripted_server import Reply, Rule, ScriptedServer, ToolCall, after_tool
    from tests.support.nanobot import OFFLINE, Installation

    clock = ManualClock(BEGIN)
    memory_host.SystemClock = lambda: clock
    counts = Reply(tools=(ToolCall("exec", {"command": "echo the larder holds eleven jars"}),))
    rules = [
        Rule(lambda request: not request.tool_names, Reply("[]")),
        Rule(lambda request: "larder" in request.last_user and not after_tool(request), counts, times=1),
    ]
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(rules) as server:
        workspace = begin(Path(folder) / "plain", FLAT)
        asyncio.run(plain(workspace, clock))
        keep(workspace, FOLDER / "plain")
        made = Installation(Path(folder), server, OPTIONS)
        begin(made.workspace, {"channels": {"memoryPlugins": OPTIONS}})
        os.environ.update({**OFFLINE, "HOME": str(made.home)})
        asyncio.run(nanobot(made, clock))
        for arguments in COMMANDS:
            command = [str(Path(sys.executable).with_name("nanobot-memory")), *arguments]
            subprocess.run([*command, "--workspace", str(made.workspace)], capture_output=True, check=True)
        keep(made.workspace, FOLDER / "nanobot")


if __name__ == "__main__":
    main()
