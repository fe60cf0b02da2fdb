"""What the user states in a conversation: own words, without questions, guesses and what was pasted.

Only this can bear an entry out. What a tool, a page or the assistant said is no statement of the user's, whatever role
the host gives it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
_LONGEST_SENTENCE = 1_000

# Kinds of content parts that are somebody's own words; others are results, files and images.
_OWN_PARTS = frozenset({"text", "input_text", ""})
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

_SENTENCES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_LASTING = re.compile(
    r"\b(?:always|from now on|in future|remember|never)\b|以后|今后|每次|记住|始终|永远", re.IGNORECASE
)
_QUESTION = re.compile(
    r"[?？]\W*$|[吗呢么]\W*$|^\W*(?:what|why|how|when|where|who|whose|which|is there|are there|do you|does|did|can you"
    r"|could you|would you|will you|should i|shall i|can i|may i)\b"
    r"|^\W*(?:怎么|为什么|什么|哪|谁|多少|是否|能不能|可不可以|要不要)",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|might|(?:user|i|we|he|she|they) may|probably|possibly|presumably"
    r"|i guess|i suppose|i think|i wonder|not sure|unsure|what if"
    r"|suppose that|hypothetically|for example|e\.g\.)"
    r"|也许|(?<!尽)可能|大概|或许|我猜|估计|好像|似乎|不确定|不一定|说不定|假如|假设|比如说",
    re.IGNORECASE,
)
_ATTEMPT = re.compile(
    r"\b(?:tried|trying|attempted|attempting|fail(?:s|ed)?|gave up|did(?:n't| not) work"
    r"|does(?:n't| not) work|won't work"
    r"|no luck)\b|试[了过着图]|尝试|失败|行不通|不管用|没成功|没用上|放弃",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"(?:\W|\b(?:hi|hello|hey|thanks?|thank you|so much|a lot|very much|ok|okay|yes|yeah|yep|no|nope|sure|great|good"
    r"|nice|perfect|cool|bye|goodbye|morning|night|evening|please|go on|continue|done|right|got it|i see"
    r"|understood|well done|there)\b"
    r"|你好|您好|谢谢|多谢|感谢|你|您|好的?|嗯+|是的|对的?|不用了?|再见|早上好|晚安|辛苦了|知道了|明白了?|收到|可以|继续|行|了|啊|吧)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that a speaker states. ``turn`` is the index of its message, ``attempt`` that it tells of a try."""

    text: str
    turn: int
    attempt: bool = False


def own_text(message: Message) -> str:
    """Return what a message says in its sender's own words: no results of tools, code, quotations or pasted texts."""
    text = _without_results(message)
    if len(text) > _MESSAGE_CHARS:
        text = f"{text[: _MESSAGE_CHARS // 2]}\n{text[-_MESSAGE_CHARS // 2 :]}"
    text = _QUOTE_LINE.sub("", _BLOCK.sub("\n", remove_fenced(clean_markdown(text))))
    if message.role != "user":
        return text.strip()
    announced = _ANNOUNCES.search(text)
    if announced is not None and len(text) - announced.end() > _ANNOUNCED:
        text = text[: announced.start()]
    if len(text) > _LONG_MESSAGE:
        parts = re.split(r"\n\s*\n", text)
        text = "\n\n".join(one for one in parts if len(one) <= _LONG_PARAGRAPH or _FIRST_PERSON.search(one))
    return text.strip()


def statements(messages: Sequence[Message], *, role: str = "user") -> list[Statement]:
    """Return what the messages of a role state: no questions, no guesses, no pleasantries."""
    return [
        Statement(sentence, turn, _ATTEMPT.search(sentence) is not None)
        for turn, message in enumerate(messages)
        if message.role == role and not message.tool_calls
        for sentence in _sentences(own_text(message))
        if not is_open(sentence)
    ]


def is_open(sentence: str) -> bool:
    """Say whether a sentence asks or guesses, and so says nothing. "Always ..., please?" is a wish."""
    if _GUESS.search(sentence) is not None:
        return True
    return _QUESTION.search(sentence) is not None and _LASTING.search(sentence) is None


def tells_of_a_try(text: str) -> bool:
    """Say whether a text tells of an attempt, or that something failed."""
    return _ATTEMPT.search(text) is not None


def _sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCES.split(text):
        plain = sentence.strip()[:_LONGEST_SENTENCE]
        if any(character.isalnum() for character in plain) and not _PLEASANTRY.fullmatch(plain[:60]):
            yield plain


def _without_results(message: Message) -> str:
    """Return a message's text without the parts that are no words of its sender: some hosts put results beside them."""
    content = message.raw.get("content")
    if not isinstance(content, (list, tuple)):
        return message.text
    return "\n".join(_part_texts(content))


def _part_texts(parts: Iterable[object]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif hasattr(part, "get"):
            text = part.get("text")
            if str(part.get("type") or "") in _OWN_PARTS and isinstance(text, str):
                yield text
