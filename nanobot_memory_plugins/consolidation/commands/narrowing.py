"""The narrowest words with which a purge finds the lines that are meant, and as few others as can be."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from nanobot_memory_plugins.core import Wanted
from nanobot_memory_plugins.core.erasure import is_short
from nanobot_memory_plugins.core.text import phrases_of, sentence_spans, stem
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+")
# Words of a topic that stand in any line.
_SILENT = frozenset(
    """
    a an the i you he she we they me him her us them my your his its our their is are was were be been of in on at to
    for with and or as by that this it what about have has had do does did said told say tell not thing things
    """.split()  # noqa: SIM905
)
_SILENT_CHARACTERS = re.compile("[我你您他她它们咱的了是在和与跟把被说过]")
_LEAST_CHARACTERS = 2
_Span = tuple[int, int]


def names_held(topic: str, line: str) -> int:
    """Return how much of what a topic names a line holds."""
    return len({_name(line[start:end]) for start, end in _units(topic, line)})


def narrowest(topic: str, lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words that find each of ``lines``, and as few of ``others`` as can be; the shortest of those."""
    chosen: list[str] = []
    for line in lines:
        if any(_finds(words, line) for words in chosen):
            continue
        found = [words for words in dict.fromkeys(_phrases(topic, line)) if not is_short(words) and _finds(words, line)]
        if found:
            chosen.append(
                min(
                    found, key=lambda words: (sum(_finds(words, one) for one in others), len(words), found.index(words))
                )
            )
    return chosen


def _finds(words: str, line: str) -> bool:
    return Wanted((), words=(words,)).count(line) > 0


def _phrases(topic: str, line: str) -> Iterator[str]:
    """Yield what may stand for a line: what it names of the topic, from one of these to another, clause, sentence."""
    for begin, close in sentence_spans(line, bare=True):
        text = line[begin:close]
        units = _units(topic, text)
        for (start, _), (_, end) in combinations_with_replacement(units, 2):
            yield text[start:end]
        if units:
            yield from (part for part in phrases_of(text) if _units(topic, part))
            yield text.strip()


def _units(topic: str, text: str) -> list[_Span]:
    """Return where a text names something of a topic: words by their stems, the longest pieces of Chinese."""
    wanted = {_name(word[0]) for word in _WORD.finditer(topic)}
    plain_topic = simplified(topic)
    units: list[_Span] = []
    for word in _WORD.finditer(text):
        if word[0][0].isascii() or not _is_chinese(word[0][0]):
            if _name(word[0]) in wanted and word[0].casefold() not in _SILENT:
                units.append(word.span())
        else:
            units += [(word.start() + a, word.start() + b) for a, b in _pieces(plain_topic, simplified(word[0]))]
    return units


def _pieces(topic: str, run: str) -> Iterator[_Span]:
    at = 0
    while at < len(run):
        end = at
        while end < len(run) and run[at : end + 1] in topic and not _SILENT_CHARACTERS.match(run[end]):
            end += 1
        if end - at >= _LEAST_CHARACTERS:
            yield at, end
        at = max(end, at + 1)


def _name(word: str) -> str:
    return stem(simplified(word).casefold())


def _is_chinese(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"
