"""Before nanobot cuts history: the plugins save what matters, and may say what replaces it.

nanobot replaces everything that it compacts by one text, which it puts into its system prompt; `checkpoint` makes it.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.bridge.checkpoint import replacement, split_checkpoint
from nanobot_memory_plugins.bridge.context_budget import Room, room_in_request, room_in_session, waiting_messages
from nanobot_memory_plugins.bridge.seams import SeamMissingError, require
from nanobot_memory_plugins.bridge.sessions import is_continuation, is_for_people, is_private, public_messages, scope_of
from nanobot_memory_plugins.core import MemoryService, Message, language_of, logger
from nanobot_memory_plugins.core.text.summary_marker import earlier_summary_message

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

# Seconds on top of the plugins' own limit, for writing their notes.
_GRACE = 5.0

Summarise = Callable[..., Awaitable[str | None]]


class Compaction:
    """Wraps the two methods by which nanobot summarises what it cuts."""

    def __init__(self, loop: Any, memory: MemoryService, *, limit: float) -> None:
        self._loop = loop
        self._memory = memory
        self._limit = limit + _GRACE

    def attach_token_pressure(self) -> str:
        """Wrap the summary that nanobot makes when a request no longer fits the window."""
        consolidator = require(self._loop, "consolidator")
        summarise: Summarise = require(consolidator, "summarize_transcript")

        @functools.wraps(summarise)
        async def wrapped(
            accepted_messages: list[dict[str, Any]], previous_summary: str | None, **rest: Any
        ) -> str | None:
            messages = [
                item for item in accepted_messages if item.get("role") != "system" and not is_continuation(item)
            ]
            waiting = waiting_messages()

            def room() -> Room:
                return room_in_request(
                    self._loop, rest.get("runtime"), accepted_messages, waiting, previous_summary, rest.get("tools")
                )

            key = str(rest.get("session_key") or "")
            summary = await self._compacted(key, messages, previous_summary, room, reason="token_pressure")
            return summary or await summarise(accepted_messages, previous_summary, **rest)

        consolidator.summarize_transcript = wrapped
        return "Consolidator.summarize_transcript"

    def attach_archive(self) -> str:
        """Wrap the archive that nanobot makes of an idle session, at ``/compact``, at ``/new`` and for the SDK."""
        consolidator = require(self._loop, "consolidator")
        archive: Summarise = require(consolidator, "archive_session")

        @functools.wraps(archive)
        async def wrapped(session: Any, *, archive_end: int, **rest: Any) -> str | None:
            try:
                summary = await self._for_session(session, archive_end, rest.get("runtime"))
            except Exception as error:  # another version's session may look otherwise
                logger.warning("compaction goes on without the memory: {}", type(error).__name__)
                summary = None
            return summary or await archive(session, archive_end=archive_end, **rest)

        consolidator.archive_session = wrapped
        return "Consolidator.archive_session"

    async def _for_session(self, session: Any, archive_end: int, runtime: Any) -> str | None:
        """Return the text that replaces a session's messages, or None."""
        if is_private(session):
            return None
        # At /new the session has been emptied, and what is archived is a copy of it.
        ended = self._loop.sessions.get_cached(session.key) is not session
        summary = await self._compacted(
            session.key,
            public_messages(session.messages[session.last_archived : archive_end], at_most=None),
            (session.metadata.get("_last_summary") or {}).get("text"),
            lambda: room_in_session(self._loop, runtime, session),
            reason="session_ended" if ended else "archive",
        )
        if ended and is_for_people(session.key):
            self._memory.ended(session.key, public_messages(session.messages), scope=scope_of(session.key))
        return summary

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
        try:
            made = await self._memory.thread.call(_work(key, messages, earlier, measure(), reason), limit=self._limit)
            if made is None:
                return None
            text, redacted = made
            # As nanobot does with its own summary: its Dream job reads them there.
            self._store().append_history(redacted, session_key=key)
        except Exception as error:
            logger.warning("compaction goes on without the memory: {}", type(error).__name__)
            return None
        return text

    def _store(self) -> Any:
        store = getattr(self._loop.consolidator, "store", None)
        if store is None:
            raise SeamMissingError("Consolidator has no store")
        return store


def _work(
    key: str, messages: list[dict[str, Any]], earlier: str | None, room: Room, reason: str
) -> Callable[["MemoryHost"], Awaitable[tuple[str, str] | None]]:
    """Return what the memory's thread does: the text for nanobot, and the same without secrets for its files."""
    carried: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    if earlier:
        text, kept = split_checkpoint(earlier)
        carried = [earlier_summary_message(text, language_of(text))]
    given = [*carried, *kept, *messages]

    async def work(memory: "MemoryHost") -> tuple[str, str] | None:
        summary = await memory.before_compaction(
            session_key=key,
            messages=given,
            context_window=room.window,
            room=room.estimated,
            reason=reason,
            known=len(carried) + len(kept),
            scope=scope_of(key),
        )
        if summary is None or not summary.text.strip():
            return None
        stays = [message.raw for message in await memory.privacy.shown(key, tuple(map(Message.from_chat, given)))]
        text = replacement(summary, stays, first=len(carried), fits=room.fits)
        return text, memory.redact(text)

    return work
