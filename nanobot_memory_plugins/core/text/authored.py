"""What somebody says in their own words: without results of tools, quotations, code and pasted texts."""

import re
from functools import lru_cache

from nanobot_memory_plugins.core.text.conversation import own_words
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.quoted import strip_quoted_content
from nanobot_memory_plugins.core.values import Message

# A message with more characters is a document: so many are looked at, half from either end, or while its user waits
# for an answer fewer.
_MESSAGE_CHARS = 40_000
_ENDS_CHARS = 12_000
_GAP = "\n\n[…]\n\n"
# A message longer than this may hold somebody else's text; a paragraph in it longer than that is the user's when it
# says "I".
_LONG_MESSAGE, _LONG_PARAGRAPH = 1_500, 300
_QUOTE_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
_BLOCK = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})>.*?</\2>", re.DOTALL)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b|[我咱]", re.IGNORECASE)


def authored_text(message: Message) -> str:
    """Return what a message says in its sender's own words: no results of tools, code, quotations or pasted texts."""
    text = own_words(message)
    if message.role != "user":
        return _spoken(whole_or_ends(text)).strip()
    text = text_to_assistant(text)
    if len(text) > _LONG_MESSAGE:
        parts = re.split(r"\n\s*\n", text)
        text = "\n\n".join(one for one in parts if len(one) <= _LONG_PARAGRAPH or _FIRST_PERSON.search(one))
    return text.strip()


def both_ends(text: str, kept: int = _ENDS_CHARS) -> str:
    """Return a long text's beginning and end, of ``kept`` characters, and an ordinary text as it is.

    Whoever wants something says it there. It is cut at lines' ends where there are some.
    """
    if len(text) <= _MESSAGE_CHARS + len(_GAP):
        return text
    half = kept // 2
    head, tail = text[:half], text[-half:]
    head = head[: head.rfind("\n", half // 2) + 1] or head
    tail = tail[tail.find("\n", 0, half // 2) + 1 :]
    return f"{head}{_GAP}{tail}"


def whole_or_ends(text: str) -> str:
    """Return what of a message is read at all: of a document its beginning and its end."""
    return both_ends(text, _MESSAGE_CHARS)


def text_to_assistant(text: str) -> str:
    """Return what a user's message says to the assistant, the line that announces somebody else's text included."""
    return _without_quoted(whole_or_ends(text))


# Every hook that a message stands in asks for the same.
@lru_cache(maxsize=512)
def _without_quoted(text: str) -> str:
    return strip_quoted_content(_spoken(text))


def _spoken(text: str) -> str:
    """Return a text without code, quoted lines and fenced notes."""
    return _QUOTE_LINE.sub("", _BLOCK.sub("\n", remove_fenced(clean_markdown(text))))
