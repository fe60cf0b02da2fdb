"""An import: what an importer reads, redacted, dated, each thing once.

Nothing in the workspace is overwritten. Of a whole file of another memory transcripts and notes get each other's
records, and entries each other's entries; of other files that differ both stay, the other's in ``memory/imported/``.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from nanobot_memory_plugins.core.erasure.cleaning import secrets_cleaner
from nanobot_memory_plugins.core.errors import NanobotMemoryError, PluginError
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, parse_transcript_line, render_transcript_line
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.text.private import OffRecordFilter, without_private
from nanobot_memory_plugins.core.transfer.archive import grows, is_transcript
from nanobot_memory_plugins.core.transfer.importer import (
    ImportedFile,
    ImportedMessage,
    ImportedNote,
    Importer,
    Item,
    JoinedEntries,
    installed_joiner,
)
from nanobot_memory_plugins.core.transfer.run import (
    DIGITS,
    ENTRIES_FILE,
    ImportReport,
    ImportRun,
    only_import,
    records_in,
    whole_key,
)
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What is held before it is written, in bytes.
_MOST_BYTES = 1 << 18
# A host dates a message when it saves the turn, this memory when it receives it.
_SAME_TIME = timedelta(minutes=15)
_NO_TEXT = "it has no text"
_TOOL_RESULT = "a tool's result; --tools takes them"
_RECORDED_HERE = "already recorded when it was said"
_NO_TIME = "it has no date"
_PRIVATE = "it is private, or was said while the memory was paused"
_TAKEN_BACK = "something of its conversation was private, or was taken back here"


def import_from(
    importer: Importer,
    format: str,  # noqa: A002
    source: Path,
    workspace: Path,
    *,
    dry_run: bool = False,
    tools: bool = False,
    contacts: Contacts = "user",
    default_scope: Scope = Scope(),
) -> ImportReport:
    """Take everything that an importer reads into a workspace, each thing once, and report. It blocks.

    It can be broken off at any moment and done again. With ``dry_run`` nothing is written. Notes for which
    the importer names no owner get ``default_scope``. Raises `InputError` when the source cannot be read,
    `MemoryFileError` when the memory cannot be written, and `PluginError` when the importer fails.
    """
    report = ImportReport(str(source), format, dry_run=dry_run)
    paths = MemoryPaths.of(workspace)
    with _faults_of(format):
        items = iter(importer(source, paths.workspace))
        first = list(islice(items, 1))  # what cannot be read at all is refused before anything is made
    with nullcontext() if dry_run else only_import(paths):
        run = ImportRun(paths, report)
        writer = _ItemWriter(run, contacts=contacts, tools=tools, default_scope=default_scope)
        try:
            with _faults_of(format):
                for item in chain(first, items):
                    writer.take(item)
        finally:
            writer.write()
        run.finish()
    return report


@contextmanager
def _faults_of(format: str) -> Iterator[None]:  # noqa: A002
    """Raise `PluginError` where an importer, which may be anybody's, fails or yields what is no item."""
    try:
        yield
    except NanobotMemoryError:
        raise
    except Exception as error:
        raise PluginError(
            Sentence("The importer {format} failed with {kind}.", format=format, kind=type(error).__name__),
            hint="What it had read until then was taken. Report it to whoever wrote the importer.",
        ) from error


class _ItemWriter:
    """Takes items into a workspace.

    Messages go to transcripts of their own, apart from those of the agent, under the session that they were said in;
    notes go to the file of their day.
    """

    def __init__(self, run: ImportRun, *, contacts: Contacts, tools: bool, default_scope: Scope) -> None:
        self._run = run
        self._redaction = ContactRedaction(contacts)
        self._tools = tools
        self._default_scope = default_scope
        # What this memory has written down itself of the session that is imported just now.
        self._recorded: tuple[str, dict[tuple[str, str], list[datetime]]] = "", {}
        self._waiting: dict[str, dict[str, bytes]] = {}
        self._bytes = 0
        # How often the same was said in a file ("ok" and "ok" are two messages), and what of a conversation is private.
        self._repeated: Counter[tuple[str, str]] = Counter()
        self._conversations: defaultdict[tuple[str, str], OffRecordFilter] = defaultdict(OffRecordFilter)
        self._marks = PrivacyFile(run.paths).read()

    def take(self, item: Item) -> None:
        """Take one item. Raises `MemoryFileError` when it cannot be written; all before it may be written."""
        if isinstance(item, ImportedFile):
            self._take_file(item)
            return
        if isinstance(item, ImportedMessage):
            why = self._take_message(item)
        else:
            why = self._take_note(item) if isinstance(item, ImportedNote) else item.why
        if why:
            self._run.report.leave(why, item.file, item.line)

    def write(self) -> None:
        """Write what waits. Raises `MemoryFileError`."""
        for name, records in self._waiting.items():
            self._run.add(name, records)
        self._waiting, self._bytes = {}, 0

    def _take_message(self, item: ImportedMessage) -> str:
        """Take a message, or return why it is left."""
        if self._conversations[item.file, item.session_key].covers(item.role, item.text):
            return _PRIVATE
        if item.origin in (Origin.TOOL, Origin.WEB) and not self._tools:
            return _TOOL_RESULT
        session = redact_key(item.session_key)
        if self._marks.is_marked(session):
            return _TAKEN_BACK
        text = without_private(item.text) if item.origin is Origin.USER else item.text
        record = TranscriptRecord(
            role=one_line(item.role),
            text=self._redacted(remove_fenced(text), item.origin),
            session_key=session,
            scope=redact_scope(replace(item.scope, session=session)),
            origin=item.origin,
            time=_local_time(item.time) if item.time is not None else None,
            name=self._redacted(item.name, item.origin),
        )
        if not record.text.strip():
            return _NO_TEXT
        if self._was_recorded(record):
            return _RECORDED_HERE
        parts = ["message", session, record.role, _key_time(item.time), record.text]
        self._repeated[item.file, _key(parts)] += 1
        if (times := self._repeated[item.file, _key(parts)]) > 1:
            parts.append(str(times))
        key = _key(parts)
        line = render_transcript_line(replace(record, id=key))
        self._put(f"sessions/{session_file_name(f'imported/{session}')}", key, line)
        return ""

    def _was_recorded(self, record: TranscriptRecord) -> bool:
        """Return whether a message was written down when it was said; each recorded one accounts for one message."""
        if self._recorded[0] != record.session_key:
            self._recorded = record.session_key, _recorded_times(self._run.paths.transcript(record.session_key))
        times = self._recorded[1].get((record.role, record.text), [])
        said = next((one for one in times if record.time is not None and abs(one - record.time) <= _SAME_TIME), None)
        if said is not None:
            times.remove(said)
        return said is not None

    def _take_note(self, item: ImportedNote) -> str:
        """Take a note, or return why it is left."""
        note = item.note
        if note.time is None:
            return _NO_TIME
        tldr, details, title, *tags = (
            self._redacted(without_private(text), note.origin)
            for text in (note.tldr, note.details, note.title, *note.tags)
        )
        safe = replace(note, tldr=tldr, details=details, title=title, tags=tuple(tags))
        if not (safe.tldr.strip() or safe.details.strip()):
            return _NO_TEXT
        time, scope = _local_time(note.time), redact_scope(note.scope or self._default_scope)
        when = _key_time(note.time if item.time_is_certain else None)
        key = _key(("note", scope.session, when, safe.title, safe.tldr, safe.details))
        self._put(
            self._run.paths.day_note(time.date()).name,
            key,
            render_note(safe, id=key, time=time, scope=scope).encode("utf-8"),
        )
        return ""

    def _take_file(self, item: ImportedFile) -> None:
        cleaner = secrets_cleaner(self._redaction.redact_people, self._redaction.redact_tools, everywhere=True)
        cleaned = cleaner.clean(item.name, item.data)
        if cleaned.removed:
            self._run.report.notices.append(Sentence("secrets were taken out of {file}", file=item.file))
        _take_whole(self._run, replace(item, data=cleaned.data))

    def _put(self, name: str, key: str, data: bytes) -> None:
        if key in self._run.known:
            self._run.report.known += 1
            return
        self._run.known.add(key)
        self._waiting.setdefault(name, {})[key] = data
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES:
            self.write()

    def _redacted(self, value: str, origin: Origin) -> str:
        """Return a text without secrets, as who said it wants it."""
        text = clean(value)
        if origin is Origin.USER:
            self._redaction.learn(text)
        return self._redaction.redact(text, origin)


def _recorded_times(path: Path) -> dict[tuple[str, str], list[datetime]]:
    """Return when each message of a transcript was written down here, by its role and text."""
    times: dict[tuple[str, str], list[datetime]] = {}
    with suppress(OSError):
        for record in filter(None, map(parse_transcript_line, read_regular(path).split(b"\n"))):
            if record.time is not None:
                times.setdefault((record.role, record.text), []).append(record.time)
    return times


def _key(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(map(clean, parts)).encode("utf-8")).hexdigest()[:DIGITS]


def _key_time(time: datetime | None) -> str:
    """Return a time for a key: the same wherever the machine is when it is imported again."""
    if time is None:
        return ""
    with suppress(OverflowError):
        time = time.astimezone(UTC) if time.tzinfo is not None else time
    return exact_time(time)


def _local_time(time: datetime) -> datetime:
    """Return a time in the machine's zone; a naive one is taken to be local."""
    with suppress(OverflowError, OSError, ValueError):  # the ends of the calendar
        return time.astimezone()
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


# --- a whole file of another memory


def _take_whole(run: ImportRun, file: ImportedFile) -> None:
    """Take one file, without its secrets. Raises `MemoryFileError`."""
    there = run.read(file.name)
    if there == file.data or (there and whole_key(file.name, file.data) in run.known):
        run.report.known += 1  # what was corrected here since stays so
    elif file.name == ENTRIES_FILE and (there or PrivacyFile(run.paths).read().last_marked):
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
