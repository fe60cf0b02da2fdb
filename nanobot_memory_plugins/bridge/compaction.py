"""Runs the compaction hooks before nanobot cuts history, and hands nanobot the summary that a plugin made.

nanobot replaces all compacted messages by a single text in its system prompt. That text holds our summary and below it
the messages that are kept. Each kept message is one line of JSON, so that no text can pass for another speaker's and
the next compaction can read the messages back.
"""

import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any

from nanobot.utils.helpers import estimate_prompt_tokens_chain

from nanobot_memory_plugins.bridge.sessions import (
    is_continuation,
    is_temporary,
    is_user_turn,
    public_messages,
    scope_of,
)
from nanobot_memory_plugins.core import (
    MemoryService,
    Message,
    Summary,
    estimate_tokens,
    language_of,
    remove_fenced,
)
from nanobot_memory_plugins.core.host.framework_calls import none_on_failure
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

# Seconds added to the plugins' own limit, for writing their notes.
_GRACE_SECONDS = 5.0
# nanobot's headroom for its count (SNIP_SAFETY_BUFFER and Consolidator._SAFETY_BUFFER in 0.3.5).
_SAFETY_TOKENS = 1_024
# The part of a history that is counted both ways, to compare nanobot's token count with ours.
_SAMPLE_MESSAGES, _SAMPLE_CHARS = 40, 500
# Messages cost this many times their own tokens when they are written as JSON.
_JSON_OVERHEAD = 1.1
# nanobot's function that requests a summary when a request is too large, and its variable with the later messages.
_COMPACTING_FUNCTION, _PENDING_VARIABLE = "_compact_request_history", "delta_messages"
# The heading between the summary and the kept messages, and the fields that are kept of a message.
_HEADING = "\n\nLast messages, as they were, one a line:\n"
_KEPT_FIELDS = ("role", "name", "tool_calls", "tool_call_id")

Messages = Sequence[Mapping[str, Any]]


class Room:
    """The token budget for the text that replaces history, in nanobot's own count.

    It is half of what a request has left after its ``fixed`` tokens; the other half is for the conversation to go on.
    """

    def __init__(self, runtime: Any, fixed: int) -> None:
        self._runtime = runtime
        self.window = int(runtime.context_window_tokens)
        self.answer = int(runtime.generation.max_tokens)
        self.tokens = max(1, (self.window - self.answer - _SAFETY_TOKENS - fixed) // 2)

    @classmethod
    def in_request(cls, runtime: Any, accepted: Messages, earlier: str | None, tools: Any) -> "Room":
        """Return the room in a request whose ``accepted`` messages will be replaced.

        The fixed part of the request is its system prompt without the ``earlier`` summary, the tools, and the pending
        messages. When the pending messages are unknown, the room is at most what nanobot allows its own summary.
        """
        system = [
            {"role": "system", "content": str(message["content"]).replace(earlier or "", "")}
            for message in accepted
            if _is_system(message)
        ]
        pending = pending_messages()
        room = cls(runtime, _count_tokens(runtime, [*system, *(pending or ())], tools))
        if pending is None:
            room.tokens = min(room.tokens, room.answer)
        return room

    def fits(self, text: str) -> bool:
        """Return whether nanobot would count a text as small enough."""
        return _count_tokens(self._runtime, [{"role": "system", "content": text}]) <= self.tokens

    def estimated_tokens(self, messages: Messages) -> int:
        """Return the room in our own token estimate, converted by the ratio of both counts on these messages."""
        shown = messages[-_SAMPLE_MESSAGES:]
        sample = "\n".join(Message.from_chat(message).text[:_SAMPLE_CHARS] for message in shown)
        ratio = _count_tokens(self._runtime, [{"role": "user", "content": sample}]) / max(1, estimate_tokens(sample))
        return max(1, int(self.tokens / max(1.0, ratio) / _JSON_OVERHEAD))


def _count_tokens(runtime: Any, messages: Messages, tools: Any = None) -> int:
    rows = [dict(message) for message in messages]
    tokens, _source = estimate_prompt_tokens_chain(runtime.provider, runtime.model, rows, tools)
    return int(tokens)


def _is_system(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "system"


def pending_messages() -> list[dict[str, Any]] | None:
    """Return the messages of the request that follow the ones to be summarised, or None when they cannot be found.

    nanobot does not pass them, so they are read from the local variables of the function that awaits the caller.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == _COMPACTING_FUNCTION:
            pending: list[dict[str, Any]] = frame.f_locals[_PENDING_VARIABLE]
            return pending
        frame = frame.f_back
    return None


class Compaction:
    """Wraps the two methods with which nanobot summarises the messages that it cuts."""

    def __init__(self, loop: Any, memory: MemoryService) -> None:
        self._loop = loop
        self._memory = memory

    def attach_token_pressure(self) -> str:
        """Wrap the summary that nanobot makes when a request no longer fits the window."""
        summarise = self._loop.consolidator.summarize_transcript

        @wraps(summarise)
        async def wrapped(
            accepted_messages: list[dict[str, Any]], previous_summary: str | None, **rest: Any
        ) -> str | None:
            messages = [item for item in accepted_messages if not (_is_system(item) or is_continuation(item))]

            def room() -> Room:
                return Room.in_request(rest["runtime"], accepted_messages, previous_summary, rest["tools"])

            key = str(rest.get("session_key") or "")
            summary = await self._compact(key, messages, previous_summary, room, reason="token_pressure")
            return summary or await summarise(accepted_messages, previous_summary, **rest)

        self._loop.consolidator.summarize_transcript = wrapped
        return "Consolidator.summarize_transcript"

    def attach_archive(self) -> str:
        """Wrap the archiving of a session: when it is idle, at ``/compact``, at ``/new``, and by the SDK."""
        archive = self._loop.consolidator.archive_session

        @wraps(archive)
        async def wrapped(session: Any, *, archive_end: int, **rest: Any) -> str | None:
            summary = await self._compact_session(session, archive_end, rest.get("runtime"))
            return summary or await archive(session, archive_end=archive_end, **rest)

        self._loop.consolidator.archive_session = wrapped
        return "Consolidator.archive_session"

    @none_on_failure  # a failure of ours must not break nanobot's compaction
    async def _compact_session(self, session: Any, archive_end: int, runtime: Any) -> str | None:
        """Return the text that replaces a session's messages, or None."""
        if is_temporary(session):
            return None
        # At /new the session is already empty, and nanobot archives a copy of it.
        ended = self._loop.sessions.get_cached(session.key) is not session
        messages = public_messages(session.messages[session.last_archived : archive_end], at_most=None)
        earlier = (session.metadata.get("_last_summary") or {}).get("text")

        def room() -> Room:
            empty = type(session)(key=session.key)
            fixed, _ = self._loop.consolidator.estimate_session_prompt_tokens(empty, runtime=runtime)
            return Room(runtime, fixed)

        reason = "session_ended" if ended else "archive"
        summary = await self._compact(session.key, messages, earlier, room, reason=reason)
        if ended and is_user_turn(session.key):
            self._memory.ended(session.key, public_messages(session.messages), scope=scope_of(session.key))
        return summary

    @none_on_failure
    async def _compact(
        self,
        key: str,
        messages: list[dict[str, Any]],
        earlier: str | None,
        measure_room: Callable[[], Room],
        *,
        reason: str,
    ) -> str | None:
        """Return the text that replaces ``messages``, or None to let nanobot make its own summary."""
        if not messages or not is_user_turn(key):
            return None
        limit = self._memory.config.core.compaction_limit + _GRACE_SECONDS
        texts = await self._memory.call(_compaction_task(key, messages, earlier, measure_room(), reason), limit=limit)
        if texts is None:
            return None
        text, redacted = texts
        # nanobot does the same with its own summary, and its Dream job reads it there.
        self._loop.consolidator.store.append_history(redacted, session_key=key)
        return text


def _compaction_task(
    key: str, messages: list[dict[str, Any]], earlier: str | None, room: Room, reason: str
) -> Callable[["MemoryHost"], Awaitable[tuple[str, str] | None]]:
    """Return the coroutine function that makes the text for nanobot, and its redacted copy for nanobot's files."""
    summaries: list[Mapping[str, Any]] = []
    kept: list[dict[str, Any]] = []
    if earlier:
        text, kept = split_checkpoint(earlier)
        summaries = [{"role": "system", "content": marked_summary(text, language_of(text))}]
    history = [*summaries, *kept, *messages]

    async def compact(memory: "MemoryHost") -> tuple[str, str] | None:
        summary = await memory.before_compaction(
            session_key=key,
            messages=history,
            context_window=room.window,
            room=room.estimated_tokens(messages),
            reason=reason,
            scope=scope_of(key),
        )
        if summary is None or not summary.text.strip():
            return None
        shown = await memory.privacy.visible_messages(key, tuple(map(Message.from_chat, history)))
        text = replacement(summary, shown, first=len(summaries), fits=room.fits)
        return text, memory.redact(text)

    return compact


def replacement(summary: Summary, messages: Sequence[Message], *, fits: Callable[[str], bool], first: int = 0) -> str:
    """Return the summary's text with the kept messages written out below it.

    ``first`` is the index of the first message that may be kept; an earlier summary precedes it. ``fits`` returns
    whether a text is small enough. A text that is not loses its oldest messages, and then the end of the summary.
    """
    text, kept = summary.text.strip(), list(messages[max(first, summary.keep_from) :])
    while kept and (kept[0].role == "tool" or not fits(_join(text, kept))):
        kept.pop(0)
    while not kept and not fits(text) and (tokens := estimate_tokens(text)) > 1:
        text = truncate_to_tokens(text, tokens * 7 // 8)
    return _join(text, kept)


def split_checkpoint(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Split a text that `replacement` made into its summary and its messages; any other text is all summary."""
    summary, heading, tail = text.rpartition(_HEADING)
    try:
        return (summary, list(map(json.loads, tail.strip().split("\n")))) if heading else (text, [])
    except ValueError:
        return text, []


def _join(text: str, kept: Sequence[Message]) -> str:
    return f"{text}{_HEADING}" + "\n".join(map(_json_line, kept)) if kept else text


def _json_line(message: Message) -> str:
    row = {name: message.raw[name] for name in _KEPT_FIELDS if message.raw.get(name)}
    return json.dumps({**row, "content": remove_fenced(message.text).strip()}, ensure_ascii=False, default=dict)
