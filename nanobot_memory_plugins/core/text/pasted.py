"""What somebody says in their own words: a message without code, quoted lines and the texts that they paste.

By its form alone, in any language: fences, tags, ``>`` lines, private parts, long quotations; the head of a mail or the
mark of a role, with all that follows; and of several paragraphs the long ones.
"""

import re
from functools import lru_cache

from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.private import without_private

# Of a longer message so much of the beginning and the end is looked at.
_MESSAGE_CHARS, _ENDS_CHARS = 40_000, 12_000
_GAP = "\n\n[…]\n\n"
# Beside another paragraph, one of more bytes is a text; a Chinese character has three, and says as much as a word.
_LONG_PARAGRAPH = 200
# A quotation of so many characters is somebody's text.
_QUOTATION = re.compile(r"[\"“「『]([^\"“”「」『』\n]{40,2000}|[\u3400-\u9fff，。！？、]{14,2000})[\"”」』]")

_BLOCK = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})(?:\s[^<>]*)?>.*?</\2>", re.DOTALL)
# The line with which a mail begins, a forwarded one, or a turn of a conversation with a model.
_BEGINS = re.compile(
    r"^[ \t*]*(?:-{3,}[^-\n]+-{3,}|(?:from|subject|发件人|發件人|寄件人|主题|主題|主旨)[ \t]*[:：].*"
    r"|[\[(【]?(?:assistant|user|human|system|助手|用户|用戶|系统|系統)[\])】]?[ \t]*[:：].*|<\|.*|\[/?INST\].*)$",
    re.IGNORECASE | re.MULTILINE,
)
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")


def text_to_assistant(text: str) -> str:
    """Return what a user's message says to the assistant."""
    return _without_pasted(both_ends(text))


def is_pasted(text: str) -> bool:
    """Return whether most of what a user sent is somebody else's text."""
    return 2 * len(text_to_assistant(text)) < len(text.strip())


def both_ends(text: str) -> str:
    """Return a long text's beginning and end, and an ordinary text as it is.

    Whoever wants something says it there. It is cut at lines' ends where there are some.
    """
    if len(text) <= _MESSAGE_CHARS:
        return text
    half = _ENDS_CHARS // 2
    head, tail = text[:half], text[-half:]
    head = head[: head.rfind("\n", half // 2) + 1] or head
    tail = tail[tail.find("\n", 0, half // 2) + 1 :]
    return f"{head}{_GAP}{tail}"


# Every hook that gets a message asks for the same.
@lru_cache(maxsize=512)
def _without_pasted(text: str) -> str:
    text = _BLOCK.sub("\n", without_private(remove_fenced(clean_markdown(text))))
    own = ("" if line.lstrip(" \t").startswith((">", "|")) else line for line in text.split("\n"))
    text = _QUOTATION.sub(" ", "\n".join(own))
    begins = _BEGINS.search(text)
    paragraphs = _BETWEEN_PARAGRAPHS.split((text[: begins.start()] if begins else text).strip())
    if len(paragraphs) > 1 or begins:
        paragraphs = [one for one in paragraphs if len(one.encode()) <= _LONG_PARAGRAPH]
    return "\n\n".join(paragraphs).strip()
