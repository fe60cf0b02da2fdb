"""Writes a summary of a session as a note when it goes quiet or ends."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import (
    LanguageModelError,
    Message,
    Note,
    Origin,
    PluginContext,
    PluginOptions,
    estimate_tokens,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.session_reading.question import question
from nanobot_memory_plugins.core.text.conversation import dominant_language, excerpt, message_time, render_conversation
from nanobot_memory_plugins.core.text.evidence import clean_summary, summary_fault
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.markdown import clean_markdown, one_line
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.tokens import cut, truncate_to_tokens
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.session_reading import ReadingPart, SessionReading

# About 200 Chinese characters, or the same amount of English.
SUMMARY_TOKENS = 200
# A message of fewer tokens is a greeting, thanks or a yes.
_LEAST_TOKENS = 4
_ANSWER_CHARS = 8_000

_PARTS = {
    "en": ("The user wanted: {}", "Then: {}", "Result: {}"),
    "zh": ("用户想要：{}", "随后：{}", "结果：{}"),
}


def usable_summary(answer: str, messages: Sequence[Message]) -> str:
    """Return a model's answer as a summary within `SUMMARY_TOKENS`, or "" when it is not a usable summary."""
    text = clean_summary(answer[:_ANSWER_CHARS])
    if summary_fault(text, [message.text for message in messages]):
        return ""
    return cut(clean_markdown(text), SUMMARY_TOKENS)


def extract_summary(messages: Sequence[Message], language: Language) -> str:
    """Return a summary without a model: excerpts of the first request, the later ones, and the last answer."""
    substantial = [one for one in messages if one.text.strip() and estimate_tokens(one.text) >= _LEAST_TOKENS]
    requests = [message.text for message in substantial if message.role == "user"]
    answers = [message.text for message in substantial if message.role == "assistant"]
    first, then, last = _PARTS[language]
    parts = []
    if requests:
        parts.append(first.replace("{}", excerpt(one_line(requests[0]), 60)))
    if requests[1:]:
        share = max(12, 56 // len(requests[1:]))
        excerpts = (excerpt(one_line(request), share) for request in reversed(requests[1:]))
        parts.append(then.replace("{}", _join_newest(excerpts, 56)))
    if requests and answers:
        parts.append(last.replace("{}", excerpt(one_line(answers[-1]), 56)))
    return truncate_to_tokens("\n".join(parts), SUMMARY_TOKENS)


def first_sentence(text: str, chars: int = 160) -> str:
    """Return the first sentence of a text, as one line of at most ``chars`` characters."""
    return one_line(next(iter(sentences_of(text)), text))[:chars]


def _join_newest(newest_first: Iterable[str], tokens: int) -> str:
    """Join as many of the newest texts as fit, oldest first."""
    kept: list[str] = []
    for text in newest_first:
        tokens -= estimate_tokens(text) + 1
        if tokens < 0:
            break
        kept.append(text)
    return " / ".join(reversed(kept))


class SummaryOptions(PluginOptions):
    """Options of the summary plugin."""

    summary_interval: float = Field(
        default=300.0, ge=0, description="seconds between two summaries of one session, at least; its end does not wait"
    )
    summary_mode: Literal["llm", "concat"] = Field(
        default="llm", description="by the language model, or put together from the messages without it"
    )
    summary_llm_provider: str | None = Field(
        default=None,
        description="handed to the host with the purpose, as `summary:<provider>`, for hosts that can choose",
    )
    summary_min_turns: int = Field(default=3, ge=1, description="user messages since the last summary, at least")
    fallback_at_end: bool = Field(
        default=True, description="summarise a shorter session too when it ends and nothing of it was noted"
    )


TAGS = ("summary", "session")
TITLES = {"en": "session summary", "zh": "会话摘要"}

# The number of last messages that are summarised; for a separate model, the tokens of the prompt and of the answer.
LAST_MESSAGES, _SHOWN_TOKENS, _ANSWER_TOKENS = 20, 2_500, 300
# Seconds to wait for the model's answer before the summary is made without it.
_PATIENCE = 10.0
# Note files, newest first, that are searched for notes of a session.
_DAYS = 3
_LARGEST_NOTE_FILE = 16 << 20
_SESSIONS = 1_000


class SummaryPlugin:
    """Summarises a session that has gone quiet or has ended, if it has enough new messages."""

    Options = SummaryOptions

    def __init__(self) -> None:
        self._written: BoundedDict[str, datetime] = BoundedDict(_SESSIONS)

    @hookimpl
    async def contribute_reading(
        self,
        session_key: str,
        messages: tuple[Message, ...],
        unread: Mapping[str, int],
        reason: str,
        context: PluginContext,
    ) -> ReadingPart | None:
        """Ask for the summary if one is due, or make it without the model."""
        options: SummaryOptions = context.options
        new_messages = messages[len(messages) - unread.get("summary", len(messages)) :]
        if not await self._is_due(session_key, new_messages, reason, context):
            return None
        last = new_messages[-LAST_MESSAGES:]

        async def to_notes(text: str) -> Sequence[Note]:
            text = text or await run_in_daemon_thread(lambda: extract_summary(last, dominant_language(last)))
            if not text:
                return ()
            self._written[session_key] = context.clock.now()
            tldr = first_sentence(text)
            details = text if text != tldr else ""
            title = TITLES[dominant_language(last)]
            return [Note(tldr=tldr, details=details, tags=TAGS, title=title, origin=Origin.SUMMARY)]

        async def take(reading: SessionReading) -> Sequence[Note]:
            if reading.entries and sum(message.role == "user" for message in new_messages) < options.summary_min_turns:
                return ()  # the entries of a short session are enough
            return await to_notes(await run_in_daemon_thread(lambda: usable_summary(reading.summary, reading.messages)))

        async def without_model() -> Sequence[Note]:
            return await to_notes(await _summary_of_separate_model(last, context))

        asks = options.summary_mode == "llm" and not options.summary_llm_provider
        return ReadingPart("summary", take, without_model=without_model, patience=_PATIENCE, asks=asks)

    async def _is_due(
        self, session_key: str, new_messages: Sequence[Message], reason: str, context: PluginContext
    ) -> bool:
        options: SummaryOptions = context.options
        user_texts = [message.text for message in new_messages if message.role == "user"]
        if all(estimate_tokens(text) < _LEAST_TOKENS for text in user_texts):
            return False
        written = self._written.get(session_key)
        if reason != "ended":
            has_waited = written is None or context.clock.now() - written >= timedelta(seconds=options.summary_interval)
            return len(user_texts) >= options.summary_min_turns and has_waited
        if len(user_texts) >= options.summary_min_turns:
            return True
        paths, since = MemoryPaths.of(context.workspace), message_time(new_messages[0])
        return options.fallback_at_end and not await run_in_daemon_thread(lambda: has_notes(paths, session_key, since))


async def _summary_of_separate_model(messages: Sequence[Message], context: PluginContext) -> str:
    """Return the summary of the model that is configured for summaries only, or ""."""
    options: SummaryOptions = context.options
    if options.summary_mode != "llm" or not options.summary_llm_provider or context.complete is None:
        return ""
    language = dominant_language(messages)
    shown = render_conversation(messages, tokens=_SHOWN_TOKENS)
    prompt = [{"role": "user", "content": f"{question('summary', language)}\n\n{shown}"}]
    purpose = f"summary:{options.summary_llm_provider}"
    try:
        answer = await context.complete(prompt, max_tokens=_ANSWER_TOKENS, purpose=purpose)
    except LanguageModelError as error:
        logger.debug("the summary is put together without the model: {}", type(error).__name__)
        return ""
    return usable_summary(answer, messages)


def has_notes(paths: MemoryPaths, session_key: str, since: datetime | None) -> bool:
    """Return whether there are notes of a session after ``since``, other than observations of tools.

    It blocks. Files that cannot be read are skipped.
    """
    days = sorted(paths.memory.glob("????-??-??.md"), reverse=True)[:_DAYS]
    for file in days:
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
