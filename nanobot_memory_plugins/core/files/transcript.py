"""Transcripts: the messages of a session, as one line of JSON each."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from nanobot_memory_plugins.core.files.fields import (
    exact_time,
    origin_of,
    read_time,
    scope_fields,
    scope_of,
)
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.core.values.scopes import SYSTEM_CHANNEL

# Bytes that are read from the end of a file: in the first read, and at most in all.
_FIRST_BLOCK = 1 << 16
_MOST_BYTES = 1 << 26
_YES = "yes"
# Records that are searched for the owner of a session. Nearly always the last one names it.
_OWNER_RECORDS = 8
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TranscriptRecord:
    """One message of a transcript. ``name`` is the tool's name when the message is a tool's result.

    A ``resumed`` message was imported from a host's history, and not recorded when it was said.
    """

    role: str
    text: str
    session_key: str
    scope: Scope
    origin: Origin
    id: str = ""
    time: datetime | None = None
    name: str = ""
    resumed: bool = False

    @property
    def speaker(self) -> str:
        """Who said it: the tool or the user by name, else the role."""
        if self.name:
            return self.name
        return self.scope.user if self.role == "user" and self.scope.user else self.role


def render_transcript_line(record: TranscriptRecord) -> bytes:
    """Return the line of ``record``, with its line break. The id comes first, and empty fields are left out."""
    fields = {
        "id": record.id,
        "time": exact_time(record.time) if record.time is not None else "",
        "role": record.role,
        "text": record.text,
        "origin": record.origin.value,
        **scope_fields(record.scope),
        "session": record.session_key,
        "name": record.name,
        "resumed": _YES if record.resumed else "",
    }
    row = {name: value or "" for name, value in fields.items() if value or name in ("id", "role", "text")}
    return f"{clean(json.dumps(row, ensure_ascii=False, separators=(',', ':'), default=str))}\n".encode()


def parse_transcript_line(line: bytes) -> TranscriptRecord | None:
    """Return the record of one line, or None for an incomplete or unrelated line. Unknown keys are ignored."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("role"), str) or not isinstance(data.get("text"), str):
        return None
    fields = {name: value for name, value in data.items() if isinstance(value, str)}
    if b"\\u" in line:  # may be an escaped lone surrogate, which UTF-8 cannot encode
        fields = {name: clean(value) for name, value in fields.items()}
    role = fields["role"]
    by_role = {"user": Origin.USER, "tool": Origin.TOOL}.get(role, Origin.ASSISTANT)
    return TranscriptRecord(
        role=role,
        text=fields["text"],
        session_key=fields.get("session", ""),
        scope=scope_of(fields),
        origin=origin_of(fields.get("origin", ""), by_role),
        id=fields.get("id", ""),
        time=read_time(fields.get("time", "")),
        name=fields.get("name", ""),
        resumed=fields.get("resumed") == _YES,
    )


def last_records(path: Path, session_key: str, limit: int) -> list[TranscriptRecord]:
    """Return up to ``limit`` last records of a session, oldest first.

    The file is read from its end, no further than needed, and at most 64 MB of it. A missing file has no records.
    Raises `OSError` when the file cannot be read.
    """
    records: list[TranscriptRecord] = []
    key = clean(session_key)
    for record in _records_from_end(path) if limit > 0 else ():
        if record.session_key == key:
            records.append(record)
            if len(records) >= limit and not record.resumed:
                break
    return _oldest_first(records)[-limit:]


def recent_records(path: Path, since: datetime, limit: int) -> list[TranscriptRecord]:
    """Return up to ``limit`` last records of a file since a time, oldest first. Raises `OSError`."""
    records: list[TranscriptRecord] = []
    for record in _records_from_end(path):
        if record.time is None or record.time >= since:
            records.append(record)
        elif not record.resumed:
            break
        if len(records) == limit:
            break
    return _oldest_first(records)


def _oldest_first(last_first: list[TranscriptRecord]) -> list[TranscriptRecord]:
    """Return records oldest first. Resumed messages may follow later messages in the file."""
    records = last_first[::-1]
    if any(record.resumed for record in records):
        records.sort(key=lambda record: record.time or _LONG_AGO)
    return records


def recorded_scope(path: Path, session_key: str) -> Scope:
    """Return the owner of a session according to its last records. Unknown fields are empty."""
    try:
        of_session = (record for record in _records_from_end(path) if record.session_key == clean(session_key))
        records = list(islice(of_session, _OWNER_RECORDS))
    except OSError:
        return Scope()
    named = [record.scope for record in records if record.scope.channel != SYSTEM_CHANNEL]
    return next((scope for scope in named if scope.user or scope.agent), named[0] if named else Scope())


def _records_from_end(path: Path) -> Iterator[TranscriptRecord]:
    """Yield the records of a file, last first. A missing file has none."""
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return
    with file:
        size = start = file.seek(0, os.SEEK_END)
        block, partial_line = _FIRST_BLOCK, b""
        while start > 0 and size - start < _MOST_BYTES:
            end, start = start, max(0, start - min(block, _MOST_BYTES - (size - start)))
            file.seek(start)
            lines = (file.read(end - start) + partial_line).split(b"\n")
            partial_line = lines.pop(0) if start else b""
            for line in reversed(lines):
                if (record := parse_transcript_line(line)) is not None:
                    yield record
            block *= 2  # so that a long line is not copied many times
