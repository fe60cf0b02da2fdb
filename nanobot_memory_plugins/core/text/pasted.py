"""The user's own words in a message, without code, quoted lines and pasted texts.

Pasted text is recognised by its form only, in any language: code fences, tags, ``>`` lines, private parts and long
quotations; a mail header or a role mark, with everything after it; and the long ones of several paragraphs.
"""

import re
from functools import lru_cache

from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.private import without_private

# Of a message longer than the first number, only this many characters of both ends together are read.
_MESSAGE_CHARS, _ENDS_CHARS = 40_000, 12_000
_GAP = "\n\n[…]\n\n"
# One of several paragraphs counts as pasted from this many bytes on. A Chinese character, of 3 bytes, is about a word.
_LONG_PARAGRAPH = 200
# A quotation from this length on counts as pasted.
_QUOTATION = re.compile(r"[\"“「『]([^\"“”「」『』\n]{40,2000}|[\u3400-\u9fff，。！？、]{14,2000})[\"”」』]")

_FENCE_OR_TAG = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})(?:\s[^<>]*)?>.*?</\2>", re.DOTALL)
# The first line of a mail, of a forwarded mail, or of a turn in a copied conversation.
_MAIL_OR_TURN_START = re.compile(
    r"^[ \t*]*(?:-{3,}[^-\n]+-{3,}|(?:from|subject|发件人|發件人|寄件人|主题|主題|主旨)[ \t]*[:：].*"
    r"|[\[(【]?(?:assistant|user|human|system|助手|用户|用戶|系统|系統)[\])】]?[ \t]*[:：].*|<\|.*|\[/?INST\].*)$",
    re.IGNORECASE | re.MULTILINE,
)
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")


def text_to_assistant(text: str) -> str:
    """Return the part of a user's message that is addressed to the assistant."""
    return _without_pasted(both_ends(text))


def is_pasted(text: str) -> bool:
    """Return whether most of a user's message is pasted text."""
    return 2 * len(text_to_assistant(text)) < len(text.strip())


def both_ends(text: str) -> str:
    """Return the beginning and the end of a very long text, cut at line breaks if possible, or the whole text.

    Requests are found at the beginning or the end.
    """
    if len(text) <= _MESSAGE_CHARS:
        return text
    half = _ENDS_CHARS // 2
    head, tail = text[:half], text[-half:]
    head = head[: head.rfind("\n", half // 2) + 1] or head
    tail = tail[tail.find("\n", 0, half // 2) + 1 :]
    return f"{head}{_GAP}{tail}"


# Cached because several hooks ask for the same message.
@lru_cache(maxsize=512)
def _without_pasted(text: str) -> str:
    text = _FENCE_OR_TAG.sub("\n", without_private(remove_fenced(clean_markdown(text))))
    own_lines = ("" if line.lstrip(" \t").startswith((">", "|")) else line for line in text.split("\n"))
    text = _QUOTATION.sub(" ", "\n".join(own_lines))
    pasted = _MAIL_OR_TURN_START.search(text)
    paragraphs = _PARAGRAPH_BREAK.split((text[: pasted.start()] if pasted else text).strip())
    if len(paragraphs) > 1 or pasted:
        paragraphs = [part for part in paragraphs if len(part.encode()) <= _LONG_PARAGRAPH]
    return "\n\n".join(paragraphs).strip()
