"""What somebody says in their own words: without results of tools, quotations, code and pasted texts."""

import re

from nanobot_memory_plugins.core.conversation import own_words
from nanobot_memory_plugins.core.fence import remove_fenced
from nanobot_memory_plugins.core.files.text import clean_markdown
from nanobot_memory_plugins.core.others_text import before_others_text
from nanobot_memory_plugins.core.values import Message

# Characters of one message that are looked at, half from either end.
_MESSAGE_CHARS = 40_000
# A message longer than this may hold somebody else's text; a paragraph in it longer than that is the user's when it
# says "I".
_LONG_MESSAGE, _LONG_PARAGRAPH = 1_500, 300
_QUOTE_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
_BLOCK = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})>.*?</\2>", re.DOTALL)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b|[我咱]", re.IGNORECASE)


def own_text(message: Message) -> str:
    """Return what a message says in its sender's own words: no results of tools, code, quotations or pasted texts."""
    text = _spoken(own_words(message))
    if message.role != "user":
        return text.strip()
    text = before_others_text(text)
    if len(text) > _LONG_MESSAGE:
        parts = re.split(r"\n\s*\n", text)
        text = "\n\n".join(one for one in parts if len(one) <= _LONG_PARAGRAPH or _FIRST_PERSON.search(one))
    return text.strip()


def addressed_text(text: str) -> str:
    """Return what a user's message says to the assistant, the line that announces somebody else's text included."""
    return before_others_text(_spoken(text))


def _spoken(text: str) -> str:
    """Return a text without code, quoted lines and fenced notes."""
    if len(text) > _MESSAGE_CHARS:
        text = f"{text[: _MESSAGE_CHARS // 2]}\n{text[-_MESSAGE_CHARS // 2 :]}"
    return _QUOTE_LINE.sub("", _BLOCK.sub("\n", remove_fenced(clean_markdown(text))))
