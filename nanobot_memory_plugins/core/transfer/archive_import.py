"""An archive's files into a workspace: as they were where there is nothing, joined where there is something.

An archive may come from anywhere: every byte is read before the first one is written. Nothing in the
workspace is overwritten. Transcripts and notes get each other's records, and entries each other's entries; of other
files that differ both stay, the archive's in ``memory/imported/``.
"""

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nanobot_memory_plugins.core.erasure.scrub import cleaner_of
from nanobot_memory_plugins.core.errors import InputError, NanobotMemoryError
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.archive import FORMAT, MANIFEST, grows, is_of_memory, is_transcript
from nanobot_memory_plugins.core.transfer.entries import installed_joiner
from nanobot_memory_plugins.core.transfer.importers import ARCHIVE
from nanobot_memory_plugins.core.transfer.run import ImportReport, ImportRun, digest, import_run, records_in
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How many times its own size an archive may unpack to, beyond the first bytes. Text packs to a tenth, very even text to
# a hundredth; an archive that grows further was made to fill a disk.
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
    with _opened(source) as archive, import_run(workspace, report) as run:
        merging = _Merging(run, archive, ContactRedaction(contacts), bool(PrivacyFile(run.paths).read().last))
        for info in _files(archive):
            merging.take(info)
    return report


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive and check its names, its sizes and its bytes. Raises `InputError`, with cause and hint."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGES as error:
        raise _refused(path, Sentence("it is no whole ZIP archive, and may have been cut off"), _COPY_AGAIN) from error
    with archive:
        files = _files(archive)
        total = sum(info.file_size for info in archive.infolist())
        if total > _SMALL + _MOST_GROWTH * path.stat().st_size:
            raise _refused(path, Sentence("it would unpack to {total:,} bytes, which no memory does", total=total))
        _check_manifest(path, archive)
        for info in files:
            if not _NAME.fullmatch(info.filename):
                name = ascii(info.filename)
                raise _refused(path, Sentence("{file}: its name leads out of the memory folder", file=name))
            try:
                archive.read(info)  # against its checksum
            except _DAMAGES as error:
                raise _refused(path, Sentence("{file} is damaged", file=info.filename), _COPY_AGAIN) from error
        yield archive


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if info.filename != MANIFEST and not info.is_dir()]


def _refused(path: Path, why: str, hint: str = _NOT_OURS) -> InputError:
    return InputError(Sentence("{name} cannot be used: {why}.", name=path.name, why=why), hint=hint)


def _check_manifest(path: Path, archive: zipfile.ZipFile) -> None:
    try:
        manifest = json.loads(archive.read(MANIFEST))
        form = {key: manifest.get(key) for key in FORMAT}
    except KeyError:
        raise _refused(path, Sentence("it has no {manifest}", manifest=MANIFEST)) from None
    except (*_DAMAGES, AttributeError) as error:
        raise _refused(path, Sentence("{file} is damaged", file=MANIFEST), _COPY_AGAIN) from error
    if form["format"] != FORMAT["format"]:
        raise _refused(path, Sentence("its {manifest} is that of something else", manifest=MANIFEST))
    if form != FORMAT:
        why = Sentence("a newer version of this program wrote it")
        raise _refused(path, why, "Upgrade nanobot-memory-core; nothing was taken.")


@dataclass(slots=True)
class _Merging:
    """One import of an archive that is in order."""

    run: ImportRun
    archive: zipfile.ZipFile
    redaction: ContactRedaction
    is_forgotten_any: bool

    def take(self, info: zipfile.ZipInfo) -> None:
        """Take one file. Raises `InputError` and `MemoryFileError`."""
        name = info.filename.removeprefix("memory/")
        if not is_of_memory(name):
            self.run.report.leave(_NO_MEMORY, info.filename)
            return
        data, there = self._cleaned(info), self.run.read(name)
        key = digest(f"{name}\n".encode() + data)
        if there == data or (there and key in self.run.known):  # what was corrected here since stays so
            self.run.report.known += 1
            return
        if name == _ENTRIES and (there or self.is_forgotten_any):
            self._join_entries(info, data)
        elif not there:
            self.run.create(name, data, _modified(info), has_records=grows(name))
        elif grows(name):
            self._add_records(info, name, there, data)
        else:
            self._keep_separately(info, data, _OTHER_TEXT)
        if not grows(name):
            self.run.remember(key)

    def _cleaned(self, info: zipfile.ZipInfo) -> bytes:
        """Return a file's bytes without secrets, wherever they are in it."""
        name = PurePosixPath(info.filename).name
        clean = cleaner_of(name, self.redaction.of_people, self.redaction.of_tools, everywhere=True)
        cleaned = clean(self.archive.read(info))
        if cleaned.found:
            self.run.report.notices.append(Sentence("secrets were taken out of {file}", file=info.filename))
        return cleaned.data

    def _keep_separately(self, info: zipfile.ZipInfo, data: bytes, why: str) -> None:
        name = f"imported/{PurePosixPath(info.filename).stem}-{hashlib.sha256(data).hexdigest()[:12]}.md"
        if self.run.read(name):
            self.run.report.known += 1
            return
        self.run.create(name, data, _modified(info))
        self.run.report.notices.append(Sentence("{file}: {why}", file=info.filename, why=why))

    def _add_records(self, info: zipfile.ZipInfo, name: str, there: bytes, data: bytes) -> None:
        """Add the records that are missing: to the file that goes on in the archive, to the notes of the day.

        Messages of a transcript that went another way get a transcript of their own, next to those of other imports.
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
                self._keep_separately(info, piece, _OTHER_TEXT)
        self.run.add(target, new)

    def _join_entries(self, info: zipfile.ZipInfo, data: bytes) -> None:
        joiner, report = installed_joiner(), self.run.report
        try:
            joined = joiner.join(self.run.paths.workspace, data, dry_run=report.dry_run) if joiner else None
        except NanobotMemoryError as error:
            logger.warning("entries could not be joined: {}", error.cause)
            joined = None
        if joined is None:
            self._keep_separately(info, data, _OWN_ENTRIES)
            return
        report.known += joined.known
        if joined.run:
            self.run.add_entries(joined.run)
        if joined.new:
            report.took("entries", _ENTRIES, joined.new)
        if joined.other_text:
            self._keep_separately(info, joined.other_text, _OTHER_TEXT)


def _modified(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
