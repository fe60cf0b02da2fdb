"""The sentences of a conversation that are worth keeping, found by rules alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.cues import SentenceKind, exact_words, kind_of, promise
from nanobot_memory_plugins.compaction.excerpts import tidy
from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import ends_as_question, sentence_spans
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Characters of a sentence that are kept, and below which it says nothing.
_LONGEST = 240
_SHORTEST = 4
# Of a message its beginning and its end are read: most of what the user says, less of an answer, and of a tool's
# result, which is data, only a line that tells of a failure.
_HEAD_CHARS = {"user": 3_000, "assistant": 500, "tool": 1_000}
_TAIL_CHARS = {"user": 1_000, "assistant": 250, "tool": 1_000}
# Of a history so many characters are read.
_READ_CHARS = 12_000
# By so much of its beginning it is decided whether a message is read.
_PROMISE_CHARS = 300
_TOOL_CHARS = 300
_FAILURE = re.compile(r"error|exception|traceback|failed|denied|not found|失败|错误|异常|拒绝", re.IGNORECASE)
_BULLETS = "-*•#>| \t"
_CODE = "{};=<>\\|"
_WEIGHT = {
    SentenceKind.DECISION: 3.0,
    SentenceKind.TODO: 2.5,
    SentenceKind.QUESTION: 2.0,
    SentenceKind.WISH: 2.0,
    SentenceKind.FACT: 1.0,
}
_FACTOR = {"user": 1.0, "assistant": 0.6}
_MOST_EXACT = 4


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of message ``index``; a higher ``score`` is worth more."""

    text: str
    kind: SentenceKind
    score: float
    index: int
    exact: tuple[str, ...]


def find_sentences(messages: Sequence[Message]) -> list[ScoredSentence]:
    """Return the sentences worth keeping, each text once, in the order in which they were said.

    Of a long history the user's messages with the most cues are read first, then the newest of all.
    """
    parts = [
        (index, role) for index, message in enumerate(messages) if message.text and (role := _reader(message.role))
    ]
    if sum(len(messages[index].text) for index, _ in parts) > _READ_CHARS:
        parts.sort(key=lambda part: (_promise(messages[part[0]].text, part[1]), part[0]), reverse=True)
    found: dict[str, ScoredSentence] = {}
    left = _READ_CHARS
    for index, role in parts:
        if left < 0:
            break
        text = readable_part(messages[index].text, role)
        left -= len(text)
        sentences = _failures(text, index) if role == "tool" else _of_message(text, index, _FACTOR[role])
        for sentence in sentences:
            known = found.get(sentence.text)
            if known is None or known.index < index:
                found[sentence.text] = sentence
    return sorted(found.values(), key=lambda sentence: sentence.index)


def _promise(text: str, role: str) -> int:
    """Return how soon a message is read: what the user says with cues in it before everything else."""
    return promise(text[:_PROMISE_CHARS]) if role == "user" else 0 if role == "assistant" else -1


def _reader(role: str) -> str:
    """Return as whose a message is read; nothing for the host's own instructions."""
    if role == "system":
        return ""
    if role == "function":
        return "tool"
    return role if role in _HEAD_CHARS else "user"


def readable_part(text: str, role: str = "user") -> str:
    """Return the beginning and the end of a long text."""
    head, tail = _HEAD_CHARS[role], _TAIL_CHARS[role]
    if len(text) > head + tail:
        text = f"{text[:head]}\n{text[-tail:]}"
    return tidy(text)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each a line, without code and bullets, at most so long that it can be listed."""
    prose = "\n".join("" if _is_code(line) else line for line in text.split("\n"))
    for start, end in sentence_spans(prose):
        sentence = prose[start:end].lstrip(_BULLETS)
        if len(sentence) >= _SHORTEST:
            yield sentence if len(sentence) <= _LONGEST else sentence[: _LONGEST - 1] + "…"


def _of_message(text: str, index: int, factor: float) -> Iterator[ScoredSentence]:
    """Yield what may be worth keeping by its words alone; what its clauses make of it, `Statements` reads of few."""
    for sentence in split_sentences(text):
        exact = exact_words(sentence)
        told = kind_of(sentence)
        asks = ends_as_question(sentence)
        if told is None and not exact and not asks:
            continue
        kind = told or (SentenceKind.QUESTION if asks else SentenceKind.FACT)
        score = (_WEIGHT[kind] if told else 0.5) + min(len(exact), _MOST_EXACT) * 0.5
        yield ScoredSentence(sentence, kind, score * factor, index, exact)


def _is_code(line: str) -> bool:
    return sum(map(line.count, _CODE)) * 8 > len(line)


def _failures(text: str, index: int) -> Iterator[ScoredSentence]:
    match = _FAILURE.search(simplified(text))
    if match is not None:
        start = text.rfind("\n", 0, match.start()) + 1
        line = " ".join(text[start : start + _TOOL_CHARS].split("\n", 1)[0].split())
        if len(line) >= _SHORTEST:
            yield ScoredSentence(line[:_LONGEST], SentenceKind.FACT, 0.6, index, ())
