"""Writing what an importer reads: redacted, dated, each thing once."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core.files import (
    REDACTION_FAILED,
    MemoryPaths,
    TranscriptRecord,
    render_note,
    render_transcript_line,
    session_file_name,
)
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.files.entries import exact_time
from nanobot_memory_plugins.core.files.spill_format import SpilledRecord, merge_into
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.transfer.existing_records import ExistingRecords, ids_in
from nanobot_memory_plugins.core.transfer.following import Placed
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.transfer.ledger import KEY_DIGITS, TAKEN, Ledger
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.written import ImportRecord
from nanobot_memory_plugins.core.values import Note, Origin, Scope

_ID_DIGITS = 16
# What is held before it is written, in bytes and records.
_MOST_BYTES, _MOST_RECORDS = 1 << 22, 5_000
# How long an agent that writes just now is waited for, in seconds.
LOCK_SECONDS = 30.0
_NO_TEXT = "it has no text"
_TOOL_RESULT = "a tool's result; --tools takes them"
_SAID_HERE = "already recorded when it was said"
_NO_TIME = "it has no date"


@dataclass(frozen=True, slots=True)
class _Waiting:
    key: str
    kind: str
    file: str
    data: bytes
    id: str


class ImportWriter:
    """Takes items into a workspace. Everything here blocks.

    Messages go to transcripts of their own, beside those of the agent, under the session that they were said in; notes
    go to the file of their day. ``tools`` takes tools' results, too. With ``dry_run`` nothing is written. ``record``
    is told what is about to be.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        report: ImportReport,
        *,
        redaction: ContactRedaction,
        tools: bool = False,
        lock_seconds: float = LOCK_SECONDS,
        record: ImportRecord | None = None,
        whose: Scope = Scope(),
    ) -> None:
        self._paths = paths
        self._record = record
        self._report = report
        self._redaction = redaction
        self._tools = tools
        self._whose = whose
        self._appender = Appender(paths, lock_seconds)
        self._ledger = Ledger(paths, self._appender)
        self._recorded = ExistingRecords(paths)
        self._waiting: dict[Path, list[_Waiting]] = {}
        self._bytes = self._records = 0
        self._pending: set[str] = set()
        # The notes of each file that was read, taken now or before, by their keys.
        self.placed: dict[str, dict[str, Placed]] = {}
        # How often the same was said in the file that is being read: "ok" and "ok" are two messages.
        self._repeated: Counter[str] = Counter()
        self._file = ""

    def take(self, item: Item) -> None:
        """Take one item. Raises `MemoryFileError` when it cannot be written; all before it may be written."""
        if isinstance(item, ImportedMessage):
            self._take_message(item)
        elif isinstance(item, ImportedNote):
            self._take_note(item)
        elif isinstance(item, Skipped):
            self._report.leave(item.why, item.file, item.line)

    def finish(self) -> None:
        """Write what waits, and wait until it is on the disk. Raises `MemoryFileError`."""
        self._flush()
        self._appender.sync()

    def _take_message(self, item: ImportedMessage) -> None:
        if item.origin in (Origin.TOOL, Origin.WEB) and not self._tools and not item.id:
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
            return
        if self._recorded.holds(record, item.id):
            self._report.leave(_SAID_HERE, item.file, item.line)
            return
        when = _key_time(item.time) if item.time is not None else ""
        key = self._key("message", item, (item.id, record.session_key, record.role, when, record.text), repeats=True)
        record = replace(record, id=item.id or key[:_ID_DIGITS])
        path = self._paths.sessions / session_file_name(f"imported/{session}")
        self._put(_Waiting(key, "messages", item.file, render_transcript_line(record), record.id), path)

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
        parts = (item.id, scope.session, when, safe.title, safe.tldr, safe.details)
        key = self._key("note", item, parts, repeats=False)
        id_ = item.id or key[:_ID_DIGITS]
        data = render_note(safe, id=id_, time=time, scope=scope).encode("utf-8")
        day = self._paths.day_note(time.date()).relative_to(self._paths.memory).as_posix()
        self.placed.setdefault(item.file, {})[key] = Placed.of(day, id_, data)
        self._put(_Waiting(key, "notes", item.file, data, id_), self._paths.day_note(time.date()))

    def _key(self, kind: str, item: ImportedMessage | ImportedNote, parts: Iterable[str], *, repeats: bool) -> str:
        if item.file != self._file:
            self._file = item.file
            self._repeated.clear()
        plain = "\0".join((kind, *(clean(part) for part in parts)))
        if repeats:
            self._repeated[plain] += 1
            plain += f"\0{self._repeated[plain]}" if self._repeated[plain] > 1 else ""
        return hashlib.sha256(plain.encode("utf-8")).hexdigest()[:KEY_DIGITS]

    def _put(self, waiting: _Waiting, path: Path) -> None:
        if waiting.key in self._ledger or waiting.key in self._pending:
            self._report.knew()
            return
        self._pending.add(waiting.key)
        self._waiting.setdefault(path, []).append(waiting)
        self._bytes += len(waiting.data)
        self._records += 1
        if self._bytes > _MOST_BYTES or self._records > _MOST_RECORDS:
            self._flush()

    def _flush(self) -> None:
        for path, waiting in self._waiting.items():
            # A killed import has written these and not remembered them.
            there = ids_in(path)
            written = len(waiting)
            if not self._report.dry_run:
                records = [SpilledRecord(path, one.data) for one in waiting]
                if self._record is not None:
                    name = path.relative_to(self._paths.memory).as_posix()
                    self._record.records(name, {one.id: one.data for one in waiting if one.id not in there})
                    self._record.keys(TAKEN, (one.key for one in waiting))
                written = merge_into(self._appender, path, lambda records=records: records, wait=True)  # type: ignore[misc]
            elif there:
                written = sum(one.id not in there for one in waiting)
            self._report.wrote(self._paths.relative(path), written)
            for one in waiting:
                if written < len(waiting) and one.id in there:
                    self._report.knew()
                else:
                    self._report.took(one.kind, one.file)
            if not self._report.dry_run:
                self._ledger.add(one.key for one in waiting)
        self._waiting.clear()
        self._bytes = self._records = 0

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
