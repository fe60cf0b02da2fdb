"""Which files of the memory folder are the memory: those that an export takes along."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, REPLACED
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Folders below the memory folder that are of this machine, or somebody else's.
_ELSEWHERE = frozenset({".locks", ".git", ".erasure"})
# What was taken from archives is told of this workspace alone.
ARCHIVES_TAKEN = ".imports/archives.txt"
# What each import into this workspace wrote.
IMPORTS = ".imports/imports.jsonl"
# What the files of a folder that is followed held at the last import.
SOURCES = ".imports/sources.jsonl"
# It holds words that are being forgotten, for as long as that takes.
_BEING_FORGOTTEN = (".erasure/unfinished.json", ".erasure/unfinished.json.new")
_NEVER = frozenset({ARCHIVES_TAKEN, IMPORTS, SOURCES, *_BEING_FORGOTTEN})
_ENTRIES_FILES = ("MEMORY.md", "ENTRIES.md")
NOT_OURS = Sentence("not a memory file")


class PartKind(StrEnum):
    """What a file is to a move: how it is copied while agents write, and how it is joined with another."""

    SPILL = "spill"
    TRANSCRIPT = "transcript"
    DAY_NOTES = "note"
    LONG_TERM = "long_term"
    ENTRIES = "entries"
    DOCUMENT = "document"
    LEDGER = "ledger"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file, ``name`` being its path below the memory folder with forward slashes."""

    name: str
    path: Path
    kind: PartKind


def kind_of(name: str) -> PartKind | None:
    """Return what the file of that name is, or None where it does not belong to the memory."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] in _ELSEWHERE or name in _NEVER or name.endswith((".tmp", ".lock")):
        return None
    if parts[-1] == ".lock" or name.startswith(f"{REPLACED}/"):
        return None
    if len(parts) > 1 and parts[0].startswith("."):
        folders = {".spill": PartKind.SPILL, ".entries": PartKind.ENTRIES}
        return PartKind.LEDGER if name == ".imports/taken.txt" else folders.get(parts[0], PartKind.OTHER)
    if any(part.startswith(".") for part in parts):
        return None
    if len(parts) == 2 and parts[0] == "sessions" and name.endswith(".jsonl"):
        return PartKind.TRANSCRIPT
    if len(parts) == 1 and name.startswith(_ENTRIES_FILES):
        return PartKind.LONG_TERM if name == "MEMORY.md" else PartKind.ENTRIES
    if len(parts) == 1 and DAY_NOTE.fullmatch(name):
        return PartKind.DAY_NOTES
    return PartKind.DOCUMENT if name.endswith(".md") else None


def belongings(paths: MemoryPaths) -> Iterator[ArchiveMember | tuple[str, str]]:
    """Yield the files of the memory, and for what is no part of it the name and why. Links are not followed.

    What waits to be written comes first: copied in this order, a record that comes home meanwhile is in both places,
    and not in none.
    """
    found = list(_walk(paths.memory, ""))
    files = [one for one in found if isinstance(one, ArchiveMember)]
    yield from sorted(files, key=lambda one: (one.kind is not PartKind.SPILL, one.name))
    yield from (one for one in found if not isinstance(one, ArchiveMember))


def _walk(folder: Path, prefix: str) -> Iterator[ArchiveMember | tuple[str, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        yield prefix or ".", Sentence("it cannot be read: {why}", why=error.strerror)
        return
    for entry in entries:
        name = prefix + entry.name
        if entry.is_symlink():
            yield name, Sentence("it is a symbolic link")
        elif entry.is_dir(follow_symlinks=False):
            if prefix or entry.name not in _ELSEWHERE:
                yield from _walk(folder / entry.name, f"{name}/")
        elif (kind := kind_of(name)) is None:
            is_known = name in _NEVER or name.startswith(f"{REPLACED}/")
            if not name.endswith((".tmp", ".lock")) and not is_known:
                yield name, NOT_OURS
        elif not _is_utf8(name):
            yield ascii(name), Sentence("its name is not UTF-8")
        elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            yield ArchiveMember(name, folder / entry.name, kind)
        else:
            yield name, Sentence("it is no regular file")


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
