"""Secrets that a session has told: hidden in what is said and noted behind them, where nothing says what they are.

What redaction takes out of a text is what it tells: nothing is looked through a second time.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.engine import turns
from nanobot_memory_plugins.redaction.engine.turns import hide_told, stays_told
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED

# A shorter value is a part of ordinary texts, a longer one a document.
_SHORTEST, _LONGEST = 4, 500
# A longer message is no answer to a question that asks for a secret.
_LONGEST_ANSWER = 2_000
# Sessions, secrets of each, and messages of which it is remembered what they told.
_SESSIONS, _MOST_TOLD, _MESSAGES = 1_000, 100, 1_000
_AROUND = "#.,;:!?()[]{}<>\"'`*_…"

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
        if len(text) <= _LONGEST_ANSWER:
            hidden = hide_told(without_asked(session.last, text), session.told)
        return hide_told(hidden, session.stays)

    def learn(self, session_key: str, said: str, redacted: str) -> None:
        """Learn what a message has told: what was taken out of it."""
        told = _told[said] = tuple(
            sorted(
                {value for placeholder, value in taken_out(said, redacted) if placeholder == REDACTED},
                key=len,
                reverse=True,
            )
        )
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
    known = _told.get(text)
    return turns.told_in(text) if known is None else known


def without_asked(before: str, text: str) -> str:
    """Return a message without the secret that the one before it asks for."""
    return text if not before or len(text) > _LONGEST_ANSWER else turns.hide_answer(before, text)


def taken_out(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Give the placeholders of ``after`` and what stood in their places: what lies between is the same in both."""
    at = 0
    pieces, placeholders = PLACEHOLDER.split(after), ("", *PLACEHOLDER.findall(after))
    if len(pieces) == 1:
        return
    for number, (piece, placeholder) in enumerate(zip(pieces, placeholders, strict=True)):
        is_last_and_empty = not piece and number == len(pieces) - 1
        place = len(before) if is_last_and_empty else before.find(piece, at)
        if place < 0:
            return
        found = before[at:place].strip()
        if placeholder and found != REDACTED and _SHORTEST <= len(found) <= _LONGEST:
            yield placeholder, found
        at = place + len(piece)


def without_cut(secrets: Collection[str], text: str) -> str:
    """Return a title or a tag without words that hold one of the secrets, or the beginning of one: it may be cut."""
    if not secrets:
        return text
    if text.strip() in secrets:
        return REDACTED

    def hide(word: re.Match[str]) -> str:
        plain = word[0].strip(_AROUND)
        is_one = len(plain) >= _SHORTEST and any(one in plain or one.startswith(plain) for one in secrets)
        return REDACTED if is_one else word[0]

    return re.sub(r"\S+", hide, text)
