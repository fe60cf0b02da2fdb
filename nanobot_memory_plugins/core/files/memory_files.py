"""The memory files of one workspace, for the host."""

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

# Commands do without it until they lock a file. Whoever writes has it: a host may give up the right to read it later.
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
"""What stands for a text that could not be redacted."""

LONG_TEXT_CHARS = 32_768
"""Characters from which on a text may take seconds to be redacted."""

# Seconds that a call waits for what it wrote, also where that is long or others wait already, and between two syncs.
_LONGEST_WAIT, _SHORT_WAIT, _SYNC_SECONDS = 8.0, 0.5, 1.0
_PENDING = "It is still being redacted, or waits for what is; it will be in its file in a while."
# What is put between the fields of a note while it is looked through: a line may announce what the next field says.
_BETWEEN = "\n\x1e\n"
# Seconds after which it is logged that another process holds the files locked, and that the end waits for it.
_LOCK_SECONDS = 5.0
# Sessions whose secrets are remembered.
_SESSIONS = 1_000
_CLOSED = Receipt(stored=False, reason="The memory files are closed.")
# How long the end of the interpreter waits for records that were accepted, in seconds, when nobody called `close`.
_LAST_SECONDS = 2.0


class MemoryFiles:
    """Writes notes and messages to a workspace's files, and reads them back for the host.

    Everything is written by one thread, in the order of the calls. Nothing here blocks the event loop, and no
    failure to write raises: the receipt says it. A call that is cancelled is written all the same.

    ``redact`` is called in that thread with each text and who said it, before it is encoded, ``on_append`` with each
    file that has grown. Days and times are the machine's.
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
        # It stays until the close: Python 3.12.0 and 3.12.1 start no thread any more at the end of the interpreter.
        self._thread = DaemonThreadPool(1, "memory-writer", linger=threading.TIMEOUT_MAX)
        _open_threads.add(self._thread)
        self._next_sync: asyncio.TimerHandle | None = None
        self._is_held_up = False
        self._is_closed = False

    async def keep_note(self, note: Note, *, scope: Scope) -> Receipt:
        """Write a note to its day's file or to long-term memory; the note's own scope and time win."""
        now = self._clock.now()
        id_, owner = new_record_id(now), note.scope if note.scope is not None else scope
        write = partial(self._writer.note, note, id=id_, time=_local(note.time, now), scope=owner)
        length = len(note.details) if isinstance(note.details, str) else 0
        return (await self._written(lambda: [write()], [id_], length))[0]

    async def keep_message(self, record: TranscriptRecord) -> Receipt:
        """Write a message to its session's transcript. A missing id or time is filled in.

        A long one may take seconds to be redacted: after half a second the receipt says that it is pending.
        """
        return (await self.keep_messages([record]))[0]

    async def keep_messages(self, records: Sequence[TranscriptRecord]) -> list[Receipt]:
        """Write messages of one session at once, as `keep_message` does one."""
        now = self._clock.now()
        accepted = [replace(one, id=one.id or new_record_id(now), time=_local(one.time, now)) for one in records]
        length = sum([len(one.text) for one in accepted])
        return await self._written(partial(self._writer.messages, accepted), [one.id for one in accepted], length)

    async def drain(self) -> None:
        """Return once what was accepted is written, also what is still being redacted."""
        await run_in_pool(self._thread, lambda: None)

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session, oldest first, as ``{"role", "content", "time"}``.

        The transcript is read from its end and no further than needed. ``time`` is in ISO 8601, or empty.
        """
        try:
            records = last_records(self.paths.transcript(session_key), session_key, limit)
        except OSError as error:
            self._writer.warn(self.paths.transcript(session_key), f"A transcript cannot be read: {error.strerror}")
            return []
        return [{"role": r.role, "content": r.text, "time": exact_time(r.time) if r.time else ""} for r in records]

    def base_context(self) -> str:
        """Return the text of MEMORY.md and ENTRIES.md; of one that is missing, or a link out of the workspace, none."""
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
        """Write what was accepted, sync the files and end the thread."""
        self._is_closed = True
        if self._next_sync is not None:
            self._next_sync.cancel()
        self._writer.is_ending = True
        await run_in_pool(self._thread, self._writer.sync)
        self._thread.shutdown()
        _open_threads.discard(self._thread)

    async def _written(self, write: Callable[[], list[Receipt]], ids: Sequence[str], length: int) -> list[Receipt]:
        """Let the thread write records, and return their receipts; where that takes too long, such that say so."""
        if self._is_closed:
            return [_CLOSED for _ in ids]
        writing = asyncio.ensure_future(run_in_pool(self._thread, write))
        is_short_wait = length > LONG_TEXT_CHARS or self._is_held_up
        # Not `wait_for`: what is late, or whose caller is cancelled, is written all the same.
        await asyncio.wait({writing}, timeout=_SHORT_WAIT if is_short_wait else _LONGEST_WAIT)
        self._sync_soon()
        if writing.done():
            self._is_held_up = False
            return writing.result()
        self._is_held_up = self._is_held_up or not is_short_wait
        return [Receipt(stored=False, id=id_, pending=True, reason=_PENDING) for id_ in ids]

    def _sync_soon(self) -> None:
        """Have the files synced in a second, at once for all that is written until then."""
        loop = asyncio.get_running_loop()
        # One whose time has passed was called, or its loop has ended.
        if not self._is_closed and (self._next_sync is None or self._next_sync.when() <= loop.time()):
            self._next_sync = loop.call_later(_SYNC_SECONDS, self._thread.submit, self._writer.sync)


def _local(time: datetime | None, now: datetime) -> datetime:
    """Return a time in the machine's zone; without one it is now, to the millisecond: nothing needs more."""
    return in_local_zone(
        time if isinstance(time, datetime) else now.replace(microsecond=now.microsecond // 1000 * 1000)
    )


class _Writer:
    """Redacts, encodes and appends. Its methods belong to one thread, but for `warn`; none raises.

    While another process holds the files locked it waits: what comes meanwhile queues up before its thread. Once it
    ``is_ending`` it waits once more at most: what cannot be written then is lost.
    """

    def __init__(self, paths: MemoryPaths, redact: Redact, on_append: Callable[[Path], None]) -> None:
        self._paths = paths
        self._redact = redact
        self._on_append = on_append
        self._appender = Appender(paths, _LOCK_SECONDS)
        self.is_ending = False
        self._secrets: BoundedDict[str, SessionSecrets] = BoundedDict(_SESSIONS)
        self._warned: dict[Path, str] = {}

    def note(self, note: Note, *, id: str, time: datetime, scope: Scope) -> Receipt:  # noqa: A002
        """Write a note to the file that it belongs to; ``time`` is local."""

        def rendered() -> tuple[Path, bytes]:
            safe = self._safe(self._secrets_of(scope.session).without_in_note(note))
            data = render_note(safe, id=id, time=time, scope=scope).encode("utf-8")
            return self._paths.day_note(time.date()), data

        return self._store(id, rendered)

    def messages(self, records: Sequence[TranscriptRecord]) -> list[Receipt]:
        """Write messages to the transcript of their session, in one append. The records have their ids and times."""
        secrets = self._secrets_of(records[0].session_key)

        def line_of(record: TranscriptRecord) -> bytes:
            safe_text = secrets.without(record.text)
            text = self._redacted(safe_text, record.origin)
            name = record.name and self._redacted(record.name, record.origin)
            secrets.learn(safe_text, {value for mark, value in redacted_values(safe_text, text) if mark == REDACTED})
            return render_transcript_line(replace(record, text=text, name=name))

        def rendered() -> tuple[Path, bytes]:
            return self._paths.transcript(records[0].session_key), b"".join(map(line_of, records))

        first = self._store(records[0].id, rendered)
        if not first.stored:
            return [first for _ in records]
        return [replace(first, id=one.id, line=line) for line, one in enumerate(records, first.line)]

    def _secrets_of(self, session_key: str) -> SessionSecrets:
        found = self._secrets.setdefault(session_key, SessionSecrets())
        self._secrets.move_to_end(session_key)
        return found

    def sync(self) -> None:
        """Wait until everything that was written is on the disk."""
        try:
            self._appender.sync()
        except MemoryFileError as error:
            self.warn(self._paths.memory, str(error))

    def _store(self, id: str, rendered: Callable[[], tuple[Path, bytes]]) -> Receipt:  # noqa: A002
        path = self._paths.memory
        try:
            path, data = rendered()
            return Receipt(stored=True, id=id, path=path, line=self._append(path, data))
        except BaseException as error:  # nothing that a record brings may end the thread, or the later ones are lost
            known = isinstance(error, MemoryFileError)
            why = str(error) if known else f"A record could not be written: {type(error).__name__}."
            self.warn(path, why)
            return Receipt(stored=False, reason=why)

    def _append(self, path: Path, data: bytes) -> int:
        while True:
            try:
                line = self._appender.append(path, data)
            except FileBusyError as error:
                if self.is_ending:
                    self._appender.lock_seconds = 0  # for all that is left
                    raise
                self.warn(path, str(error))
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
        return replace(note, tldr=tldr, details=details, title=title, tags=tuple(tags))

    def _redacted(self, value: str, origin: Origin) -> str:
        """Return ``value`` redacted, as who said it wants it. When that fails nothing of it gets through."""
        text = clean(value)
        if not text:
            return text
        try:
            return self._redact(text, origin)
        except BaseException as error:  # whatever it raises, the record is not lost
            logger.warning("Redaction failed ({}): the text is not kept", type(error).__name__)
            return REDACTION_FAILED

    def _announce(self, path: Path) -> None:
        try:
            self._on_append(path)
        except (Exception, SystemExit) as error:
            logger.warning("The listener for appended files raised {}", type(error).__name__)

    def warn(self, path: Path, message: str) -> None:
        """Warn once, until the file can be written again."""
        if self._warned.get(path) != message:
            self._warned[path] = message
            logger.warning("Memory: {}", message)


def new_record_id(now: datetime) -> str:
    """Return an id for a record that is written now: a UUID of version 7, which sorts by when it was made."""
    moment, chance = int(now.timestamp() * 1000), secrets.token_bytes(10)
    number = bytearray(moment.to_bytes(6, "big") + chance)
    number[6] = number[6] & 0x0F | 0x70  # the version
    number[8] = number[8] & 0x3F | 0x80  # the variant
    return str(UUID(bytes=bytes(number)))


_open_threads: WeakSet[DaemonThreadPool] = WeakSet()
at_fork(_open_threads.clear)


@atexit.register
def _finish_all() -> None:
    """Let the threads of memory files that nobody closed end their work: daemon threads are not waited for."""
    for thread in list(_open_threads):
        with suppress(Exception):  # a thread that has nothing to do cannot be started any more, and need not be
            thread.submit(lambda: None).result(_LAST_SECONDS)
