"""The sessions of this process, and what must not be kept of them: private messages and paused conversations.

A private message is not written anywhere, and no plugin sees it. The host still has it in its history: plugins
therefore see only those messages of such a conversation that our own transcript contains.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import BY_WORDS, PrivacyFile
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.host.history import tokens_of
from nanobot_memory_plugins.core.host.recorded_messages import RecordedMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.conversation import function_of
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.text.private import is_private, keepable_messages, memory_command
from nanobot_memory_plugins.core.text.summary_marker import MARKERS, marked_summary
from nanobot_memory_plugins.core.values import Message, Origin, Receipt, Summary
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.conversation import message_key

NOT_KEPT = Receipt(stored=False, reason="It is off the record.")
"""The receipt of a message that must not be kept."""

OMITTED = "[left out of the memory]"
"""The text that replaces a message in a history that must not be kept."""

MEMORY_NAME = "nanobot-memory"
"""The name of messages that the memory itself adds to a history."""

_OMISSION: Mapping[Language, str] = {
    "en": "(Earlier messages of this conversation were left out: the user does not want them kept.)",
    "zh": "（本次对话中较早的一些消息已略去：用户不希望保留。）",
}

_NOTICES: Mapping[str, Mapping[Language, str]] = {
    "private": {
        "en": "This message is private: neither it nor your answer is kept in memory. The host's own history of the "
        "conversation still holds it.",
        "zh": "这条消息是私密的：它和对它的回答都不会存入记忆。宿主程序自己的聊天记录里仍然有它。",
    },
    "pause": {
        "en": 'The memory is paused: nothing of this conversation is kept until the user says "memory resume". Say so.',
        "zh": "记忆已暂停：用户说“恢复记忆”之前，本次对话什么都不会保存。请告诉用户。",
    },
    "resume": {
        "en": "The memory is on again; what was said meanwhile was not kept. Say so.",
        "zh": "记忆已恢复；暂停期间说的话没有保存。请告诉用户。",
    },
    "paused": {
        "en": 'The memory is paused: this message is not kept. "memory resume" ends that.',
        "zh": "记忆处于暂停中：这条消息不会保存。用户说“恢复记忆”即可恢复。",
    },
    "still": {
        "en": "The memory stays paused: it was paused by command, and `nanobot-memory resume` ends that. Say so.",
        "zh": "记忆仍处于暂停中：是用命令暂停的，要用 `nanobot-memory resume` 恢复。请告诉用户。",
    },
    "failed": {
        "en": "This message is not kept, and nothing else was done: {cause}. Tell the user so.",
        "zh": "这条消息不会保存，其他什么也没做：{cause}。请告诉用户。",
    },
}
# Bounds: sessions in memory, and for each of them message keys, summaries, and records searched for notices.
_MAX_SESSIONS, _MAX_MESSAGES, _MAX_SUMMARIES, _MAX_RECORDS = 1_000, 4_000, 60, 500
# Roles of messages that no person or assistant said.
_UNSPOKEN_ROLES = ("tool", "function", "system")


@dataclass(slots=True)
class Session:
    """The state of one session in this process. Messages are identified by their keys (`message_key`).

    ``message_counts`` counts messages by key, including those not written yet. ``history_receipts`` are those of the
    newest messages of the host's history, which the host may still report one by one. ``unspoken_keys`` are those of
    messages that the host wrote in the user's place, None until they are read from the transcript. ``summaries`` were
    made of what plugins saw.

    The other fields are about the turn: when it and the turn before started, who speaks, and whether it is kept. If the
    turn before was off the record and unanswered, this turn's answers may belong to it, and are not kept either.
    ``hook_tasks`` call the plugins for a message, which is written after them. The ``idle_timer`` ends once the session
    has been quiet for a while.
    """

    message_counts: Counter[str] = field(default_factory=Counter)
    history_receipts: dict[str, Receipt] = field(default_factory=dict)
    unspoken_keys: set[str] | None = None
    summaries: BoundedDict[str, None] = field(default_factory=lambda: BoundedDict(_MAX_SUMMARIES))
    turn_start: datetime | None = None
    previous_turn_start: datetime | None = None
    sender: str = ""
    is_off_record: bool = False
    is_answered: bool = False
    is_answer_off_record: bool = False
    hook_tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    idle_timer: asyncio.Task[None] | None = None

    def begin_turn(self, sender: str) -> None:
        """Start a turn of the user."""
        self.is_answer_off_record = self.is_off_record and not self.is_answered
        self.sender, self.is_off_record, self.is_answered = sender, False, False

    def count_message(self, role: str, text: str, *, spoken: bool = True) -> None:
        """Count a message; it is not ``spoken`` if the host writes it in the user's place."""
        if len(self.message_counts) >= _MAX_MESSAGES:
            self.message_counts.clear()
        self.message_counts[message_key(role if spoken else "assistant", text)] += 1
        if not spoken:
            self.unspoken_keys = (self.unspoken_keys or set()) | {message_key(role, text)}


class Privacy:
    """The sessions of one workspace: which messages may be kept now, and which of a host's history plugins may see.

    The sessions are in memory only, for one event loop.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self.paths = paths
        self.clock = clock
        self.file = PrivacyFile(paths)
        self._sessions: BoundedDict[str, Session] = BoundedDict(_MAX_SESSIONS)

    def session(self, session_key: str) -> Session:
        """Return the state of a session, which is created if it is new."""
        session = self._sessions.setdefault(session_key, Session())
        self._sessions.move_to_end(session_key)
        return session

    async def attribute_messages(self, session_key: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return a history in which messages that the host wrote in the user's place are the assistant's."""
        session = self.session(session_key)
        if messages and session.unspoken_keys is None and not session.message_counts:  # the first time in this process
            session.unspoken_keys = await run_in_daemon_thread(self._recorded_notices, session_key)
        unspoken_keys = session.unspoken_keys or ()

        def attribute(message: Message) -> Message:
            if message.role != "user" or not message.text or message_key("user", message.text) not in unspoken_keys:
                return message
            return replace(message, role="assistant", raw={**message.raw, "role": "assistant"})

        return tuple(map(attribute, messages)) if unspoken_keys else tuple(messages)

    def _recorded_notices(self, session_key: str) -> set[str]:
        try:
            records = last_records(self.paths.transcript(session_key), session_key, _MAX_RECORDS)
        except OSError:
            return set()
        notices = (one for one in records if one.role == "assistant" and one.origin is Origin.TOOL)
        return {message_key("user", one.text) for one in notices}

    def is_off_record(self, session_key: str) -> bool:
        """Return whether a session is off the record now: nothing of it is kept."""
        session = self.session(session_key)
        return session.is_off_record or bool(self.file.read().pause_of(session_key, session.sender))

    async def mark_if_off_record(self, session_key: str) -> bool:
        """Return whether a session is off the record now; if so, mark it, as a command may have paused it just now."""
        if not self.is_off_record(session_key):
            return False
        if not self.is_marked(session_key):
            try:
                await run_in_daemon_thread(self.file.mark, [session_file_name(session_key)], self.clock.now())
            except MemoryFileError as error:
                logger.warning("a conversation could not be marked as paused: {}", error.cause)
        return True

    def is_marked(self, session_key: str) -> bool:
        """Return whether parts of a conversation must not be kept, though the host's history may contain them."""
        return self.file.read().is_marked(session_key)

    async def begin_turn(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        """Start a turn; return a notice for the model if its message must not be kept, else None."""
        self.session(session_key).begin_turn(sender)
        return await run_in_daemon_thread(lambda: self._check_message(session_key, text, sender, language))

    def _check_message(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        pause = self.file.read().pause_of(session_key, sender)
        notice = memory_command(text) or ("private" if is_private(text) else "paused" if pause else "")
        if not notice or (notice == "resume" and not pause):
            return None
        self.session(session_key).is_off_record = True
        try:
            if notice == "pause":
                self.file.pause(session_key, sender, BY_WORDS, self.clock.now())
            elif notice == "resume":
                self.file.resume(session_key, sender)
                notice = "still" if self.file.read().pause_of(session_key, sender) else notice
            else:
                self.file.mark([session_file_name(session_key)], self.clock.now())
        except MemoryFileError as error:
            logger.warning("a conversation could not be paused or resumed: {}", error.cause)
            return _NOTICES["failed"][language].format(cause=error.cause)
        return _NOTICES[notice][language]

    async def visible_messages(self, session_key: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a host's history as plugins see it: for a marked conversation, only what our transcript contains.

        The number and order of the messages stay the same; `OMITTED` replaces other texts, including tool results.
        """
        if not messages or not self.is_marked(session_key):
            return messages
        recorded = await run_in_daemon_thread(lambda: RecordedMessages.read(self.paths, [session_key]))
        summaries = self.session(session_key).summaries

        def visible(message: Message) -> Message:
            if message.name == MEMORY_NAME or message_key("", message.text) in summaries:
                return message
            is_spoken = message.role not in _UNSPOKEN_ROLES and bool(message.text.strip())
            text = recorded.match(message.role, message.text) if is_spoken else None
            return omitted_message(message) if text is None else message.with_text(text)

        return tuple(map(visible, messages))

    async def readable_messages(self, session_key: str, messages: Sequence[Message]) -> list[Message]:
        """Return the messages of a host's history that the model may read if there is no transcript."""
        visible = await self.visible_messages(session_key, tuple(messages))
        return [one for one in keepable_messages(visible) if one is not None and one.text != OMITTED]

    def register_summary(self, session_key: str, summary: Summary, messages: Sequence[Message]) -> Summary:
        """Return a summary of visible messages; for a marked conversation it says that messages were left out.

        It is registered as visible, since a later history contains it.
        """
        if not self.is_marked(session_key):
            return summary
        if any(one.tokens for one in messages[: summary.keep_from]):
            summary = replace(summary, text=f"{summary.text}\n{_OMISSION[language_of(summary.text)]}")
        for text in (summary.text, *(marked_summary(summary.text, language) for language in MARKERS)):
            self.session(session_key).summaries[message_key("", text)] = None
        return summary


def omitted_message(message: Message) -> Message:
    """Return the replacement of a message that must not be kept: its role, its size and the names of its tool calls."""
    if not message.text.strip() and not message.tool_calls:
        return message
    calls = tuple(
        {**call, "function": {"name": str(function_of(call).get("name") or ""), "arguments": "{}"}}
        for call in message.tool_calls
    )
    text = OMITTED if message.text.strip() else ""
    raw = {"role": message.role, "content": text}
    return replace(message, text=text, tool_calls=calls, raw=raw, tokens=tokens_of(message))
