"""What the users of the live sessions said themselves, so that a model's own idea is not taken for their word."""

import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.consolidation.wording import wording
from nanobot_memory_plugins.core.language_model.answers import Evidence
from nanobot_memory_plugins.core.values import Message

_SESSIONS = 500
_TEXTS = 40
_CHARACTERS = 4_000
# The share of a statement's terms that one message must hold.
_BORNE_OUT = 0.6
_NUMBER = re.compile(r"\d+")


class UsersWords:
    """The last texts of each session's user."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, deque[str]] = OrderedDict()

    def hear(self, session_key: str, text: str, history: Sequence[Message]) -> None:
        """Learn what the user said, and what stands in the live context before it."""
        said = self._said.setdefault(session_key, deque(maxlen=_TEXTS))
        self._said.move_to_end(session_key)
        if not said:
            said.extend(one.text[:_CHARACTERS] for one in history[-_TEXTS:] if one.role == "user")
        said.append(text[:_CHARACTERS])
        while len(self._said) > _SESSIONS:
            self._said.popitem(last=False)

    def hold(self, session_key: str, text: str) -> bool:
        """Say whether a message of this session's user bears a statement out, its numbers and its negation included."""
        return bears_out(self._said.get(session_key, ()), text)


def bears_out(said: Iterable[str], text: str) -> bool:
    """Say whether one of some texts says what ``text`` says."""
    numbers = set(_NUMBER.findall(text))
    negated = wording(text).negated
    return any(
        Evidence([one]).share(text) >= _BORNE_OUT
        and numbers <= set(_NUMBER.findall(one))
        and wording(one).negated == negated
        for one in said
    )
