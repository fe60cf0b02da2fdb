"""One summary of each idle period of a session, in the day's note."""

import asyncio
import weakref
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from nanobot_memory_plugins.core import (
    LanguageModelError,
    MemoryPaths,
    Message,
    Note,
    NoteEntry,
    Origin,
    PluginContext,
    find_earlier_summary,
    hookimpl,
    logger,
    parse_notes,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.files import read_regular, read_time
from nanobot_memory_plugins.core.files.seen_messages import MessageMarks, SeenMessages
from nanobot_memory_plugins.core.text import GAP, dominant_language, is_pleasantry, message_time
from nanobot_memory_plugins.summary.options import SummaryOptions
from nanobot_memory_plugins.summary.templates import SUMMARY
from nanobot_memory_plugins.summary.writing import first_sentence, put_together, summary_prompt, usable_summary

PURPOSE = "summary"
TAGS = ("summary", "session")
TITLES = {"en": "session summary", "zh": "会话摘要"}

# Messages of a session that a summary is made of, at most: the last ones.
LAST_MESSAGES = 20
_ANSWER_TOKENS = 300
# Characters of one message that are looked at, half from either end.
_MESSAGE_CHARS = 20_000
# Day notes in which a session that ends is looked for, newest first.
_DAYS = 3
_LARGEST_NOTE_FILE = 16 << 20


class SummaryPlugin:
    """Summarises a session that has gone quiet or has ended, when enough that is new was said in it."""

    Options = SummaryOptions
    prompt_files = (SUMMARY,)

    def __init__(self) -> None:
        self._marks: MessageMarks | None = None
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @hookimpl
    async def on_session_idle(
        self, session_key: str, history: tuple[Message, ...], ended: bool, context: PluginContext
    ) -> Note | None:
        """Return the summary, or None: too little was said since the last one, or nothing."""
        lock = self._locks.setdefault(session_key, asyncio.Lock())
        async with lock:
            store = self._store(context)
            marks = await run_in_daemon_thread(lambda: store.read(session_key))
            fresh = _fresh(marks, history)
            wanted = await self._is_wanted(session_key, fresh, marks, ended, context)
            note = await self._summary(fresh[-LAST_MESSAGES:], context) if wanted else None
            if note is None and not ended:
                return None
            now = context.clock.now().isoformat()

            def change(known: SeenMessages) -> Note | None:
                left = note if note is not None and any(known.is_new(history)) else None
                if left is not None:
                    known.add(history)
                    known.values["summarised"] = now
                if ended:
                    known.values["ended"] = now
                return left

            return await run_in_daemon_thread(lambda: store.change(session_key, change))

    def _store(self, context: PluginContext) -> MessageMarks:
        if self._marks is None:
            paths = MemoryPaths.of(context.workspace)
            self._marks = MessageMarks(paths.index_folder / "summary", below=paths.workspace)
        return self._marks

    async def _is_wanted(
        self, session_key: str, fresh: Sequence[Message], marks: SeenMessages, ended: bool, context: PluginContext
    ) -> bool:
        options: SummaryOptions = context.options
        said = [message.text for message in fresh if message.role == "user"]
        turns = len(said)
        if all(map(is_pleasantry, said)):
            return False
        if ended:
            if turns >= options.summary_min_turns:
                return True
            if not options.fallback_at_end:
                return False
            paths, since = MemoryPaths.of(context.workspace), read_time(str(marks.values.get("ended", "")))
            return not await run_in_daemon_thread(lambda: was_noted(paths, session_key, since))
        return turns >= options.summary_min_turns and _has_rested(marks, options.summary_interval, context)

    async def _summary(self, messages: Sequence[Message], context: PluginContext) -> Note | None:
        options: SummaryOptions = context.options
        ready = await run_in_daemon_thread(lambda: [_prepared(message, context) for message in messages])
        language = dominant_language(ready)
        text = ""
        if options.summary_mode == "llm" and context.complete is not None:
            today = context.clock.now().date()
            prompt = await run_in_daemon_thread(lambda: summary_prompt(ready, context.prompts, language, today))
            purpose = f"{PURPOSE}:{options.summary_llm_provider}" if options.summary_llm_provider else PURPOSE
            try:
                answer = await context.complete(prompt, max_tokens=_ANSWER_TOKENS, purpose=purpose)
                text = usable_summary(answer, ready)
            except LanguageModelError as error:
                logger.debug("the summary is put together without the model: {}", type(error).__name__)
        text = text or put_together(ready, language)
        if not text:
            return None
        tldr = first_sentence(text)
        return Note(
            tldr=tldr,
            details=text if text != tldr else "",
            tags=TAGS,
            title=TITLES[language],
            origin=Origin.SUMMARY,
        )


def _fresh(marks: SeenMessages, history: Sequence[Message]) -> list[Message]:
    """Return the messages that were said since the last summary.

    Results of tools, silent calls and what a compaction put in the place of earlier messages are left out.
    """
    new, summary = marks.is_new(history), find_earlier_summary(history)
    return [
        message
        for index, message in enumerate(history)
        if new[index] and index != summary and message.role in ("user", "assistant") and message.text.strip()
    ]


def _has_rested(marks: SeenMessages, seconds: float, context: PluginContext) -> bool:
    try:
        last = datetime.fromisoformat(marks.values["summarised"])
        return context.clock.now() - last >= timedelta(seconds=seconds)
    except (KeyError, TypeError, ValueError, OverflowError):
        return True


def _prepared(message: Message, context: PluginContext) -> Message:
    """Return a copy with secrets hidden; it is cut later, because cutting first would leave pieces of them."""
    time = message_time(message)
    text, half = message.text, _MESSAGE_CHARS // 2
    if len(text) > _MESSAGE_CHARS:
        text = context.redact(text[:half]) + GAP + context.redact(text[-half:])
    else:
        text = context.redact(text)
    return replace(message, text=text, raw={"time": time.isoformat()} if time else {})


def was_noted(paths: MemoryPaths, session_key: str, since: datetime | None) -> bool:
    """Return whether anything of a session was noted after ``since``, what was only observed of tools left out.

    It blocks. Files that cannot be read hold nothing.
    """
    days = sorted(paths.memory.glob("????-??-??.md"), reverse=True)[:_DAYS]
    for file in (*days, paths.long_term):
        try:
            if file.stat().st_size > _LARGEST_NOTE_FILE:
                continue
            data = read_regular(file)
        except OSError:
            continue
        for part in parse_notes(data):
            if (
                isinstance(part, NoteEntry)
                and part.scope.session == session_key
                and "observation" not in part.tags
                and (since is None or part.time > since)
            ):
                return True
    return False
