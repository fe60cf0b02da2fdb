"""Retention: dropping messages of transcripts, and notes of tools, that are older than the configured number of days.

It is off by default. Text that people wrote, entries and all other notes stay.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.erasure.rewriting import rewrite
from nanobot_memory_plugins.core.errors import MemoryFileError, log_text
from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import Origin

# The tag of notes about tool executions.
_OBSERVATION = "observation"
# Seconds between two checks. They are more frequent than the work, since the clock may be set or the machine may sleep.
_CHECK_SECONDS = 3_600.0
_DAY = timedelta(days=1)


async def run_retention(options: CoreOptions, workspace: Path, clock: Clock, on_change: Callable[[Path], None]) -> None:
    """Drop records that are too old, now and once a day, until it is cancelled.

    ``on_change`` is called with each file that was changed.
    """
    paths, last = MemoryPaths.of(workspace), None
    while options.transcript_max_age_days or options.tool_note_max_age_days:
        now = clock.now()
        if last is None or not last <= now < last + _DAY:
            last = now
            for path in await run_in_daemon_thread(drop_old, paths, options, now):
                on_change(path)
        await asyncio.sleep(_CHECK_SECONDS)


def drop_old(paths: MemoryPaths, options: CoreOptions, now: datetime) -> list[Path]:
    """Rewrite the files without records that are too old, and return the files that had any. It blocks.

    Ages are counted from the latest modification of any of the files, if that is before ``now``, so that a clock that
    is ahead drops nothing. A file that cannot be written stays as it is, and is logged.
    """
    transcripts = [path for path in sorted(paths.sessions.glob("*.jsonl")) if not path.is_symlink()]
    notes = [path for path in sorted(paths.memory.glob("*.md")) if DAY_NOTE.fullmatch(path.name)]
    now, changed = min(now, _last_modified([*transcripts, *notes])), []
    for files, days, drop in (
        (transcripts, options.transcript_max_age_days, _without_old_messages),
        (notes, options.tool_note_max_age_days, _without_old_observations),
    ):
        for path in files if days else ():
            try:
                if rewrite(paths, path, partial(drop, before=now - timedelta(days))):
                    changed.append(path)
            except (OSError, MemoryFileError) as error:
                logger.warning("what is too old in {} stays: {}", paths.relative(path), log_text(error))
    if changed:
        logger.info("records that are too old were dropped from {} files", len(changed))
    return changed


def _last_modified(files: Sequence[Path]) -> datetime:
    """Return the latest modification time of these files."""
    times = [0.0]
    for path in files:
        with suppress(OSError):
            times.append(path.stat().st_mtime)
    return datetime.fromtimestamp(max(times), UTC)


def _without_old_messages(data: bytes, *, before: datetime) -> bytes:
    """Return a transcript without the messages from before a moment; a line without a time stays."""

    def stays(line: bytes) -> bool:
        record = parse_transcript_line(line)
        return record is None or record.time is None or record.time >= before

    return b"".join(line for line in data.splitlines(keepends=True) if stays(line))


def _without_old_observations(data: bytes, *, before: datetime) -> bytes:
    """Return a file of notes without the notes of tools from before a moment."""

    def is_old(part: NoteEntry | Passage) -> bool:
        return (
            isinstance(part, NoteEntry)
            and bool(part.id)
            and _OBSERVATION in part.tags
            and part.origin in (Origin.TOOL, Origin.WEB)
            and part.time < before
        )

    kept = (part for part in parse_notes(data) if not is_old(part))
    return b"".join(data[part.offset : part.offset + part.length] for part in kept)
