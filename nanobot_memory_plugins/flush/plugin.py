"""Saving what matters before history is cut: one silent reading of the session.

A cycle lasts from one cut to the next. The reading is asked for after the turn that fills the context up to the
trigger, while all of it is there; where a cut comes first it is made behind that, of what the transcript holds. Where
neither a model nor a transcript keeps what was said, it is noted word for word.
"""

from collections.abc import Callable, Sequence

from pydantic import Field

from nanobot_memory_plugins.core import (
    Message,
    Note,
    NoteType,
    Origin,
    PluginContext,
    PluginOptions,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.files.memory_files import REDACTION_FAILED
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.text.conversation import content_of, dominant_language
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.markdown import clean_markdown, one_line
from nanobot_memory_plugins.core.text.pasted import authored_text, both_ends
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary
from nanobot_memory_plugins.core.values.message_key import message_key
from nanobot_memory_plugins.core.values.session_reading import ReadEntry, ReadingPart, ReadingRequest, SessionReading
from nanobot_memory_plugins.flush.flush_state import FlushCycles

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
_TLDR: dict[Language, str] = {"en": "Said before the history was cut: {}", "zh": "历史压缩前的对话：{}"}
_TLDR_CHARS = 320
_ROLES: dict[Language, dict[str, str]] = {"en": {}, "zh": {"assistant": "助手", "tool": "工具", "user": "用户"}}


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
        if context_tokens < trigger or context.complete is None:
            return None
        return ReadingRequest() if await self._cycles.take(session_key, context) else None

    @hookimpl(tryfirst=True)
    async def before_compaction(
        self, session_key: str, messages: tuple[Message, ...], context: PluginContext
    ) -> list[Note] | None:
        """Begin a new cycle; without a model, return notes of what nothing has kept."""
        if context.complete is not None or _has_transcript(session_key, context):
            await self._cycles.end(session_key, context)
            return None
        summary = find_earlier_summary(messages)
        spoken = [one for index, one in enumerate(messages) if index != summary]
        by_key = {message_key(one.role, one.text): one for one in spoken}
        fresh = [by_key[key] for key in await self._cycles.end(session_key, context, by_key)]
        return await run_in_daemon_thread(lambda: _archive(fresh, context)) or None

    @hookimpl
    async def contribute_reading(
        self, session_key: str, messages: tuple[Message, ...], reason: str, context: PluginContext
    ) -> ReadingPart | None:
        """Write what a reading before a cut, or behind one, finds into the day's note."""
        if reason != "turn" and not await self._cycles.is_due(session_key, context):
            return None

        async def take(reading: SessionReading) -> Sequence[Note]:
            logger.info("flush: {} messages read, {} notes", len(reading.messages), len(reading.entries))
            return [_note(one) for one in reading.entries[:_MOST_ENTRIES]]

        async def without_model() -> Sequence[Note]:
            if reason == "turn":
                await self._cycles.fail(session_key, context)
                return ()  # nothing is lost yet
            if _has_transcript(session_key, context):
                return ()
            return await run_in_daemon_thread(lambda: _archive(messages, context))

        return ReadingPart("entries", take, without_model=without_model)


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


def _has_transcript(session_key: str, context: PluginContext) -> bool:
    """Return whether a transcript holds what is said in a session: core brings it up to date before a cut."""
    return context.host.keeps_transcripts and MemoryPaths.of(context.workspace).transcript(session_key).is_file()


def _archive(messages: Sequence[Message], context: PluginContext) -> list[Note]:
    """Return what was said as notes, the user's words in one of their own; of a very long text both ends.

    Each text is redacted before it is joined with others: the beginning of a line tells most. It blocks.
    """
    language = dominant_language(messages)
    lines: dict[Origin, list[str]] = {Origin.USER: [], Origin.SUMMARY: []}
    for message in messages:
        text = clean_markdown(content_of(message)).strip()
        if not text or message.role == "system":
            continue
        safe = both_ends(_without_secrets(text, context.redact))
        # A user's message that holds somebody else's text is nobody's word as a whole.
        if message.role == "user" and authored_text(message) == text:
            lines[Origin.USER].append(f"- {safe}")
        else:
            lines[Origin.SUMMARY].append(f"- {_ROLES[language].get(message.role, message.role)}: {safe}")
    return [
        Note(
            tldr=_TLDR[language].format(one_line(" ".join(said).removeprefix("- "))[:_TLDR_CHARS]),
            details="\n".join(said),
            tags=("archive", TAG),
            title="archive",
            origin=origin,
        )
        for origin, said in lines.items()
        if said
    ]


def _without_secrets(text: str, redact: Callable[[str], str]) -> str:
    """Return a text without its secrets; nothing of it gets through when they cannot be looked for."""
    try:
        return redact(text)
    except Exception:
        return REDACTION_FAILED
