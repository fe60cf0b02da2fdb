"""The memory and the questions of tests/data/typical, as a workspace and as values."""

import json
import re
import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files import MemoryPaths, TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin, Scope

DATA = Path(__file__).parents[1] / "data" / "typical"
# Where the person lives: days begin and end there. Written out, so that no time zone database is needed.
TIME_ZONE = "PST8PDT,M3.2.0,M11.1.0"
_BETWEEN_MESSAGES = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the quotations of which one is enough to answer it."""

    id: str
    kind: str
    text: str
    evidence: tuple[str, ...]

    def is_answered_by(self, block: str | None) -> bool:
        """Say whether one of the quotations stands in the block, however its lines are broken."""
        shown = one_line(block or "")
        return any(quotation in shown for quotation in self.evidence)


class FixedStart(SystemClock):
    """A clock that began to run at a given time when it was made."""

    def __init__(self, start: datetime) -> None:
        self._ahead = start - super().now()

    def now(self) -> datetime:
        return super().now() + self._ahead


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def questions() -> tuple[Question, ...]:
    return tuple(
        Question(one["id"], one["kind"], one["text"], tuple(one["evidence"])) for one in _read_questions()["questions"]
    )


def asked_at() -> datetime:
    return datetime.fromisoformat(_read_questions()["now"])


def transcripts() -> dict[str, list[TranscriptRecord]]:
    """Return the messages of each session file, by its name."""
    found: dict[str, list[TranscriptRecord]] = {}
    for file in sorted((DATA / "sessions").glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        start = datetime.fromisoformat(told["start"])
        found[file.stem] = [
            TranscriptRecord(
                role=role,
                text=text,
                session_key=told["session"],
                scope=Scope(session=told["session"]),
                origin=Origin(role),
                id=f"{file.stem}-{place:02}",
                time=start + place * _BETWEEN_MESSAGES,
            )
            for place, (role, text) in enumerate(told["messages"])
        ]
    return found


def notes() -> dict[str, str]:
    """Return the text of each Markdown file, by its name."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted((DATA / "memory").glob("*.md"))}


def write_workspace(workspace: Path) -> Path:
    """Write the memory as an agent's workspace holds it."""
    paths = MemoryPaths.of(workspace)
    shutil.copytree(DATA / "memory", paths.memory)
    sessions = paths.memory / "sessions"
    sessions.mkdir()
    for name, records in transcripts().items():
        (sessions / f"{name}.jsonl").write_bytes(b"".join(map(render_transcript_line, records)))
    return workspace


def tokens_of_files(workspace: Path, pattern: str) -> int:
    """Return the estimated tokens of the memory files that match, as they stand on disk."""
    files = sorted(MemoryPaths.of(workspace).memory.glob(pattern))
    assert files
    return sum(estimate_tokens(file.read_text(encoding="utf-8")) for file in files)


def tokens_said() -> int:
    """Return the estimated tokens of what was said, without the JSON around it."""
    return sum(estimate_tokens(record.text) for records in transcripts().values() for record in records)


def _read_questions() -> dict[str, object]:
    read: dict[str, object] = json.loads((DATA / "questions.json").read_text(encoding="utf-8"))
    return read
