"""Saving what matters before history is cut: one silent reading of the session, or without a model excerpts.

A cycle lasts from one cut to the next. The reading is asked for after the turn that fills the context up to the
trigger, while all of it is there; where a cut comes first it is made behind that, of what the transcript holds.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import (
    Destination,
    Message,
    Note,
    NoteType,
    Origin,
    PluginContext,
    PluginOptions,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.session_reading.part import ReadingPart, ReadingRequest
from nanobot_memory_plugins.core.text.conversation import as_spoken, dominant_language
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, SessionReading
from nanobot_memory_plugins.flush.archive import archive, archive_whole
from nanobot_memory_plugins.flush.flush_state import FlushCycles
from nanobot_memory_plugins.flush.preparing import prepared

RESERVE_FLOOR = 20_000
SOFT_THRESHOLD = 4_000

# Of a small window, the share that both margins have together at most.
_LARGEST_SHARE = 0.4
# What hosts keep free besides the answer (nanobot's Consolidator._SAFETY_BUFFER).
_HOST_BUFFER = 1_024
# How far before the host's own compaction the trigger stays.
_BEFORE_HOST = 0.95


def flush_margins(
    window: int, reserve_floor: int = RESERVE_FLOOR, soft_threshold: int = SOFT_THRESHOLD
) -> tuple[float, float]:
    """Return the reserve and the soft threshold for a window, in tokens.

    They are as given while they fit into 40 % of the window; in a smaller one both are scaled down together.
    """
    requested = reserve_floor + soft_threshold
    scale = min(1.0, _LARGEST_SHARE * window / requested) if requested else 1.0
    return reserve_floor * scale, soft_threshold * scale


def flush_trigger(
    window: int,
    reserve_floor: int = RESERVE_FLOOR,
    soft_threshold: int = SOFT_THRESHOLD,
    *,
    answer_tokens: int | None = None,
) -> int:
    """Return the tokens from which on a context is flushed: 176,000 of 200,000 by default.

    ``answer_tokens`` is what the host keeps free for the model's answer: it cuts at window - answer - 1,024, and the
    trigger stays before that. It is positive for every positive window.
    """
    reserve, soft = flush_margins(window, reserve_floor, soft_threshold)
    trigger = window - reserve - soft
    if answer_tokens is not None:
        cut_at = window - answer_tokens - _HOST_BUFFER
        if cut_at > 0:
            trigger = min(trigger, _BEFORE_HOST * cut_at)
    return max(1, int(trigger))


class FlushOptions(PluginOptions):
    """Options of the flush plugin. Sizes are estimated tokens unless they say otherwise."""

    reserve_floor: int = Field(default=20_000, ge=0, description="tokens left free at the end of the window")
    soft_threshold: int = Field(default=4_000, ge=0, description="tokens before that at which the flush is triggered")
    context_window: int | None = Field(default=None, gt=0, description="the model's window; none: what the host says")
    host_answer_tokens: int | None = Field(
        default=None, ge=0, description="tokens that the host keeps free for an answer, where that is a large part"
    )
    anticipate: bool = Field(
        default=True, description="flush after the turn that passes the trigger, not only at a cut"
    )
    max_entries: int = Field(default=20, ge=1, le=200, description="entries that are taken from one answer")
    archive_chars: int = Field(
        default=6_000,
        ge=500,
        le=1_000_000,
        description="characters of the excerpts that are kept when the model gives nothing usable",
    )
    destination: Literal["day", "by_type"] = Field(
        default="day",
        description="where entries go: the day's note, or with by_type decisions and config to MEMORY.md",
    )


TAG = "flush"

_TYPES = {"decision": NoteType.DECISION, "todo": NoteType.TODO, "workflow": NoteType.CONFIG}
_LASTING = (NoteType.DECISION, NoteType.CONFIG)


class FlushPlugin:
    """Captures what is about to be cut, once."""

    Options = FlushOptions

    def __init__(self) -> None:
        self._cycles = FlushCycles()

    @hookimpl
    async def on_turn_finished(
        self, session_key: str, context_tokens: int, context_window: int, context: PluginContext
    ) -> ReadingRequest | None:
        """Ask for the reading of this cycle once the context is full enough."""
        options: FlushOptions = context.options
        trigger = flush_trigger(
            options.context_window or context_window,
            options.reserve_floor,
            options.soft_threshold,
            answer_tokens=options.host_answer_tokens,
        )
        if context_tokens < trigger or not options.anticipate or context.complete is None:
            return None
        return ReadingRequest() if await self._cycles.take(session_key, context) else None

    @hookimpl(tryfirst=True)
    async def before_compaction(
        self, session_key: str, messages: tuple[Message, ...], context: PluginContext
    ) -> list[Note] | None:
        """Begin a new cycle; without a model, return notes of what was captured in none."""
        summary = find_earlier_summary(messages)
        spoken = tuple(as_spoken(one) for index, one in enumerate(messages) if index != summary)
        fresh = await self._cycles.end(session_key, spoken, context)
        if context.complete is not None or not fresh:
            return None
        notes = await run_in_daemon_thread(lambda: _archive(fresh, session_key, context))
        logger.info("flush before a cut: {} messages archived, {} notes", len(fresh), len(notes))
        return notes or None

    @hookimpl
    async def contribute_reading(
        self, session_key: str, messages: tuple[Message, ...], reason: str, context: PluginContext
    ) -> ReadingPart | None:
        """Write what a reading before a cut, or behind one, finds into the day's note."""
        if reason != "turn" and not await self._cycles.is_due(session_key, context):
            return None
        options: FlushOptions = context.options

        async def take(reading: SessionReading) -> Sequence[Note]:
            logger.info("flush: {} messages read, {} notes", len(reading.messages), len(reading.entries))
            return [_note(one, options) for one in reading.entries[: options.max_entries]]

        async def without_model() -> Sequence[Note]:
            if reason == "turn":
                await self._cycles.fail(session_key, context)
                return ()  # nothing is lost yet
            return await run_in_daemon_thread(lambda: _archive(messages, session_key, context))

        return ReadingPart("entries", take, without_model=without_model)


def _note(entry: ReadEntry, options: FlushOptions) -> Note:
    """Return what was read as a note; the user's where it rests on the user's words."""
    quote = entry.quote
    is_users = quote is not None and quote.is_certain and quote.origin is Origin.USER
    kind = _TYPES.get(entry.kind, NoteType.NOTE)
    lasting = options.destination == "by_type" and kind in _LASTING and is_users
    quotation = f"“{quote.text}” ({quote.day:%Y-%m-%d})" if quote is not None else ""
    return Note(
        tldr=entry.text,
        details="\n".join(filter(None, (entry.details, quotation))),
        type=kind,
        tags=tuple(dict.fromkeys((*entry.tags, TAG))),
        title="flush",
        origin=Origin.USER if is_users else Origin.SUMMARY,
        destination=Destination.LONG_TERM if lasting else Destination.DAY,
    )


def _archive(messages: Sequence[Message], session_key: str, context: PluginContext) -> list[Note]:
    """Return the conversation's own words: excerpts where a transcript holds the whole, else everything. It blocks."""
    ready = prepared(messages, context.redact)
    language = dominant_language(ready)
    if not MemoryPaths.of(context.workspace).transcript(session_key).is_file():
        return archive_whole(messages, language=language, redact=context.redact)
    options: FlushOptions = context.options
    return archive(ready, language=language, chars=options.archive_chars)
