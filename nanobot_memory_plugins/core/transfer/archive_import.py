"""An archive's files into a workspace: as they were where there is nothing, joined where there is something.

Nothing that stands in the workspace is overwritten. Transcripts and notes get each other's records, and entries each
other's entries; of other files that differ both stay, the archive's in ``memory/imported/``. Each file is put in place
in one step, so that an import that breaks off is finished by the next one.
"""

import contextlib
import hashlib
import os
from datetime import datetime
from pathlib import Path, PurePosixPath

from nanobot_memory_plugins.core.erasure.scrub import cleaner_of
from nanobot_memory_plugins.core.errors import MemoryFileError, NanobotMemoryError
from nanobot_memory_plugins.core.files import MemoryPaths, file_lock, parse_transcript_line, session_file_name
from nanobot_memory_plugins.core.files.appending import Appender, make_folder
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.private import make_missing
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.archive import Archive, ManifestFile, opened_archive
from nanobot_memory_plugins.core.transfer.entries import installed_joiner
from nanobot_memory_plugins.core.transfer.exporting import grows, is_of_memory, is_transcript
from nanobot_memory_plugins.core.transfer.import_writer import LOCK_SECONDS
from nanobot_memory_plugins.core.transfer.importing import only_import
from nanobot_memory_plugins.core.transfer.ledger import DIGITS, ImportLedger, records_in
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.sources import ARCHIVE
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LABEL = Sentence("an export of this memory")
_NOT_OURS = Sentence("not a memory file")
_OWN_ENTRIES = "these entries could not be joined with those here: they stand in memory/imported/, to be looked at"
_OTHER_TEXT = "another text stands here already: both are kept, the archive's in memory/imported/"
_ENTRIES = "ENTRIES.md"


def import_archive(
    source: Path,
    workspace: Path,
    *,
    dry_run: bool = False,
    contacts: Contacts = "user",
) -> ImportReport:
    """Put an archive's memory into a workspace, and report. It blocks, and can be broken off and done again.

    Every byte is checked before the first one is written. Raises `InputError`, and nothing was taken, or
    `MemoryFileError` when the memory cannot be written.
    """
    paths = MemoryPaths.of(workspace)
    report = ImportReport(ARCHIVE, _LABEL, str(source), dry_run=dry_run)
    with opened_archive(source) as archive, contextlib.ExitStack() as stack:
        archive.check()
        if not dry_run:
            stack.enter_context(only_import(paths))
        appender = Appender(paths, LOCK_SECONDS)
        ledger = ImportLedger(paths)
        ledger.begin(source.name)
        restoring = _Restoring(archive, paths, report, ledger, appender, ContactRedaction(contacts))
        for file in archive.manifest.files:
            restoring.take(file)
        restoring.finish()
    return report


class _Restoring:
    """One import of an archive that is in order."""

    def __init__(
        self,
        archive: Archive,
        paths: MemoryPaths,
        report: ImportReport,
        ledger: ImportLedger,
        appender: Appender,
        redaction: ContactRedaction,
    ) -> None:
        self._archive = archive
        self._paths = paths
        self._report = report
        self._ledger = ledger
        self._appender = appender
        self._redaction = redaction
        self._is_forgotten_any = bool(PrivacyFile(paths).read().last)
        self._joined: list[str] = []

    def take(self, file: ManifestFile) -> None:
        """Take one file. Raises `InputError` and `MemoryFileError`."""
        name = file.path.removeprefix("memory/")
        if not is_of_memory(name):
            self._report.leave(_NOT_OURS, file.path)
            return
        data = self._cleaned(file)
        path = self._paths.memory / name
        there = _read(path)
        key = hashlib.sha256(f"{name}\0{file.sha256}".encode()).hexdigest()[:DIGITS]
        if there == data or (there and key in self._ledger.known):
            self._report.known += 1
        elif name == _ENTRIES and (there or self._is_forgotten_any):
            self._joined.append(key)
            self._join_entries(file, data)
        elif not there:
            self._put(file, name, data)
        elif grows(name):
            self._joined.append(key)
            self._add_records(file, name, there, data)
        else:
            self._joined.append(key)
            self._put_beside(file, data, _OTHER_TEXT)

    def finish(self) -> None:
        """Wait until all is on the disk, and remember it."""
        if self._report.dry_run:
            return
        self._ledger.finish(self._joined)
        self._appender.sync()

    def _cleaned(self, file: ManifestFile) -> bytes:
        """Return a file's bytes without secrets, wherever they stand in it."""
        clean = cleaner_of(
            PurePosixPath(file.path).name, self._redaction.of_people, self._redaction.of_tools, everywhere=True
        )
        cleaned = clean(self._archive.read(file))
        if cleaned.found:
            self._report.notices.append(Sentence("secrets were taken out of {file}", file=file.path))
        return cleaned.data

    def _put(self, file: ManifestFile, name: str, data: bytes) -> None:
        """Put a file where there is none, or an empty one."""
        if not self._report.dry_run:
            if grows(name):
                self._ledger.add_records(name, dict(records_in(name, data)))
            else:
                self._ledger.add_file(name, data)
            _create(self._paths, self._paths.memory / name, data, file.modified)
        self._report.took("files", name, 1)

    def _put_beside(self, file: ManifestFile, data: bytes, why: str) -> None:
        name = f"imported/{PurePosixPath(file.path).stem}-{file.sha256[:12]}.md"
        if _read(self._paths.memory / name) is not None:
            self._report.known += 1
            return
        self._put(file, name, data)
        self._report.notices.append(Sentence("{file}: {why}", file=file.path, why=why))

    def _add_records(self, file: ManifestFile, name: str, there: bytes, data: bytes) -> None:
        """Add the records that are missing: to the file that goes on in the archive, to the notes of the day.

        Messages of a transcript that went another way get a transcript of their own, beside those of other imports.
        """
        known = {key for key, _ in records_in(name, there)}
        if is_transcript(name) and not data.startswith(there):
            first = next(filter(None, map(parse_transcript_line, data.split(b"\n"))), None)
            name = f"sessions/{session_file_name(f'imported/{first.session_key if first is not None else name}')}"
            known |= {key for key, _ in records_in(name, _read(self._paths.memory / name) or b"")}
        new: dict[str, bytes] = {}
        for key, piece in records_in(name, data):
            if key in known or key in self._ledger.known:
                self._report.known += 1
            elif name.endswith(".jsonl"):
                new[key] = piece.rstrip(b"\n") + b"\n"
            elif piece.startswith(b"#"):
                new[key] = piece.strip() + b"\n\n"
            elif piece.strip():  # below another note it would be taken for a part of it
                self._put_beside(file, piece, _OTHER_TEXT)
        if not new:
            return
        if not self._report.dry_run:
            self._ledger.add_records(name, new)
            self._appender.append(self._paths.memory / name, b"".join(new.values()))
        self._report.took("messages" if name.endswith(".jsonl") else "notes", name, len(new))

    def _join_entries(self, file: ManifestFile, data: bytes) -> None:
        joiner = installed_joiner()
        try:
            joined = joiner.join(self._paths.workspace, data, dry_run=self._report.dry_run) if joiner else None
        except NanobotMemoryError as error:
            logger.warning("entries could not be joined: {}", error.cause)
            joined = None
        if joined is None:
            self._put_beside(file, data, _OWN_ENTRIES)
            return
        self._report.known += joined.known
        if joined.run:
            self._ledger.add_entries(joined.run)
        if joined.new:
            self._report.took("entries", _ENTRIES, joined.new)
        if joined.rest:
            self._put_beside(file, joined.rest, _OTHER_TEXT)


def _read(path: Path) -> bytes | None:
    """Return a file's bytes, None where there is none. Raises `MemoryFileError`, for a link, too."""
    if path.is_symlink():
        raise MemoryFileError(
            Sentence("{name} is a symbolic link; memory files are not written through links.", name=path.name)
        )
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise MemoryFileError(Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror)) from error


def _create(paths: MemoryPaths, path: Path, data: bytes, modified: str) -> None:
    """Put a new file in place in one step, with the time of its last change. Raises `MemoryFileError`."""
    try:
        make_folder(paths, paths.memory)
        make_missing(path.parent)
        if not path.parent.resolve().is_relative_to(paths.memory.resolve()):
            raise MemoryFileError(Sentence("{parent} leads out of the memory folder.", parent=path.parent))
        with file_lock(paths).acquire(timeout=LOCK_SECONDS):
            if _read(path):
                raise MemoryFileError(
                    Sentence("{name} was made just now by somebody else.", name=path.name),
                    hint="Import again: what was taken is not taken twice.",
                )
            replace_file(path, data, keeps_backup=False)
            with contextlib.suppress(ValueError, OverflowError):
                when = datetime.fromisoformat(modified).timestamp()
                os.utime(path, (when, when))
    except OSError as error:
        raise MemoryFileError(
            Sentence("{relative} cannot be written: {why}.", relative=paths.relative(path), why=error.strerror or error)
        ) from error
