"""Orders that were not carried out when they were said: found again in the transcripts, where the message stands.

``memory/.entries/orders.json`` says from when on orders are looked for, and which messages were dealt with, by short
hashes. An order that was late, or said while the plugin rested or the process ended, is none of them.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from filelock import Timeout

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import (
    BoundedDict,
    Clock,
    MemoryFileError,
    MemoryPaths,
    Message,
    Scope,
    TranscriptRecord,
    logger,
    parse_transcript_line,
)
from nanobot_memory_plugins.core.files import open_regular, private_folder, private_lock
from nanobot_memory_plugins.core.text import clean

# Records of a session, and sessions, that are looked at; how long an order may wait, and messages that are known.
_RECORDS, _SESSIONS, _DAYS, _SETTLED = 40, 50, 7, 1_000
_LOCK_SECONDS = 2.0
# Bytes of a transcript that are read, and characters of a message that are looked at.
_TAIL, _LONGEST = 65_536, 10_000
# What redaction or a purge has left.
_CHANGED = re.compile(r"\[[A-Z_]{4,}\]|\[…\]")


class Missed(NamedTuple):
    """A message whose orders were not dealt with, and what stood before it."""

    session_key: str
    text: str
    scope: Scope
    history: tuple[Message, ...]


class LateOrders:
    """The messages of one workspace whose orders wait. Everything here blocks: call it in a thread.

    ``holds`` says whether a message holds an order.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock, holds: Callable[[str], bool]) -> None:
        self._paths = paths
        self._clock = clock
        self._holds = holds
        self._without: BoundedDict[str, None] = BoundedDict(_SETTLED)
        self._file = entries_folder(paths) / "orders.json"

    def begin(self) -> None:
        """Look for orders from now on, where that has not begun yet."""
        if not self._file.exists():
            self._change("")

    def settle(self, session_key: str, text: str) -> None:
        """Note that the orders of a message that was just said have been dealt with."""
        self._change(_mark(session_key, text))

    def missed(self, session_key: str = "", *, besides: str = "") -> list[Missed]:
        """Return the messages that wait, of a session or of all, oldest first; ``besides`` is just being read."""
        since, marks = self._read()
        if since is None:
            return []
        since = max(since, self._clock.now() - timedelta(days=_DAYS))
        settled = {mark: _time(at) for mark, at in marks.items()}
        found = (
            one for path in self._transcripts(session_key, since) for one in _waiting(path, since, settled, besides)
        )
        return [one for one in found if self._has_order(one)]

    def _has_order(self, one: Missed) -> bool:
        mark = _mark(one.session_key, one.text)
        if mark in self._without:
            return False
        if self._holds(one.text):
            return True
        self._without[mark] = None
        return False

    def _transcripts(self, session_key: str, since: datetime) -> list[Path]:
        if session_key:
            return [self._paths.transcript(session_key)]
        try:
            dated = [(path.stat().st_mtime, path) for path in self._paths.sessions.glob("*.jsonl")]
        except OSError:
            return []
        newest = sorted((one for one in dated if one[0] >= since.timestamp()), reverse=True)[:_SESSIONS]
        return [path for _, path in newest]

    def _read(self) -> tuple[datetime | None, dict[str, str]]:
        """Return from when on orders are looked for, and when each message was dealt with, by its mark."""
        try:
            known = json.loads(read_file(self._file) or b"{}")
        except (ValueError, MemoryFileError):
            return None, {}
        settled = known.get("settled") if isinstance(known, dict) else None
        marks = {str(mark): str(at) for mark, at in settled.items()} if isinstance(settled, dict) else {}
        return _time(known.get("since")) if isinstance(known, dict) else None, marks

    def _change(self, mark: str) -> None:
        try:
            private_folder(self._file.parent, below=self._paths.memory)
            with private_lock(self._file.with_name("orders.lock"), timeout=_LOCK_SECONDS):
                since, settled = self._read()
                now = self._clock.now().isoformat()
                if mark:
                    settled.pop(mark, None)
                    settled[mark] = now
                data = {
                    "since": since.isoformat() if since is not None else now,
                    "settled": dict(list(settled.items())[-_SETTLED:]),
                }
                write_private(self._file, json.dumps(data, indent=1).encode())
        except (MemoryFileError, OSError, Timeout) as error:
            logger.debug("that an order was dealt with is not noted: {}", type(error).__name__)


def _waiting(path: Path, since: datetime, settled: dict[str, datetime | None], besides: str) -> Iterator[Missed]:
    """Yield the users' messages of a transcript that wait. What was hidden or purged in one is not made up for."""
    records = _tail(path)
    for number, record in enumerate(records):
        text = record.text
        # What was taken over from a host's history was an order to somebody else, and others may have followed it.
        if record.role != "user" or record.resumed or record.time is None or record.time < since:
            continue
        if len(text) > _LONGEST:
            continue
        dealt = settled.get(_mark(record.session_key, text))
        is_dealt_with = dealt is not None and dealt >= record.time
        if not (is_dealt_with or _CHANGED.search(text) or clean(besides).split() == text.split()):
            before = tuple(Message(one.role, one.text) for one in records[:number])
            yield Missed(record.session_key, text, record.scope, before)


def _tail(path: Path) -> list[TranscriptRecord]:
    """Return the last records of a transcript, oldest first."""
    try:
        with open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")
    except OSError:
        return []
    return [record for line in lines[-_RECORDS:] if (record := parse_transcript_line(line)) is not None]


def _mark(session_key: str, text: str) -> str:
    return hashlib.sha256(f"{session_key}\0{' '.join(clean(text).split())}".encode()).hexdigest()[:12]


def _time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None
