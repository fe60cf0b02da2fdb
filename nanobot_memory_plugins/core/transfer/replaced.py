"""Notes that an import replaced, kept as they were for as long as it can be taken back.

``memory/.imports/replaced/<import>`` holds them in files of the names that they stood in. What is forgotten for good
is taken out of these as of the day notes; an export leaves them out.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, file_lock, parse_notes
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.paths import REPLACED
from nanobot_memory_plugins.core.transfer.archive_contents import SOURCES
from nanobot_memory_plugins.core.transfer.file_install import put_file, read_plain
from nanobot_memory_plugins.core.transfer.ledger import Ledger

# Imports of which what they replaced is kept: the last ones.
_KEPT = 10


def keep_replaced(paths: MemoryPaths, import_id: str, records: Mapping[str, Mapping[str, Sequence[Any]]]) -> list[str]:
    """Copy notes, by file and id with length and hash, to where they can be brought back from; return the files.

    Raises `MemoryFileError`.
    """
    folder = paths.memory / REPLACED / import_id
    kept = []
    for name, wanted in records.items():
        data = read_plain(paths.memory / name) or b""
        found = [
            piece
            for part in parse_notes(data)
            if isinstance(part, NoteEntry) and part.id in wanted
            if _is_whole(piece := data[part.offset : part.offset + int(wanted[part.id][0])], wanted[part.id][1])
        ]
        if found:
            put_file(paths, folder / Path(name).name, b"".join(found), "")
            kept.append(name)
    _drop_older(paths.memory / REPLACED)
    return kept


def bring_back(paths: MemoryPaths, row: Mapping[str, Any], lock_seconds: float) -> int:
    """Put the notes back that an import replaced, as its row says, and return how many. Raises `MemoryFileError`."""
    folder = paths.memory / REPLACED / str(row["import"])
    appender = Appender(paths, lock_seconds)
    count = 0
    for name in map(str, row["replaced"]):
        saved = read_plain(folder / Path(name).name) or b""
        path = paths.memory / Path(name).name
        with file_lock(paths, path).acquire(timeout=lock_seconds):
            there = read_plain(path) or b""
            ids = {part.id for part in parse_notes(there) if isinstance(part, NoteEntry)}
            notes = [part for part in parse_notes(saved) if isinstance(part, NoteEntry) and part.id not in ids]
            if notes:
                break_before = b"" if not there or there.endswith(b"\n\n") else b"\n"
                pieces = b"".join(saved[part.offset : part.offset + part.length] for part in notes)
                put_file(paths, path, there + break_before + pieces, "")
        count += len(notes)
    Ledger(paths, appender).add(map(str, row["old_keys"]))
    appender.append(paths.memory / SOURCES, "".join(f"{line}\n" for line in row["old_sources"]).encode("utf-8"))
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
    return count


def _is_whole(data: bytes, sha256: str) -> bool:
    return hashlib.sha256(data).hexdigest() == sha256


def _drop_older(folder: Path) -> None:
    with contextlib.suppress(OSError):
        found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in found[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
