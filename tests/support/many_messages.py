"""A memory with many messages, and what a program needs for it in processor time."""

from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Origin


def write_messages(workspace: Path, now: datetime, *, sessions: int = 100, each: int = 1_000) -> None:
    """Write transcripts into a workspace, a message a minute in each session up to ``now``. Nothing is indexed."""
    folder = workspace / "memory" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(sessions):
        key = f"cli:{number}"
        lines = (
            render_transcript_line(
                TranscriptRecord(
                    role="user",
                    text=f"message {n} about topic {number} " + "and more words " * 8,
                    session_key=key,
                    scope=Scope(session=key),
                    origin=Origin.USER,
                    id=f"{number:08x}{n:08x}",
                    time=now - timedelta(minutes=each - n),
                )
            )
            for n in range(each)
        )
        (folder / session_file_name(key)).write_bytes(b"".join(lines))
