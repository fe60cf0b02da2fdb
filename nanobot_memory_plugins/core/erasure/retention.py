"""Transcripts and notes of tools that are older than they shall become: dropped, whole records at a time.

Off unless the configuration says so. What people wrote, entries, and every other note stay.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.erasure.rewriting import remove_empty, rewrite
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import Origin

# The tag of a note that was taken of a tool.
_OBSERVATION = "observation"
# Seconds between looks at the clock: it may be set, and the machine may have slept.
_LOOK_SECONDS = 3_600.0
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Retention:
    """How many days records are kept; 0: for ever."""

    transcript_days: int = 0
    observation_days: int = 0

    def __bool__(self) -> bool:
        return bool(self.transcript_days or self.observation_days)


async def keep_within(
    options: CoreOptions, workspace: Path, clock: Clock, dropped_from: Callable[[Path], None]
) -> None:
    """Drop what is too old, now and once a day, until it is cancelled; a file that is being written is finished."""
    retention = Retention(options.transcript_max_age_days, options.tool_note_max_age_days)
    paths, last = MemoryPaths.of(workspace), None
    while retention:
        now = clock.now()
        if last is None or not last <= now < last + _DAY:
            last, stop = now, threading.Event()
            drop = partial(drop_old, paths, retention, now=now, dropped_from=dropped_from, stopped=stop.is_set)
            work = asyncio.ensure_future(run_in_daemon_thread(drop))
            try:
                await asyncio.shield(work)
            finally:
                stop.set()
                await asyncio.wait({work})
        await asyncio.sleep(_LOOK_SECONDS)


def drop_old(
    paths: MemoryPaths,
    retention: Retention,
    *,
    now: datetime,
    dropped_from: Callable[[Path], None] = lambda _path: None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Drop what is too old, and return from how many files. It blocks; what cannot be written stays, and is logged.

    Time is looked at as of the last write of a file here: a clock that is ahead drops nothing that this had not.
    """
    count = 0
    for path, clean in _files(paths, retention, min(now, _last_write(paths) or now)):
        if stopped():
            break
        try:
            if rewrite(paths, path, clean):
                remove_empty(paths, path)
                dropped_from(path)
                count += 1
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            logger.warning("what is too old in {} stays: {}", paths.relative(path), why)
    if count:
        logger.info("records that are too old were dropped from {} files", count)
    return count


def _last_write(paths: MemoryPaths) -> datetime | None:
    """Return when a transcript or the notes of a day were written last."""
    found: list[float] = []
    for path in (*paths.sessions.glob("*.jsonl"), *paths.memory.glob("*.md")):
        with suppress(OSError):
            found.append(path.stat().st_mtime)
    return datetime.fromtimestamp(max(found), UTC) if found else None


def _files(paths: MemoryPaths, retention: Retention, now: datetime) -> Iterator[tuple[Path, Callable[[bytes], bytes]]]:
    with suppress(OverflowError):
        if retention.transcript_days:
            before = now - timedelta(days=retention.transcript_days)
            for path in sorted(paths.sessions.glob("*.jsonl")):
                if not path.is_symlink():
                    yield path, partial(_later_lines, before=before)
        if retention.observation_days:
            before = now - timedelta(days=retention.observation_days)
            for path in sorted(paths.memory.glob("*.md")):
                # The day of a file is local: one more is looked at, and its notes by their own times.
                if DAY_NOTE.fullmatch(path.name) and path.name <= f"{(before + _DAY).date()}.md":
                    yield path, partial(_without_old_observations, before=before)


def _later_lines(data: bytes, *, before: datetime) -> bytes:
    """Return a transcript without the messages from before a moment; a line without a time stays."""
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if not _is_before(line, before))


def _is_before(line: bytes, before: datetime) -> bool:
    record = parse_transcript_line(line)
    return record is not None and record.time is not None and _aware(record.time) < before


def _without_old_observations(data: bytes, *, before: datetime) -> bytes:
    """Return a file of notes without those of tools from before a moment."""
    return b"".join(
        data[part.offset : part.offset + part.length]
        for part in parse_notes(data)
        if not (isinstance(part, NoteEntry) and _is_old_observation(part, before))
    )


def _is_old_observation(note: NoteEntry, before: datetime) -> bool:
    is_observation = _OBSERVATION in note.tags and note.origin in (Origin.TOOL, Origin.WEB)
    return bool(note.id) and is_observation and note.time is not None and _aware(note.time) < before


def _aware(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except (OverflowError, OSError, ValueError):  # the ends of the calendar
        return time.replace(tzinfo=UTC)
