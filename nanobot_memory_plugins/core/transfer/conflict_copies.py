"""Copies that sync programs leave where two machines wrote one file: found, and merged into the memory."""

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.redaction.contact_redaction import Contacts
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.transfer.archive_contents import PartKind, kind_of
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.core.transfer.likeness import pairs_of
from nanobot_memory_plugins.core.transfer.manifest import MANIFEST, Manifest, ManifestFile
from nanobot_memory_plugins.core.transfer.replaced import keep_copy
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The names that Dropbox and Nextcloud, Syncthing, and iCloud and Google Drive give: what is behind the stem.
_MARKS = (
    re.compile(r" \([^()]*(?:conflicted copy|case conflict|冲突的?副本)[^()]*\)(?P<end>\.\w{1,8})\Z"),
    re.compile(r"\.sync-conflict-\d{8}-\d{6}(?:-\w{1,16})?(?P<end>\.\w{1,8})\Z"),
)
_NUMBERED = re.compile(r"(?P<stem>.+?) ?(?: \d{1,2}|\(\d{1,2}\))(?P<end>\.\w+)")
_MERGED = frozenset(
    {
        PartKind.TRANSCRIPT,
        PartKind.DAY_NOTES,
        PartKind.LONG_TERM,
        PartKind.ENTRIES,
        PartKind.DOCUMENT,
    }
)
_LABEL = Sentence("a copy that a sync program left")


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """A copy, and the name below the memory folder of the file that it is a copy of."""

    path: Path
    name: str


def conflict_copies(paths: MemoryPaths) -> list[ConflictCopy]:
    """Return the copies in the memory folder. It blocks. A numbered one is a copy where the file without number is."""
    return sorted(_copies(paths), key=lambda one: str(one.path))


def merge_copies(
    paths: MemoryPaths,
    *,
    contacts: Contacts = "user",
    dry_run: bool = False,
    progress: Callable[[Part], None] = lambda _part: None,
) -> Iterator[tuple[ConflictCopy, ImportReport]]:
    """Merge each copy as an archive is merged, and put it away once all of it is in the memory. It blocks.

    One that brought something comes back when that is taken back. A copy of which something was left stays.
    Raises `InputError` and `MemoryFileError` as `import_archive` does.
    """
    for copy in conflict_copies(paths):
        with tempfile.TemporaryDirectory(prefix="nanobot-memory-") as folder:
            archive = Path(folder) / copy.path.name  # so that it is called by its name when it is taken back
            data = _pack(archive, copy)
            report = import_archive(archive, paths.workspace, dry_run=dry_run, contacts=contacts, progress=progress)
        report.label, report.source = _LABEL, str(copy.path)
        if not dry_run and not report.left and read_regular(copy.path) == data:
            if report.import_id:
                keep_copy(paths, report.import_id, copy.path)
            else:
                copy.path.unlink()
        yield copy, report


def _copies(paths: MemoryPaths) -> Iterator[ConflictCopy]:
    for pattern in ("*.md", "*.jsonl"):
        for path in paths.memory.rglob(pattern):
            place = path.relative_to(paths.memory)
            if path.is_symlink() or any(part.startswith(".") for part in place.parts):
                continue
            original = _original(path)
            if original is None:
                continue
            name = place.with_name(original).as_posix()
            kind = kind_of(name)
            if kind in _MERGED and not (kind is PartKind.DOCUMENT and _is_another(path, path.with_name(original))):
                yield ConflictCopy(path, name)


def _is_another(path: Path, original: Path) -> bool:
    """Tell whether a document with a number says something else than the one without: a second chapter is no copy."""
    if any(mark.search(fold(path.name)) for mark in _MARKS):
        return False
    try:
        text, other = (read_regular(file).decode("utf-8", "replace") for file in (path, original))
    except (OSError, MemoryFileError):
        return True
    said, said_there = pairs_of(text), pairs_of(other)
    return text != other and 2 * len(said & said_there) <= len(said | said_there)


def _original(path: Path) -> str | None:
    """Return the name of the file that a name says it is a copy of, or None."""
    folded = fold(path.name)  # every character keeps its place
    for mark in _MARKS:
        if (found := mark.search(folded)) and found.start():
            return path.name[: found.start()] + path.name[found.start("end") :]
    found = _NUMBERED.fullmatch(path.name)
    original = f"{found['stem']}{found['end']}" if found is not None else ""
    return original if original and path.with_name(original).is_file() else None


def _pack(archive: Path, copy: ConflictCopy) -> bytes:
    """Write an archive that holds a copy under the name of its file, and return the copy's bytes. Raises `OSError`."""
    data = read_regular(copy.path)
    listed = ManifestFile(path=f"memory/{copy.name}", size=len(data), sha256=hashlib.sha256(data).hexdigest())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(f"memory/{copy.name}", data)
        packed.writestr(MANIFEST, Manifest(files=(listed,)).model_dump_json())
    return data
