"""Saving what matters before history is cut: one silent reading of the session.

A cycle lasts from one cut to the next. The reading is asked for after the turn that fills the context up to the
trigger, while all of it is there; where a cut comes first it is made behind that, of what the transcript holds.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import Field

from nanobot_memory_plugins.core import Note, NoteType, Origin, PluginContext, PluginOptions, hookimpl, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, ReadingPart, ReadingRequest, SessionReading

_T = TypeVar("_T")

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


TAG = "flush"
_MOST_ENTRIES = 20

_TYPES = {"decision": NoteType.DECISION, "todo": NoteType.TODO, "workflow": NoteType.CONFIG}
_TASK = "flush"
# This cycle has had its reading, which came to nothing; one is due after the cut that ended the last one.
_TAKEN, _FAILED, _DUE = "taken", "failed", "due"


class FlushPlugin:
    """Captures what is about to be cut, once."""

    Options = FlushOptions

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
        if context_tokens < trigger or context.complete is None:
            return None

        def take(cycle: dict[str, Any]) -> bool:
            is_free = not cycle.get(_TAKEN)
            cycle[_TAKEN] = True
            return is_free

        return ReadingRequest() if await _change(session_key, context, take) else None

    @hookimpl
    async def before_compaction(self, session_key: str, context: PluginContext) -> None:
        """Begin a new cycle; a reading is due where this one had none that came to something."""

        def end(cycle: dict[str, Any]) -> None:
            is_taken, has_failed = cycle.pop(_TAKEN, False), cycle.pop(_FAILED, False)
            cycle[_DUE] = has_failed or not is_taken

        await _change(session_key, context, end)

    @hookimpl
    async def contribute_reading(self, session_key: str, reason: str, context: PluginContext) -> ReadingPart | None:
        """Write what a reading before a cut, or behind one, finds into the day's note."""
        if reason != "turn" and not await _change(session_key, context, lambda cycle: cycle.pop(_DUE, False)):
            return None

        async def take(reading: SessionReading) -> Sequence[Note]:
            logger.info("flush: {} messages read, {} notes", len(reading.messages), len(reading.entries))
            return [_note(one) for one in reading.entries[:_MOST_ENTRIES]]

        async def without_model() -> Sequence[Note]:
            if reason == "turn":  # it is made good behind the cut
                await _change(session_key, context, lambda cycle: cycle.update({_FAILED: True}))
            return ()

        return ReadingPart("entries", take, without_model=without_model)


async def _change(session_key: str, context: PluginContext, change: Callable[[dict[str, Any]], _T]) -> _T:
    """Change what is remembered of a session's cycle, so that restarts and processes agree."""
    state = StateDatabase.of(context.workspace)

    def write(_connection: object) -> _T:
        cycle = state.task(_TASK, session_key) or {}
        answer = change(cycle)
        state.set_task(_TASK, session_key, cycle)
        return answer

    return await run_in_daemon_thread(lambda: state.write(write))


def _note(entry: ReadEntry) -> Note:
    """Return what was read as a note; the user's where it rests on the user's words."""
    quote = entry.quote
    is_users = quote is not None and quote.is_certain and quote.origin is Origin.USER
    quotation = f"“{quote.text}” ({quote.day:%Y-%m-%d})" if quote is not None else ""
    return Note(
        tldr=entry.text,
        details="\n".join(filter(None, (entry.details, quotation))),
        type=_TYPES.get(entry.kind, NoteType.NOTE),
        tags=tuple(dict.fromkeys((*entry.tags, TAG))),
        title="flush",
        origin=Origin.USER if is_users else Origin.SUMMARY,
    )
