"""The messages that can be learned from: what users and the assistant said, without secrets and what others put in."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Message, Wanted, Withheld, find_earlier_summary
from nanobot_memory_plugins.core.files import REDACTION_FAILED
from nanobot_memory_plugins.core.text import message_reading, message_time, own_words

# Of all messages together, newest first.
_ALL_CHARS = 2_000_000
# Of one message, half from either end.
_MESSAGE_CHARS = 80_000


def spoken_messages(
    messages: Sequence[Message], redact: Callable[[str], str], redact_said: Callable[[str], str]
) -> list[Message]:
    """Return copies of what was said: own words only, secrets hidden. Earlier summaries and tool calls are left out.

    ``redact_said`` is for the user's messages. It blocks for long texts. Nothing gets through of a text whose secrets
    cannot be looked for.
    """
    summary = find_earlier_summary(messages)
    left = _ALL_CHARS
    spoken: list[Message] = []
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if index == summary or message.role not in ("user", "assistant") or message.tool_calls or left <= 0:
            continue
        hide = redact_said if message.role == "user" else redact
        try:
            # Before anything is left out of it: what stands before a secret tells that it is one.
            text = message_reading(Message(message.role, hide(_bounded(own_words(message))))).authored
        except Exception:  # whatever fails, the text may hold a secret
            text = REDACTION_FAILED
        left -= len(text)
        if text.strip():
            time = message_time(message)
            spoken.append(Message(message.role, text, raw={"time": time.isoformat()} if time else {}))
    spoken.reverse()
    return spoken


def without_withheld(messages: Sequence[Message], withheld: Sequence[Withheld]) -> list[Message]:
    """Return messages without what was forgotten on somebody's order; those that said nothing else are left out."""
    texts, names = ([one.text for one in withheld if one.is_name is name] for name in (False, True))
    wanted = Wanted(texts, words=names)
    if not wanted:
        return list(messages)
    left = ((one, wanted.without(one.text)[0].strip()) for one in messages)
    return [one if text == one.text.strip() else replace(one, text=text) for one, text in left if text]


def _bounded(text: str) -> str:
    half = _MESSAGE_CHARS // 2
    return text if len(text) <= _MESSAGE_CHARS else f"{text[:half]}\n{text[-half:]}"
