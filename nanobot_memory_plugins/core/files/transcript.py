"""One line of JSON a message: what was said in a session."""

import errno
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.files.entries import choice, exact_time, origin_of, read_time
from nanobot_memory_plugins.core.text.markdown import PIECE, clean
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.core.values.scopes import NOBODYS_CHANNEL

# Bytes that `last_records` reads at first and at most.
_FIRST_BLOCK = 1 << 16
_MOST_BYTES = 1 << 26
_YES = "yes"
# Records that are looked at to find out whose a session is: nearly always the last one says it.
_RECORDS_ASKED = 8


@dataclass(frozen=True, slots=True)
class TranscriptRecord:
    """One message of a transcript. ``name`` is the tool's name, where the message is a tool's result.

    ``resumed`` says that it was taken over from a host's history: when it was said nobody here heard it.
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


def render_transcript_line(record: TranscriptRecord) -> bytes:
    """Return the line for ``record``, with its line end. The id comes first. Empty fields are left out."""
    fields = {
        "id": record.id,
        "time": exact_time(record.time) if record.time is not None else "",
        "role": record.role,
        "text": record.text,
        "origin": choice(Origin, record.origin, Origin.ASSISTANT).value,
        "session": record.session_key,
        "channel": record.scope.channel,
        "user": record.scope.user,
        "agent": record.scope.agent,
        "group_chat": record.scope.group_chat,
        "project": record.scope.project,
        "name": record.name,
        "resumed": _YES if record.resumed else "",
    }
    pieces = [b"{"]
    for name, value in fields.items():
        if value or name in ("id", "role", "text"):
            pieces.append(b"," if len(pieces) > 1 else b"")
            pieces.append(b'"' + name.encode("ascii") + b'":"')
            pieces += _encoded(clean(value))
            pieces.append(b'"')
    pieces.append(b"}\n")
    return b"".join(pieces)


def parse_transcript_line(line: bytes) -> TranscriptRecord | None:
    """Return the record of one line, or None for a torn or foreign line. Unknown keys are ignored."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    role, text = data.get("role"), data.get("text")
    if not isinstance(role, str) or not isinstance(text, str):
        return None
    values = {name: clean(value) for name, value in data.items() if isinstance(value, str)}
    session = values.get("session", "")
    by_role = {"user": Origin.USER, "tool": Origin.TOOL}.get(role, Origin.ASSISTANT)
    return TranscriptRecord(
        role=values["role"],
        text=values["text"],
        session_key=session,
        scope=Scope(
            agent=values.get("agent", ""),
            user=values.get("user", ""),
            channel=values.get("channel", ""),
            session=session,
            group_chat=values.get("group_chat", ""),
            project=values.get("project", ""),
        ),
        origin=origin_of(values.get("origin", ""), by_role),
        id=values.get("id", ""),
        time=read_time(values.get("time", "")),
        name=values.get("name", ""),
        resumed=values.get("resumed") == _YES,
    )


def last_records(path: Path, session_key: str, limit: int) -> list[TranscriptRecord]:
    """Return up to ``limit`` last records of a session, oldest first.

    The file is read from its end, and no further than needed; at most 64 MB of it. Raises `OSError` when
    the file cannot be read, except that a missing file has no records.
    """
    records: list[TranscriptRecord] = []
    if limit <= 0:
        return records
    key = clean(session_key)
    for line in _lines_from_end(path):
        record = parse_transcript_line(line)
        if record is not None and record.session_key == key:
            records.append(record)
            if len(records) == limit:
                break
    return records[::-1]


def recent_records(path: Path, since: datetime, limit: int) -> list[TranscriptRecord]:
    """Return the records of a file since a moment, oldest first, the last ``limit``. Raises `OSError`."""
    records: list[TranscriptRecord] = []
    for line in _lines_from_end(path):
        record = parse_transcript_line(line)
        if record is None:
            continue
        if len(records) == limit or (record.time is not None and record.time < since):
            break
        records.append(record)
    return records[::-1]


def recorded_scope(path: Path, session_key: str) -> Scope:
    """Return whose a session is, as its last records say; what they do not say, or cannot be read, stays empty."""
    try:
        records = last_records(path, session_key, _RECORDS_ASKED)
    except OSError:
        return Scope()
    named = [record.scope for record in reversed(records) if record.scope.channel != NOBODYS_CHANNEL]
    return next((scope for scope in named if scope.user or scope.agent), named[0] if named else Scope())


def _lines_from_end(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, last first."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    with open(descriptor, "rb") as file:
        size = start = file.seek(0, os.SEEK_END)
        block, rest = _FIRST_BLOCK, b""
        while start > 0 and size - start < _MOST_BYTES:
            end, start = start, max(0, start - min(block, _MOST_BYTES - (size - start)))
            file.seek(start)
            lines = (file.read(end - start) + rest).split(b"\n")
            rest = lines.pop(0)
            yield from reversed(lines)
            block *= 2  # so that one long line is not copied over and over
        if start == 0 and rest:
            yield rest


def _encoded(text: str) -> Iterator[bytes]:
    """Yield the inside of a JSON string, piece by piece."""
    for start in range(0, len(text), PIECE):
        yield json.dumps(text[start : start + PIECE], ensure_ascii=False)[1:-1].encode("utf-8")
