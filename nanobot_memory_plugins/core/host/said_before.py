"""What was said in each session as far as this process has heard, and what of it no user said."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Message, Origin, Receipt
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.message_key import message_key

_SESSIONS = 1_000
# Messages of a session that are known by their fingerprints, and records that are looked through for notices.
_MESSAGES = 4_000
_RECORDS = 500


@dataclass(slots=True)
class _Session:
    said: Counter[str] = field(default_factory=Counter)
    taken: dict[str, Receipt] = field(default_factory=dict)
    notices: set[str] | None = None


class SaidBefore:
    """Knows messages by fingerprints, in memory alone. It serves one event loop."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files
        self._sessions: BoundedDict[str, _Session] = BoundedDict(_SESSIONS)

    def hear(self, session_key: str, role: str, text: str, *, spoken: bool = True) -> None:
        """Learn that something was said; ``spoken`` is off where the host says it in the user's place."""
        session = self._session(session_key)
        if len(session.said) >= _MESSAGES:
            session.said.clear()
        session.said[message_key(role if spoken else "assistant", text)] += 1
        if not spoken:
            session.notices = (session.notices or set()) | {message_key(role, text)}

    def take(self, session_key: str, role: str, text: str, receipt: Receipt) -> None:
        """Learn that a message was taken in with the host's history, which may hand it over by itself yet."""
        self._session(session_key).taken[message_key(role, text)] = receipt

    def taken(self, session_key: str, role: str, text: str) -> Receipt | None:
        """Return the receipt of a message that was taken in with the history just now, once; else None."""
        return self._session(session_key).taken.pop(message_key(role, text), None)

    def forget_taken(self, session_key: str) -> None:
        """Know nothing any more of what was taken in: a new turn has begun."""
        self._session(session_key).taken.clear()

    def said(self, session_key: str) -> Counter[str]:
        """Return how often each message was heard, by its key."""
        return Counter(self._session(session_key).said)

    async def unspoken(self, session_key: str) -> Container[str]:
        """Return the keys of what stands in the user's place in the host's history, and no user said."""
        session = self._session(session_key)
        if not session.said and session.notices is None:  # the first that this process hears of it
            session.notices = await run_in_daemon_thread(self._recorded_notices, session_key)
        return session.notices or frozenset()

    async def attributed(self, session_key: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return a history in which what no user said is the assistant's."""
        unspoken = await self.unspoken(session_key) if messages else frozenset()
        return tuple(attributed(one, unspoken) for one in messages) if unspoken else tuple(messages)

    def _session(self, session_key: str) -> _Session:
        session = self._sessions.setdefault(session_key, _Session())
        self._sessions.move_to_end(session_key)
        return session

    def _recorded_notices(self, session_key: str) -> set[str]:
        try:
            records = last_records(self._files.paths.transcript(session_key), session_key, _RECORDS)
        except OSError:
            return set()
        return {message_key("user", one.text) for one in records if is_notice(one.role, one.origin)}


def is_notice(role: str, origin: Origin) -> bool:
    """Return whether a record of a transcript is of what a host said in the user's place."""
    return role == "assistant" and origin is Origin.TOOL


def attributed(message: Message, unspoken: Container[str]) -> Message:
    """Return a message as the assistant's where no user said it."""
    if message.role != "user" or not message.text or message_key("user", message.text) not in unspoken:
        return message
    return replace(message, role="assistant", raw={**message.raw, "role": "assistant"})


def without_media(message: Message) -> Message:
    """Return a message without the marks that stand for its pictures and files: nobody said them."""
    content = message.raw.get("content")
    if not isinstance(content, tuple):
        return message
    marks = {f"[{part.get('type')}]" for part in content if isinstance(part, Mapping) and "text" not in part}
    text = "\n".join(line for line in message.text.split("\n") if line not in marks)
    return message if text == message.text else replace(message, text=text)


def spoken_text(message: object) -> str:
    """Return what a chat message says, as a turn is told it: without the marks of its pictures and files."""
    return without_media(Message.from_chat(message)).text
