"""Dropping messages and notes of tools that are too old."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.erasure.retention import drop_old
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from tests.support.indexed_workspace import TIME

NOW = TIME + timedelta(days=100)


def drop(workspace: Path, days: int, now: datetime = NOW) -> int:
    """Drop records older than some days, and return the number of files that had any."""
    options = CoreOptions(transcript_max_age_days=days, tool_note_max_age_days=days)
    return len(drop_old(MemoryPaths.of(workspace), options, now))


def test_a_clock_that_is_ahead_drops_nothing(tmp_path: Path):
    now = datetime.now(UTC)
    sessions = tmp_path / "memory" / "sessions"
    sessions.mkdir(parents=True)
    line = f'{{"id":"a1","time":"{now.isoformat()}","role":"user","text":"hi","origin":"user","session":"s"}}\n'
    (sessions / "s.jsonl").write_text(line)
    assert drop(tmp_path, 365, now + timedelta(days=400)) == 0
    os.utime(sessions / "s.jsonl", ((now + timedelta(days=400)).timestamp(),) * 2)
    assert drop(tmp_path, 365, now + timedelta(days=400)) == 1
