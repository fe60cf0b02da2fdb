"""Histories as plugins get them: without our own blocks, and without secrets that answer the message before.

A secret that one message tells is hidden in those behind it, too, where nothing says any more that it is one.
"""

from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core.text.fence import messages_without_fences
from nanobot_memory_plugins.core.values import Message, Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# A longer message is no answer to such a question.
_LONGEST_ANSWER = 2_000
_SPEAKERS = ("user", "assistant")
_SESSIONS = 1_000
# Secrets that are known of a session at a time.
_MOST_TOLD = 100


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: our own blocks are cut out of their text, answers that are secrets hidden."""
    messages: list[Message] = []
    before = ""
    told: dict[str, None] = {}
    for message in messages_without_fences(history):
        if message.role in _SPEAKERS and message.text.strip():
            messages.append(_with_text(message, _hide_told(hidden_answer(before, message).text, told)))
            before = message.text
            told |= _staying(before)
        else:
            messages.append(message)
    return tuple(messages)


def hidden_answer(before: str, message: Message) -> Message:
    """Return a message without the secret that ``before``, the text of the one before it, asks for."""
    if not before or message.role not in _SPEAKERS or len(message.text) > _LONGEST_ANSWER:
        return message
    return _with_text(message, _hidden(before, message.text))


def _with_text(message: Message, text: str) -> Message:
    return message if text == message.text else replace(message, text=text, raw={**message.raw, "content": text})


def _hidden(before: str, text: str) -> str:
    # Its patterns are compiled with those of all detectors, which are not loaded with the host.
    from nanobot_memory_plugins.redaction.detectors.asked_secrets import hide_answer
    from nanobot_memory_plugins.redaction.engine.told_before import hide_told, told_in

    return hide_told(hide_answer(before, text), told_in(before))


def _staying(text: str) -> dict[str, None]:
    """Return the secrets that a message tells and that are to be known in all that is said behind it."""
    from nanobot_memory_plugins.redaction.engine.told_before import stays_told, told_in

    return dict.fromkeys(filter(stays_told, told_in(text)))


def _hide_told(text: str, told: Iterable[str]) -> str:
    from nanobot_memory_plugins.redaction.engine.told_before import hide_told

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
        hidden = _hidden(before, text) if before and len(text) <= _LONGEST_ANSWER else text
        if staying := _staying(text):
            self._told.setdefault(session_key, BoundedDict(_MOST_TOLD)).update(staying)
        return _hide_told(hidden, told) if told else hidden

    def without_told(self, session_key: str, note: Note) -> Note:
        """Return a note of a session without the secrets that were told in it."""
        if not (told := tuple(self._told.get(session_key, ()))):
            return note
        tldr, details, title = (_hide_told(one, told) for one in (note.tldr, note.details, note.title))
        return replace(note, tldr=tldr, details=details, title=title)
