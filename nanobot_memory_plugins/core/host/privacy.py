"""What is not to be kept: private messages, paused conversations, and what a wish in other words takes back.

What is said so is written nowhere, and no plugin is shown it. The host goes on holding it: of such a conversation
plugins are given no more of the host's history than our own transcript holds.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import BY_TOOL, BY_WORDS, PrivacyFile
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.host.history import tokens_of, with_text
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.host.sessions import Session, Sessions
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import EntryAccess
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.text.private import is_private, kept_of_history, memory_command
from nanobot_memory_plugins.core.text.summary_marker import MARK, marked_summary
from nanobot_memory_plugins.core.values import Erasure, Message, Origin, Receipt, Summary
from nanobot_memory_plugins.core.values.message_key import message_key

NOT_KEPT = Receipt(stored=False, reason="It is off the record.")
"""The receipt of what is not to be kept."""

LEFT_OUT = "[left out of the memory]"
"""What replaces a message in a history that is not to be kept."""

MEMORYS = "nanobot-memory"
"""The name of messages that the memory itself puts into a history."""

_OMISSION: Mapping[Language, str] = {
    "en": "(Earlier messages of this conversation were left out: the user does not want them kept.)",
    "zh": "（本次对话中较早的一些消息已略去：用户不希望保留。）",
}
_SCOPES = ("this_message", "last_message", "from_now_on", "resume")

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
_RECORDS = 200
_DAY = timedelta(days=1)
# Roles of messages that nobody said.
_UNSAID = ("tool", "function", "system")


class Privacy:
    """Decides of one workspace what may be kept now, and what of a host's history may be shown."""

    def __init__(
        self,
        paths: MemoryPaths,
        clock: Clock,
        sessions: Sessions,
        *,
        drain: Callable[[], Awaitable[None]],
        erase: Callable[[Erasure], Awaitable[bool]],
        entries: Callable[[], EntryAccess | None],
    ) -> None:
        self._paths = paths
        self._clock = clock
        self._sessions = sessions
        self._drain = drain
        self._erase = erase
        self._entries = entries
        self.file = PrivacyFile(paths)

    def keeps_nothing(self, session_key: str) -> bool:
        """Return whether nothing of a session is kept now."""
        session = self._sessions[session_key]
        return session.is_off_record or bool(self.file.read().pause_of(session_key, session.sender))

    async def refuses(self, session_key: str) -> bool:
        """Return whether nothing of a session is kept now; that marks it, as a pause by command begins anywhere."""
        if not self.keeps_nothing(session_key):
            return False
        if not self.is_marked(session_key):
            try:
                await run_in_daemon_thread(self.file.mark, [session_file_name(session_key)], self._clock.now())
            except MemoryFileError as error:
                logger.warning("a conversation could not be marked as paused: {}", error.cause)
        return True

    def is_marked(self, session_key: str) -> bool:
        """Return whether something of a conversation was taken back: the host's history of it may hold it still."""
        return self.file.read().is_marked(session_key)

    async def received(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        """Begin a turn; return the notice for it where its message is not to be kept, or None for an ordinary one."""
        self._sessions[session_key].begin_turn(sender)
        return await run_in_daemon_thread(lambda: self._received(session_key, text, sender, language))

    def _received(self, session_key: str, text: str, sender: str, language: Language) -> str | None:
        paused = self.file.read().pause_of(session_key, sender)
        notice = memory_command(text) or ("private" if is_private(text) else "paused" if paused else "")
        if not notice or (notice == "resume" and not paused):
            return None
        self._sessions[session_key].is_off_record = True
        try:
            if notice == "pause":
                self.file.pause(session_key, sender, BY_WORDS, self._clock.now())
            elif notice == "resume":
                self.file.resume(session_key, sender)
                notice = "still" if self.file.read().pause_of(session_key, sender) else notice
            else:
                self.file.mark([session_file_name(session_key)], self._clock.now())
        except MemoryFileError as error:
            logger.warning("a conversation could not be paused or resumed: {}", error.cause)
            return _NOTICES["failed"][language].format(cause=error.cause)
        return _NOTICES[notice][language]

    async def shown(self, session_key: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a host's history as plugins get it: of a marked conversation what our transcript holds.

        There are as many, in their places; what is left out is `LEFT_OUT`, results of tools among it.
        """
        if not messages or not self.is_marked(session_key):
            return messages
        recorded = await run_in_daemon_thread(lambda: RecordedMessages.read(self._paths, [session_key]))
        summaries = self._sessions[session_key].summaries

        def shown(one: Message) -> Message:
            if one.name == MEMORYS or message_key("", one.text) in summaries:
                return one
            is_spoken = one.role not in _UNSAID and bool(one.text.strip())
            text = recorded.known(one.role, one.text) if is_spoken else None
            return _left_out(one) if text is None else with_text(one, text)

        return tuple(map(shown, messages))

    async def readable(self, session_key: str, messages: Sequence[Message]) -> list[Message]:
        """Return of a host's history what may be read where no transcript holds it."""
        shown = await self.shown(session_key, tuple(messages))
        return [one for one in kept_of_history(shown) if one is not None and one.text != LEFT_OUT]

    def summed_up(self, session_key: str, summary: Summary, shown: Sequence[Message]) -> Summary:
        """Return the summary of what plugins were shown; that of a marked conversation says what was left out.

        It is shown again itself.
        """
        if not self.is_marked(session_key):
            return summary
        if any(one.tokens for one in shown[: summary.keep_from]):
            summary = replace(summary, text=f"{summary.text}\n{_OMISSION[language_of(summary.text)]}")
        for text in (summary.text, *(marked_summary(summary.text, language) for language in MARK)):
            self._sessions[session_key].summaries[message_key("", text)] = None
        return summary

    async def take_back(self, session_key: str, scope: str) -> str:
        """Carry out the model's `off_record`; the answer says what was done. Raises `MemoryFileError`."""
        session = self._sessions[session_key]
        if scope == "resume":
            return await run_in_daemon_thread(lambda: self._resume(session_key, session))
        was_kept, session.is_off_record = not session.is_off_record, session.is_off_record or scope != "last_message"
        await self._drain()  # what is meant may be on its way to the transcript
        ids = await run_in_daemon_thread(lambda: self._taken_back(session_key, scope, session, was_kept=was_kept))
        if scope == "from_now_on":
            await run_in_daemon_thread(lambda: self.file.pause(session_key, session.sender, BY_TOOL, self._clock.now()))
        # First the mark: should this end halfway, no history brings it back.
        await run_in_daemon_thread(lambda: self.file.mark([session_file_name(session_key)], self._clock.now()))
        is_gone = not ids or await self._erase(Erasure(records=tuple(ids)))
        done = f"{len(ids)} records were taken out of the memory." if is_gone else "NOT all could be taken out yet."
        if scope == "from_now_on":
            done += " Nothing of this conversation is kept until the user wants it again."
        return f"{done} The host's own history still holds the words. Say that it is not kept; do not repeat it."

    def _taken_back(self, session_key: str, scope: str, session: Session, *, was_kept: bool) -> list[str]:
        """Return the ids of what a scope means: the messages of a turn, and what was noted and learned in it.

        ``was_kept`` says whether the message of this turn was: else the transcript ends before it.
        """
        is_before = scope == "last_message"
        start, end = (session.began_before, session.began) if is_before else (session.began, None)
        records = last_records(self._paths.transcript(session_key), session_key, _RECORDS)
        turns = [place for place, one in enumerate(records) if one.origin is Origin.USER]
        turns += [len(records)] if was_kept else [len(records), len(records)]
        turn = turns[-3:-1] if is_before else turns[-2:]
        if len(turn) < 2 or turn[0] == len(records):  # nothing of it is in a transcript
            return self._made(session_key, start, end)
        first, following = turn
        start = records[first].time
        end = records[following].time if following < len(records) else end
        return [*(one.id for one in records[first:following]), *self._made(session_key, start, end)]

    def _made(self, session_key: str, start: datetime | None, end: datetime | None) -> list[str]:
        """Return the ids of the notes and entries made in a session from ``start`` to ``end``, by any process."""
        if start is None:
            return []
        start = start.replace(microsecond=0)  # entries are dated by the second

        def is_meant(session: str, time: datetime | None) -> bool:
            return session == session_key and time is not None and start <= time and (end is None or time <= end)

        since = (start - _DAY).date().isoformat()
        days = [path for path in self._paths.memory.glob("????-??-??.md") if path.stem >= since]
        notes = [part for path in days for part in parse_notes(read_regular(path)) if isinstance(part, NoteEntry)]
        access = self._entries()
        entries = access.entries().entries if access is not None else ()
        return [
            *(note.id for note in notes if is_meant(note.scope.session, note.time)),
            # What rests on a message goes with it.
            *(one.id for one in entries if not one.records and is_meant(one.source_session, one.created_at)),
        ]

    def _resume(self, session_key: str, session: Session) -> str:
        by = self.file.read().pause_of(session_key, session.sender)
        if by == BY_WORDS:
            return 'Not resumed: the user paused the memory with "memory pause", and ends that with "memory resume".'
        if not by:
            return "The memory is not paused. What is said in this turn stays off the record if it was."
        self.file.resume(session_key, session.sender)
        session.is_off_record = False
        return "The memory is on again. Say so."


class OffRecordTool:
    """``off_record``: takes back what the turn or the conversation has kept."""

    name = "off_record"
    destroys = True
    description = (
        "When the user wants something said here not to be kept. For what earlier conversations kept use forget."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {"type": "object", "properties": {"scope": {"type": "string", "enum": list(_SCOPES)}}, "required": ["scope"]}
    )

    def __init__(self, privacy: Privacy) -> None:
        self._privacy = privacy

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Take back what is meant; the answer says what was done."""
        scope = arguments.get("scope")
        if scope not in _SCOPES:
            return f"Error: nothing was taken back. scope: it is one of {', '.join(_SCOPES)}"
        try:
            return await self._privacy.take_back(session_key, scope)
        except (MemoryFileError, OSError) as error:
            return f"Error: it could not be taken back. {error}"


def _left_out(message: Message) -> Message:
    """Return what replaces a message in a history that is not to be kept: its place, its size and its calls."""
    if not message.text.strip() and not message.tool_calls:
        return message
    calls = tuple({**call, "function": {"name": _called(call), "arguments": "{}"}} for call in message.tool_calls)
    text = LEFT_OUT if message.text.strip() else ""
    raw = {"role": message.role, "content": text}
    return replace(message, text=text, tool_calls=calls, raw=raw, tokens=tokens_of(message))


def _called(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    return str(function.get("name") or "") if isinstance(function, Mapping) else str(call.get("name") or "")
