"""Saving what matters before history is cut: a silent turn, and where that gives nothing, an archive by rules.

A cycle lasts from one cut to the next. At most one silent turn of a cycle is used: after the turn that fills the
context up to the trigger, else at the cut. What is cut and was not in that turn is archived.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum

from nanobot_memory_plugins.core import (
    Destination,
    LanguageModelError,
    MemoryPaths,
    Message,
    Note,
    NoteType,
    Origin,
    PluginContext,
    estimate_tokens,
    find_earlier_summary,
    hookimpl,
    logger,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.files.seen_messages import SeenMessages
from nanobot_memory_plugins.core.text import as_spoken, clean_markdown, dominant_language, says_nothing
from nanobot_memory_plugins.flush.archive import archive, archive_whole
from nanobot_memory_plugins.flush.entries import FlushedEntry, UserWords, grounded, read_entries
from nanobot_memory_plugins.flush.flush_state import ASKED_AT, TURN_FAILED, TURN_TAKEN, FlushCycles
from nanobot_memory_plugins.flush.options import FlushOptions
from nanobot_memory_plugins.flush.preparing import prepared
from nanobot_memory_plugins.flush.prompt import flush_prompt
from nanobot_memory_plugins.flush.templates import FLUSH
from nanobot_memory_plugins.flush.trigger import flush_margins, flush_trigger

PURPOSE = "flush"
TAG = "flush"

# Of the window, the share that the prompt of a silent turn may have.
_PROMPT_SHARE = 0.3
# After a silent turn, seconds in which a few new messages are archived instead: a host that fails to cut would ask the
# model after every turn.
_REST = timedelta(seconds=600)
_LASTING = (NoteType.DECISION, NoteType.CONFIG)


class _Outcome(Enum):
    KEPT = "kept"
    NOTHING = "nothing"
    FAILED = "failed"


class FlushPlugin:
    """Captures what is about to be cut, once."""

    Options = FlushOptions
    prompt_files = (FLUSH,)

    def __init__(self) -> None:
        self._cycles = FlushCycles()

    @hookimpl(tryfirst=True)
    async def before_compaction(
        self, session_key: str, messages: tuple[Message, ...], context_window: int, context: PluginContext
    ) -> list[Note] | None:
        """Return notes of everything at stake that has not been captured yet. A new cycle begins."""
        options: FlushOptions = context.options
        window = options.context_window or context_window
        async with self._cycles.of(session_key, context) as cycle:
            marks = await cycle.read()
            fresh = _fresh(marks, messages)
            if not fresh:
                if marks.values.get(TURN_TAKEN):
                    await cycle.end(messages, [], asked=False)
                return None
            notes: list[Note] = []
            outcome = _Outcome.FAILED
            ready = await run_in_daemon_thread(lambda: prepared(fresh, context.redact))
            if not marks.values.get(TURN_TAKEN) and _is_worth_a_turn(marks, ready, window, context):
                outcome, notes = await self._silent_turn(session_key, fresh, ready, window, context)
            if outcome is _Outcome.FAILED:
                notes = await run_in_daemon_thread(lambda: _archive(fresh, ready, session_key, context))
            asked = outcome is not _Outcome.FAILED
            kept = await cycle.end(messages, notes, asked=asked)
        what = "by the model" if asked else "archived"
        logger.info("flush before a cut: {} messages {}, {} notes", len(fresh), what, len(kept))
        return kept or None

    @hookimpl
    async def on_turn_finished(
        self,
        session_key: str,
        messages: Sequence[Message],
        context_tokens: int,
        context_window: int,
        context: PluginContext,
    ) -> list[Note] | None:
        """Take the silent turn of this cycle once the context is full enough. Until then nothing is looked at."""
        options: FlushOptions = context.options
        window = options.context_window or context_window
        if context_tokens < flush_trigger(
            window, options.reserve_floor, options.soft_threshold, answer_tokens=options.host_answer_tokens
        ):
            return None
        if not options.anticipate or context.complete is None or self._cycles.had_turn(session_key):
            return None
        async with self._cycles.of(session_key, context) as cycle:
            marks = await cycle.read()
            if marks.values.get(TURN_TAKEN) or marks.values.get(TURN_FAILED):
                cycle.note_turn()
                return None
            live = tuple(messages)
            fresh = _fresh(marks, live)
            if not fresh:
                return None
            ready = await run_in_daemon_thread(lambda: prepared(fresh, context.redact))
            outcome, notes = await self._silent_turn(session_key, fresh, ready, window, context)
            if outcome is _Outcome.FAILED:
                # Nothing is lost yet: the cut tries once more, and archives when that fails too.
                await cycle.fail_turn()
                return None
            kept = await cycle.take_turn(live, notes)
        logger.info("flush ahead of a cut: {} messages by the model, {} notes", len(fresh), len(kept))
        return kept or None

    async def _silent_turn(
        self,
        session_key: str,
        fresh: Sequence[Message],
        ready: Sequence[Message],
        window: int,
        context: PluginContext,
    ) -> tuple[_Outcome, list[Note]]:
        """Ask the model what to keep. Whatever is wrong with it or its answer counts as failed."""
        options: FlushOptions = context.options
        if context.complete is None:
            return _Outcome.FAILED, []
        tokens = max(1, min(options.max_prompt_tokens, int(_PROMPT_SHARE * window)))
        prompt = await run_in_daemon_thread(
            lambda: flush_prompt(
                ready,
                context.prompts,
                language=dominant_language(ready),
                today=context.clock.now().astimezone().date(),
                tokens=tokens,
                most=options.max_entries,
            )
        )
        if prompt is None:
            return _Outcome.FAILED, []
        try:
            answer = await context.complete(prompt, max_tokens=options.max_answer_tokens, purpose=PURPOSE)
        except LanguageModelError as error:
            logger.debug("the silent turn failed: {}", type(error).__name__)
            return _Outcome.FAILED, []

        def judge() -> tuple[_Outcome, list[Note]]:
            outcome, notes = _judge(answer, ready, options)
            # "Nothing worth keeping" is said of what was shown.
            if outcome is not _Outcome.FAILED and not _has_transcript(session_key, context):
                notes += archive_whole(
                    _not_shown(fresh, ready, prompt[-1]["content"]),
                    language=dominant_language(ready),
                    redact=context.redact,
                )
            return outcome, notes

        try:
            return await run_in_daemon_thread(judge)
        except Exception as error:  # an answer may be anything; what was said is archived then
            logger.warning("the answer of the silent turn could not be read: {}", type(error).__name__)
            return _Outcome.FAILED, []


def _fresh(marks: SeenMessages, messages: Sequence[Message]) -> list[Message]:
    """Return the messages that have not been captured, system messages and an earlier summary left out."""
    new, summary = marks.is_new(messages), find_earlier_summary(messages)
    return [as_spoken(message) for index, message in enumerate(messages) if new[index] and index != summary]


def _is_worth_a_turn(marks: SeenMessages, ready: Sequence[Message], window: int, context: PluginContext) -> bool:
    """Return whether the model is asked: not for a few messages shortly after the last time."""
    options: FlushOptions = context.options
    try:
        rested = context.clock.now() - datetime.fromisoformat(marks.values[ASKED_AT]) >= _REST
    except (KeyError, TypeError, ValueError):
        return True
    _, soft = flush_margins(window, options.reserve_floor, options.soft_threshold)
    return rested or sum(estimate_tokens(message.text) for message in ready) >= soft


def _judge(answer: str, ready: Sequence[Message], options: FlushOptions) -> tuple[_Outcome, list[Note]]:
    """Turn an answer into notes."""
    read = read_entries(answer)
    entries = grounded(read, ready)[: options.max_entries]
    if not entries:
        # Junk may hold the word, too; what was read as entries and is not grounded is junk.
        nothing = not read and says_nothing(answer)
        return (_Outcome.NOTHING if nothing else _Outcome.FAILED), []
    own = UserWords(ready)
    return _Outcome.KEPT, [_note(entry, own, options) for entry in entries]


def _note(entry: FlushedEntry, own: UserWords, options: FlushOptions) -> Note:
    origin = Origin.USER if own.hold(entry) else Origin.SUMMARY
    # Many hosts open every prompt with the long-term file: what a web page wants to be remembered is not for it.
    trusted = origin is Origin.USER or not own.tools_spoke
    lasting = options.destination == "by_type" and entry.type in _LASTING and trusted
    return Note(
        tldr=entry.tldr,
        details=entry.details,
        type=entry.type,
        tags=tuple(dict.fromkeys((*entry.tags, TAG))),
        title="flush",
        origin=origin,
        destination=Destination.LONG_TERM if lasting else Destination.DAY,
    )


def _archive(
    fresh: Sequence[Message], ready: Sequence[Message], session_key: str, context: PluginContext
) -> list[Note]:
    """Return the archive by rules: excerpts where a transcript holds the whole, else everything."""
    language = dominant_language(ready)
    if not _has_transcript(session_key, context):
        return archive_whole(fresh, language=language, redact=context.redact)
    options: FlushOptions = context.options
    return archive(ready, language=language, chars=options.archive_chars)


def _has_transcript(session_key: str, context: PluginContext) -> bool:
    """Return whether a transcript holds what was said in full."""
    return MemoryPaths.of(context.workspace).transcript(session_key).is_file()


def _not_shown(fresh: Sequence[Message], ready: Sequence[Message], prompt: str) -> list[Message]:
    """Return the messages that the model was not shown in full, results of tools left out."""
    return [
        message
        for message, redacted in zip(fresh, ready, strict=True)
        if message.role != "tool" and clean_markdown(redacted.text).strip() not in prompt
    ]
