"""An archive's files into a workspace: as they were where there is nothing, joined where there is something.

An archive may come from anywhere: every byte is checked before the first one is written. Nothing that stands in the
workspace is overwritten. Transcripts and notes get each other's records, and entries each other's entries; of other
files that differ both stay, the archive's in ``memory/imported/``.
"""

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from nanobot_memory_plugins.core.erasure.scrub import cleaner_of
from nanobot_memory_plugins.core.errors import InputError, NanobotMemoryError
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.archive import (
    MANIFEST,
    Manifest,
    ManifestFile,
    grows,
    is_of_memory,
    is_transcript,
)
from nanobot_memory_plugins.core.transfer.entries import installed_joiner
from nanobot_memory_plugins.core.transfer.import_run import DIGITS, ImportReport, ImportRun, import_run, records_in
from nanobot_memory_plugins.core.transfer.sources import ARCHIVE
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bounds of what is unpacked: bytes in all, and how many times the archive's own size. Text packs to a tenth, very even
# text to a hundredth; an archive that grows further was made to fill a disk.
_MOST_BYTES = 8 << 30
_MOST_MANIFEST = 1 << 27
_MOST_GROWTH = 250
_SMALL = 1 << 24
# No backslash, colon or control character: no name may mean something else on another system.
_NAME = re.compile(r"memory(?:/(?!\.{1,2}(?:/|\Z))[^/\\:\x00-\x1f]+)+")
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
_COPY_AGAIN = "Copy it again from where it was made; nothing was taken."
_NOT_OURS = "Only archives that `nanobot-memory export` wrote are imported; nothing was taken."

_LABEL = Sentence("an export of this memory")
_NO_MEMORY = Sentence("not a memory file")
_OWN_ENTRIES = "these entries could not be joined with those here: they stand in memory/imported/, to be looked at"
_OTHER_TEXT = "another text stands here already: both are kept, the archive's in memory/imported/"
_ENTRIES = "ENTRIES.md"


def is_archive(source: Path) -> bool:
    """Return whether a source is meant to be an archive: a ZIP file, whole or not."""
    return source.is_file() and (source.suffix.lower() == ".zip" or zipfile.is_zipfile(source))


def import_archive(
    source: Path, workspace: Path, *, dry_run: bool = False, contacts: Contacts = "user"
) -> ImportReport:
    """Put an archive's memory into a workspace, and report. It blocks, and can be broken off and done again.

    Raises `InputError`, and nothing was taken, or `MemoryFileError` when the memory cannot be written.
    """
    report = ImportReport(ARCHIVE, _LABEL, str(source), dry_run=dry_run)
    with _opened(source) as archive:
        for file in archive.files:
            archive.read(file)
        with import_run(workspace, report) as run:
            merging = _Merging(run, archive, ContactRedaction(contacts), bool(PrivacyFile(run.paths).read().last))
            for file in archive.files:
                merging.take(file)
    return report


@dataclass(frozen=True, slots=True)
class _Archive:
    """An archive whose list, names and sizes are in order."""

    path: Path
    packed: zipfile.ZipFile
    files: tuple[ManifestFile, ...]

    def read(self, file: ManifestFile) -> bytes:
        """Return the bytes of a file. Raises `InputError` where they are not what its hash says."""
        try:
            with self.packed.open(file.path) as packed:
                data = packed.read(file.size + 1)
        except _DAMAGES as error:
            raise _refused(self.path, Sentence("{file} is damaged", file=file.path), _COPY_AGAIN) from error
        if len(data) != file.size or hashlib.sha256(data).hexdigest() != file.sha256:
            raise _refused(self.path, Sentence("{file} is not what its hash says", file=file.path), _COPY_AGAIN)
        return data

    def modified(self, file: ManifestFile) -> float:
        """Return when a file was changed last, in seconds since 1970."""
        try:
            return datetime(*self.packed.getinfo(file.path).date_time, tzinfo=UTC).timestamp()
        except ValueError:
            return 0.0


@contextmanager
def _opened(path: Path) -> Iterator[_Archive]:
    """Open an archive and check its list, its names and its sizes. Raises `InputError`, with cause and hint."""
    try:
        packed = zipfile.ZipFile(path)
    except _DAMAGES as error:
        raise _refused(path, Sentence("it is no whole ZIP archive, and may have been cut off"), _COPY_AGAIN) from error
    with packed:
        files = _manifest(path, packed).files
        _check_members(path, packed, files)
        yield _Archive(path, packed, files)


def _refused(path: Path, why: str, hint: str = _NOT_OURS) -> InputError:
    return InputError(Sentence("{name} cannot be used: {why}.", name=path.name, why=why), hint=hint)


def _manifest(path: Path, packed: zipfile.ZipFile) -> Manifest:
    try:
        with packed.open(MANIFEST) as file:
            return Manifest.model_validate_json(file.read(_MOST_MANIFEST))
    except KeyError:
        raise _refused(path, Sentence("it has no {manifest}", manifest=MANIFEST)) from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "its form"
        if where == "version":
            why = Sentence("a newer version of this program wrote it")
            raise _refused(path, why, "Upgrade nanobot-memory-core; nothing was taken.") from error
        why = Sentence("its {manifest} cannot be understood ({where})", manifest=MANIFEST, where=where)
        raise _refused(path, why) from error
    except _DAMAGES as error:
        raise _refused(path, Sentence("{file} is damaged", file=MANIFEST), _COPY_AGAIN) from error


def _check_members(path: Path, packed: zipfile.ZipFile, files: tuple[ManifestFile, ...]) -> None:
    members = [info for info in packed.infolist() if info.filename != MANIFEST and not info.is_dir()]
    total = sum(file.size for file in files)
    if total > _MOST_BYTES or total > _SMALL + _MOST_GROWTH * path.stat().st_size:
        raise _refused(path, Sentence("it would unpack to {total:,} bytes, which no memory does", total=total))
    for info in members:
        if not _NAME.fullmatch(info.filename):
            why = Sentence("its name leads out of the memory folder")
        elif stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            why = Sentence("it is a link or a device")
        else:
            continue
        raise _refused(path, Sentence("{file}: {why}", file=ascii(info.filename), why=why))
    held = sorted((info.filename, info.file_size) for info in members)
    if len({name for name, _ in held}) < len(held) or held != sorted((file.path, file.size) for file in files):
        raise _refused(path, Sentence("it does not hold the files that its {manifest} names", manifest=MANIFEST))


@dataclass(slots=True)
class _Merging:
    """One import of an archive that is in order."""

    run: ImportRun
    archive: _Archive
    redaction: ContactRedaction
    is_forgotten_any: bool

    def take(self, file: ManifestFile) -> None:
        """Take one file. Raises `InputError` and `MemoryFileError`."""
        name = file.path.removeprefix("memory/")
        if not is_of_memory(name):
            self.run.report.leave(_NO_MEMORY, file.path)
            return
        data, there = self._cleaned(file), self.run.read(name)
        key = hashlib.sha256(f"{name}\0{file.sha256}".encode()).hexdigest()[:DIGITS]
        joins_entries = name == _ENTRIES and (there or self.is_forgotten_any)
        if there == data or (there and key in self.run.known):
            self.run.report.known += 1
        elif not (there or joins_entries):
            self.run.create(name, data, self.archive.modified(file), has_records=grows(name))
        else:
            self.run.remember(key)
            if joins_entries:
                self._join_entries(file, data)
            elif grows(name):
                self._add_records(file, name, there, data)
            else:
                self._put_beside(file, data, _OTHER_TEXT)

    def _cleaned(self, file: ManifestFile) -> bytes:
        """Return a file's bytes without secrets, wherever they stand in it."""
        name = PurePosixPath(file.path).name
        clean = cleaner_of(name, self.redaction.of_people, self.redaction.of_tools, everywhere=True)
        cleaned = clean(self.archive.read(file))
        if cleaned.found:
            self.run.report.notices.append(Sentence("secrets were taken out of {file}", file=file.path))
        return cleaned.data

    def _put_beside(self, file: ManifestFile, data: bytes, why: str) -> None:
        name = f"imported/{PurePosixPath(file.path).stem}-{hashlib.sha256(data).hexdigest()[:12]}.md"
        if self.run.read(name):
            self.run.report.known += 1
            return
        self.run.create(name, data, self.archive.modified(file))
        self.run.report.notices.append(Sentence("{file}: {why}", file=file.path, why=why))

    def _add_records(self, file: ManifestFile, name: str, there: bytes, data: bytes) -> None:
        """Add the records that are missing: to the file that goes on in the archive, to the notes of the day.

        Messages of a transcript that went another way get a transcript of their own, beside those of other imports.
        """
        known = {key for key, _ in records_in(name, there)} | self.run.known
        target = name
        if is_transcript(name) and not data.startswith(there):
            first = next(filter(None, map(parse_transcript_line, data.split(b"\n"))), None)
            session = first.session_key if first is not None else name
            target = f"sessions/{session_file_name(f'imported/{session}')}"
        new: dict[str, bytes] = {}
        for key, piece in records_in(name, data):
            if key in known:
                self.run.report.known += 1
            elif is_transcript(name):
                new[key] = piece.rstrip(b"\n") + b"\n"
            elif piece.startswith(b"#"):
                new[key] = piece.strip() + b"\n\n"
            elif piece.strip():  # below another note it would be taken for a part of it
                self._put_beside(file, piece, _OTHER_TEXT)
        self.run.add(target, new)

    def _join_entries(self, file: ManifestFile, data: bytes) -> None:
        joiner, report = installed_joiner(), self.run.report
        try:
            joined = joiner.join(self.run.paths.workspace, data, dry_run=report.dry_run) if joiner else None
        except NanobotMemoryError as error:
            logger.warning("entries could not be joined: {}", error.cause)
            joined = None
        if joined is None:
            self._put_beside(file, data, _OWN_ENTRIES)
            return
        report.known += joined.known
        if joined.run:
            self.run.add_entries(joined.run)
        if joined.new:
            report.took("entries", _ENTRIES, joined.new)
        if joined.rest:
            self._put_beside(file, joined.rest, _OTHER_TEXT)
