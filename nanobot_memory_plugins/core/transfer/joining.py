"""A whole file of another memory into a workspace: as it was where there is nothing, joined where there is something.

Nothing in the workspace is overwritten. Transcripts and notes get each other's records, and entries each other's
entries; of other files that differ both stay, the other's in ``memory/imported/``.
"""

from pathlib import PurePosixPath

from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.transfer.archive import grows, is_transcript
from nanobot_memory_plugins.core.transfer.importer import ImportedFile, JoinedEntries, installed_joiner
from nanobot_memory_plugins.core.transfer.run import ENTRIES_FILE, ImportRun, records_in, whole_key
from nanobot_memory_plugins.redaction.script.messages import Sentence


def take_file(run: ImportRun, file: ImportedFile) -> None:
    """Take one file, without its secrets. Raises `MemoryFileError`."""
    there = run.read(file.name)
    if there == file.data or (there and whole_key(file.name, file.data) in run.known):
        run.report.known += 1  # what was corrected here since stays so
    elif file.name == ENTRIES_FILE and (there or PrivacyFile(run.paths).read().last):
        _join_entries(run, file)
    elif not there:
        run.create(file.name, file.data)
    elif grows(file.name):
        _add_records(run, file, there)
    else:
        _keep_separately(run, file, file.data)


def _keep_separately(run: ImportRun, file: ImportedFile, data: bytes) -> None:
    name = f"imported/{PurePosixPath(file.name).stem}-{whole_key(file.name, data)}.md"
    if run.read(name):
        run.report.known += 1
        return
    run.create(name, data)
    both = {"file": file.name, "copy": f"memory/{name}"}
    kept = Sentence("{file}: another text stands here already: both are kept, the archive's as {copy}", **both)
    run.report.notices.append(kept)


def _add_records(run: ImportRun, file: ImportedFile, there: bytes) -> None:
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


def _join_entries(run: ImportRun, file: ImportedFile) -> None:
    joined = JoinedEntries(other_text=file.data)
    if (joiner := installed_joiner()) is not None:
        joined = joiner.join(run.paths.workspace, file.data, dry_run=run.report.dry_run)
    run.report.known += joined.known
    if joined.new:
        run.report.took("entries", ENTRIES_FILE, joined.new)
    if joined.other_text:
        _keep_separately(run, file, joined.other_text)
    run.joined(whole_key(file.name, file.data), joined.run)
