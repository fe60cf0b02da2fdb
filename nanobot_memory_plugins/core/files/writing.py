"""Writing notes and messages: what happens in the writer thread."""

import time as time_module
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError
from nanobot_memory_plugins.core.files.entries import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.redacted_fields import removed_values, without
from nanobot_memory_plugins.core.files.told_secrets import ToldSecrets
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.values import Destination, Note, Origin, Receipt, Scope

REDACTION_FAILED = "[REDACTED: redaction failed]"

# What stands between the fields of a note while it is looked through: a line may announce what the next field says.
_BETWEEN = "\n\x1e\n"

_SYNC_SECONDS = 1.0
_RETRY_SECONDS = 1.0
# Records that wait for a file that another process holds locked for long, at most.
_MOST_WAITING = 10_000


class Writer:
    """Redacts, encodes and appends. It belongs to one thread."""

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
        self._waiting: deque[tuple[Path, bytes]] = deque()
        self._retry_at = 0.0
        self._told = ToldSecrets()
        self._warned: dict[Path, str] = {}

    def note(self, note: Note, *, id: str, time: datetime, scope: Scope) -> Receipt:  # noqa: A002
        """Write a note to the file that it belongs to; ``time`` is local."""
        note = self._told.without_in_note(scope.session, note)
        safe = self._safe(note)
        is_long_term = str(note.destination) == Destination.LONG_TERM
        path = self._paths.long_term if is_long_term else self._paths.day_note(time.date())
        return self._store(path, id, render_note(safe, id=id, time=time, scope=scope).encode("utf-8"))

    def message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. The record has its id and time."""
        said = self._told.without(record.session_key, record.text)
        text, name = self._redacted(said, record.origin), self._redacted(record.name, record.origin)
        self._told.learn(record.session_key, said, text)
        safe = replace(record, role=one_line(record.role), text=text, name=name)
        return self._store(self._paths.transcript(record.session_key), record.id, render_transcript_line(safe))

    def tick(self) -> float | None:
        """Do what is due: try again what waits, sync the files. Return the seconds until something is."""
        now = time_module.monotonic()
        due: list[float] = []
        if self._waiting:
            if now >= self._retry_at:
                self._retry(wait=False)
                self._retry_at = now + _RETRY_SECONDS
            due.append(self._retry_at)
        if self._appender.unsynced_since is not None:
            if now >= self._appender.unsynced_since + _SYNC_SECONDS:
                self._sync()
            else:
                due.append(self._appender.unsynced_since + _SYNC_SECONDS)
        return max(0.0, min(due) - now) if due else None

    def finish(self) -> None:
        """Write what waits, if the files are free, and sync everything."""
        if not self._retry(wait=True):
            logger.error("Memory: {} records are lost: another process holds the files locked", len(self._waiting))
        self._sync()

    def refused(self, error: BaseException) -> Receipt:
        """Return the receipt for a record that an unforeseen error kept from its file."""
        self._warn(self._paths.memory, f"A record could not be written: {type(error).__name__}")
        return Receipt(stored=False, reason=f"The record could not be written: {type(error).__name__}.")

    def _store(self, path: Path, id: str, data: bytes) -> Receipt:  # noqa: A002
        try:
            if not self._retry(wait=False):  # what waits goes first, so that the order is kept
                raise FileBusyError("The memory files are locked by another process.")
            line = self._append(path, data)
        except FileBusyError as error:
            if len(self._waiting) >= _MOST_WAITING:
                return Receipt(stored=False, reason=str(error))
            self._waiting.append((path, data))
            return Receipt(stored=False, id=id, pending=True, reason=f"{error} It is tried again.")
        except MemoryFileError as error:
            self._warn(path, str(error))
            return Receipt(stored=False, reason=str(error))
        return Receipt(stored=True, id=id, path=path, line=line)

    def _append(self, path: Path, data: bytes, *, wait: bool = True) -> int:
        line = self._appender.append(path, data, wait=wait)
        self._warned.pop(path, None)
        self._announce(path)
        return line

    def _retry(self, *, wait: bool) -> bool:
        """Write what waits, in its order; return whether nothing waits any more."""
        while self._waiting:
            path, data = self._waiting[0]
            try:
                self._append(path, data, wait=wait)
            except FileBusyError:
                return False
            except MemoryFileError as error:
                self._warn(path, str(error))
            self._waiting.popleft()
        return True

    def _safe(self, note: Note) -> Note:
        """Return a note redacted. All of it is looked through at once: a line may say what stands below it."""
        fields = [clean(value) for value in (note.title, note.tldr, note.details, *note.tags)]
        parts = self._redacted(_BETWEEN.join(fields), note.origin).split(_BETWEEN)
        if len(parts) != len(fields):  # a text that holds the mark itself, or of which all was taken
            parts = [self._redacted(field, note.origin) for field in fields]
        title, tldr, details, *tags = parts
        # Title and tags are often cut from the text: what was hidden there may stand in the cut.
        taken = removed_values(f"{fields[1]}\n{fields[2]}", f"{tldr}\n{details}")
        return replace(
            note,
            tldr=tldr,
            details=details,
            title=without(taken, title),
            tags=tuple(without(taken, tag) for tag in tags),
        )

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
