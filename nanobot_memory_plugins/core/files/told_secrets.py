"""Secrets that a session has told: hidden in what is said and noted behind them, where nothing says what they are.

What redaction takes out of a message is what it tells: nothing is looked through a second time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core.files.redacted_fields import secrets_between
from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.rules.rule import REDACTED

# A shorter value is a part of ordinary texts.
_SHORTEST = 4
# A longer message is no answer to a question that asks for a secret.
_LONGEST_ANSWER = 2_000
# Sessions, secrets of each, and messages of which it is remembered what they told.
_SESSIONS, _MOST_TOLD, _MESSAGES = 1_000, 100, 1_000
_told: BoundedDict[str, tuple[str, ...]] = BoundedDict(_MESSAGES)


@dataclass(slots=True)
class _Session:
    """What was said last, which secrets that told, and those that are to be known from then on."""

    last: str = ""
    told: tuple[str, ...] = ()
    stays: BoundedDict[str, None] = field(default_factory=lambda: BoundedDict(_MOST_TOLD))


class ToldSecrets:
    """The secrets of each session. It belongs to one thread."""

    def __init__(self) -> None:
        self._sessions: BoundedDict[str, _Session] = BoundedDict(_SESSIONS)

    def without(self, session_key: str, text: str) -> str:
        """Return a message without what the one before asks for or tells, and what was told earlier."""
        session = self._sessions.get(session_key)
        if session is None:
            return text
        hidden = text
        if session.last and len(text) <= _LONGEST_ANSWER:
            hidden = hide_told(without_asked(session.last, text), session.told)
        return hide_told(hidden, session.stays)

    def learn(self, session_key: str, said: str, redacted: str) -> None:
        """Learn what a message has told: what was taken out of it."""
        from nanobot_memory_plugins.redaction.engine.turns import stays_told

        told = () if said == redacted else _values(said, redacted)
        _told[said] = told
        session = self._sessions.setdefault(session_key, _Session())
        self._sessions.move_to_end(session_key)
        session.last, session.told = said[-_LONGEST_ANSWER:], told
        session.stays.update(dict.fromkeys(filter(stays_told, told)))

    def without_in_note(self, session_key: str, note: Note) -> Note:
        """Return a note of a session without the secrets that were told in it."""
        session = self._sessions.get(session_key)
        if session is None or not session.stays:
            return note
        tldr, details, title = (hide_told(one, session.stays) for one in (note.tldr, note.details, note.title))
        return replace(note, tldr=tldr, details=details, title=title)


def told_in(text: str) -> tuple[str, ...]:
    """Return the secrets that a message tells; one that was written here is not looked through again."""
    if (known := _told.get(text)) is not None:
        return known
    # Its patterns are compiled with those of all detectors, which are not loaded with the host.
    from nanobot_memory_plugins.redaction.engine.turns import told_in as found_in

    return found_in(text)


def without_asked(before: str, text: str) -> str:
    """Return a message without the secret that the one before it asks for."""
    if not before or len(text) > _LONGEST_ANSWER:
        return text
    from nanobot_memory_plugins.redaction.engine.turns import hide_answer

    return hide_answer(before, text)


def hide_told(text: str, told: Iterable[str]) -> str:
    """Return a text without these secrets."""
    from nanobot_memory_plugins.redaction.engine.turns import hide_told as hide

    return hide(text, told)


def _values(said: str, redacted: str) -> tuple[str, ...]:
    found = {value for placeholder, value in secrets_between(said, redacted) if placeholder == REDACTED}
    return tuple(
        sorted((value for value in found if value != REDACTED and len(value) >= _SHORTEST), key=len, reverse=True)
    )
