"""Before nanobot cuts history: the plugins save what matters, and may say what replaces it.

nanobot replaces everything that it compacts by one text. It cannot keep a tail of messages, so a summary that
keeps one gets it written out below its text.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from loguru import logger

from nanobot_memory_plugins.bridge.idle import IdleSessions
from nanobot_memory_plugins.bridge.memory_thread import MemoryThread
from nanobot_memory_plugins.bridge.seams import SeamMissingError, require
from nanobot_memory_plugins.bridge.sessions import is_for_people, is_private, public_messages, scope_of
from nanobot_memory_plugins.core.fence import remove_fenced
from nanobot_memory_plugins.core.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message, Summary

# Seconds on top of the plugins' own limit, for writing their notes.
_GRACE = 5.0
# nanobot's headroom for its token count (Consolidator._SAFETY_BUFFER in 0.3.5).
_SAFETY_TOKENS = 1_024
_TAIL_HEADING = "Last messages, as they were:"
_EARLIER_HEADING = "Summary of the conversation before these messages:"

Summarise = Callable[..., Awaitable[str | None]]


class Compaction:
    """Stands before the two methods by which nanobot summarises what it cuts."""

    def __init__(self, loop: Any, thread: MemoryThread, *, limit: float, idle: IdleSessions | None) -> None:
        self._loop = loop
        self._thread = thread
        self._limit = limit + _GRACE
        self._idle = idle

    def attach_token_pressure(self) -> str:
        """Wrap the summary that nanobot makes when a request no longer fits the window."""
        consolidator = require(self._loop, "consolidator")
        summarise: Summarise = require(consolidator, "summarize_transcript")

        @functools.wraps(summarise)
        async def wrapped(
            accepted_messages: list[dict[str, Any]], previous_summary: str | None, **rest: Any
        ) -> str | None:
            ours = await self._ask(
                str(rest.get("session_key") or ""),
                [one for one in accepted_messages if one.get("role") != "system"],
                previous_summary,
                rest.get("runtime"),
                reason="token_pressure",
            )
            return ours or await summarise(accepted_messages, previous_summary, **rest)

        consolidator.summarize_transcript = wrapped
        return "Consolidator.summarize_transcript"

    def attach_archive(self) -> str:
        """Wrap the archive that nanobot makes of an idle session, at ``/compact``, at ``/new`` and for the SDK."""
        consolidator = require(self._loop, "consolidator")
        archive: Summarise = require(consolidator, "archive_session")

        @functools.wraps(archive)
        async def wrapped(session: Any, *, archive_end: int, **rest: Any) -> str | None:
            ours: str | None = None
            try:
                messages = session.messages[session.last_archived : archive_end]
                # At /new the session has been emptied, and what is archived is a copy of it.
                ended = self._loop.sessions.get_cached(session.key) is not session
                if not is_private(session):
                    ours = await self._ask(
                        session.key,
                        public_messages(messages, at_most=None),
                        (session.metadata.get("_last_summary") or {}).get("text"),
                        rest.get("runtime"),
                        reason="session_ended" if ended else "archive",
                    )
                    if ended and self._idle is not None and is_for_people(session.key):
                        self._idle.end(self._thread, session.key, session.messages, scope_of(session.key))
            except Exception as error:
                logger.warning("compaction goes on without the memory: {}", type(error).__name__)
            return ours or await archive(session, archive_end=archive_end, **rest)

        consolidator.archive_session = wrapped
        return "Consolidator.archive_session"

    async def _ask(
        self, key: str, messages: list[dict[str, Any]], earlier: str | None, runtime: Any, *, reason: str
    ) -> str | None:
        """Return the text that replaces ``messages``, or None: then nanobot's own summary is made."""
        if not messages or not is_for_people(key):
            return None
        carried = [{"role": "system", "content": f"{_EARLIER_HEADING}\n{earlier}"}] if earlier else []
        window = int(getattr(runtime, "context_window_tokens", 0) or self._loop.context_window_tokens)
        try:
            summary = await self._thread.call(
                lambda memory: memory.before_compaction(
                    session_key=key,
                    messages=[*carried, *messages],
                    context_window=window,
                    reason=reason,
                    scope=scope_of(key),
                ),
                limit=self._limit,
            )
            if summary is None or not summary.text.strip():
                return None
            text = replacement(summary, [*carried, *messages], budget=_budget(runtime, window))
            # As nanobot does with its own summary: its Dream job reads them there.
            self._store().append_history(text, session_key=key)
        except Exception as error:
            logger.warning("compaction goes on without the memory: {}", type(error).__name__)
            return None
        return text

    def _store(self) -> Any:
        store = getattr(self._loop.consolidator, "store", None)
        if store is None:
            raise SeamMissingError("Consolidator has no store")
        return store


def replacement(summary: Summary, messages: list[dict[str, Any]], *, budget: int) -> str:
    """Return the summary's text with the messages that it keeps written out below it, newest ones first to stay.

    ``budget`` is in estimated tokens and bounds the tail; the summary itself is never cut.
    """
    left = budget - estimate_tokens(summary.text)
    lines: list[str] = []
    for message in reversed(messages[max(0, summary.keep_from) :]):
        said = Message.from_chat(message)
        text = remove_fenced(said.text).strip()
        left -= estimate_tokens(text)
        if left < 0:
            break
        if text:
            lines.append(f"{said.role}: {text}")
    return "\n\n".join([summary.text.strip(), *([_TAIL_HEADING] if lines else []), *reversed(lines)])


def _budget(runtime: Any, window: int) -> int:
    """Return the tokens that the replacement may have: what nanobot allows its own checkpoint."""
    answer = int(getattr(getattr(runtime, "generation", None), "max_tokens", 0) or 0)
    return max(1, (window - answer - _SAFETY_TOKENS) // 2)
