"""Histories as plugins get them: without our own blocks, and without secrets that answer the message before.

A secret that one message tells is hidden in those behind it, too, where nothing says any more that it is one.
"""

from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core.text.fence import messages_without_fences
from nanobot_memory_plugins.core.text.private import without_private_parts
from nanobot_memory_plugins.core.values import Message, Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# A longer message is no answer to such a question.
_LONGEST_ANSWER = 2_000
_SPEAKERS = ("user", "assistant")
_SESSIONS = 1_000
# Secrets that are known of a session at a time, and messages at the end of a history that are read for some.
_MOST_TOLD, _READ_FOR_TOLD = 100, 100


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: out go our own blocks and private parts, and answers that are secrets.

    What a message tells as a secret is hidden in those behind it, among the last hundred.
    """
    messages: list[Message] = []
    before = ""
    told: dict[str, None] = {}
    given = list(map(without_private_parts, messages_without_fences(history)))
    for place, message in enumerate(given):
        if message.role in _SPEAKERS and message.text.strip():
            if place < len(given) - _READ_FOR_TOLD:
                messages.append(_with_text(message, _without_asked(before, message.text)))
            else:
                messages.append(_with_text(message, _hide_told(hidden_answer(before, message).text, told)))
                told |= _staying(message.text)
            before = message.text
        else:
            messages.append(message)
    return tuple(messages)


def hidden_answer(before: str, message: Message) -> Message:
    """Return a message without the secret that ``before``, the text of the one before it, asks for or tells."""
    if message.role not in _SPEAKERS:
        return message
    return _with_text(message, _without_asked_or_told(before, message.text))


def _with_text(message: Message, text: str) -> Message:
    return message if text == message.text else replace(message, text=text, raw={**message.raw, "content": text})


def _without_asked(before: str, text: str) -> str:
    if not before or len(text) > _LONGEST_ANSWER:
        return text
    # Its patterns are compiled with those of all detectors, which are not loaded with the host.
    from nanobot_memory_plugins.redaction.engine.turns import hide_answer

    return hide_answer(before, text)


def _without_asked_or_told(before: str, text: str) -> str:
    if not before or len(text) > _LONGEST_ANSWER:
        return text
    return _hide_told(_without_asked(before, text), _told_in(before))


def _told_in(text: str) -> tuple[str, ...]:
    from nanobot_memory_plugins.redaction.engine.turns import told_in

    return told_in(text)


def _staying(text: str) -> dict[str, None]:
    """Return the secrets that a message tells and that are to be known in all that is said behind it."""
    from nanobot_memory_plugins.redaction.engine.turns import stays_told

    return dict.fromkeys(filter(stays_told, _told_in(text)))


def _hide_told(text: str, told: Iterable[str]) -> str:
    from nanobot_memory_plugins.redaction.engine.turns import hide_told

    return hide_told(text, told)


class LastSaid:
    """What was said last in each session, and which secrets: so that an answer, and a repetition, are known."""

    def __init__(self) -> None:
        self._texts: BoundedDict[str, str] = BoundedDict(_SESSIONS)
        self._told: BoundedDict[str, BoundedDict[str, None]] = BoundedDict(_SESSIONS)

    def hide_answer(self, session_key: str, text: str) -> str:
        """Return a message without what the one before asks for or tells, and remember it as the last one."""
        before = self._texts.pop(session_key, "")
        self._texts[session_key] = text[-_LONGEST_ANSWER:]
        told = tuple(self._told.get(session_key, ()))
        hidden = _without_asked_or_told(before, text)
        if staying := _staying(text):
            self._told.setdefault(session_key, BoundedDict(_MOST_TOLD)).update(staying)
        return _hide_told(hidden, told) if told else hidden

    def without_told(self, session_key: str, note: Note) -> Note:
        """Return a note of a session without the secrets that were told in it."""
        if not (told := tuple(self._told.get(session_key, ()))):
            return note
        tldr, details, title = (_hide_told(one, told) for one in (note.tldr, note.details, note.title))
        return replace(note, tldr=tldr, details=details, title=title)
