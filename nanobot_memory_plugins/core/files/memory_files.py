"""Writes notes and messages to the memory files of one workspace, and reads them back."""

import asyncio
import atexit
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID
from weakref import WeakSet

# Imported early for hosts that drop the permission to read installed packages later. Commands import it on first use.
import filelock  # noqa: F401

from nanobot_memory_plugins.core.clock import Clock, SystemClock, in_local_zone
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError
from nanobot_memory_plugins.core.files.entry_lines import without_forgotten
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.session_secrets import SessionSecrets, redacted_values
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records, render_transcript_line
from nanobot_memory_plugins.core.isolation.fork import at_fork
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.core.log import import_log, logger
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.values import Note, Origin, Receipt, Scope
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.rules.rule import REDACTED

Redact = Callable[[str, Origin], str]

REDACTION_FAILED = "[REDACTED: redaction failed]"
"""The replacement for a text that could not be redacted."""

# The number of characters from which redacting a text may take seconds.
_LONG_TEXT_CHARS = 32_768
# Seconds that a call waits for its write, normally and when the text is long or writes are slow; and between two syncs.
_LONGEST_WAIT, _SHORT_WAIT, _SYNC_SECONDS = 8.0, 0.5, 1.0
_PENDING = "It is still being redacted, or waits for what is; it will be in its file in a while."
# Joins the fields of a note, which are redacted together: one field may announce a secret that the next one contains.
_FIELD_SEPARATOR = "\n\x1e\n"
# Seconds to wait for the lock before logging that another process holds it; also the last wait at the close.
_LOCK_SECONDS = 5.0
# Sessions whose secrets are remembered.
_SESSIONS = 1_000
_CLOSED = Receipt(stored=False, reason="The memory files are closed.")
# Seconds that the interpreter's exit waits for accepted records when `close` was not called.
_EXIT_WAIT_SECONDS = 2.0


class MemoryFiles:
    """Writes notes and messages to a workspace's files, and reads them back for the host.

    One thread writes everything, in the order of the calls. No call blocks the event loop or raises for a failed write:
    the receipt reports it. A cancelled call is still written.

    That thread calls ``redact`` with each text and its origin before writing, and ``on_append`` with each file that has
    grown. Days and times are in the machine's time zone.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        redact: Redact,
        clock: Clock | None = None,
        on_append: Callable[[Path], None] = lambda _path: None,
    ) -> None:
        import_log()
        self.paths = MemoryPaths.of(workspace)
        self._clock = clock or SystemClock()
        self._writer = _Writer(self.paths, redact, on_append)
        # The thread lives until `close`: Python 3.12.0 and 3.12.1 cannot start threads during the interpreter's exit.
        self._thread = DaemonThreadPool(1, "memory-writer", linger=threading.TIMEOUT_MAX)
        _open_threads.add(self._thread)
        self._next_sync: asyncio.TimerHandle | None = None
        self._is_slow = False  # a write did not finish in time, and none has since
        self._is_closed = False

    async def keep_note(self, note: Note, *, scope: Scope) -> Receipt:
        """Write a note to the file of its day. The note's own scope and time take precedence."""
        now = self._clock.now()
        id_, owner = new_record_id(now), note.scope if note.scope is not None else scope
        write = partial(self._writer.write_note, note, id=id_, time=_local_time(note.time, now), scope=owner)
        length = len(note.details) if isinstance(note.details, str) else 0
        return (await self._write(lambda: [write()], [id_], length))[0]

    async def keep_message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. A missing id or time is filled in.

        Redacting a long message may take seconds: after half a second the receipt is returned as pending.
        """
        return (await self.keep_messages([record]))[0]

    async def keep_messages(self, records: Sequence[TranscriptRecord]) -> list[Receipt]:
        """Write several messages of one session in one append, like `keep_message`."""
        now = self._clock.now()
        accepted = [replace(one, id=one.id or new_record_id(now), time=_local_time(one.time, now)) for one in records]
        length = sum([len(record.text) for record in accepted])
        return await self._write(partial(self._writer.write_messages, accepted), [one.id for one in accepted], length)

    async def drain(self) -> None:
        """Return once all accepted records are written, including those still being redacted."""
        await run_in_pool(self._thread, lambda: None)

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session, oldest first, as ``{"role", "content", "time"}``.

        The transcript is read from its end, no further than needed. ``time`` is in ISO 8601, or empty.
        """
        try:
            records = last_records(self.paths.transcript(session_key), session_key, limit)
        except OSError as error:
            self._writer.warn(self.paths.transcript(session_key), f"A transcript cannot be read: {error.strerror}")
            return []
        return [{"role": r.role, "content": r.text, "time": exact_time(r.time) if r.time else ""} for r in records]

    def base_context(self) -> str:
        """Return the text of MEMORY.md and ENTRIES.md. A missing file, or a link that leads outside, is empty."""
        texts = self._long_term_text(self.paths.long_term), without_forgotten(self._long_term_text(self.paths.entries))
        return "\n".join(filter(None, texts))

    def _long_term_text(self, path: Path) -> str:
        try:
            return read_inside(path).decode("utf-8-sig", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            self._writer.warn(path, f"{path.name} cannot be read: {error.strerror}")
            return ""

    async def close(self) -> None:
        """Write all accepted records, sync the files and end the thread."""
        self._is_closed = True
        if self._next_sync is not None:
            self._next_sync.cancel()
        self._writer.is_ending = True
        await run_in_pool(self._thread, self._writer.sync)
        self._thread.shutdown()
        _open_threads.discard(self._thread)

    async def _write(self, write: Callable[[], list[Receipt]], ids: Sequence[str], length: int) -> list[Receipt]:
        """Let the thread write records, and return their receipts, or pending receipts when it takes too long."""
        if self._is_closed:
            return [_CLOSED for _ in ids]
        writing = asyncio.ensure_future(run_in_pool(self._thread, write))
        is_short_wait = length > _LONG_TEXT_CHARS or self._is_slow
        # Unlike `wait_for`, this leaves the write running after a time-out or a cancellation.
        await asyncio.wait({writing}, timeout=_SHORT_WAIT if is_short_wait else _LONGEST_WAIT)
        self._schedule_sync()
        if writing.done():
            self._is_slow = False
            return writing.result()
        self._is_slow = self._is_slow or not is_short_wait
        return [Receipt(stored=False, id=id_, pending=True, reason=_PENDING) for id_ in ids]

    def _schedule_sync(self) -> None:
        """Schedule one sync, a second from now, for everything that is written until then."""
        loop = asyncio.get_running_loop()
        # A sync whose time has passed was started, or its event loop has ended.
        if not self._is_closed and (self._next_sync is None or self._next_sync.when() <= loop.time()):
            self._next_sync = loop.call_later(_SYNC_SECONDS, self._thread.submit, self._writer.sync)


def _local_time(time: datetime | None, now: datetime) -> datetime:
    """Return ``time``, or ``now`` to the millisecond, in the machine's time zone."""
    return in_local_zone(
        time if isinstance(time, datetime) else now.replace(microsecond=now.microsecond // 1000 * 1000)
    )


class _Writer:
    """Redacts, encodes and appends records. Only `warn` may be called outside of the writer thread. No method raises.

    While another process holds the lock it waits, and further records queue up for the thread. Once ``is_ending`` is
    set it waits at most once more: records that cannot be written then are lost.
    """

    def __init__(self, paths: MemoryPaths, redact: Redact, on_append: Callable[[Path], None]) -> None:
        self._paths = paths
        self._redact = redact
        self._on_append = on_append
        self._appender = Appender(paths, _LOCK_SECONDS)
        self.is_ending = False
        self._secrets: BoundedDict[str, SessionSecrets] = BoundedDict(_SESSIONS)
        self._warned: dict[Path, str] = {}

    def write_note(self, note: Note, *, id: str, time: datetime, scope: Scope) -> Receipt:  # noqa: A002
        """Write a note to the file of its day. ``time`` is local."""

        def render() -> tuple[Path, bytes]:
            safe = self._redact_note(self._secrets_of(scope.session).hide_in_note(note))
            data = render_note(safe, id=id, time=time, scope=scope).encode("utf-8")
            return self._paths.day_note(time.date()), data

        return self._store(id, render)

    def write_messages(self, records: Sequence[TranscriptRecord]) -> list[Receipt]:
        """Write messages with their ids and times to the transcript of their session, in one append."""
        secrets = self._secrets_of(records[0].session_key)

        def render_line(record: TranscriptRecord) -> bytes:
            safe_text = secrets.hide(record.text)
            text = self._redact_text(safe_text, record.origin)
            name = record.name and self._redact_text(record.name, record.origin)
            secrets.learn(safe_text, {value for mark, value in redacted_values(safe_text, text) if mark == REDACTED})
            return render_transcript_line(replace(record, text=text, name=name))

        def render() -> tuple[Path, bytes]:
            return self._paths.transcript(records[0].session_key), b"".join(map(render_line, records))

        first = self._store(records[0].id, render)
        if not first.stored:
            return [first for _ in records]
        return [replace(first, id=one.id, line=line) for line, one in enumerate(records, first.line)]

    def _secrets_of(self, session_key: str) -> SessionSecrets:
        found = self._secrets.setdefault(session_key, SessionSecrets())
        self._secrets.move_to_end(session_key)
        return found

    def sync(self) -> None:
        """Flush everything that was written to the disk."""
        try:
            self._appender.sync()
        except MemoryFileError as error:
            self.warn(self._paths.memory, str(error))

    def _store(self, id: str, render: Callable[[], tuple[Path, bytes]]) -> Receipt:  # noqa: A002
        path = self._paths.memory
        try:
            path, data = render()
            return Receipt(stored=True, id=id, path=path, line=self._append(path, data))
        except BaseException as error:  # no record may end the thread: later ones would be lost
            is_ours = isinstance(error, MemoryFileError)
            why = str(error) if is_ours else f"A record could not be written: {type(error).__name__}."
            self.warn(path, why)
            return Receipt(stored=False, reason=why)

    def _append(self, path: Path, data: bytes) -> int:
        while True:
            try:
                line = self._appender.append(path, data)
            except FileBusyError as error:
                if self.is_ending:
                    self._appender.lock_seconds = 0  # for all remaining records
                    raise
                self.warn(path, str(error))
            else:
                self._warned.pop(path, None)
                self._notify_listener(path)
                return line

    def _redact_note(self, note: Note) -> Note:
        """Return a redacted note. Its fields are redacted together, since one may show that the next is a secret."""
        fields = [clean(value) for value in (note.title, note.tldr, note.details, *note.tags)]
        parts = self._redact_text(_FIELD_SEPARATOR.join(fields), note.origin).split(_FIELD_SEPARATOR)
        if len(parts) != len(fields):  # a field contains the separator, or a separator was redacted
            parts = [self._redact_text(field, note.origin) for field in fields]
        title, tldr, details, *tags = parts
        return replace(note, tldr=tldr, details=details, title=title, tags=tuple(tags))

    def _redact_text(self, value: str, origin: Origin) -> str:
        """Return ``value`` redacted according to its origin. When redaction fails no part of it is kept."""
        text = clean(value)
        if not text:
            return text
        try:
            return self._redact(text, origin)
        except BaseException as error:  # the record is kept without its text
            logger.warning("Redaction failed ({}): the text is not kept", type(error).__name__)
            return REDACTION_FAILED

    def _notify_listener(self, path: Path) -> None:
        try:
            self._on_append(path)
        except (Exception, SystemExit) as error:
            logger.warning("The listener for appended files raised {}", type(error).__name__)

    def warn(self, path: Path, message: str) -> None:
        """Log a problem with a file once, until the file can be written again."""
        if self._warned.get(path) != message:
            self._warned[path] = message
            logger.warning("Memory: {}", message)


def new_record_id(now: datetime) -> str:
    """Return an id for a new record: a UUID of version 7, which sorts by creation time."""
    milliseconds, random_bytes = int(now.timestamp() * 1000), secrets.token_bytes(10)
    number = bytearray(milliseconds.to_bytes(6, "big") + random_bytes)
    number[6] = number[6] & 0x0F | 0x70  # the version
    number[8] = number[8] & 0x3F | 0x80  # the variant
    return str(UUID(bytes=bytes(number)))


_open_threads: WeakSet[DaemonThreadPool] = WeakSet()
at_fork(_open_threads.clear)


@atexit.register
def _finish_open_threads() -> None:
    """Wait for the threads of memory files that were not closed: the interpreter's exit ends daemon threads at once."""
    for thread in list(_open_threads):
        with suppress(Exception):  # an idle thread cannot be started any more during the exit, and need not be
            thread.submit(lambda: None).result(_EXIT_WAIT_SECONDS)
