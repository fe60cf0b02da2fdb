"""Saves what is worth remembering before history is cut, by one reading of the session in each cycle.

A cycle lasts from one cut to the next. The reading is requested after the turn that fills the context up to the
trigger, while the context is still complete. If a cut comes first, the reading follows it and uses the transcript.
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

# The largest share of a small window that both margins take together.
_LARGEST_SHARE = 0.4
# Tokens that the host keeps free besides the answer (nanobot's Consolidator._SAFETY_BUFFER).
_HOST_BUFFER = 1_024
# The trigger is at most this share of the size at which the host itself cuts.
_HOST_SHARE = 0.95


def flush_margins(
    window: int, reserve_floor: int = RESERVE_FLOOR, soft_threshold: int = SOFT_THRESHOLD
) -> tuple[float, float]:
    """Return the reserve and the soft threshold for a window, in tokens.

    Where they exceed 40 % of the window, both are scaled down in proportion.
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
    """Return the number of tokens from which a context is flushed: by default 176,000 of 200,000.

    ``answer_tokens`` are those that the host keeps free for the model's answer: it cuts at window - answer - 1,024, and
    the trigger is smaller. The result is positive for every positive window.
    """
    reserve, soft = flush_margins(window, reserve_floor, soft_threshold)
    trigger = window - reserve - soft
    if answer_tokens is not None:
        cut_at = window - answer_tokens - _HOST_BUFFER
        if cut_at > 0:
            trigger = min(trigger, _HOST_SHARE * cut_at)
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
# The state of a cycle: its reading was requested, its reading failed, or a reading is due after the last cut.
_TAKEN, _FAILED, _DUE = "taken", "failed", "due"


class FlushPlugin:
    """Saves what is about to be cut, once per cycle."""

    Options = FlushOptions

    @hookimpl
    async def on_turn_finished(
        self, session_key: str, context_tokens: int, context_window: int, context: PluginContext
    ) -> ReadingRequest | None:
        """Request the reading of this cycle once the context has reached the trigger."""
        options: FlushOptions = context.options
        trigger = flush_trigger(
            options.context_window or context_window,
            options.reserve_floor,
            options.soft_threshold,
            answer_tokens=options.host_answer_tokens,
        )
        if context_tokens < trigger or context.complete is None:
            return None

        def claim_reading(cycle: dict[str, Any]) -> bool:
            is_first = not cycle.get(_TAKEN)
            cycle[_TAKEN] = True
            return is_first

        return ReadingRequest() if await _update_cycle(session_key, context, claim_reading) else None

    @hookimpl
    async def before_compaction(self, session_key: str, context: PluginContext) -> None:
        """Start a new cycle. A reading is due if the last cycle had none, or a failed one."""

        def end_cycle(cycle: dict[str, Any]) -> None:
            is_taken, has_failed = cycle.pop(_TAKEN, False), cycle.pop(_FAILED, False)
            cycle[_DUE] = has_failed or not is_taken

        await _update_cycle(session_key, context, end_cycle)

    @hookimpl
    async def contribute_reading(self, session_key: str, reason: str, context: PluginContext) -> ReadingPart | None:
        """Write what the reading before or after a cut finds as notes."""
        if reason != "turn" and not await _update_cycle(session_key, context, lambda cycle: cycle.pop(_DUE, False)):
            return None

        async def take(reading: SessionReading) -> Sequence[Note]:
            logger.info("flush: {} messages read, {} notes", len(reading.messages), len(reading.entries))
            return [_note(entry) for entry in reading.entries[:_MOST_ENTRIES]]

        async def without_model() -> Sequence[Note]:
            if reason == "turn":  # the reading is repeated after the cut
                await _update_cycle(session_key, context, lambda cycle: cycle.update({_FAILED: True}))
            return ()

        return ReadingPart("entries", take, without_model=without_model)


async def _update_cycle(session_key: str, context: PluginContext, change: Callable[[dict[str, Any]], _T]) -> _T:
    """Change the stored state of a session's cycle, which all processes share and which survives restarts."""
    state = StateDatabase.of(context.workspace)

    def write(_connection: object) -> _T:
        cycle = state.task(_TASK, session_key) or {}
        answer = change(cycle)
        state.set_task(_TASK, session_key, cycle)
        return answer

    return await run_in_daemon_thread(lambda: state.write(write))


def _note(entry: ReadEntry) -> Note:
    """Return a note of what was read. Its origin is the user if the user's own words support it."""
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
