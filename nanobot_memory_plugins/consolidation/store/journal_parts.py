"""The older parts of the journal: put away by size, compressed, and let go by age.

Beside ``journal.jsonl`` stand ``journal-000001.jsonl`` and so on, the lowest number the oldest. All but the newest of
them are compressed (``.jsonl.gz``). Every step is one renaming: a crash leaves all lines in some part. Hold the lock of
the entries' file.
"""

import gzip
import os
import re
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import read_time
from nanobot_memory_plugins.redaction.script.messages import Sentence

_PART = re.compile(r"journal-(\d{6,})\.jsonl(\.gz)?")
_TIME = re.compile(rb'"time":"([^"]{10,40})"')
_COMPRESSED = ".gz"


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """When the journal is put away, and how long it is kept.

    ``size`` is the bytes from which a new part is begun. Parts whose runs are all older than ``keep_days`` go, unless
    fewer than ``keep_runs`` runs would be left; with 0 days nothing goes.
    """

    size: int = 4 << 20
    keep_days: int = 0
    keep_runs: int = 200


def older_parts(journal: Path) -> list[Path]:
    """Return the files of the older parts, oldest first, one for each."""
    found: dict[int, Path] = {}
    for path in sorted(journal.parent.glob("journal-*.jsonl*")):
        match = _PART.fullmatch(path.name)
        # A crash may have left a part as it was beside its compressed form.
        if match is not None and (int(match[1]) not in found or not match[2]):
            found[int(match[1])] = path
    return [found[number] for number in sorted(found)]


def read_part(path: Path) -> bytes:
    """Return what a part holds; of one that is damaged, what can be read. Raises `MemoryFileError`."""
    data = read_file(path) or b""
    if not path.name.endswith(_COMPRESSED):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        logger.warning("entries: {} is damaged", path.name)
    try:
        return zlib.decompressobj(wbits=31).decompress(data)
    except zlib.error:
        return b""


def write_part(path: Path, data: bytes) -> None:
    """Put a part in place of what it was, in one step. Raises `MemoryFileError`."""
    write_private(path, gzip.compress(data, mtime=0) if path.name.endswith(_COMPRESSED) else data, durable=True)


def rotate(journal: Path, limits: JournalLimits, now: datetime) -> bool:
    """Put the journal away when it is too long, compress what is old, and drop what is too old.

    Returns whether a part was begun. Raises `MemoryFileError`.
    """
    try:
        size = journal.stat().st_size if journal.exists() else 0
        begun = size >= limits.size
        if begun:
            numbers = [int(match[1]) for path in older_parts(journal) if (match := _PART.fullmatch(path.name))]
            os.replace(journal, journal.with_name(f"journal-{max(numbers, default=0) + 1:06}.jsonl"))
        for path in older_parts(journal)[:-1]:
            _compress(path)
        if limits.keep_days:
            _drop_old(journal, limits, now)
    except OSError as error:
        raise MemoryFileError(
            Sentence("The journal of the entries cannot be put away: {why}.", why=error.strerror)
        ) from error
    return begun


def _compress(path: Path) -> None:
    twin = path.with_name(path.name + _COMPRESSED)
    if not path.name.endswith(_COMPRESSED):
        write_part(twin, read_part(path))
        path.unlink()


def _drop_old(journal: Path, limits: JournalLimits, now: datetime) -> None:
    parts = older_parts(journal)
    counts = [read_part(path).count(b"\n") for path in parts]
    left = sum(counts) + (read_file(journal) or b"").count(b"\n")
    for path, count in zip(parts, counts, strict=True):
        left -= count
        if left < limits.keep_runs or not _is_older(read_part(path), now - timedelta(days=limits.keep_days)):
            return
        path.unlink()


def _is_older(data: bytes, than: datetime) -> bool:
    times = [read_time(match[1].decode("ascii", "replace")) for match in _TIME.finditer(data)]
    return all(time is not None and time < than for time in times)
