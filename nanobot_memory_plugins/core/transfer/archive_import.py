"""An archive's files into a workspace: as they were where there is nothing, joined where there is something.

Nothing that stands in the workspace is overwritten. What is there in part (a transcript that is shorter) goes on as in
the archive; transcripts, notes and entries that went different ways get each other's records; of other files that
differ both stay, the archive's as ``memory/imported/``. Each file is put in place in one step, so that an import that
breaks off is finished by the next one.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from filelock import Timeout

from nanobot_memory_plugins.core.erasure.secret_cleaning import ScrubbedBytes
from nanobot_memory_plugins.core.erasure.secret_files import cleaner_of
from nanobot_memory_plugins.core.errors import MemoryFileError, NanobotMemoryError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.spill_format import spilled_records
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.archive import Archive, opened_archive
from nanobot_memory_plugins.core.transfer.archive_contents import (
    ARCHIVES_TAKEN,
    NOT_OURS,
    PartKind,
    kind_of,
)
from nanobot_memory_plugins.core.transfer.entries import JoinedEntries, LeavesForgottenOut, installed_joiner
from nanobot_memory_plugins.core.transfer.file_install import check_room, put_file, read_plain, sync_all
from nanobot_memory_plugins.core.transfer.import_writer import LOCK_SECONDS, ImportWriter
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.core.transfer.importing import only_import
from nanobot_memory_plugins.core.transfer.ledger import KEY_DIGITS, TAKEN, Ledger, read_keys
from nanobot_memory_plugins.core.transfer.manifest import ManifestFile
from nanobot_memory_plugins.core.transfer.merge_records import joined_items
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.sources import ARCHIVE
from nanobot_memory_plugins.core.transfer.written import ImportRecord
from nanobot_memory_plugins.redaction.script.messages import Sentence

LABEL = Sentence("an export of this memory")
_OWN_ENTRIES = "these entries could not be joined with those here: they stand in memory/imported/, to be looked at"
_OTHER_TEXT = "another text stands here already: both are kept, the archive's in memory/imported/"
_OWN_RECORD = "this memory keeps its own"
_HELD_SECRETS = Sentence("it, or the entries that it belongs to, held secrets: they come without their history")
_HELD_FORGOTTEN = Sentence("something was forgotten for good here: entries come one by one, without their history")
_ENTRIES_FILE = "ENTRIES.md"
# Files that grow by whole records.
_APPENDED = frozenset({PartKind.TRANSCRIPT, PartKind.DAY_NOTES})


@dataclass(frozen=True, slots=True)
class _File:
    listed: ManifestFile
    name: str  # below the memory folder
    kind: PartKind
    path: Path
    key: str


def import_archive(
    source: Path,
    workspace: Path,
    *,
    dry_run: bool = False,
    contacts: Contacts = "user",
    progress: Callable[[Part], None] = lambda _part: None,
    lock_seconds: float = LOCK_SECONDS,
    now: datetime | None = None,
    passphrase: str = "",
) -> ImportReport:
    """Put an archive's memory into a workspace, and report. It blocks, and can be broken off and done again.

    Every byte is checked before the first one is written. Raises `InputError`, and nothing was taken, or
    `MemoryFileError` when the memory cannot be written.
    """
    paths = MemoryPaths.of(workspace)
    report = ImportReport(ARCHIVE, LABEL, str(source), dry_run=dry_run)
    with opened_archive(source, passphrase) as archive, contextlib.ExitStack() as stack:
        check_room(archive, paths)
        for done, file in enumerate(archive.check()):
            progress(Part(file.path, done, 2 * len(archive.manifest.files)))
        if not dry_run:
            stack.enter_context(only_import(paths))
        record = ImportRecord(paths, Appender(paths, lock_seconds), source.name, now or datetime.now(UTC))
        _Restoring(archive, paths, report, ContactRedaction(contacts), lock_seconds, record).run(progress)
        report.import_id = "" if record.is_empty else record.id
    return report


class _Restoring:
    """One import of an archive that is in order."""

    def __init__(
        self,
        archive: Archive,
        paths: MemoryPaths,
        report: ImportReport,
        redaction: ContactRedaction,
        lock_seconds: float,
        record: ImportRecord,
    ) -> None:
        self._record = record
        self._archive = archive
        self._paths = paths
        self._report = report
        self._redaction = redaction
        self._lock_seconds = lock_seconds
        self._appender = Appender(paths, lock_seconds)
        self._taken_file = paths.memory / ARCHIVES_TAKEN
        self._taken = read_keys(self._taken_file)
        self._is_forgotten_any = bool(PrivacyFile(paths).read().last)
        self._taker: ImportWriter | None = None
        self._joined: list[str] = []
        self._to_sync: list[Path] = []
        self._left_of_entries = _OWN_RECORD

    def run(self, progress: Callable[[Part], None]) -> None:
        files = self._files()
        own_entries = self._entries_may_hold_forgotten(files) or self._has_other_entries(files)
        own_entries = own_entries or self._entries_hold_secrets(files)
        for done, file in enumerate(files):
            progress(Part(file.listed.path, len(files) + done, 2 * len(files)))
            if file.kind is PartKind.SPILL:
                self._take_waiting(file)
                continue
            data = self._cleaned(file)
            if own_entries and file.kind is PartKind.ENTRIES:
                self._set_aside(file, data)
            else:
                self._take(file, data)
        if self._taker is not None:
            self._taker.finish()
        self._remember(self._joined)
        if not self._report.dry_run:
            sync_all(self._to_sync)
            self._appender.sync()

    def _files(self) -> list[_File]:
        found: list[_File] = []
        for listed in self._archive.manifest.files:
            name = listed.path.removeprefix("memory/")
            kind = kind_of(name)
            if kind is None:
                self._report.leave(NOT_OURS, listed.path)
                continue
            key = hashlib.sha256(f"{name}\0{listed.sha256}".encode()).hexdigest()[:KEY_DIGITS]
            found.append(_File(listed, name, kind, self._paths.memory / PurePosixPath(name), key))

        # The entries themselves come last of what belongs to them: a journal without them says nothing, they without
        # their journal would be taken for written by hand. What waited may have come home in a file of the archive.
        def place(file: _File) -> tuple[bool, bool, str]:
            is_entries = file.kind is PartKind.ENTRIES and file.name == _ENTRIES_FILE
            return file.kind is PartKind.SPILL, is_entries, file.name

        return sorted(found, key=place)

    def _has_other_entries(self, files: list[_File]) -> bool:
        """Return whether the workspace has entries, or a journal of them, that are not the archive's."""
        theirs = {file.name: file for file in files if file.kind is PartKind.ENTRIES}
        own = [self._paths.memory / _ENTRIES_FILE, *sorted((self._paths.memory / ".entries").glob("journal*"))]
        for path in own:
            if not (data := read_plain(path)):
                continue
            file = theirs.get(path.relative_to(self._paths.memory).as_posix())
            if file is None or data != self._archive.read(file.listed):
                return True
        return False

    def _entries_may_hold_forgotten(self, files: list[_File]) -> bool:
        """Return whether something was forgotten here that the entries, or what they once were, may hold."""
        held = [file for file in files if file.kind in (PartKind.ENTRIES, PartKind.LONG_TERM)]
        found = self._is_forgotten_any and any(
            read_plain(file.path) != self._archive.read(file.listed) for file in held
        )
        if found:
            self._left_of_entries = _HELD_FORGOTTEN
        return found

    def _entries_hold_secrets(self, files: list[_File]) -> bool:
        """Return whether secrets stand in the entries, or in what belongs to them.

        Other bytes than those of the journal would not fit it: such entries are taken one by one.
        """
        found = any(self._clean(file).found for file in files if file.kind is PartKind.ENTRIES)
        found = found or any(
            self._clean(file).found
            for file in files
            if file.kind is PartKind.LONG_TERM and any(one.name.startswith(".entries/") for one in files)
        )
        if found:
            self._left_of_entries = _HELD_SECRETS
        return found

    def _clean(self, file: _File) -> ScrubbedBytes:
        """Return a file's bytes without secrets, wherever they stand in it."""
        data = self._archive.read(file.listed)
        if file.kind in (PartKind.LEDGER, PartKind.OTHER):
            return ScrubbedBytes(data)  # hashes and counts
        try:
            return cleaner_of(file.path.name, self._redaction.of_people, self._redaction.of_tools, everywhere=True)(
                data
            )
        except MemoryFileError:
            return ScrubbedBytes(data)  # compressed, and damaged: whoever reads it says so

    def _cleaned(self, file: _File) -> bytes:
        """Return a file's bytes without secrets, and the entries without what was forgotten here."""
        cleaned = self._clean(file)
        if cleaned.found:
            self._report.notices.append(Sentence("secrets were taken out of {file}", file=file.listed.path))
        match file.kind:
            case PartKind.LONG_TERM | PartKind.ENTRIES if file.name.endswith(".md") and self._is_forgotten_any:
                joiner = installed_joiner()
                if not isinstance(joiner, LeavesForgottenOut):
                    return cleaned.data
                return joiner.without_forgotten(self._paths.workspace, cleaned.data)
            case _:
                return cleaned.data

    def _take(self, file: _File, data: bytes) -> None:
        if file.name.endswith(".bak") and not self._is_of_the_file_here(file):
            self._report.leave(_OWN_RECORD, file.listed.path)
            return
        with self._locked(file.path):
            there = read_plain(file.path)
            if there == data or (there and file.key in self._taken):
                self._report.knew()
                return
            if not there or (file.kind in _APPENDED and _goes_on(there, data)):
                # Of entries and their history one says nothing without the other: those wait for the disk in turn.
                durable = file.kind not in (PartKind.TRANSCRIPT, PartKind.DAY_NOTES, PartKind.DOCUMENT)
                self._write(file.path, data, file.listed.modified, durable=durable)
                self._report.took("files", file.listed.path)
                return
        self._join(file, there, data)

    def _take_waiting(self, file: _File) -> None:
        """Take the records of a file of what waited, as messages and notes like any other."""
        if file.key in self._taken:
            self._report.knew()
            return
        try:
            records = spilled_records(self._paths, self._archive.read(file.listed))
        except MemoryFileError as error:
            self._report.leave(Sentence("it cannot be understood: {why}", why=error.cause), file.listed.path)
            return
        for record in records:
            kind = PartKind.TRANSCRIPT if record.target.suffix == ".jsonl" else PartKind.DAY_NOTES
            self._take_items(kind, f"memory/{record.target.relative_to(self._paths.memory).as_posix()}", record.data)
        self._joined.append(file.key)

    def _take_items(self, kind: PartKind, name: str, data: bytes, there: bytes = b"") -> None:
        self._taker = self._taker or ImportWriter(
            self._paths, self._report, redaction=self._redaction, lock_seconds=self._lock_seconds, record=self._record
        )
        for item in joined_items(kind, name, data, there):
            if item is None:
                self._report.knew()
            else:
                self._taker.take(item)

    def _is_of_the_file_here(self, file: _File) -> bool:
        """Whether a backup is that of the file that stands here, or will. Another would pass for its last state."""
        there = read_plain(file.path.with_name(file.path.name.removesuffix(".bak")))
        whose = file.listed.path.removesuffix(".bak")
        theirs = next((one for one in self._archive.manifest.files if one.path == whose), None)
        return not there or (theirs is not None and hashlib.sha256(there).hexdigest() == theirs.sha256)

    def _join(self, file: _File, there: bytes, data: bytes) -> None:
        """Take a file that differs from the one that is there."""
        if file.kind in _APPENDED:
            if there.startswith(data):
                self._report.knew()
                return
            self._take_items(file.kind, file.listed.path, data, there)
            self._joined.append(file.key)
        elif file.kind is PartKind.LEDGER:
            self._join_ledger(file, data)
        elif file.kind in (PartKind.LONG_TERM, PartKind.DOCUMENT) and file.name.endswith(".md"):
            self._beside(file, data, _OTHER_TEXT)
        else:
            self._report.leave(_OWN_RECORD, file.listed.path)

    def _set_aside(self, file: _File, data: bytes) -> None:
        """Take entries into a workspace that has others: joined with them, else as text."""
        there = read_plain(file.path)
        if there == data or file.key in self._taken:
            self._report.knew()
        elif file.name != _ENTRIES_FILE or not data.strip():
            self._report.leave(self._left_of_entries, file.listed.path)
        elif (joined := self._join_entries(file, data)) is None:
            self._beside(file, data, _OWN_ENTRIES)
        elif joined.rest:
            self._beside(file, joined.rest, _OTHER_TEXT)

    def _join_entries(self, file: _File, data: bytes) -> JoinedEntries | None:
        joiner = installed_joiner()
        is_moved = self._left_of_entries in (_HELD_SECRETS, _HELD_FORGOTTEN)
        if joiner and is_moved and not file.path.exists() and not self._report.dry_run:
            self._record.file(file.name, b"", 0)
            put_file(self._paths, file.path, b"", "")
        try:
            joined = joiner.join(self._paths.workspace, data, dry_run=self._report.dry_run) if joiner else None
        except NanobotMemoryError as error:
            logger.warning("entries could not be joined: {}", error.cause)
            return None
        if joined is not None:
            self._report.knew(joined.known)
            if joined.run:
                self._record.entries(joined.run)
            if joined.new:
                self._report.took("entries", file.listed.path, joined.new)
                self._report.wrote(f"memory/{_ENTRIES_FILE if file.path.exists() else 'MEMORY.md'}", joined.new)
            self._joined.append(file.key)
        return joined

    def _beside(self, file: _File, data: bytes, why: str) -> None:
        stem = PurePosixPath(file.name).stem
        path = self._paths.memory / "imported" / f"{stem}-{file.listed.sha256[:12]}.md"
        self._joined.append(file.key)
        if read_plain(path) is not None:
            self._report.knew()
            return
        self._write(path, data, file.listed.modified)
        self._report.took("files", file.listed.path)
        self._report.notices.append(f"{file.listed.path}: {why}")

    def _join_ledger(self, file: _File, data: bytes) -> None:
        ledger = Ledger(self._paths, self._appender)
        new = [key for key in data.decode("ascii", "replace").split() if len(key) == KEY_DIGITS and key not in ledger]
        if not self._report.dry_run:
            self._record.keys(TAKEN, new)
            ledger.add(new)
        if new:
            self._report.took("files", file.listed.path)
        else:
            self._report.knew()

    def _write(self, path: Path, data: bytes, modified: str, *, durable: bool = True) -> None:
        self._report.wrote(self._paths.relative(path), 1)
        if not self._report.dry_run:
            begin = len(read_plain(path) or b"")  # where it goes on; else there is nothing
            name = path.relative_to(self._paths.memory).as_posix()
            self._record.file(name, data, begin)
            put_file(self._paths, path, data, modified, durable=durable)
            if not durable:
                self._to_sync.append(path)

    def _remember(self, keys: list[str]) -> None:
        new = [key for key in keys if key not in self._taken]
        if new and not self._report.dry_run:
            self._record.keys(ARCHIVES_TAKEN, new)
            self._appender.append(self._taken_file, "".join(f"{key}\n" for key in new).encode("ascii"))

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        if self._report.dry_run:
            yield
            return
        try:
            with file_lock(self._paths, path).acquire(timeout=self._lock_seconds):
                yield
        except Timeout as error:
            raise FileBusyError(
                Sentence("{relative} is locked by another process.", relative=self._paths.relative(path)),
                hint="Import again: what was taken is not taken twice.",
            ) from error


def _goes_on(there: bytes, data: bytes) -> bool:
    """Whether the archive's file is the one that is there, and more: what is there was an earlier state of it."""
    return len(data) > len(there) and data.startswith(there)
