"""Writing notes and messages: what happens in the writer thread."""

import time as time_module
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError
from nanobot_memory_plugins.core.files.entries import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.redacted_fields import removed_values, without
from nanobot_memory_plugins.core.files.spill import SpillFile, merge_abandoned
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.values import Destination, Note, Origin, Receipt, Scope
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

REDACTION_FAILED = "[REDACTED: redaction failed]"

# How a line ends that says what stands below it: "my password is".
_ANNOUNCES = (" is", " are", " was", ":", "：", "=", "->", "是", "为")

_SYNC_SECONDS = 1.0
_RETRY_SECONDS = 1.0


class Writer:
    """Redacts, encodes and appends. What is not said to belong to any thread belongs to one."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        redact: Callable[[str], str],
        redact_by_origin: Mapping[Origin, Callable[[str], str]],
        lock_seconds: float,
        on_append: Callable[[Path], None] | None,
    ) -> None:
        self._paths = paths
        self._redact = redact
        self._redact_by_origin = redact_by_origin
        self._on_append = on_append
        self._appender = Appender(paths, lock_seconds)
        self._spill = SpillFile(paths)
        self._abandoned = False  # spill files of dead processes wait for a file that was locked
        self._retry_at: float | None = None
        self._warned: dict[Path, str] = {}

    def note(self, note: Note, *, id: str, time: datetime, scope: Scope) -> Receipt:  # noqa: A002
        """Write a note to the file that it belongs to; ``time`` is local."""
        tldr, details = self._redacted(note.tldr, note.origin), self._redacted_below(note)
        taken = removed_values(f"{note.tldr}\n{note.details}", f"{tldr}\n{details}")
        safe = replace(
            note,
            tldr=tldr,
            details=details,
            title=without(taken, self._redacted(note.title, note.origin)),
            tags=tuple(without(taken, self._redacted(tag, note.origin)) for tag in note.tags),
        )
        is_long_term = str(note.destination) == Destination.LONG_TERM
        path = self._paths.long_term if is_long_term else self._paths.day_note(time.date())
        return self._store(path, id, render_note(safe, id=id, time=time, scope=scope).encode("utf-8"))

    def message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. The record has its id and time."""
        return self.redacted_message(self.without_secrets(record))

    def without_secrets(self, record: TranscriptRecord) -> TranscriptRecord:
        """Return a record redacted. May be called in any thread."""
        return replace(
            record,
            role=one_line(record.role),
            text=self._redacted(record.text, record.origin),
            name=self._redacted(record.name, record.origin),
        )

    def redacted_message(self, record: TranscriptRecord) -> Receipt:
        """Write a message that was redacted to its session's transcript."""
        path = self._paths.transcript(record.session_key)
        return self._store(path, record.id, render_transcript_line(record))

    def merge_abandoned(self) -> int:
        """Merge what earlier processes left behind; return how many records were appended."""
        count, self._abandoned = merge_abandoned(self._paths, self._appender, self._announce)
        return count

    def tick(self) -> float | None:
        """Do what is due: sync the files, try again to merge. Return the seconds until something is."""
        now = time_module.monotonic()
        due: list[float] = []
        if self._abandoned or not self._spill.is_empty:
            if self._retry_at is None:
                self._retry_at = now + _RETRY_SECONDS
            if now >= self._retry_at:
                self._merge_waiting()
                self._retry_at = now + _RETRY_SECONDS
            due.append(self._retry_at)
        if self._appender.unsynced_since is not None:
            if now >= self._appender.unsynced_since + _SYNC_SECONDS:
                self._sync()
            else:
                due.append(self._appender.unsynced_since + _SYNC_SECONDS)
        return max(0.0, min(due) - now) if due else None

    def finish(self) -> None:
        """Merge what waits, if its file is free, and sync everything."""
        self._merge_own(wait=True)
        self._sync()
        self._spill.close()

    def refused(self, error: BaseException) -> Receipt:
        """Return the receipt for a record that an unforeseen error kept from its file."""
        self._warn(self._paths.memory, f"A record could not be written: {type(error).__name__}")
        return Receipt(stored=False, reason=f"The record could not be written: {type(error).__name__}.")

    def _store(self, path: Path, id: str, data: bytes) -> Receipt:  # noqa: A002
        try:
            # What waits for this file goes first, so that the order is kept.
            if self._spill.holds(path):
                self._spill.merge(self._appender, self._announce, only=path, wait=False)
            if not self._spill.holds(path):
                try:
                    line = self._appender.append(path, data)
                except FileBusyError:
                    logger.debug("{} is locked: the record goes to the spill file", path.name)
                else:
                    self._warned.pop(path, None)
                    self._announce(path)
                    return Receipt(stored=True, id=id, path=path, line=line)
            line = self._spill.add(self._appender, path, data)
            return Receipt(stored=True, id=id, path=self._spill.path, line=line, spilled=True)
        except MemoryFileError as error:
            self._warn(path, str(error))
            return Receipt(stored=False, reason=str(error))

    def _redacted_below(self, note: Note) -> str:
        """Return the details redacted; where the line above says what they are, by that line too."""
        line = note.tldr if isinstance(note.tldr, str) else ""  # plugins declare what they like
        if note.details and simplified(line).rstrip().endswith(_ANNOUNCES):
            above = " ".join(line.split())
            whole = self._redacted(f"{above} {note.details}", note.origin)
            if whole.startswith(f"{above} "):
                return self._redacted(whole[len(above) + 1 :], note.origin)
        return self._redacted(note.details, note.origin)

    def _redacted(self, value: str, origin: Origin) -> str:
        """Return ``value`` redacted, as who said it wants it. When that fails nothing of it gets through."""
        text = clean(value)
        if not text:
            return text
        try:
            result = self._redact_by_origin.get(origin, self._redact)(text)
        except BaseException as error:  # whatever it raises, the record is not lost
            reason = type(error).__name__
        else:
            if isinstance(result, str):
                return result
            reason = f"the result is of type {type(result).__name__}"
        logger.warning("Redaction failed ({}): the text is not kept", reason)
        return REDACTION_FAILED

    def _merge_waiting(self) -> None:
        self._merge_own(wait=False)
        if self._abandoned:
            self.merge_abandoned()

    def _merge_own(self, *, wait: bool) -> None:
        try:
            self._spill.merge(self._appender, self._announce, wait=wait)
        except MemoryFileError as error:
            self._warn(self._spill.path, str(error))

    def _sync(self) -> None:
        try:
            self._appender.sync()
        except MemoryFileError as error:
            self._warn(self._paths.memory, str(error))

    def _announce(self, path: Path) -> None:
        if self._on_append is None:
            return
        try:
            self._on_append(path)
        except Exception as error:
            logger.warning("The listener for appended files raised {}", type(error).__name__)

    def _warn(self, path: Path, message: str) -> None:
        """Warn once, until the file can be written again."""
        if self._warned.get(path) != message:
            self._warned[path] = message
            logger.warning("Memory: {}", message)
