"""What somebody says in their own words: a message without code, quoted lines and the texts that they paste.

By its form: fences, tags, ``>`` lines, private parts; the head of an e-mail, the mark of a reply, of a role or of a
log, with all that follows; and what follows a line that announces a text. A short list of nouns and verbs tells
such a line from one that announces the user's own list; where the text behind it is long, its colon is enough.
"""

import re
from functools import lru_cache

from nanobot_memory_plugins.core.text.conversation import own_words
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Of a longer message the beginning and the end are looked at, or while its user waits for an answer less of them.
_MESSAGE_CHARS, _ENDS_CHARS = 40_000, 12_000
_GAP = "\n\n[…]\n\n"
# A line that announces a text is short; the text after it may be the user's own list where it is no longer than this.
_ANNOUNCEMENT, _LIST = 160, 200
# A paragraph of a long message that is longer than this is a text.
_LONG_MESSAGE, _LONG_PARAGRAPH = 1_500, 600
# A quotation of so many characters is somebody's text.
_QUOTATION = re.compile(r"[\"“「『]([^\"“”「」『』\n]{40,2000}|[\u3400-\u9fff，。！？、]{14,2000})[\"”」』]")

_QUOTED_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
_BLOCK = re.compile(r"(`{3,}|~{3,}|\"{3}).*?(?:\1|\Z)|<([a-zA-Z][\w-]{0,40})(?:\s[^<>]*)?>.*?</\2>", re.DOTALL)

# Lines with which somebody else's text begins, whatever comes before.
_BEGINS = re.compile(
    r"[ \t>*_#-]*(?:"
    r"-{2,}\s*(?:forwarded|original|replied|begin)\b.*|begin forwarded message\b.*|fwd?\s*:.*"
    r"|-{2,}.*(?:转发|原始邮件).*"
    r"|[【\[(]?\s*转发\s*[】\])]?.*|(?:from|subject|reply-to|return-path|message-id|发件人|寄件人|主题|主旨)\s*[:：].*"
    r"|[\[(<【]\s*/?(?:tool|function|system|assistant|user|human|inst|search|web|observation|工具|系统|助手|用户|搜索)"
    r"[\w \t-]*(?:结果|输出|返回)?\s*[\])>】:：].*"
    r"|(?:tool|function|web|search|api|command|query|fetch|browser|工具|搜索|网页|命令|查询)[\w \t-]{0,20}"
    r"(?:results?|outputs?|responses?|结果|输出|返回)[^:：\n]{0,40}[:：].*"
    r"|(?:assistant|user|human|system|ai|bot|chatgpt|助手|用户|系统|机器人)\s*[:：].*|<\|.*|\[/?INST\].*"
    r"|\[?\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[ T,]+\d{1,2}:\d{2}.*|\[\d{1,2}[:.]\d{2}.{0,24}\].*"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\s+[\w.' -]{1,30}[:：].*|.{1,40}[,#] ?\d{1,2}:\d{2}(?: ?[ap]m)?"
    r"|\[?(?:debug|info|warn(?:ing)?|error|fatal|trace)\](?:\s|:).*|(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[,.]\d+)? *-->.*"
    r"|(?:on\b.{3,120}|.{1,80}<[^>]*>.{0,40}|于.{2,60}|在.{2,60})\s*(?:wrote|写道)\s*[:：]?"
    r")\s*$",
    re.IGNORECASE,
)
# What a line names that announces a text, or asks for work on one.
_TEXTS = re.compile(
    r"\b(?:e-?mails?|mails?|messages?|letters?|articles?|posts?|tweets?|pages?|documents?|reviews?|texts?|paragraphs?"
    r"|transcripts?|logs?|errors?|outputs?|results?|notes from|wrote|says?|said|writes|sent|received|got this|forwarded"
    r"|translate|summari[sz]e|proof-?read|rewrite|rephrase|following|below)\b"
    r"|邮件|来信|信件|文章|网页|页面|消息|短信|聊天|对话|日志|报错|输出|文档|原文|新闻|评论|帖子|内容|段落|这段|这篇|这封"
    r"|结果|公告|通知|写道|回复|收到|转来|发来|有人发|翻译|总结|润色|改写|校对|以下|下面|如下",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:wrote|written|drafted|sent)\b|\babout me\b|\bmy \w+ (?:are|is)\b|我写|关于我",
    re.IGNORECASE,
)
_ASKS_ABOVE = re.compile(
    r"(?:translate|summari[sz]e|proof-?read|rewrite|rephrase|explain|what does|what do you (?:think|make)|who wrote)\b"
    r"|翻译|总结|润色|改写|校对|什么意思|怎么看|怎么回",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:this|these|below|following)\b|这|以下|下面|如下", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b|[我咱]", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,2}[.)、])\s*")


def authored_text(message: Message) -> str:
    """Return what a message says in its sender's own words: no results of tools, code, quotations or pasted texts."""
    text = own_words(message)
    if message.role == "user":
        return text_to_assistant(text).strip()
    return _plain(both_ends(text, _MESSAGE_CHARS)).strip()


def text_to_assistant(text: str) -> str:
    """Return what a user's message says to the assistant, the line that announces a pasted text included."""
    return _without_pasted(both_ends(text, _MESSAGE_CHARS))


def is_pasted(text: str) -> bool:
    """Return whether most of what a user sent is somebody else's text."""
    return 2 * len(text_to_assistant(text).strip()) < len(text.strip())


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


# Every hook that gets a message asks for the same.
@lru_cache(maxsize=512)
def _without_pasted(text: str) -> str:
    lines = _QUOTATION.sub(" ", _plain(text)).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) > 1 and len(lines[-1]) <= _ANNOUNCEMENT and _ASKS_ABOVE.search(simplified(lines[-1])):
        above = "\n".join(lines[:-1])
        if len(above) > _LIST or not _FIRST_PERSON.search(above):
            return lines[-1]
    for place, line in enumerate(map(simplified, lines)):
        if _BEGINS.match(line):
            return "\n".join(lines[:place])
        behind = "\n".join(lines[place + 1 :])
        if behind.strip() and _announces(line.strip(), behind):
            return "\n".join(lines[: place + 1])
    own = "\n".join(lines)
    if len(own) > _LONG_MESSAGE:
        parts = re.split(r"\n\s*\n", own)
        own = "\n\n".join(one for one in parts if len(one) <= _LONG_PARAGRAPH or _FIRST_PERSON.search(one[:_LIST]))
    return own


def _announces(line: str, behind: str) -> bool:
    """Return whether a line announces the text behind it.

    It ends in a colon, and names a text or has a long one; or it asks for something and points to a text that it names.
    A list after a line that speaks of its author is the author's own.
    """
    if len(line) > _ANNOUNCEMENT or _OWN.search(line):
        return False
    names_text = _TEXTS.search(line) is not None
    if not line.endswith((":", "：")):
        asks = line.endswith(("?", "？")) or _ASKS_ABOVE.search(line) is not None
        return asks and names_text and _POINTS.search(line) is not None
    is_list = all(map(_BULLET.match, filter(str.strip, behind.split("\n"))))
    if is_list and len(behind) <= _LIST and _FIRST_PERSON.search(line):
        return False
    return names_text or (len(behind) > _LIST and not is_list)


def _plain(text: str) -> str:
    """Return a text without private parts, code, quoted lines and fenced notes."""
    return _QUOTED_LINE.sub("", _BLOCK.sub("\n", without_private(remove_fenced(clean_markdown(text)))))
