"""Writing what an importer yields into a workspace: redacted, dated, and each item only once.

Nothing in the workspace is overwritten. From a whole file of another memory, missing records are added to the
transcript or the day's notes, and missing entries to the entries; if any other file differs, both versions stay, the
other memory's in ``memory/imported/``.
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
from nanobot_memory_plugins.core.transfer.archive import has_records, is_transcript
from nanobot_memory_plugins.core.transfer.import_run import (
    ENTRIES_FILE,
    KEY_DIGITS,
    ImportReport,
    ImportRun,
    file_key,
    import_lock,
    records_in,
)
from nanobot_memory_plugins.core.transfer.importer import (
    ImportedFile,
    ImportedMessage,
    ImportedNote,
    Importer,
    Item,
    JoinedEntries,
    installed_joiner,
)
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes of records that are collected before they are written.
_MAX_PENDING_BYTES = 1 << 18
# The largest difference between the times of the same message: a host dates it when it saves the turn, this memory when
# it receives the message.
_SAME_TIME = timedelta(minutes=15)
_NO_TEXT = "it has no text"
_TOOL_RESULT = "a tool's result; --tools takes them"
_RECORDED_HERE = "already recorded when it was said"
_NO_TIME = "it has no date"
_PRIVATE = "it is private, or was said while the memory was paused"
_WITHDRAWN = "something of its conversation was private, or was taken back here"


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
    """Import everything that an importer reads into a workspace, each item once, and return the report. It blocks.

    It can be interrupted at any moment and repeated. With ``dry_run`` nothing is written. Notes for which the importer
    names no owner get ``default_scope``. Raises `InputError` if the source cannot be read, `MemoryFileError` if the
    memory cannot be written, and `PluginError` if the importer fails.
    """
    report = ImportReport(str(source), format, dry_run=dry_run)
    paths = MemoryPaths.of(workspace)
    with _importer_errors(format):
        items = iter(importer(source, paths.workspace))
        first = list(islice(items, 1))  # a source that cannot be read is refused before any file is created
    with nullcontext() if dry_run else import_lock(paths):
        run = ImportRun(paths, report)
        writer = _ItemWriter(run, contacts=contacts, tools=tools, default_scope=default_scope)
        try:
            with _importer_errors(format):
                for item in chain(first, items):
                    writer.add(item)
        finally:
            writer.write()
        run.finish()
    return report


@contextmanager
def _importer_errors(format: str) -> Iterator[None]:  # noqa: A002
    """Turn exceptions of an importer, which may be a third party's, into `PluginError`."""
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
    """Writes items into a workspace.

    Messages go to separate transcripts, one for each session they come from; notes go to the file of their day.
    """

    def __init__(self, run: ImportRun, *, contacts: Contacts, tools: bool, default_scope: Scope) -> None:
        self._run = run
        self._redaction = ContactRedaction(contacts)
        self._tools = tools
        self._default_scope = default_scope
        # The current session, and the times of the messages that this memory recorded in it, by role and text.
        self._recorded: tuple[str, dict[tuple[str, str], list[datetime]]] = "", {}
        self._pending: dict[str, dict[str, bytes]] = {}
        self._pending_bytes = 0
        # The number of equal messages in a file ("ok" and "ok" are two), and the private parts of each conversation.
        self._repeated: Counter[tuple[str, str]] = Counter()
        self._conversations: defaultdict[tuple[str, str], OffRecordFilter] = defaultdict(OffRecordFilter)
        self._marks = PrivacyFile(run.paths).read()

    def add(self, item: Item) -> None:
        """Add one item. Raises `MemoryFileError` if it cannot be written; earlier items may have been written."""
        if isinstance(item, ImportedFile):
            self._add_file(item)
            return
        if isinstance(item, ImportedMessage):
            why = self._add_message(item)
        else:
            why = self._add_note(item) if isinstance(item, ImportedNote) else item.why
        if why:
            self._run.report.skip(why, item.file, item.line)

    def write(self) -> None:
        """Write the pending records. Raises `MemoryFileError`."""
        for name, records in self._pending.items():
            self._run.add(name, records)
        self._pending, self._pending_bytes = {}, 0

    def _add_message(self, item: ImportedMessage) -> str:
        """Add a message, or return the reason why it is skipped."""
        if self._conversations[item.file, item.session_key].covers(item.role, item.text):
            return _PRIVATE
        if item.origin in (Origin.TOOL, Origin.WEB) and not self._tools:
            return _TOOL_RESULT
        session = redact_key(item.session_key)
        if self._marks.is_marked(session):
            return _WITHDRAWN
        text = without_private(item.text) if item.origin is Origin.USER else item.text
        record = TranscriptRecord(
            role=one_line(item.role),
            text=self._redact(remove_fenced(text), item.origin),
            session_key=session,
            scope=redact_scope(replace(item.scope, session=session)),
            origin=item.origin,
            time=_local_time(item.time) if item.time is not None else None,
            name=self._redact(item.name, item.origin),
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
        self._add_record(f"sessions/{session_file_name(f'imported/{session}')}", key, line)
        return ""

    def _was_recorded(self, record: TranscriptRecord) -> bool:
        """Return whether this memory recorded the message itself; each recorded message matches only one."""
        if self._recorded[0] != record.session_key:
            self._recorded = record.session_key, _recorded_times(self._run.paths.transcript(record.session_key))
        times = self._recorded[1].get((record.role, record.text), [])
        match = next((one for one in times if record.time is not None and abs(one - record.time) <= _SAME_TIME), None)
        if match is not None:
            times.remove(match)
        return match is not None

    def _add_note(self, item: ImportedNote) -> str:
        """Add a note, or return the reason why it is skipped."""
        note = item.note
        if note.time is None:
            return _NO_TIME
        tldr, details, title, *tags = (
            self._redact(without_private(text), note.origin)
            for text in (note.tldr, note.details, note.title, *note.tags)
        )
        safe = replace(note, tldr=tldr, details=details, title=title, tags=tuple(tags))
        if not (safe.tldr.strip() or safe.details.strip()):
            return _NO_TEXT
        time, scope = _local_time(note.time), redact_scope(note.scope or self._default_scope)
        when = _key_time(note.time if item.time_is_certain else None)
        key = _key(("note", scope.session, when, safe.title, safe.tldr, safe.details))
        self._add_record(
            self._run.paths.day_note(time.date()).name,
            key,
            render_note(safe, id=key, time=time, scope=scope).encode("utf-8"),
        )
        return ""

    def _add_file(self, item: ImportedFile) -> None:
        cleaner = secrets_cleaner(self._redaction.redact_people, self._redaction.redact_tools, everywhere=True)
        cleaned = cleaner.clean(item.name, item.data)
        if cleaned.removed:
            self._run.report.notices.append(Sentence("secrets were taken out of {file}", file=item.file))
        _import_file(self._run, replace(item, data=cleaned.data))

    def _add_record(self, name: str, key: str, data: bytes) -> None:
        if key in self._run.known:
            self._run.report.known += 1
            return
        self._run.known.add(key)
        self._pending.setdefault(name, {})[key] = data
        self._pending_bytes += len(data)
        if self._pending_bytes > _MAX_PENDING_BYTES:
            self.write()

    def _redact(self, value: str, origin: Origin) -> str:
        """Redact a text. Contacts in the user's own text stay readable in later texts, if the configuration says so."""
        text = clean(value)
        if origin is Origin.USER:
            self._redaction.learn(text)
        return self._redaction.redact(text, origin)


def _recorded_times(path: Path) -> dict[tuple[str, str], list[datetime]]:
    """Return the times of the messages in a transcript, by role and text."""
    times: dict[tuple[str, str], list[datetime]] = {}
    with suppress(OSError):
        for record in filter(None, map(parse_transcript_line, read_regular(path).split(b"\n"))):
            if record.time is not None:
                times.setdefault((record.role, record.text), []).append(record.time)
    return times


def _key(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(map(clean, parts)).encode("utf-8")).hexdigest()[:KEY_DIGITS]


def _key_time(time: datetime | None) -> str:
    """Return a time for a key, independent of the machine's time zone."""
    if time is None:
        return ""
    with suppress(OverflowError):
        time = time.astimezone(UTC) if time.tzinfo is not None else time
    return exact_time(time)


def _local_time(time: datetime) -> datetime:
    """Return a time in the machine's zone; a time without a zone is local time."""
    with suppress(OverflowError, OSError, ValueError):  # at the ends of the calendar
        return time.astimezone()
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


# --- whole files of another memory


def _import_file(run: ImportRun, file: ImportedFile) -> None:
    """Import one file, from which secrets were removed. Raises `MemoryFileError`."""
    existing = run.read(file.name)
    if existing == file.data or (existing and file_key(file.name, file.data) in run.known):
        run.report.known += 1  # later changes in the workspace stay
    elif file.name == ENTRIES_FILE and (existing or PrivacyFile(run.paths).read().last_marked):
        _join_entries(run, file)
    elif not existing:
        run.create(file.name, file.data)
    elif has_records(file.name):
        _add_records(run, file, existing)
    else:
        _keep_both(run, file, file.data)


def _keep_both(run: ImportRun, file: ImportedFile, data: bytes) -> None:
    name = f"imported/{PurePosixPath(file.name).stem}-{file_key(file.name, data)}.md"
    if run.read(name):
        run.report.known += 1
        return
    run.create(name, data)
    both = {"file": file.name, "copy": f"memory/{name}"}
    kept = Sentence("{file}: the memory already has another text: both are kept, the archive's as {copy}", **both)
    run.report.notices.append(kept)


def _add_records(run: ImportRun, file: ImportedFile, existing: bytes) -> None:
    """Append the missing records to the day's notes, or to a transcript of which the archive's is a continuation.

    If the two transcripts differ, the archive's messages go to a separate transcript, beside those of other imports.
    """
    known = {key for key, _ in records_in(file.name, existing)} | run.known
    target = file.name
    if is_transcript(file.name) and not file.data.startswith(existing):
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
        elif piece.strip():  # appended to the file it would become part of the last note
            _keep_both(run, file, piece)
    run.add(target, new)


def _join_entries(run: ImportRun, file: ImportedFile) -> None:
    joined = JoinedEntries(other_text=file.data)
    if (joiner := installed_joiner()) is not None:
        joined = joiner.join(run.paths.workspace, file.data, dry_run=run.report.dry_run)
    run.report.known += joined.known
    if joined.new:
        run.report.count("entries", ENTRIES_FILE, joined.new)
    if joined.other_text:
        _keep_both(run, file, joined.other_text)
    run.record_join(file_key(file.name, file.data), joined.run)
