"""Messages as sentences, and their texts without what politeness puts around them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nanobot_memory_plugins.core.text.acts import Act, clauses_of
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.sentences import sentence_spans
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# A longer message is a document that somebody pasted: orders stand above or below it.
_DOCUMENT_CHARS = 700
_LINE_CHARS = 4_000
_MOST_LINES = 200

_CODE_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})")
_CLOSING = re.compile(r"(?<![\s。！？；!?;….])\s*+(?:[。！？；!?;…]|\.(?!\w))++[”’\"'」』）)]*$")
_QUOTED = re.compile(r"\s*(?:>|\|)")
_BULLET = re.compile(r"^\s*(?:(?:[-*•+]|\d{1,2}[.)])\s+|(?:\d{1,2}|[一二三四五六七八九十]{1,2})、\s*)")
# Politeness and hedges behind what was meant.
_TAIL = re.compile(
    r"(?:(?<![\s,，、])[\s,，、]*+"
    r"(?:please|pls|thanks?(?: you)?|thx|ok(?:ay)?|alright|will you|would you"
    r"|can you|for me|for later"
    r"|for (?:the )?(?:next time|future)|in (?:the )?future conversations|from now on,? ok(?:ay)?"
    r"|好吗|好不好|可以吗|行吗|谢谢(?:你|您|了)?|拜托了?|麻烦了|哦|喔|噢|啊|呀|哈|吧|啦)"
    r")+[\s.。!！?？~～,，]*+$",
    re.IGNORECASE,
)
# Characters of politeness that are looked at together.
_LONGEST_TAIL = 200
_EDGES = " \t\r\n,，:：;；、-–—.。!！~～"
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}


@dataclass(frozen=True)
class OrderSentence:
    """One sentence: ``text`` as it was written, ``folded`` for comparing, character by character the same length.

    ``orders`` keeps what was read in it, so that each is read once and nothing outlives the message.
    """

    text: str
    folded: str
    mark: str
    orders: dict[bool, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _acts(self) -> list[Act]:
        return [clause.act for clause in clauses_of(f"{self.text}{self.mark}")]

    @property
    def asks(self) -> bool:
        """Whether it ends in a question; "..., ok?" asks nothing, and "Could you ...?" for something to be done."""
        return self._acts[-1] is Act.ASKS

    @property
    def has_question(self) -> bool:
        """Whether some of it asks."""
        return Act.ASKS in self._acts

    @property
    def requests(self) -> bool:
        """Whether some of it asks for something to be done."""
        return Act.REQUESTS in self._acts


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a message; ``below`` is the list below it, or the paragraph that follows a line with a colon."""

    sentences: list[OrderSentence]
    below: str = ""


def lines_of(message: str) -> Iterator[Line]:
    """Yield the lines that may be said to the assistant: of a pasted document only the first and the last."""
    lines = lines_without_code(message.split("\n", _MOST_LINES * 2)[: _MOST_LINES * 2])
    for number in spoken_lines(message, lines):
        rest = lines[number + 1 :]
        if len(rest) > 1 and not rest[0].strip() and _BULLET.match(rest[1]):
            rest = rest[1:]
        is_list = bool(rest) and _BULLET.match(rest[0]) is not None and not _BULLET.match(lines[number])
        below = ""
        if is_list or fold(lines[number]).rstrip().endswith(":"):
            end = next((index for index, line in enumerate(rest) if not line.strip()), len(rest))
            below = _listed(rest[:end])
        yield Line(sentences_of(_BULLET.sub("", lines[number], count=1)), below)


def lines_without_code(lines: Sequence[str]) -> list[str]:
    """Return as many lines, empty where code stands, and none longer than is read."""
    shown: list[str] = []
    in_code = False
    for line in lines:
        if _CODE_FENCE.match(line):
            in_code = not in_code
            shown.append("")
            continue
        shown.append("" if in_code else line[:_LINE_CHARS])
    return shown


def spoken_lines(message: str, lines: Sequence[str]) -> list[int]:
    """Return which lines of a message may be said to the assistant; ``lines`` are its lines without code."""
    spoken = [number for number, line in enumerate(lines) if line.strip() and not _QUOTED.match(line)]
    if len(message) > _DOCUMENT_CHARS and len(spoken) > 2:
        return [spoken[0], spoken[-1]]
    return spoken


def _listed(lines: list[str]) -> str:
    """Return the items of a list in one line, and other lines as they are."""
    items = [_BULLET.sub("", line).strip() for line in lines]
    if not any(map(_BULLET.match, lines)):
        return " ".join(items)
    between = "；" if any("\u3400" <= one <= "\u9fff" for one in "".join(items)) else "; "
    return between.join(item.rstrip(",;，；。") for item in items)


def sentences_of(line: str) -> list[OrderSentence]:
    """Return the sentences of a line."""
    found = []
    for start, end in sentence_spans(line):
        text = _CLOSING.sub("", line[start:end])
        if text:
            found.append(OrderSentence(text, fold(text), line[start + len(text) : end].strip()))
    return found


def plain(text: str) -> str:
    """Return what was meant, without politeness, quotation marks and punctuation around it."""
    text = " ".join(clean_markdown(unicodedata.normalize("NFC", text)).split())
    before = None
    while text != before:
        before = text
        end = max(0, len(text) - _LONGEST_TAIL)
        tail = _TAIL.search(simplified(text[end:]))
        text = text[: end + tail.start() if tail else None].strip(_EDGES)
        if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
            text = text[1:-1].strip()
    return text
