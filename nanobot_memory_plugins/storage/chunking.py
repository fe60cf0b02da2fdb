"""Cutting long texts into passages that can be embedded and injected.

Every chunk is a slice of its text: ``text[chunk.start : chunk.start + len(chunk.text)] == chunk.text``. Together the
chunks cover everything but blank space.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.core.text.sentences import sentence_ends
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

_CHARACTERS_A_TOKEN = 4
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$")
_LINE_END = re.compile(r"\n+")
_SPACE = re.compile(r"\s+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a text.

    ``heading`` is the path of headings above it, as "Projects > Alpha". ``start`` is where it begins in the text, in
    characters, and ``line`` how many line ends come before it.
    """

    text: str
    heading: str
    start: int
    line: int


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    heading: str = ""
    fences: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Chunking:
    """How texts are cut: into passages of ``max_tokens`` by core's estimate, which none exceeds.

    Neighbours share up to ``overlap_tokens``, at most half of ``max_tokens``. ``redact`` hides the secrets in what
    people wrote into the files.
    """

    max_tokens: int = 256
    overlap_tokens: int = 32
    redact: Callable[[str], str] = without_secrets

    def text(self, text: str) -> list[Chunk]:
        """Cut plain text at paragraphs, else at lines, sentences, words, and in the last resort anywhere.

        Whole paragraphs are put together.
        """
        return _chunks(text, [_Section(0, len(text))], self.max_tokens, self.overlap_tokens)

    def markdown(self, text: str) -> list[Chunk]:
        """Cut Markdown by its headings, and longer sections as plain text.

        A chunk holds text under one heading only; a heading with nothing below it goes with the next one. A fenced code
        block stays whole where it fits a chunk, and a ``#`` in it is no heading.
        """
        return _chunks(text, _sections(text), self.max_tokens, self.overlap_tokens)


def _chunks(text: str, sections: Iterable[_Section], max_tokens: int, overlap_tokens: int) -> list[Chunk]:
    """Cut every section into windows."""
    overlap = max(0, min(overlap_tokens, max_tokens // 2))
    chunks: list[Chunk] = []
    line = counted = 0
    for section in sections:
        for start, end in _windows(text, section, max_tokens, overlap):
            body = text[start:end].rstrip()
            start += len(body) - len(body.lstrip())
            if body := body.lstrip():
                line += text.count("\n", counted, start)
                counted = start
                chunks.append(Chunk(body, section.heading, start, line))
    return chunks


def _sections(text: str) -> Iterator[_Section]:
    """Yield the sections of Markdown: the text under one heading, with the fenced blocks in it."""
    headings: list[tuple[int, str]] = []
    fences: list[tuple[int, int]] = []
    start = position = 0
    has_body = False
    fence = ""
    fence_start = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        # Only the first characters of a line decide what it is; one line may be megabytes long.
        line = text[position : min(end, position + 1_000)].rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fences.append((fence_start, end))
                fence = ""
        elif mark:
            fence, fence_start, has_body = mark[1], position, True
        elif heading := _HEADING.match(line):
            if has_body:
                yield _Section(start, position, _breadcrumb(headings), tuple(fences))
                start, fences, has_body = position, [], False
            level = len(heading[1])
            headings = [*((depth, title) for depth, title in headings if depth < level), (level, heading[2] or "")]
        elif line.strip():
            has_body = True
        position = end
    if start < len(text):
        yield _Section(start, len(text), _breadcrumb(headings), tuple(fences))


def _breadcrumb(headings: list[tuple[int, str]]) -> str:
    """Join the open headings."""
    return " > ".join(title.strip() for _, title in headings if title.strip())


def _windows(text: str, section: _Section, max_tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield the overlapping windows of a section; each step reads one window's worth of text."""
    start = covered = section.start
    fences = list(reversed(section.fences))
    while start < section.end:
        piece = text[start : min(section.end, start + max_tokens * _CHARACTERS_A_TOKEN)]
        limit = start + max(1, len(truncate_to_tokens(piece, max_tokens)))
        if limit >= section.end:
            yield start, section.end
            return
        while fences and fences[-1][1] <= covered:
            fences.pop()
        cut = _cut(text, start, covered, limit, fences[-1] if fences else None)
        yield start, cut
        covered = cut
        start = cut - _overlap(text[start:cut], overlap)


def _cut(text: str, start: int, covered: int, limit: int, fence: tuple[int, int] | None) -> int:
    """Return the best place to end a window that begins at ``start``: beyond ``covered``, at most ``limit``."""
    earliest = max(covered, start + (limit - start) // 2) + 1
    if fence and fence[0] < limit < fence[1]:
        if fence[0] > covered:
            return fence[0]
        line = text.rfind("\n", earliest, limit)
        return line + 1 if line >= 0 else limit
    paragraph = text.rfind("\n\n", earliest, limit)
    if paragraph >= 0:
        return paragraph + 2
    line = text.rfind("\n", earliest, limit)
    if line >= 0:
        return line + 1
    # With the character after it: the full stop of "3.5" ends none.
    ends = sentence_ends(text[earliest : limit + 1])
    sentence = max((end for end in ends if earliest + end <= limit), default=0)
    if sentence:
        return earliest + sentence
    space = max(text.rfind(" ", earliest, limit), text.rfind("\t", earliest, limit))
    return space + 1 if space >= 0 else limit


def _overlap(window: str, overlap: int) -> int:
    """Return how many characters at the end of a window the next one repeats: whole sentences, else whole words."""
    if not overlap:
        return 0
    tail = window[-overlap * _CHARACTERS_A_TOKEN :]
    # The estimate does not care for order, so the longest ending is the longest beginning of the reversed text.
    tail = tail[len(tail) - len(truncate_to_tokens(tail[::-1], overlap)) :]
    inside = tail[:-1]
    for end in (_end_of(_LINE_END, inside), next(sentence_ends(tail), 0), _end_of(_SPACE, inside)):
        if end and tail[end:].strip():
            return len(tail) - end
    return len(tail) if len(tail) < len(window) else 0


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.end() if found is not None else 0
