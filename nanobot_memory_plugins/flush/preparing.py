"""Messages made ready for a prompt or an excerpt: secrets hidden before anything is cut."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.files.writing import REDACTION_FAILED
from nanobot_memory_plugins.core.text.conversation import GAP, message_time

# Characters of one message that are looked at, half from either end.
_MESSAGE_CHARS = 200_000
# Of all messages together, newest first: more than any window holds in text that people write.
_ALL_CHARS = 2_000_000


def prepared(messages: Sequence[Message], redact: Callable[[str], str]) -> list[Message]:
    """Return copies of the messages with secrets hidden and very long texts shortened. It blocks; use a thread.

    Nothing gets through of a text whose secrets cannot be looked for.
    """
    left = _ALL_CHARS
    ready: list[Message] = []
    for message in reversed(messages):
        text = message.text
        room = min(_MESSAGE_CHARS, left)
        if len(text) > room:
            half = room // 2
            text = hidden(text[:half], redact) + GAP + hidden(text[-half:], redact) if half else ""
        else:
            text = hidden(text, redact)
        left -= min(room, len(message.text))
        # ``raw`` would keep the secrets at hand.
        time = message_time(message)
        ready.append(replace(message, text=text, raw={"time": time.isoformat()} if time else {}))
    ready.reverse()
    return ready


def hidden(text: str, redact: Callable[[str], str]) -> str:
    """Return a text without its secrets; nothing of it gets through when they cannot be looked for."""
    try:
        return redact(text)
    except Exception:
        return REDACTION_FAILED
