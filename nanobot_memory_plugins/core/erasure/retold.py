"""A text told again in other words, whoever tells it to whom, and a name in another order: by their telling words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from nanobot_memory_plugins.core.erasure.letters import plain
from nanobot_memory_plugins.core.text.sentences import sentence_spans
from nanobot_memory_plugins.core.text.stems import stem
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# What parts of a sentence stand on their own, those of JSON included.
_CLAUSE_END = LazyPattern(
    r"[,，、:：()（）\[\]{}\"“”「」|—–]+|(?<!\\)\\+[nrt]|\s-+\s"
    r"|\b(?:and|but|so|because|since|which|while)\b|而且|并且|所以|因为|但是?|不过",
    re.IGNORECASE,
)
_WORD = LazyPattern(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+")
_SMALL = LazyPattern(r"(?<=\w)['’](?:s|re|m|ve|ll|d)\b")
_NOT = LazyPattern(r"(?<=\w)n['’]t\b")
# Words that a text holds whoever tells it: persons, articles, what binds.
_SILENT = frozenset(
    """
    a an the i you we me us my your our mine yours user users is are was were be
    am been of in on at to for with and or as by that this it its as has have had do does did will
    我 你 您 们 咱 的 了 是 在 用 户 把 被 也 就 都
    """.split()  # noqa: SIM905
)
# Somebody else: who tells a long text of her tells the same; a short one may be another fact.
_OTHERS = frozenset("he she they him her them his their 他 她 它".split())  # noqa: SIM905
# What an answer puts around a fact that it repeats.
_FRAME = frozenset(
    """
    noted note ok okay got right sure yes yeah alright well remember remembered know knew known understand
    understood see recall keep keeping kept mind save saved add added mention mentioned say said tell told think
    thought believe also still again thank thanks great good though although actually really indeed exactly
    correct hi hello here now then just
    """.split()  # noqa: SIM905
)
_CHINESE_FRAME = LazyPattern(
    "好的?|嗯|哦|收到|了解|明白|知道|没问题|记住|记得|记下|已经?|帮|说过?|提到|确实|还|[啊吧呢吗呀嘛啦哈]"
)
# The share of its telling words that tells a text again, and the words below which all are too few to tell.
_SHARE, _LEAST_WORDS, _LEAST_CHARACTERS = 0.8, 3, 5
# The share that a clause must hold which tells nothing else.
_CLAUSE_SHARE = 2 / 3
# Words of a name, and how many others may stand among them.
_NAME_WORDS, _BETWEEN = range(2, 5), 1


@dataclass(frozen=True, slots=True)
class _Told:
    """The telling words of a text, those that must be there, and whether they are enough among any others."""

    words: frozenset[str]
    must: frozenset[str]
    is_short: bool

    @property
    def needed(self) -> int:
        """How many of the words a text must hold to tell it."""
        return ceil(_CLAUSE_SHARE * len(self.words))

    def is_in(self, words: frozenset[str]) -> bool:
        return not self.is_short and self.must <= words and len(self.words & words) >= _SHARE * len(self.words)

    def is_clause(self, words: frozenset[str]) -> bool:
        return self.must <= words <= self.words and len(words) >= self.needed


class Retold:
    """Finds the sentences that tell one of ``texts`` again, or hold one of ``names`` in another order.

    They hold four fifths of its telling words, all its numbers and all its names among them; or they have a clause that
    tells two thirds of it and nothing else, so that a text of one word is known in "You're vegetarian, noted".
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._told = tuple(told for text in texts if (told := _told(text)) is not None)
        written = (tuple(map(plain, _tokens(name))) for name in names)
        self._names = tuple(
            words
            for words in written
            if len(words) in _NAME_WORDS and len(set(words)) == len(words) and not any(map(_is_character, words))
        )
        self._keys = tuple((tuple(map(_key, told.words)), told.needed) for told in self._told)

    def __bool__(self) -> bool:
        return bool(self._told or self._names)

    def may_be_in(self, letters: str) -> bool:
        """Return whether a text of these folded letters is worth a look."""
        return any(sum(key in letters for key in keys) >= needed for keys, needed in self._keys) or any(
            all(word in letters for word in words) for words in self._names
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the sentences stand."""
        if not self:
            return
        for start, end in sentence_spans(text, bare=True):
            if self._is_in(text[start:end]):
                yield start, end

    def _is_in(self, sentence: str) -> bool:
        if self._told:
            words = frozenset(_words(sentence)) - _OTHERS
            if any(told.is_in(words) for told in self._told):
                return True
            if any(len(told.words & words) >= told.needed for told in self._told):
                clauses = [frozenset(_words(one, framed=False)) for one in _CLAUSE_END.split(sentence)]
                if any(told.is_clause(clause) for told in self._told for clause in clauses):
                    return True
        return bool(self._names) and self._holds_name(sentence)

    def _holds_name(self, sentence: str) -> bool:
        tokens = [plain(one) for one in _tokens(sentence)]
        for words in self._names:
            wide = len(words) + _BETWEEN
            if any(set(words) <= set(tokens[at : at + wide]) for at in range(max(1, len(tokens) - wide + 1))):
                return True
        return False


def _told(text: str) -> _Told | None:
    words = frozenset(_words(text))
    others = words & _OTHERS
    words -= others
    wide = sum(map(_is_character, words))
    if not words:
        return None
    names = {word for name in re.findall(r"(?<=\w )[A-Z]\w+", text) for word in _words(name)}
    must = frozenset({word for word in words if any(map(str.isdigit, word))} | names)
    is_short = len(words) - wide + wide * _LEAST_WORDS / _LEAST_CHARACTERS < _LEAST_WORDS
    return _Told(words | others if is_short else words, must, is_short)


def _is_character(word: str) -> bool:
    """Return whether a word is one character of Chinese."""
    return len(word) == 1 and not word.isascii()


def _tokens(text: str) -> list[str]:
    return _WORD.findall(_SMALL.sub("", unicodedata.normalize("NFKC", text)))


def _words(text: str, *, framed: bool = True) -> Iterator[str]:
    """Yield the stems of the telling words of a text, without what frames an answer where that is not wanted."""
    folded = simplified(unicodedata.normalize("NFKC", text)).casefold()
    folded = _SMALL.sub("", _NOT.sub(" not", folded))
    if not framed:
        folded = _CHINESE_FRAME.sub(" ", folded)
    for word in _WORD.findall(folded):
        if word not in _SILENT and (framed or word not in _FRAME):
            yield stem(word)


def _key(word: str) -> str:
    """Return letters that every form of a stem holds."""
    return plain(word.removesuffix("y")) or word
