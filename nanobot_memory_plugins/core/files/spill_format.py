"""The records of a spill file, and how they get home exactly once.

A record is a line of JSON (``file``: the target, relative to the workspace; ``bytes``: the length) and the
bytes as they will stand in the target. Nothing is spilled that is not redacted and encoded.

A process that dies between the append to the target and the removal of the spill file leaves records in
both. So whoever merges looks for each record's id in the target first.
"""

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, OpenFile
from nanobot_memory_plugins.core.files.paths import FOLDER, MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence

_TARGET = re.compile(rf"{FOLDER}/(?:MEMORY\.md|\d{{4}}-\d\d-\d\d\.md|sessions/[^/\\\0]+\.jsonl)")


@dataclass(frozen=True, slots=True)
class SpilledRecord:
    """The bytes of one record, and the file they belong to."""

    target: Path
    data: bytes

    def encoded(self, paths: MemoryPaths) -> bytes:
        """Return the record as it stands in a spill file; its own bytes start on the second line."""
        head = json.dumps({"file": paths.relative(self.target), "bytes": len(self.data)})
        return head.encode("ascii") + b"\n" + self.data


def read_spill(paths: MemoryPaths, path: Path) -> list[SpilledRecord]:
    """Return the records of a spill file; one that a crash cut off was never promised to anybody.

    Raises `MemoryFileError` when the file cannot be read or understood.
    """
    try:
        data = read_regular(path)
    except OSError as error:
        raise MemoryFileError(Sentence("It cannot be read: {why}.", why=error.strerror)) from error
    return spilled_records(paths, data)


def spilled_records(paths: MemoryPaths, data: bytes) -> list[SpilledRecord]:
    """Return the records in the bytes of a spill file. Raises `MemoryFileError` when they cannot be understood."""
    records, at = [], 0
    while (end := data.find(b"\n", at)) >= 0:
        try:
            head = json.loads(data[at:end])
            target, length = str(head["file"]), int(head["bytes"])
        except (ValueError, KeyError, TypeError) as error:
            raise MemoryFileError("It is damaged.") from error
        if not _TARGET.fullmatch(target) or length < 0:
            raise MemoryFileError("It names a file that is no memory file.")
        at = end + 1 + length
        if at > len(data):
            break
        records.append(SpilledRecord(paths.workspace / target, data[end + 1 : at]))
    return records


def merge_into(appender: Appender, target: Path, records: Callable[[], Iterable[SpilledRecord]], *, wait: bool) -> int:
    """Append the records that ``target`` does not have yet, in one write.

    ``records`` is called once the file is locked. Returns how many there were. Raises what `Appender.opened`
    raises.
    """
    with appender.opened(target, wait=wait) as file:
        missing, continues = _missing(file, records())
        if missing:
            file.append(b"".join(missing), continues=continues)
    return len(missing)


def _missing(file: OpenFile, records: Iterable[SpilledRecord]) -> tuple[list[bytes], bool]:
    """Return what must be appended, and whether it goes on from a record torn at the end of the file."""
    wanted = {_id(record.data): record.data for record in records}
    found: dict[bytes, int] = {}
    for key, start in _ids(file.lines()):
        if key in wanted:
            found.setdefault(key, start)
    missing = [
        data for key, data in wanted.items() if key not in found or _is_torn(file.read(found[key], len(data)), data)
    ]
    there = _torn_at_end(file, missing[0]) if missing else 0
    if there:
        missing[0] = missing[0][there:]
    return missing, there > 0


def _torn_at_end(file: OpenFile, data: bytes) -> int:
    """Return how many bytes of ``data`` the file ends with, from a line's start: what a killed write left."""
    length = min(file.size, len(data) - 1)
    end = file.read(file.size - length, length)
    start, first = 0, data[:4]
    while start < length:
        if first.startswith(end[start : start + 4]) and data.startswith(end[start:]):
            return length - start
        start = end.find(b"\n", start) + 1
        if start == 0:
            break
    return 0


def _is_torn(there: bytes, data: bytes) -> bool:
    """Return whether ``there``, which begins as ``data`` does, was cut off.

    A Markdown entry that differs otherwise has been edited by somebody since, and counts as whole.
    """
    if there == data:
        return False
    if len(there) < len(data) and data.startswith(there):
        return True
    return data.startswith(b"{") and _is_torn_line(there)


def _is_torn_line(there: bytes) -> bool:
    """Return whether a transcript line was cut off and then followed by others."""
    line, newline, _ = there.partition(b"\n")
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return bool(newline)
    return False


def _id(data: bytes) -> bytes:
    """Return what identifies a record."""
    for key, _ in _ids(enumerate(io.BytesIO(data))):
        return key
    raise MemoryFileError("A spilled record has no id.")


def _ids(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[bytes, int]]:
    """Yield what identifies each record among ``lines``, and the position of the line on which it starts.

    In Markdown only a header counts, so that no details can pass for a record that is awaited.
    """
    heading: int | None = None
    for position, line in lines:
        if line.startswith(b'{"id":"'):
            yield line[: line.find(b'",', 7) + 1], position
        elif line.startswith(b"### "):
            heading = position
        elif heading is not None and line.startswith(b"id: "):
            yield line.rstrip(), heading
        elif not line.strip():
            heading = None
