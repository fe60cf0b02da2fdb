"""Writing notes and messages: what happens in the writer thread."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.session_secrets import SessionSecrets, taken_out, without_cut
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.markdown import clean, one_line
from nanobot_memory_plugins.core.values import Destination, Note, Origin, Receipt, Scope

REDACTION_FAILED = "[REDACTED: redaction failed]"

# What is put between the fields of a note while it is looked through: a line may announce what the next field says.
_BETWEEN = "\n\x1e\n"
# Seconds after which it is logged that another process holds the files locked, and that the end waits for it.
_LOCK_SECONDS = 5.0


class Writer:
    """Redacts, encodes and appends. Its methods belong to one thread, but for `hurry`; none raises.

    While another process holds the files locked it waits: what comes meanwhile queues up before its thread.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        redact: Callable[[str], str],
        redact_by_origin: Mapping[Origin, Callable[[str], str]],
        on_append: Callable[[Path], None] | None,
    ) -> None:
        self._paths = paths
        self._redact = redact
        self._redact_by_origin = redact_by_origin
        self._on_append = on_append
        self._appender = Appender(paths, _LOCK_SECONDS)
        self._is_ending = threading.Event()
        self._session_secrets = SessionSecrets()
        self._warned: dict[Path, str] = {}

    def note(self, note: Note, *, id: str, time: datetime, scope: Scope) -> Receipt:  # noqa: A002
        """Write a note to the file that it belongs to; ``time`` is local."""

        def rendered() -> tuple[Path, bytes]:
            safe = self._safe(self._session_secrets.without_in_note(scope.session, note))
            is_long_term = str(note.destination) == Destination.LONG_TERM
            path = self._paths.long_term if is_long_term else self._paths.day_note(time.date())
            return path, render_note(safe, id=id, time=time, scope=scope).encode("utf-8")

        return self._store(id, rendered)

    def message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. The record has its id and time."""

        def rendered() -> tuple[Path, bytes]:
            safe_text = self._session_secrets.without(record.session_key, record.text)
            text, name = self._redacted(safe_text, record.origin), self._redacted(record.name, record.origin)
            self._session_secrets.learn(record.session_key, safe_text, text)
            safe = replace(record, role=one_line(record.role), text=text, name=name)
            return self._paths.transcript(record.session_key), render_transcript_line(safe)

        return self._store(record.id, rendered)

    def sync(self) -> None:
        """Wait until everything that was written is on the disk."""
        try:
            self._appender.sync()
        except MemoryFileError as error:
            self._warn(self._paths.memory, str(error))

    def hurry(self) -> None:
        """Wait for a lock once more at most: the end has come, and what cannot be written then is lost."""
        self._is_ending.set()

    def _store(self, id: str, rendered: Callable[[], tuple[Path, bytes]]) -> Receipt:  # noqa: A002
        path = self._paths.memory
        try:
            path, data = rendered()
            return Receipt(stored=True, id=id, path=path, line=self._append(path, data))
        except MemoryFileError as error:
            self._warn(path, str(error))
            return Receipt(stored=False, reason=str(error))
        except BaseException as error:  # nothing that a record brings may end the thread, or the later ones are lost
            self._warn(path, f"A record could not be written: {type(error).__name__}")
            return Receipt(stored=False, reason=f"The record could not be written: {type(error).__name__}.")

    def _append(self, path: Path, data: bytes) -> int:
        while True:
            try:
                line = self._appender.append(path, data)
            except FileBusyError as error:
                if self._is_ending.is_set():
                    self._appender.lock_seconds = 0  # for all that is left
                    raise
                self._warn(path, str(error))
            else:
                self._warned.pop(path, None)
                self._announce(path)
                return line

    def _safe(self, note: Note) -> Note:
        """Return a note redacted. All of it is looked through at once: a line may say what is below it."""
        fields = [clean(value) for value in (note.title, note.tldr, note.details, *note.tags)]
        parts = self._redacted(_BETWEEN.join(fields), note.origin).split(_BETWEEN)
        if len(parts) != len(fields):  # a text that holds the mark itself, or of which all was taken
            parts = [self._redacted(field, note.origin) for field in fields]
        title, tldr, details, *tags = parts
        # Title and tags are often cut from the text: what was hidden there may be in the cut.
        secrets = {value for _, value in taken_out(f"{fields[1]}\n{fields[2]}", f"{tldr}\n{details}")}
        title, *tags = (without_cut(secrets, text) for text in (title, *tags))
        return replace(note, tldr=tldr, details=details, title=title, tags=tuple(tags))

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

    def _announce(self, path: Path) -> None:
        if self._on_append is None:
            return
        try:
            self._on_append(path)
        except (Exception, SystemExit) as error:
            logger.warning("The listener for appended files raised {}", type(error).__name__)

    def _warn(self, path: Path, message: str) -> None:
        """Warn once, until the file can be written again."""
        if self._warned.get(path) != message:
            self._warned[path] = message
            logger.warning("Memory: {}", message)
