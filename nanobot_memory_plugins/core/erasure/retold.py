"""A text told again in other words: by its telling words, whoever tells it to whom."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.core.redaction.chinese_script import simplified

_SENTENCE = re.compile(r"(?:[^。！？!?；\n.;]|[.;](?=\S))+")
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+")
_SMALL = re.compile(r"(?<=\w)['’](?:s|re|m|ve|ll|d)\b")
# Words that a text holds whoever tells it: persons, articles, what binds.
_SILENT = frozenset(
    """
    a an the i you he she we they me him her us them my your his its our their mine yours user users is are was were be
    am been of in on at to for with and or by that this it as has have had do does did will
    我 你 您 他 她 它 们 咱 的 了 是 在 用 户 把 被 也 就 都
    """.split()  # noqa: SIM905
)
# The share of its telling words that tells a text again, and the words below which all are too few to tell.
_SHARE, _LEAST_WORDS, _LEAST_CHARACTERS = 0.8, 3, 5


@dataclass(frozen=True, slots=True)
class _Told:
    words: frozenset[str]
    must: frozenset[str]

    def is_in(self, words: frozenset[str]) -> bool:
        return self.must <= words and len(self.words & words) >= _SHARE * len(self.words)


class Retold:
    """Finds the sentences that tell one of ``texts`` again.

    They hold four fifths of its telling words, all its numbers and all its names among them. A text of fewer than three
    such words, or five characters of Chinese, is not found: it could be about anything.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._told = tuple(told for text in texts if (told := _told(text)) is not None)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the sentences stand."""
        if not self._told:
            return
        for sentence in _SENTENCE.finditer(text):
            words = frozenset(_words(sentence[0]))
            if any(told.is_in(words) for told in self._told):
                yield sentence.start() + len(sentence[0]) - len(sentence[0].lstrip()), sentence.end()


def _told(text: str) -> _Told | None:
    words = frozenset(_words(text))
    wide = sum(not word.isascii() and len(word) == 1 for word in words)
    if len(words) - wide + wide * _LEAST_WORDS / _LEAST_CHARACTERS < _LEAST_WORDS:
        return None
    names = {word for name in re.findall(r"(?<=\w )[A-Z]\w+", text) for word in _words(name)}
    return _Told(words, frozenset({word for word in words if any(map(str.isdigit, word))} | names))


def _words(text: str) -> Iterator[str]:
    folded = _SMALL.sub("", simplified(unicodedata.normalize("NFKC", text)).casefold())
    return (word for word in _WORD.findall(folded) if word not in _SILENT)
