"""What was forgotten for good here does not come back with what is taken in from elsewhere."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints
from nanobot_memory_plugins.core.erasure.history_filter import HistoryFilter
from nanobot_memory_plugins.core.erasure.letters import GAP
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, TranscriptRecord, parse_notes
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Message, Note

FORGOTTEN = "it was forgotten for good here"


class ForgottenHere:
    """The filter of one import. Raises `MemoryFileError` where what was forgotten cannot be told."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._filter = HistoryFilter(Fingerprints(paths), clock=SystemClock(), redact=redact_text)

    def is_any(self) -> bool:
        """Return whether anything was forgotten for good here."""
        return self._filter.is_needed()

    def message(self, record: TranscriptRecord) -> TranscriptRecord:
        """Return a message without it; without text where it says nothing else."""
        if not self._filter.is_needed():
            return record
        message = _message(record.role, record.text, record.time.isoformat() if record.time else "")
        (left,) = self._filter.messages(record.session_key, (message,))
        return record if left.text == record.text else replace(record, text=left.text)

    def note(self, note: Note, session: str) -> Note | None:
        """Return a note without it, or None where it says nothing else."""
        return next(iter(self._filter.notes(session, [note])), None) if self._filter.is_needed() else note

    def transcript(self, data: bytes) -> bytes:
        """Return a transcript without it: every line, the words of some taken out."""
        if not self._filter.is_needed():
            return data
        lines = data.split(b"\n")
        sessions: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
        for number, line in enumerate(lines):
            row = _row(line)
            if isinstance(row.get("text"), str):
                sessions.setdefault(str(row.get("session") or ""), []).append((number, row))
        for session, rows in sessions.items():
            said = [_message(str(row.get("role")), row["text"], str(row.get("time") or "")) for _, row in rows]
            left = self._filter.messages(session, said)
            for (number, fields), before, after in zip(rows, said, left, strict=True):
                if after.text != before.text:
                    changed = {**fields, "text": after.text or GAP}
                    lines[number] = json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        return b"\n".join(lines)

    def notes(self, data: bytes) -> bytes:
        """Return a file of notes without it in what is this program's."""
        if not self._filter.is_needed():
            return data
        parts = []
        for part in parse_notes(data):
            raw = data[part.offset : part.offset + part.length]
            text = raw.decode("utf-8", "surrogateescape")
            left = self._filter.text("", text) if isinstance(part, NoteEntry) and part.id else text
            parts.append(raw if left == text else left.encode("utf-8", "surrogateescape"))
        return b"".join(parts)


def _message(role: str, text: str, time: str) -> Message:
    return Message(role, text, raw=MappingProxyType({"time": time} if _is_time(time) else {}))


def _is_time(time: str) -> bool:
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}
