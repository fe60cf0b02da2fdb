"""Notes that an import replaced and copies that it merged, kept as they were for as long as it can be taken back.

``memory/.imports/replaced/<import>`` holds notes in files of the names that they stood in, and below ``copies`` the
copies of a sync program. What is forgotten for good is taken out of the notes as of the day notes, and a copy that
holds it goes; an export leaves them out.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, file_lock, parse_notes
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.paths import COPIES, REPLACED
from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.transfer.file_install import put_file, read_plain
from nanobot_memory_plugins.core.transfer.ledger import Ledger
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Imports of which what they replaced is kept: the last ones.
_KEPT = 100


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
    _drop(folder)
    return count


def keep_copy(paths: MemoryPaths, import_id: str, copy: Path) -> None:
    """Put a copy that an import has merged to where it can be brought back from. Raises `MemoryFileError`."""
    kept = paths.memory / REPLACED / import_id / COPIES / copy.relative_to(paths.memory)
    try:
        private_folder(kept.parent, below=paths.memory)
        os.replace(copy, kept)
    except OSError as error:
        raise MemoryFileError(
            Sentence("{name} cannot be replaced: {why}.", name=copy.name, why=error.strerror or error)
        ) from error
    _drop_older(paths.memory / REPLACED)


def put_copies_back(paths: MemoryPaths, import_id: str) -> list[str]:
    """Put the copies that an import had merged back in their places; one whose place is taken stays where it is."""
    folder = paths.memory / REPLACED / import_id
    found = sorted(path for path in (folder / COPIES).rglob("*") if path.is_file())
    back = []
    for kept in found:
        place = paths.memory / kept.relative_to(folder / COPIES)
        with contextlib.suppress(OSError):
            if not os.path.lexists(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(kept, place)
                back.append(place.relative_to(paths.memory).as_posix())
    if found and len(back) == len(found):
        _drop(folder)
    return back


def _drop(folder: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
        folder.parent.rmdir()  # where it was the last one
        folder.parent.parent.rmdir()


def _is_whole(data: bytes, sha256: str) -> bool:
    return hashlib.sha256(data).hexdigest() == sha256


def _drop_older(folder: Path) -> None:
    with contextlib.suppress(OSError):
        found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in found[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
