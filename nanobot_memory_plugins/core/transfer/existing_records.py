"""What this memory has written down itself of a session that is imported."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryPaths, TranscriptRecord, parse_transcript_line
from nanobot_memory_plugins.core.files.reading import open_regular, read_regular

# A host dates a message when it saves the turn, this memory when it hears it.
_SAME = timedelta(minutes=15)
_ID = re.compile(rb'^(?:\{"id":"([^"]+)"|id: (\S+))', re.MULTILINE)


class ExistingRecords:
    """Tells messages that stand in the transcript of their session already. It holds one session at a time."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._session: str | None = None
        self._times: dict[tuple[str, str], list[datetime]] = {}
        self._ids: set[str] = set()

    def holds(self, record: TranscriptRecord, id: str = "") -> bool:  # noqa: A002
        """Return whether a message was written down when it was said; each one that was stands for one message."""
        if record.session_key != self._session:
            self._read(record.session_key)
        if id:
            return id in self._ids
        times = self._times.get((record.role, record.text), [])
        for index, time in enumerate(times):
            if record.time is not None and abs(time - record.time) <= _SAME:
                del times[index]
                return True
        return False

    def _read(self, session_key: str) -> None:
        self._session = session_key
        self._times, self._ids = {}, set()
        for record in _records(self._paths.transcript(session_key)):
            if record.session_key == session_key:
                self._ids.add(record.id)
                if record.time is not None:
                    self._times.setdefault((record.role, record.text), []).append(record.time)


def _records(path: Path) -> Iterator[TranscriptRecord]:
    try:
        with open_regular(path) as file:
            for line in file:
                if (record := parse_transcript_line(line)) is not None:
                    yield record
    except OSError:
        return


def ids_in(path: Path) -> set[str]:
    """Return the ids of the records in a transcript or a file of notes; none where it cannot be read."""
    try:
        data = read_regular(path)
    except OSError:
        return set()
    return {(match[1] or match[2]).decode("utf-8", "replace") for match in _ID.finditer(data)}
