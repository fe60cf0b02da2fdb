"""The sentences of a conversation that are worth keeping, found by rules alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.cues import CUE, EXACT, Kind
from nanobot_memory_plugins.compaction.excerpts import tidy
from nanobot_memory_plugins.core.values import Message

# Characters of a sentence that are kept, and below which it says nothing.
_LONGEST = 240
_SHORTEST = 4
# Of a message its beginning and its end are read; of a history so many characters, the newest messages first.
_HEAD_CHARS = 3_000
_TAIL_CHARS = 1_000
_HISTORY_CHARS = 400_000
# A tool's result is data: only what failed is worth a sentence.
_TOOL_CHARS = 300
_FAILURE = re.compile(r"error|exception|traceback|failed|denied|not found|失败|错误|异常|拒绝", re.IGNORECASE)
_BORDER = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_BULLET = re.compile(r"\A(?:[-*•#>|]+|\d{1,2}[.)、])\s*")
_CODE = re.compile(r"[{};=<>\\|]")
_WEIGHT = {Kind.DECISION: 3.0, Kind.TODO: 2.5, Kind.QUESTION: 2.0, Kind.WISH: 2.0, Kind.FACT: 1.0}
_ASSISTANT_FACTOR = 0.6
_MOST_EXACT = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of message ``index``; a higher ``score`` is worth more."""

    text: str
    kind: Kind
    score: float
    index: int
    exact: tuple[str, ...]


def find_sentences(messages: Sequence[Message]) -> list[Sentence]:
    """Return the sentences worth keeping, each text once, in the order in which they were said."""
    found: dict[str, Sentence] = {}
    left = _HISTORY_CHARS
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        text = readable_part(message.text)
        left -= len(text)
        if left < 0:
            break
        if message.role in ("tool", "function"):
            sentences: Iterator[Sentence] = _failures(text, index)
        elif message.role == "system":
            continue
        else:
            sentences = _of_message(text, index, 1.0 if message.role != "assistant" else _ASSISTANT_FACTOR)
        for sentence in sentences:
            found.setdefault(sentence.text, sentence)
    return sorted(found.values(), key=lambda sentence: sentence.index)


def readable_part(text: str) -> str:
    """Return the beginning and the end of a long text."""
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    return tidy(text)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, on one line each, without bullets, at most so long that they can be listed."""
    for piece in _BORDER.split(text):
        sentence = _BULLET.sub("", piece.strip())
        if len(sentence) < _SHORTEST:
            continue
        yield sentence if len(sentence) <= _LONGEST else sentence[: _LONGEST - 1] + "…"


def _of_message(text: str, index: int, factor: float) -> Iterator[Sentence]:
    for sentence in split_sentences(text):
        cue = CUE.search(sentence)
        exact = [word.rstrip(".,:/") for word in EXACT.findall(sentence)]
        asks = sentence[-1] in "?？"
        if cue is None and not exact and not asks:
            continue
        if len(_CODE.findall(sentence)) * 8 > len(sentence):
            continue
        kind = Kind(str(cue.lastgroup)) if cue is not None else Kind.QUESTION if asks else Kind.FACT
        score = (_WEIGHT[kind] if cue is not None else 0.5) + min(len(exact), _MOST_EXACT) * 0.5
        yield Sentence(sentence, kind, score * factor, index, tuple(exact))


def _failures(text: str, index: int) -> Iterator[Sentence]:
    match = _FAILURE.search(text[:_HEAD_CHARS])
    if match is not None:
        start = text.rfind("\n", 0, match.start()) + 1
        line = " ".join(text[start : start + _TOOL_CHARS].split("\n", 1)[0].split())
        if len(line) >= _SHORTEST:
            yield Sentence(line[:_LONGEST], Kind.FACT, 0.6, index, ())
