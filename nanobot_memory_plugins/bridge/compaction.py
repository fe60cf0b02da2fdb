"""Before nanobot cuts history: the plugins save what matters, and may say what replaces it.

nanobot replaces everything that it compacts by one text, which it puts into its system prompt: our summary, and below
it the messages that stay. Each is written out as a line of JSON, so that no text can pass for another speaker's, and
the next compaction gets it back as it was.
"""

import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any

from nanobot.utils.helpers import estimate_prompt_tokens_chain

from nanobot_memory_plugins.bridge.sessions import is_continuation, is_for_people, is_private, public_messages, scope_of
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

# Seconds on top of the plugins' own limit, for writing their notes.
_GRACE = 5.0
# nanobot's headroom for its count (SNIP_SAFETY_BUFFER and Consolidator._SAFETY_BUFFER in 0.3.5).
_SAFETY_TOKENS = 1_024
# Of a history so much is counted both ways, to compare nanobot's count with ours.
_SAMPLE_MESSAGES, _SAMPLE_CHARS = 40, 500
# Messages written as JSON cost this much more than they do themselves.
_LAYOUT = 1.1
# The function of nanobot's that asks for a summary of what a request cannot hold, and its name for the rest of it.
_COMPACTING, _WAITING = "_compact_request_history", "delta_messages"
# What stands between the summary and the messages that stay, and what is kept of each.
_HEADING = "\n\nLast messages, as they were, one a line:\n"
_KEPT = ("role", "name", "tool_calls", "tool_call_id")

Messages = Sequence[Mapping[str, Any]]


class Room:
    """What may replace history beside ``fixed`` tokens of a request, by nanobot's own count of tokens.

    It is half of what is free: the other half is for the conversation to go on.
    """

    def __init__(self, runtime: Any, fixed: int) -> None:
        self._runtime = runtime
        self.window = int(runtime.context_window_tokens)
        self.answer = int(runtime.generation.max_tokens)
        self.tokens = max(1, (self.window - self.answer - _SAFETY_TOKENS - fixed) // 2)

    @classmethod
    def in_request(cls, runtime: Any, accepted: Messages, earlier: str | None, tools: Any) -> "Room":
        """Return the room in a request whose ``accepted`` messages are to be replaced.

        What else it holds is its system prompt without the ``earlier`` summary, the tools, and the messages that wait.
        Where these are not known, the room is what nanobot would allow a summary of its own.
        """
        prompt = [str(message["content"]).replace(earlier or "", "") for message in accepted if _is_system(message)]
        system = [{"role": "system", "content": text} for text in prompt]
        waiting = waiting_messages()
        room = cls(runtime, _count(runtime, [*system, *(waiting or ())], tools))
        if waiting is None:
            room.tokens = min(room.tokens, room.answer)
        return room

    def fits(self, text: str) -> bool:
        """Return whether nanobot would count a text as small enough."""
        return _count(self._runtime, [{"role": "system", "content": text}]) <= self.tokens

    def estimated(self, messages: Messages) -> int:
        """Return the same by our count, which is another one for messages like these."""
        shown = messages[-_SAMPLE_MESSAGES:]
        sample = "\n".join(Message.from_chat(message).text[:_SAMPLE_CHARS] for message in shown)
        ratio = _count(self._runtime, [{"role": "user", "content": sample}]) / max(1, estimate_tokens(sample))
        return max(1, int(self.tokens / max(1.0, ratio) / _LAYOUT))


def _count(runtime: Any, messages: Messages, tools: Any = None) -> int:
    given = [dict(message) for message in messages]
    counted, _source = estimate_prompt_tokens_chain(runtime.provider, runtime.model, given, tools)
    return int(counted)


def _is_system(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "system"


def waiting_messages() -> list[dict[str, Any]] | None:
    """Return the messages of the request that come after those to be summarised.

    nanobot does not hand them over. They are in the function that awaits the caller; None where there is none.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == _COMPACTING:
            waiting: list[dict[str, Any]] = frame.f_locals[_WAITING]
            return waiting
        frame = frame.f_back
    return None


class Compaction:
    """Wraps the two methods by which nanobot summarises what it cuts."""

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
            summary = await self._compacted(key, messages, previous_summary, room, reason="token_pressure")
            return summary or await summarise(accepted_messages, previous_summary, **rest)

        self._loop.consolidator.summarize_transcript = wrapped
        return "Consolidator.summarize_transcript"

    def attach_archive(self) -> str:
        """Wrap the archive that nanobot makes of an idle session, at ``/compact``, at ``/new`` and for the SDK."""
        archive = self._loop.consolidator.archive_session

        @wraps(archive)
        async def wrapped(session: Any, *, archive_end: int, **rest: Any) -> str | None:
            summary = await self._for_session(session, archive_end, rest.get("runtime"))
            return summary or await archive(session, archive_end=archive_end, **rest)

        self._loop.consolidator.archive_session = wrapped
        return "Consolidator.archive_session"

    @none_on_failure  # of nanobot's compaction nothing may fail for us
    async def _for_session(self, session: Any, archive_end: int, runtime: Any) -> str | None:
        """Return the text that replaces a session's messages, or None."""
        if is_private(session):
            return None
        # At /new the session has been emptied, and what is archived is a copy of it.
        ended = self._loop.sessions.get_cached(session.key) is not session
        messages = public_messages(session.messages[session.last_archived : archive_end], at_most=None)
        earlier = (session.metadata.get("_last_summary") or {}).get("text")

        def room() -> Room:
            empty = type(session)(key=session.key)
            fixed, _ = self._loop.consolidator.estimate_session_prompt_tokens(empty, runtime=runtime)
            return Room(runtime, fixed)

        reason = "session_ended" if ended else "archive"
        summary = await self._compacted(session.key, messages, earlier, room, reason=reason)
        if ended and is_for_people(session.key):
            self._memory.ended(session.key, public_messages(session.messages), scope=scope_of(session.key))
        return summary

    @none_on_failure
    async def _compacted(
        self,
        key: str,
        messages: list[dict[str, Any]],
        earlier: str | None,
        measure: Callable[[], Room],
        *,
        reason: str,
    ) -> str | None:
        """Return the text that replaces ``messages``, or None: then nanobot's own summary is made."""
        if not messages or not is_for_people(key):
            return None
        limit = self._memory.config.core.compaction_limit + _GRACE
        made = await self._memory.call(_work(key, messages, earlier, measure(), reason), limit=limit)
        if made is None:
            return None
        text, redacted = made
        # As nanobot does with its own summary: its Dream job reads them there.
        self._loop.consolidator.store.append_history(redacted, session_key=key)
        return text


def _work(
    key: str, messages: list[dict[str, Any]], earlier: str | None, room: Room, reason: str
) -> Callable[["MemoryHost"], Awaitable[tuple[str, str] | None]]:
    """Return what the memory's thread does: the text for nanobot, and the same without secrets for its files."""
    carried: list[Mapping[str, Any]] = []
    kept: list[dict[str, Any]] = []
    if earlier:
        text, kept = split_checkpoint(earlier)
        carried = [{"role": "system", "content": marked_summary(text, language_of(text))}]
    given = [*carried, *kept, *messages]

    async def work(memory: "MemoryHost") -> tuple[str, str] | None:
        summary = await memory.before_compaction(
            session_key=key,
            messages=given,
            context_window=room.window,
            room=room.estimated(messages),
            reason=reason,
            scope=scope_of(key),
        )
        if summary is None or not summary.text.strip():
            return None
        stays = await memory.privacy.shown(key, tuple(map(Message.from_chat, given)))
        text = replacement(summary, stays, first=len(carried), fits=room.fits)
        return text, memory.redact(text)

    return work


def replacement(summary: Summary, messages: Sequence[Message], *, fits: Callable[[str], bool], first: int = 0) -> str:
    """Return the summary's text with the messages that it keeps written out below it.

    ``first`` is the index of the first message that can be kept; before it is an earlier summary. ``fits`` says
    whether a text has room: else the oldest messages are left out, and last the end of the summary.
    """
    text, kept = summary.text.strip(), list(messages[max(first, summary.keep_from) :])
    while kept and (kept[0].role == "tool" or not fits(_joined(text, kept))):
        kept.pop(0)
    while not kept and not fits(text) and (tokens := estimate_tokens(text)) > 1:
        text = truncate_to_tokens(text, tokens * 7 // 8)
    return _joined(text, kept)


def split_checkpoint(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the summary in a text that `replacement` made, and the messages below it; of any other text, all of it."""
    summary, heading, tail = text.rpartition(_HEADING)
    try:
        return (summary, list(map(json.loads, tail.strip().split("\n")))) if heading else (text, [])
    except ValueError:
        return text, []


def _joined(text: str, kept: Sequence[Message]) -> str:
    return f"{text}{_HEADING}" + "\n".join(map(_line, kept)) if kept else text


def _line(message: Message) -> str:
    row = {name: message.raw[name] for name in _KEPT if message.raw.get(name)}
    return json.dumps({**row, "content": remove_fenced(message.text).strip()}, ensure_ascii=False, default=dict)
