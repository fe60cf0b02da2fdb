"""Splits long texts into passages that can be embedded and injected.

Every chunk is a slice of its text: ``text[chunk.start : chunk.start + len(chunk.text)] == chunk.text``. Together the
chunks cover everything except white space.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from nanobot_memory_plugins.core.redaction.contact_redaction import redact_secrets
from nanobot_memory_plugins.core.text.sentences import sentence_ends
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

_CHARACTERS_A_TOKEN = 4
_LINE_END = re.compile(r"\n+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a text.

    ``start`` is its first character in the text, and ``line`` the number of line ends before it.
    """

    text: str
    start: int
    line: int


@dataclass(frozen=True, slots=True)
class Chunking:
    """How texts are split: into passages of at most ``max_tokens``, by core's estimate.

    Neighbours share up to ``overlap_tokens``, at most half of ``max_tokens``. ``redact`` hides secrets in text that
    people wrote into the files.
    """

    max_tokens: int = 256
    overlap_tokens: int = 32
    redact: Callable[[str], str] = redact_secrets

    def cut(self, text: str) -> list[Chunk]:
        """Split a text at paragraphs, else at lines, sentences or words, and only if need be anywhere.

        A passage holds as many whole paragraphs as fit.
        """
        chunks: list[Chunk] = []
        overlap = max(0, min(self.overlap_tokens, self.max_tokens // 2))
        start = covered = line = counted = 0
        while True:  # each step reads no more than one window of the text
            piece = text[start : start + self.max_tokens * _CHARACTERS_A_TOKEN]
            limit = start + max(1, len(truncate_to_tokens(piece, self.max_tokens)))
            is_last = limit >= len(text)
            covered = len(text) if is_last else _window_end(text, start, covered, limit)
            window = text[start:covered]
            if body := window.strip():
                begin = start + len(window) - len(window.lstrip())
                line += text.count("\n", counted, begin)
                counted = begin
                chunks.append(Chunk(body, begin, line))
            if is_last:
                return chunks
            start = covered - _overlap_length(window, overlap)


def _window_end(text: str, start: int, covered: int, limit: int) -> int:
    """Return the best end for the window from ``start``: after ``covered``, at most ``limit``."""
    earliest = max(covered, start + (limit - start) // 2) + 1
    paragraph = text.rfind("\n\n", earliest, limit)
    if paragraph >= 0:
        return paragraph + 2
    line = text.rfind("\n", earliest, limit)
    if line >= 0:
        return line + 1
    # Including the character after it: the full stop in "3.5" ends no sentence.
    ends = sentence_ends(text[earliest : limit + 1])
    sentence = max((end for end in ends if earliest + end <= limit), default=0)
    if sentence:
        return earliest + sentence
    space = max(text.rfind(" ", earliest, limit), text.rfind("\t", earliest, limit))
    return space + 1 if space >= 0 else limit


def _overlap_length(window: str, overlap: int) -> int:
    """Return how many characters from the end of a window the next one repeats: whole sentences, else whole words."""
    if not overlap:
        return 0
    tail = window[-overlap * _CHARACTERS_A_TOKEN :]
    # The estimate ignores order, so the longest suffix that fits is the longest prefix of the reversed text.
    tail = tail[len(tail) - len(truncate_to_tokens(tail[::-1], overlap)) :]
    inside = tail[:-1]
    for end in (_end_of(_LINE_END, inside), next(sentence_ends(tail), 0), _end_of(_SPACE, inside)):
        if end and tail[end:].strip():
            return len(tail) - end
    return len(tail) if len(tail) < len(window) else 0


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return match.end() if match is not None else 0
