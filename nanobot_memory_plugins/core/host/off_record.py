"""Off the record: messages, and whole conversations, of which nothing is kept.

What is said so is written nowhere, and no plugin is shown it. The host goes on holding it: its fingerprint is written
down as of what was forgotten for good, so that it is taken out of the histories that the host hands over later. A
conversation is paused while an empty file with the name of its transcript stands in ``memory/.erasure/paused``.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.erasure.fingerprinting import Removal, remember_forgotten
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.off_record import OffRecord, off_record
from nanobot_memory_plugins.core.text.orders import orders_forgetting
from nanobot_memory_plugins.core.values import Message, Receipt
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

NOT_KEPT = Receipt(stored=False, reason="It is off the record.")
"""The receipt of what is not to be kept."""

_TOLD: dict[str, dict[Language, str]] = {
    OffRecord.MESSAGE: {
        "en": "This message is off the record: neither it nor the answer is kept in memory. You can confirm that. "
        "The host's own history of the conversation still holds it.",
        "zh": "这条消息不作记录：它和对它的回答都不会存入记忆。可以据此向用户确认。宿主程序自己的聊天记录里仍然有它。",
    },
    OffRecord.PAUSE: {
        "en": "The memory is paused in this conversation: nothing of it is kept until the user says "
        '"memory resume". Say so.',
        "zh": "本次对话的记忆已暂停：用户说“恢复记忆”之前，什么都不会保存。请告诉用户。",
    },
    OffRecord.RESUME: {
        "en": "The memory is on again in this conversation; what was said meanwhile was not kept. Say so.",
        "zh": "本次对话的记忆已恢复；暂停期间说的话没有保存。请告诉用户。",
    },
    "paused": {
        "en": 'The memory is paused in this conversation: this message is not kept. "memory resume" ends that.',
        "zh": "本次对话的记忆处于暂停中：这条消息不会保存。用户说“恢复记忆”即可恢复。",
    },
}
_FAILED: dict[str, dict[Language, str]] = {
    OffRecord.PAUSE: {
        "en": "The memory could not be paused: {cause}. This conversation goes on being kept, but for this message. "
        "Tell the user so.",
        "zh": "无法暂停记忆：{cause}。除这条消息外，本次对话仍会保存。请告诉用户。",
    },
    OffRecord.RESUME: {
        "en": "The memory could not be resumed: {cause}. Nothing of this conversation is kept. Tell the user so.",
        "zh": "无法恢复记忆：{cause}。本次对话仍然不会保存。请告诉用户。",
    },
}
_NOT_FORGOTTEN: dict[Language, str] = {
    "en": "What this message asks to forget is NOT forgotten: no order is carried out off the record. Tell the user "
    'so; once the memory is on ("memory resume"), it can be asked for again.',
    "zh": "这条消息要求忘掉的内容没有忘掉：不作记录的消息里的命令不会执行。"
    "请告诉用户；恢复记忆（“恢复记忆”）后可以再说一次。",
}
_SESSIONS = 1_000
_BEHIND_COLON = re.compile(r"^[^:：\n]*[:：]\s*")
# Tools with which a model keeps something.
_KEEPERS = ("remember",)


class OffTheRecord:
    """Which conversations of a workspace are off the record now."""

    def __init__(self, workspace: Path, clock: Clock) -> None:
        self._paths = MemoryPaths.of(workspace)
        self._clock = clock
        self._folder = self._paths.memory / ".erasure" / "paused"
        self._turns: BoundedDict[str, None] = BoundedDict(_SESSIONS)  # sessions whose last message was off the record

    def is_open(self, session: str) -> bool:
        """Return whether nothing of a session is kept now."""
        return session in self._turns or self.is_paused(session)

    async def received(self, session: str, text: str, history: Sequence[Message], language: Language) -> str | None:
        """Return what a turn is told whose message is not to be kept, or None for an ordinary one."""
        self._turns.pop(session, None)
        return await run_in_daemon_thread(lambda: self._received(session, text, history, language))

    async def keeps_out(self, session: str, tool: str) -> bool:
        """Return whether a tool of the model's that keeps something may not do it in this session now."""
        return tool in _KEEPERS and self.is_open(session)

    async def passed(self, session: str, text: object, role: str) -> bool:
        """Whether an answer or a tool's result is off the record, and know it again when the host hands it over."""
        if not self.is_open(session):
            return False  # as a rule; a thread could let the next message overtake an answer on its way to the file
        if isinstance(text, str):
            await run_in_daemon_thread(lambda: self._know(session, text, role, ""))
        return True

    def _received(self, session: str, text: str, history: Sequence[Message], language: Language) -> str | None:
        wanted, paused = off_record(text), self.is_paused(session)
        if not paused and wanted in (None, OffRecord.RESUME):
            return None
        self._turns[session] = None
        self._know(session, text, "user", next((one.text for one in reversed(history) if one.text.strip()), ""))
        told = _TOLD["paused" if paused and wanted is not OffRecord.RESUME else str(wanted)]
        cause = ""
        try:
            if wanted is OffRecord.PAUSE:
                self._pause(session)
            elif wanted is OffRecord.RESUME:
                self._marker(session).unlink(missing_ok=True)
        except OSError as error:
            cause = error.strerror or type(error).__name__
            logger.warning("a conversation could not be paused or resumed: {}", cause)
            told = _FAILED[str(wanted)]
        parts = [told[language].format(cause=cause)]
        # It may stand behind what says that the message is off the record.
        if orders_forgetting(text) or orders_forgetting(_BEHIND_COLON.sub("", text, count=1)):
            parts.append(_NOT_FORGOTTEN[language])
        return "\n".join(parts)

    def _know(self, session: str, text: str, role: str, before: str) -> None:
        if not text.strip():
            return
        now = self._clock.now()
        try:
            remember_forgotten(
                self._paths,
                [Removal(text, (text,), session=session, role=role, before=before, time=now)],
                now=now,
            )
        except MemoryFileError as error:
            logger.warning("what is off the record cannot be known again in a host's history: {}", error.cause)

    def _marker(self, session: str) -> Path:
        return self._folder / session_file_name(session)

    def is_paused(self, session: str) -> bool:
        """Return whether nothing of a session is kept until its user says otherwise."""
        return os.path.exists(self._marker(session))  # of a folder that cannot be read it says no

    def _pause(self, session: str) -> None:
        """Write down that a conversation is paused. Raises `OSError`."""
        private_folder(self._folder, below=self._paths.memory)
        self._marker(session).touch(mode=0o600)
        sync_folder(self._folder)
