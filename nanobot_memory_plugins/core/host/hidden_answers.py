"""Histories as plugins get them: without our own blocks, and without secrets that answer the message before."""

from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core.text.fence import messages_without_fences
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# A longer message is no answer to such a question.
_LONGEST_ANSWER = 2_000
_SPEAKERS = ("user", "assistant")
_SESSIONS = 1_000


def plain_history(history: Iterable[object]) -> tuple[Message, ...]:
    """Normalise a host's chat messages: our own blocks are cut out of their text, answers that are secrets hidden."""
    messages: list[Message] = []
    before = ""
    for message in messages_without_fences(history):
        if message.role in _SPEAKERS and message.text.strip():
            messages.append(hidden_answer(before, message))
            before = message.text
        else:
            messages.append(message)
    return tuple(messages)


def hidden_answer(before: str, message: Message) -> Message:
    """Return a message without the secret that ``before``, the text of the one before it, asks for."""
    if not before or message.role not in _SPEAKERS or len(message.text) > _LONGEST_ANSWER:
        return message
    text = _hidden(before, message.text)
    return message if text == message.text else replace(message, text=text, raw={**message.raw, "content": text})


def _hidden(before: str, text: str) -> str:
    # Its patterns are compiled with those of all detectors, which are not loaded with the host.
    from nanobot_memory_plugins.redaction.detectors.asked_secrets import hide_answer

    return hide_answer(before, text)


class LastSaid:
    """What was said last in each session, so that the answer to a question is known as one."""

    def __init__(self) -> None:
        self._texts: BoundedDict[str, str] = BoundedDict(_SESSIONS)

    def hide_answer(self, session_key: str, text: str) -> str:
        """Return a message without the secret that the one before asks for, and remember it as the last one."""
        before = self._texts.pop(session_key, "")
        self._texts[session_key] = text[-_LONGEST_ANSWER:]
        return _hidden(before, text) if before and len(text) <= _LONGEST_ANSWER else text
