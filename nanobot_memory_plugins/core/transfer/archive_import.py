"""An archive's files into a workspace: as they were where there is nothing, joined where there is something.

An archive may come from anywhere: every byte is read before the first one is written. Nothing in the
workspace is overwritten. Transcripts and notes get each other's records, and entries each other's entries; of other
files that differ both stay, the archive's in ``memory/imported/``.
"""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nanobot_memory_plugins.core.erasure.cleaning import secrets_cleaner
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.archive import FORMAT, MANIFEST, grows, is_of_memory, is_transcript
from nanobot_memory_plugins.core.transfer.entries import join_entries
from nanobot_memory_plugins.core.transfer.importer import ARCHIVE
from nanobot_memory_plugins.core.transfer.run import (
    ENTRIES_FILE,
    ImportReport,
    ImportRun,
    import_run,
    records_in,
    whole_key,
)
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How many times its own size an archive may unpack to, beyond the first bytes. Text packs to a tenth, very even text to
# a hundredth; an archive that grows further was made to fill a disk.
_MOST_GROWTH = 250
_SMALL = 1 << 24
# No backslash, colon or control character: no name may mean something else on another system.
_NAME = re.compile(r"memory(?:/(?!\.{1,2}(?:/|\Z))[^/\\:\x00-\x1f]+)+")
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
_LABEL = Sentence("an export of this memory")


@dataclass(frozen=True, slots=True)
class _Member:
    """A file of an archive: its name below the memory folder, its bytes without secrets, when it was changed."""

    name: str
    data: bytes
    modified: float


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
        redaction = ContactRedaction(contacts)
        cleaner = secrets_cleaner(redaction.of_people, redaction.of_tools, everywhere=True)
        is_purged_any = bool(PrivacyFile(run.paths).read().last)
        for info in _files(archive):
            name = info.filename.removeprefix("memory/")
            if not is_of_memory(name):
                report.leave("not a memory file", info.filename)
                continue
            cleaned = cleaner.clean(name, archive.read(info))
            if cleaned.found:
                report.notices.append(Sentence("secrets were taken out of {file}", file=info.filename))
            _take(run, _Member(name, cleaned.data, _modified(info)), is_purged_any=is_purged_any)
    return report


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive and check its names, its sizes and its bytes. Raises `InputError`, with cause and hint."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGES as error:
        raise _refused(path, Sentence("it is no whole ZIP archive, and may have been cut off")) from error
    with archive:
        total = sum(info.file_size for info in archive.infolist())
        if total > _SMALL + _MOST_GROWTH * path.stat().st_size:
            raise _refused(path, Sentence("it would unpack to {total:,} bytes, which no memory does", total=total))
        for name in (info.filename for info in _files(archive)):
            if not _NAME.fullmatch(name):
                raise _refused(path, Sentence("{file}: its name leads out of the memory folder", file=ascii(name)))
        try:
            damaged = archive.testzip()
            manifest = json.loads(archive.read(MANIFEST))
        except KeyError:
            raise _refused(path, Sentence("it has no {manifest}", manifest=MANIFEST)) from None
        except _DAMAGES as error:
            raise _refused(path, Sentence("it is damaged")) from error
        if damaged:
            raise _refused(path, Sentence("{file} is damaged", file=damaged))
        if not isinstance(manifest, dict) or {key: manifest.get(key) for key in FORMAT} != FORMAT:
            raise _refused(path, Sentence("its {manifest} is not one that this version knows", manifest=MANIFEST))
        yield archive


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if info.filename != MANIFEST and not info.is_dir()]


def _refused(path: Path, why: str) -> InputError:
    return InputError(
        Sentence("{name} cannot be used: {why}.", name=path.name, why=why),
        hint="Nothing was taken. Copy it again from where `nanobot-memory export` made it, or upgrade this program.",
    )


def _take(run: ImportRun, file: _Member, *, is_purged_any: bool) -> None:
    """Take one file. Raises `MemoryFileError`."""
    there = run.read(file.name)
    if there == file.data or (there and whole_key(file.name, file.data) in run.known):
        run.report.known += 1  # what was corrected here since stays so
    elif file.name == ENTRIES_FILE and (there or is_purged_any):
        _join_entries(run, file)
    elif not there:
        run.create(file.name, file.data, file.modified)
    elif grows(file.name):
        _add_records(run, file, there)
    else:
        _keep_separately(run, file, file.data)


def _keep_separately(run: ImportRun, file: _Member, data: bytes) -> None:
    name = f"imported/{PurePosixPath(file.name).stem}-{whole_key(file.name, data)}.md"
    if run.read(name):
        run.report.known += 1
        return
    run.create(name, data, file.modified)
    both = {"file": file.name, "copy": f"memory/{name}"}
    kept = Sentence("{file}: another text stands here already: both are kept, the archive's as {copy}", **both)
    run.report.notices.append(kept)


def _add_records(run: ImportRun, file: _Member, there: bytes) -> None:
    """Add the records that are missing: to the file that goes on in the archive, to the notes of the day.

    Messages of a transcript that went another way get a transcript of their own, next to those of other imports.
    """
    known = {key for key, _ in records_in(file.name, there)} | run.known
    target = file.name
    if is_transcript(file.name) and not file.data.startswith(there):
        first = next(filter(None, map(parse_transcript_line, file.data.split(b"\n"))), None)
        session = first.session_key if first is not None else file.name
        target = f"sessions/{session_file_name(f'imported/{session}')}"
    new: dict[str, bytes] = {}
    for key, piece in records_in(file.name, file.data):
        if key in known:
            run.report.known += 1
        elif is_transcript(file.name):
            new[key] = piece.rstrip(b"\n") + b"\n"
        elif piece.startswith(b"#"):
            new[key] = piece.strip() + b"\n\n"
        elif piece.strip():  # below another note it would be taken for a part of it
            _keep_separately(run, file, piece)
    run.add(target, new)


def _join_entries(run: ImportRun, file: _Member) -> None:
    joined = join_entries(run.paths.workspace, file.data, dry_run=run.report.dry_run)
    run.report.known += joined.known
    if joined.new:
        run.report.took("entries", ENTRIES_FILE, joined.new)
    if joined.other_text:
        _keep_separately(run, file, joined.other_text)
    run.joined(whole_key(file.name, file.data), joined.run)


def _modified(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
