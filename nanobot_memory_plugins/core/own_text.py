"""What somebody says in their own words: without results of tools, quotations, code and pasted texts."""

import re

from nanobot_memory_plugins.core.conversation import own_words
from nanobot_memory_plugins.core.fence import remove_fenced
from nanobot_memory_plugins.core.files.text import clean_markdown
from nanobot_memory_plugins.core.values import Message

# Characters of one message that are looked at, half from either end.
_MESSAGE_CHARS = 40_000
# A message longer than this may hold somebody else's text; a paragraph in it longer than that is the user's when it
# says "I".
_LONG_MESSAGE, _LONG_PARAGRAPH = 1_500, 300
# Behind a line that announces a text, more than this is that text.
_ANNOUNCED = 200

_QUOTE_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
_BLOCK = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})>.*?</\2>", re.DOTALL)
_ANNOUNCES = re.compile(
    r"\b(text|article|page|log|logs|output|error|traceback|email|mail|message|document|paper|review|transcript|post|says"
    r"|said|wrote|writes|following|below|here is|here's)\b[^\n]{0,80}:[ \t]*$"
    r"|(文章|网页|日志|报错|输出|邮件|文档|内容|以下|下面|如下"
    r"|原文|新闻|评论|帖子|写道|里说|上说)[^\n]{0,40}[:：][ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b|[我咱]", re.IGNORECASE)


def own_text(message: Message) -> str:
    """Return what a message says in its sender's own words: no results of tools, code, quotations or pasted texts."""
    text = own_words(message)
    if len(text) > _MESSAGE_CHARS:
        text = f"{text[: _MESSAGE_CHARS // 2]}\n{text[-_MESSAGE_CHARS // 2 :]}"
    text = _QUOTE_LINE.sub("", _BLOCK.sub("\n", remove_fenced(clean_markdown(text))))
    if message.role != "user":
        return text.strip()
    announced = _announcement(text)
    if announced is not None:
        text = text[: announced.start()]
    if len(text) > _LONG_MESSAGE:
        parts = re.split(r"\n\s*\n", text)
        text = "\n\n".join(one for one in parts if len(one) <= _LONG_PARAGRAPH or _FIRST_PERSON.search(one))
    return text.strip()


def before_announced_text(text: str) -> str:
    """Return a text up to the end of the line that announces somebody else's, or all of it."""
    announced = _announcement(text)
    return text if announced is None else text[: announced.end()]


def _announcement(text: str) -> re.Match[str] | None:
    announced = _ANNOUNCES.search(text)
    return announced if announced is not None and len(text) - announced.end() > _ANNOUNCED else None
