"""What the users of the live sessions said themselves, so that a model's own idea is not taken for their word."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nanobot_memory_plugins.core.text.authored import authored_text, both_ends
from nanobot_memory_plugins.core.text.conversation import as_spoken
from nanobot_memory_plugins.core.text.evidence import Evidence
from nanobot_memory_plugins.core.text.negation import denies
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_SESSIONS = 500
_TEXTS = 40
_CHARACTERS = 4_000
# The share of a statement's terms that one message must hold, and the share that may stand in what others said alone:
# more is their idea under cover of the user's words.
_BORNE_OUT, _OTHERS_MOST = 0.6, 0.2
_NUMBER = re.compile(r"\d+")


class _Said:
    """A message of the user's, which is read when somebody asks."""

    def __init__(self, message: Message) -> None:
        self._message = message

    @cached_property
    def stated(self) -> str:
        """What it states: a page's claim in a question about it is not the user's."""
        return reading_of(authored_text(self._message)[:_CHARACTERS]).own_word


@dataclass(slots=True)
class _Session:
    """The last texts of a session: the user's, and those of tools and the assistant."""

    users: deque[_Said] = field(default_factory=lambda: deque(maxlen=_TEXTS))
    others: deque[str] = field(default_factory=lambda: deque(maxlen=_TEXTS))


class UserAttribution:
    """The last texts of each session's user, and what others said in it.

    Hearing a text only puts it aside, so that it costs the host's loop nothing.
    """

    def __init__(self) -> None:
        self._sessions: BoundedDict[str, _Session] = BoundedDict(_SESSIONS)

    def hear(self, session_key: str, text: str, history: Sequence[Message]) -> None:
        """Learn what the user said, and what stands in the live context before it."""
        session = self._session(session_key)
        before = [as_spoken(one) for one in history[-_TEXTS:]]
        if not session.users:
            session.users.extend(_Said(one) for one in before if one.role == "user")
        others = (one.text[:_CHARACTERS] for one in before if one.role != "user")
        session.others.extend(text for text in others if text not in session.others)
        session.users.append(_Said(Message("user", both_ends(text))))

    def hear_tool(self, session_key: str, result: object) -> None:
        """Learn what a tool has answered: nothing of it is the user's."""
        session = self._session(session_key)
        session.others.extend(text[:_CHARACTERS] for text in _texts_in(result, 4))

    def hold(self, session_key: str, text: str) -> bool:
        """Say whether a message of this session's user bears a statement out, its numbers and its negation included.

        It reads what was heard: call it in a thread.
        """
        session = self._sessions.get(session_key)
        if session is None:
            return False
        said, others = tuple(session.users), tuple(session.others)
        return is_grounded_in([one.stated for one in said], text, others)

    def _session(self, session_key: str) -> _Session:
        session = self._sessions.setdefault(session_key, _Session())
        self._sessions.move_to_end(session_key)
        return session


def is_grounded_in(said: Iterable[str], text: str, others: Iterable[str] = ()) -> bool:
    """Say whether one of some texts says what ``text`` says, and ``others`` add little to it."""
    numbers = set(_NUMBER.findall(text))
    denied = denies(text)
    besides = Evidence(others)
    return any(
        (own := Evidence([one])).share(text) >= _BORNE_OUT
        and besides.share_beyond(own, text) < _OTHERS_MOST
        and numbers <= set(_NUMBER.findall(one))
        and denies(one) == denied
        for one in said
    )


def _texts_in(value: object, depth: int) -> list[str]:
    """Return the texts in a tool's answer, whatever its form; deep ones are left out."""
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    items: Iterable[object] = ()
    if isinstance(value, Mapping):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value[:_TEXTS]
    return [text for item in items for text in _texts_in(item, depth - 1)][:_TEXTS]
