"""Transcripts and notes of tools that are too old are dropped, whole, and nothing else is touched."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.erasure.retention import drop_from, old_records
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.values import Origin
from tests.support.files_of import contents_of
from tests.support.indexed_workspace import TIME, entry, message

NOW = TIME + timedelta(days=100)
TOOL = {"origin": Origin.TOOL, "tags": ("observation", "exec")}


def made(workspace: Path) -> dict[str, bytes]:
    new = message("from yesterday", "m2").replace(b"2026-02-16", (NOW - timedelta(days=1)).date().isoformat().encode())
    files = {
        "sessions/old.jsonl": message("long ago", "m1"),
        "sessions/both.jsonl": message("long ago", "m1") + b'{"role":"user","text":"without a time"}\nno JSON\n' + new,
        "2026-02-16.md": b"# Monday\n\nMine.\n\n" + entry("of a tool", "n1", **TOOL) + b"\n" + entry("said", "n2"),
        "MEMORY.md": b"# Mine\n\n" + entry("of a tool, kept for long", "n3", **TOOL),
        "ENTRIES.md": b"## Active Memories\n\n### [a1b2c3] fact | 0.90 | 2024-02-20 | 1\nOld and true.\n",
    }
    for name, data in files.items():
        path = workspace / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return files


def contents(workspace: Path) -> dict[str, bytes]:
    found = contents_of(workspace / "memory")
    return {name: data for name, data in found.items() if not name.startswith(".locks/")}


def drop_old(workspace: Path, days: int, now: datetime = NOW) -> int:
    """Drop what is older than some days, and return from how many files."""
    options = CoreOptions(transcript_max_age_days=days, tool_note_max_age_days=days)
    paths = MemoryPaths.of(workspace)
    return sum(drop_from(paths, path, clean) for path, clean in old_records(paths, options, now))


def test_whole_records_go_and_all_else_stays_byte_for_byte(tmp_path: Path):
    files = made(tmp_path)
    assert drop_old(tmp_path, 0) == 0
    assert contents(tmp_path) == files
    assert drop_old(tmp_path, 30) == 3
    left = contents(tmp_path)
    assert left.keys() == files.keys() - {"sessions/old.jsonl"}
    assert left["sessions/both.jsonl"] == files["sessions/both.jsonl"].partition(b"\n")[2]
    assert b"of a tool" not in left["2026-02-16.md"]
    assert left["2026-02-16.md"].startswith(b"# Monday\n\nMine.\n\n")
    assert entry("said", "n2").strip() in left["2026-02-16.md"]
    assert {name: left[name] for name in ("MEMORY.md", "ENTRIES.md")} == {
        name: files[name] for name in ("MEMORY.md", "ENTRIES.md")
    }
    assert drop_old(tmp_path, 30) == 0


def test_a_clock_that_is_ahead_drops_nothing(tmp_path: Path):
    now = datetime.now(UTC)
    sessions = tmp_path / "memory" / "sessions"
    sessions.mkdir(parents=True)
    line = f'{{"id":"a1","time":"{now.isoformat()}","role":"user","text":"hi","origin":"user","session":"s"}}\n'
    (sessions / "s.jsonl").write_text(line)
    assert drop_old(tmp_path, 365, now + timedelta(days=400)) == 0
    os.utime(sessions / "s.jsonl", ((now + timedelta(days=400)).timestamp(),) * 2)
    assert drop_old(tmp_path, 365, now + timedelta(days=400)) == 1
