"""What this process knows of each session, and what of it is not to be kept: private messages, paused conversations.

What is said so is written nowhere, and no plugin is shown it. The host goes on holding it: of such a conversation
plugins are given no more of the host's history than our own transcript holds.
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
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.conversation import function_of
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.text.private import is_private, keepable_messages, memory_command
from nanobot_memory_plugins.core.text.summary_marker import MARK, marked_summary
from nanobot_memory_plugins.core.values import Message, Origin, Receipt, Summary
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.conversation import message_key

NOT_KEPT = Receipt(stored=False, reason="It is off the record.")
"""The receipt of what is not to be kept."""

OMITTED = "[left out of the memory]"
"""What replaces a message in a history that is not to be kept."""

MEMORYS = "nanobot-memory"
"""The name of messages that the memory itself puts into a history."""

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
# Sessions that are known; of each, messages by their keys, summaries, and records that are looked through for notices.
_SESSIONS, _MESSAGES, _SUMMARIES, _RECORDS = 1_000, 4_000, 60, 500
# Roles of messages that nobody said.
_UNSPOKEN_ROLES = ("tool", "function", "system")


@dataclass(slots=True)
class Session:
    """One session. Messages are known by their keys (`message_key`).

    ``message_counts`` is by key; some of the messages may be on their way to the transcript. ``taken_in`` came with the
    host's history in its last turn, and may be handed over by itself yet. ``unspoken`` is what the host said in the
    user's place; None until the transcript was looked at. ``summaries`` were made of what plugins were shown.

    The rest is of the turn: when its message and the one before came, who speaks, and whether it is kept. Where the
    turn before was off the record and had no answer yet, the answers of this one may be its: they are not kept. In the
    tasks ``asking`` the plugins are asked about a message; it is written when they have ended. The ``clock`` ends once
    the session has been quiet for a while.
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
    clock: asyncio.Task[None] | None = None

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


class Privacy:
    """Knows the sessions of one workspace, what of them may be kept now, and what of a host's history may be shown.

    What it knows of sessions is in memory alone, for one event loop.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self.paths = paths
        self.clock = clock
        self.file = PrivacyFile(paths)
        self._sessions: BoundedDict[str, Session] = BoundedDict(_SESSIONS)

    def session(self, session_key: str) -> Session:
        """Return what is known of a session."""
        session = self._sessions.setdefault(session_key, Session())
        self._sessions.move_to_end(session_key)
        return session

    async def attributed(self, session_key: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return a history in which what no user said is the assistant's."""
        session = self.session(session_key)
        if messages and session.unspoken is None and not session.message_counts:  # the first time here
            session.unspoken = await run_in_daemon_thread(self._recorded_notices, session_key)
        unspoken = session.unspoken or ()

        def of_speaker(message: Message) -> Message:
            if message.role != "user" or not message.text or message_key("user", message.text) not in unspoken:
                return message
            return replace(message, role="assistant", raw={**message.raw, "role": "assistant"})

        return tuple(map(of_speaker, messages)) if unspoken else tuple(messages)

    def _recorded_notices(self, session_key: str) -> set[str]:
        try:
            records = last_records(self.paths.transcript(session_key), session_key, _RECORDS)
        except OSError:
            return set()
        notices = (one for one in records if one.role == "assistant" and one.origin is Origin.TOOL)
        return {message_key("user", one.text) for one in notices}

    def keeps_nothing(self, session_key: str) -> bool:
        """Return whether nothing of a session is kept now."""
        session = self.session(session_key)
        return session.is_off_record or bool(self.file.read().pause_of(session_key, session.sender))

    async def refuses(self, session_key: str) -> bool:
        """Return whether nothing of a session is kept now; that marks it, as a pause by command begins anywhere."""
        if not self.keeps_nothing(session_key):
            return False
        if not self.is_marked(session_key):
            try:
                await run_in_daemon_thread(self.file.mark, [session_file_name(session_key)], self.clock.now())
            except MemoryFileError as error:
                logger.warning("a conversation could not be marked as paused: {}", error.cause)
        return True

    def is_marked(self, session_key: str) -> bool:
        """Return whether something of a conversation was taken back: the host's history of it may hold it still."""
        return self.file.read().is_marked(session_key)

    async def received(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        """Begin a turn; return the notice for it where its message is not to be kept, or None for an ordinary one."""
        self.session(session_key).begin_turn(sender)
        return await run_in_daemon_thread(lambda: self._received(session_key, text, sender, language))

    def _received(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        paused = self.file.read().pause_of(session_key, sender)
        notice = memory_command(text) or ("private" if is_private(text) else "paused" if paused else "")
        if not notice or (notice == "resume" and not paused):
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

    async def shown(self, session_key: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a host's history as plugins get it: of a marked conversation what our transcript holds.

        There are as many, in their places; what is left out is `OMITTED`, results of tools among it.
        """
        if not messages or not self.is_marked(session_key):
            return messages
        recorded = await run_in_daemon_thread(lambda: RecordedMessages.read(self.paths, [session_key]))
        summaries = self.session(session_key).summaries

        def shown(one: Message) -> Message:
            if one.name == MEMORYS or message_key("", one.text) in summaries:
                return one
            is_spoken = one.role not in _UNSPOKEN_ROLES and bool(one.text.strip())
            text = recorded.known(one.role, one.text) if is_spoken else None
            return left_out(one) if text is None else one.with_text(text)

        return tuple(map(shown, messages))

    async def readable(self, session_key: str, messages: Sequence[Message]) -> list[Message]:
        """Return of a host's history what may be read where no transcript holds it."""
        shown = await self.shown(session_key, tuple(messages))
        return [one for one in keepable_messages(shown) if one is not None and one.text != OMITTED]

    def summed_up(self, session_key: str, summary: Summary, shown: Sequence[Message]) -> Summary:
        """Return the summary of what plugins were shown; that of a marked conversation says what was left out.

        It is shown again itself.
        """
        if not self.is_marked(session_key):
            return summary
        if any(one.tokens for one in shown[: summary.keep_from]):
            summary = replace(summary, text=f"{summary.text}\n{_OMISSION[language_of(summary.text)]}")
        for text in (summary.text, *(marked_summary(summary.text, language) for language in MARK)):
            self.session(session_key).summaries[message_key("", text)] = None
        return summary


def left_out(message: Message) -> Message:
    """Return what replaces a message in a history that is not to be kept: its place, its size and its calls."""
    if not message.text.strip() and not message.tool_calls:
        return message
    calls = tuple(
        {**call, "function": {"name": str(function_of(call).get("name") or ""), "arguments": "{}"}}
        for call in message.tool_calls
    )
    text = OMITTED if message.text.strip() else ""
    raw = {"role": message.role, "content": text}
    return replace(message, text=text, tool_calls=calls, raw=raw, tokens=tokens_of(message))
