"""Writing what an importer reads: redacted, dated, each thing once."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.files import (
    REDACTION_FAILED,
    MemoryPaths,
    TranscriptRecord,
    exact_time,
    parse_transcript_line,
    read_regular,
    render_note,
    render_transcript_line,
    session_file_name,
)
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Remark, Skipped
from nanobot_memory_plugins.core.transfer.ledger import DIGITS, ImportLedger, records_in
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.values import Note, Origin, Scope

# How long an agent that writes just now is waited for, in seconds.
LOCK_SECONDS = 30.0
# What is held before it is written, in bytes.
_MOST_BYTES = 1 << 18
# A host dates a message when it saves the turn, this memory when it hears it.
_SAME_TIME = timedelta(minutes=15)
_NO_TEXT = "it has no text"
_TOOL_RESULT = "a tool's result; --tools takes them"
_SAID_HERE = "already recorded when it was said"
_NO_TIME = "it has no date"


class ImportWriter:
    """Takes items into a workspace. Everything here blocks.

    Messages go to transcripts of their own, beside those of the agent, under the session that they were said in; notes
    go to the file of their day. ``tools`` takes tools' results, too; ``whose`` the notes are of which the importer does
    not say it. Where the report says that nothing is to be written, nothing is.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        report: ImportReport,
        ledger: ImportLedger,
        appender: Appender,
        *,
        redaction: ContactRedaction,
        tools: bool = False,
        whose: Scope = Scope(),
    ) -> None:
        self._paths = paths
        self._report = report
        self._ledger = ledger
        self._appender = appender
        self._redaction = redaction
        self._tools = tools
        self._whose = whose
        self._said_here = _Transcript()
        self._waiting: dict[Path, dict[str, bytes]] = {}
        self._taken: set[str] = set()
        self._bytes = 0
        # How often the same was said in the file that is being read: "ok" and "ok" are two messages.
        self._repeated: Counter[str] = Counter()
        self._file = ""

    def take(self, item: Item) -> None:
        """Take one item. Raises `MemoryFileError` when it cannot be written; all before it may be written."""
        if isinstance(item, ImportedMessage):
            self._take_message(item)
        elif isinstance(item, ImportedNote):
            self._take_note(item)
        elif isinstance(item, Remark):
            self._report.remarks.setdefault(item.about, []).append(item.file)
        elif isinstance(item, Skipped):
            self._report.leave(item.why, item.file, item.line)

    def finish(self) -> None:
        """Write what waits, and wait until it is on the disk. Raises `MemoryFileError`."""
        for path, records in self._waiting.items():
            self._write(path, records)
        self._waiting, self._bytes = {}, 0
        self._appender.sync()

    def _take_message(self, item: ImportedMessage) -> None:
        if item.origin in (Origin.TOOL, Origin.WEB) and not self._tools:
            self._report.leave(_TOOL_RESULT, item.file, item.line)
            return
        session = redact_key(item.session_key)
        record = TranscriptRecord(
            role=one_line(item.role),
            text=self._redacted(remove_fenced(item.text), item.origin),
            session_key=session,
            scope=redact_scope(replace(item.scope, session=session)),
            origin=item.origin,
            time=local_time(item.time) if item.time is not None else None,
            name=self._redacted(item.name, item.origin),
        )
        if not record.text.strip():
            self._report.leave(_NO_TEXT, item.file, item.line)
        elif self._said_here.takes(self._paths.transcript(session), record):
            self._report.leave(_SAID_HERE, item.file, item.line)
        else:
            when = _key_time(item.time) if item.time is not None else ""
            key = self._key(item.file, ("message", session, record.role, when, record.text), repeats=True)
            line = render_transcript_line(replace(record, id=key))
            self._put(self._paths.sessions / session_file_name(f"imported/{session}"), key, line)

    def _take_note(self, item: ImportedNote) -> None:
        note = item.note
        if note.time is None:
            self._report.leave(_NO_TIME, item.file, item.line)
            return
        time = local_time(note.time)
        safe = Note(
            tldr=self._redacted(note.tldr, note.origin),
            details=self._redacted(note.details, note.origin),
            type=note.type,
            tags=tuple(self._redacted(tag, note.origin) for tag in note.tags),
            title=self._redacted(note.title, note.origin),
            origin=note.origin,
        )
        if not (safe.tldr.strip() or safe.details.strip()):
            self._report.leave(_NO_TEXT, item.file, item.line)
            return
        scope = redact_scope(note.scope or self._whose)
        when = _key_time(note.time) if item.time_is_certain else ""
        key = self._key(item.file, ("note", scope.session, when, safe.title, safe.tldr, safe.details))
        data = render_note(safe, id=key, time=time, scope=scope).encode("utf-8")
        self._put(self._paths.day_note(time.date()), key, data)

    def _key(self, file: str, parts: Iterable[str], *, repeats: bool = False) -> str:
        if file != self._file:
            self._file = file
            self._repeated.clear()
        plain = "\0".join(clean(part) for part in parts)
        if repeats:
            self._repeated[plain] += 1
            plain += f"\0{self._repeated[plain]}" if self._repeated[plain] > 1 else ""
        return hashlib.sha256(plain.encode("utf-8")).hexdigest()[:DIGITS]

    def _put(self, path: Path, key: str, data: bytes) -> None:
        if key in self._ledger.known or key in self._taken:
            self._report.known += 1
            return
        self._taken.add(key)
        self._waiting.setdefault(path, {})[key] = data
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES:
            self.finish()

    def _write(self, path: Path, records: dict[str, bytes]) -> None:
        """Append the records that a file does not hold already, as after an import that was broken off."""
        name = path.relative_to(self._paths.memory).as_posix()
        there: set[str] = set()
        with suppress(OSError):
            there = {key for key, _ in records_in(name, read_regular(path))}
        new = {key: data for key, data in records.items() if key not in there}
        self._report.known += len(records) - len(new)
        if new and not self._report.dry_run:
            self._ledger.add_records(name, new)
            self._appender.append(path, b"".join(new.values()))
        if new:
            self._report.took("messages" if name.endswith(".jsonl") else "notes", name, len(new))

    def _redacted(self, value: str, origin: Origin) -> str:
        """Return a text without secrets, as who said it wants it. When that fails nothing of it gets through."""
        text = clean(value)
        if not text:
            return text
        try:
            if origin is Origin.USER:
                self._redaction.hear(text)
            return self._redaction.by_origin[origin](text)
        except Exception as error:
            logger.warning("Redaction failed ({}): the text is not kept", type(error).__name__)
            return REDACTION_FAILED


class _Transcript:
    """What this memory has written down itself of the session that is imported just now."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._times: dict[tuple[str, str], list[datetime]] = {}

    def takes(self, path: Path, record: TranscriptRecord) -> bool:
        """Return whether a message was written down when it was said; each one that was stands for one message."""
        if path != self._path:
            self._path, self._times = path, {}
            with suppress(OSError):
                for line in read_regular(path).split(b"\n"):
                    if (said := parse_transcript_line(line)) is not None and said.time is not None:
                        self._times.setdefault((said.role, said.text), []).append(said.time)
        times = self._times.get((record.role, record.text), [])
        for index, time in enumerate(times):
            if record.time is not None and abs(time - record.time) <= _SAME_TIME:
                del times[index]
                return True
        return False


def _key_time(time: datetime) -> str:
    """Return a time for a key: the same wherever the machine is when it is imported again."""
    with suppress(OverflowError):
        time = time.astimezone(UTC) if time.tzinfo is not None else time
    return exact_time(time)


def local_time(time: datetime) -> datetime:
    """Return a time in the machine's zone; a naive one is taken to be local."""
    with suppress(OverflowError, OSError, ValueError):  # the ends of the calendar
        return time.astimezone()
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
