"""Which language a conversation is in."""

import re
from collections.abc import Sequence
from itertools import islice

from nanobot_memory_plugins.core.fence import Language
from nanobot_memory_plugins.core.values import Message

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_LETTER = re.compile("[A-Za-z]")
# The last messages that decide, and the characters of each that are looked at.
_MESSAGES = 20
_CHARS = 400
# A Chinese character says as much as about three Latin letters; code and names are in Latin letters in any language.
_LETTERS_A_CHARACTER = 6


def conversation_language(messages: Sequence[Message], earlier: str = "") -> Language:
    """Return ``zh`` or ``en``, by what the user wrote last; by the earlier summary or anybody's words without that."""
    said = (message.text[:_CHARS] for message in reversed(messages) if message.role == "user" and message.text.strip())
    texts = list(islice(said, _MESSAGES)) or [
        earlier[:_CHARS],
        *(message.text[:_CHARS] for message in messages[-_MESSAGES:]),
    ]
    text = "\n".join(texts)
    return "zh" if len(_HAN.findall(text)) * _LETTERS_A_CHARACTER > len(_LETTER.findall(text)) else "en"
