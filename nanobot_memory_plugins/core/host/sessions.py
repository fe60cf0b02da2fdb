"""What this process knows of each session: what was said in it, and of its turn."""

import asyncio
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Message, Origin, Receipt
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.message_key import message_key

_SESSIONS = 1_000
# Messages of a session that are known by their keys, summaries of it, and records that are looked through for notices.
_MESSAGES, _SUMMARIES, _RECORDS = 4_000, 60, 500


@dataclass(slots=True)
class Session:
    """One session. Messages are known by their keys (`message_key`).

    ``message_counts`` is by key; some of the messages may be on their way to the transcript. ``taken_in`` came with the
    host's history in its last turn, and may be handed over by itself yet. ``unspoken`` is what the host said in the
    user's place; None until the transcript was looked at. ``summaries`` were made of what plugins were shown.

    The rest is of the turn: when its message and the one before came, who speaks, and whether it is kept. Where the
    turn before was off the record and had no answer yet, the answers of this one may be its: they are not kept. In the
    tasks ``asking`` the plugins are asked about a message; it is written when they have ended.
    """

    message_counts: Counter[str] = field(default_factory=Counter)
    taken_in: dict[str, Receipt] = field(default_factory=dict)
    unspoken: set[str] | None = None
    summaries: BoundedDict[str, None] = field(default_factory=lambda: BoundedDict(_SUMMARIES))
    began: datetime | None = None
    began_before: datetime | None = None
    sender: str = ""
    is_off_record: bool = False
    is_answered: bool = False
    is_answer_off_record: bool = False
    asking: set[asyncio.Task[Any]] = field(default_factory=set)

    def begin_turn(self, sender: str) -> None:
        """Begin a turn of the user's."""
        self.is_answer_off_record = self.is_off_record and not self.is_answered
        self.sender, self.is_off_record, self.is_answered = sender, False, False

    def count_message(self, role: str, text: str, *, spoken: bool = True) -> None:
        """Count a message; ``spoken`` is off where the host says it in the user's place."""
        if len(self.message_counts) >= _MESSAGES:
            self.message_counts.clear()
        self.message_counts[message_key(role if spoken else "assistant", text)] += 1
        if not spoken:
            self.unspoken = (self.unspoken or set()) | {message_key(role, text)}


class Sessions:
    """The sessions of one host, in memory alone. It serves one event loop."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._sessions: BoundedDict[str, Session] = BoundedDict(_SESSIONS)

    def __getitem__(self, session_key: str) -> Session:
        session = self._sessions.setdefault(session_key, Session())
        self._sessions.move_to_end(session_key)
        return session

    async def _unspoken(self, session_key: str) -> Container[str]:
        """Return the keys of messages in the host's history that have the user's role, and that no user wrote."""
        session = self[session_key]
        if not session.message_counts and session.unspoken is None:  # the first time that this process sees it
            session.unspoken = await run_in_daemon_thread(self._recorded_notices, session_key)
        return session.unspoken or frozenset()

    async def attributed(self, session_key: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return a history in which what no user said is the assistant's."""
        unspoken = await self._unspoken(session_key) if messages else frozenset()

        def of_speaker(message: Message) -> Message:
            if message.role != "user" or not message.text or message_key("user", message.text) not in unspoken:
                return message
            return replace(message, role="assistant", raw={**message.raw, "role": "assistant"})

        return tuple(map(of_speaker, messages)) if unspoken else tuple(messages)

    def _recorded_notices(self, session_key: str) -> set[str]:
        try:
            records = last_records(self._paths.transcript(session_key), session_key, _RECORDS)
        except OSError:
            return set()
        notices = (one for one in records if one.role == "assistant" and one.origin is Origin.TOOL)
        return {message_key("user", one.text) for one in notices}
