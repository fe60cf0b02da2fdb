"""Finding texts that are to be forgotten, and the sentences that carry them, in every form that we write them in.

A stretch of a text holds the words whole, or nearly: a part of them that a limit of ours has left, the same told again,
or what may be another word. What is short is found as a word of its own, or where it is the whole sentence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nanobot_memory_plugins.core.erasure.chinese_borders import REACH, may_be_part
from nanobot_memory_plugins.core.erasure.letter_positions import LetterReading, is_wide, plain_forms, reading_of
from nanobot_memory_plugins.core.erasure.letters import GAP, plain
from nanobot_memory_plugins.core.erasure.retold import Retold
from nanobot_memory_plugins.core.erasure.sentences import Sentences
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# Letters below which a text is found only as a word or a whole sentence: it stands in too many others.
_LEAST_LATIN, _LEAST_WIDE = 8, 4
# Marks with which this program cuts texts; what a cut leaves ends at one, or with its line.
_CUT_BEFORE = LazyPattern(r"(?:…|\.\.\.)\]?[\s\"'“”*_>-]*\Z")
_CUT_AFTER = LazyPattern(r"[\s\"'“”*_.,-]*(?:…|\.\.\.|\[[….+])")
_LINE_BEFORE = LazyPattern(r"(?:(?:\A|\n|\\+[nr])[ \t]*(?:[-*>]+[ \t]+)?(?:[\w;]{1,12}:[ \t]*)?|[\[{,:][ \t]*\\*\")\Z")
_LINE_AFTER = LazyPattern(r"[ \t]*(?:\Z|\n|\\+[nr]|\\*[\"'”][ \t]*(?:\Z|\n|\\+[nr]|[\]},:]))")
# Letters of a part that tell at a mark, and where only the line ends; and the share of the words that tells anywhere.
_AT_MARK, _AT_LINE, _SHARE = (5, 2), (8, 4), 0.6
_LEAST_SHARE = (12, 6)
_NEAR = 40


class Nearly(StrEnum):
    """Why a stretch does not plainly hold the words."""

    PART = "it holds only a part of the words"
    RETOLD = "it tells them in other words, or in another order"
    BORDER = "they may be a part of another word there"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The sentences of a text, from ``start`` to before ``end``, that hold the words, or only ``nearly``.

    ``at`` is where the first of the words stand.
    """

    start: int
    end: int
    at: int
    nearly: Nearly | None = None


@dataclass(frozen=True, slots=True)
class _Needle:
    """Folded letters that are looked for.

    ``breaks`` is after how many letters a mark stands in a word as it was written ("COVID-19"); None for several words.
    """

    plain: str
    is_word: bool
    breaks: tuple[int, ...] | None

    @property
    def is_long(self) -> bool:
        return _is_long(self.plain)


class Wanted:
    """The texts that are to be forgotten. Letters and numbers count; case, width, accents, space and marks do not.

    Short ``texts`` are found where they are a whole sentence, short ``words`` wherever they stand as a word. With
    ``nearly``, what nearly holds them is meant, too: `Nearly` names the ways. Texts that
    ``are_redacted`` are looked for as they are.
    """

    def __init__(
        self, texts: Iterable[str], *, words: Iterable[str] = (), nearly: bool = False, are_redacted: bool = False
    ) -> None:
        texts, words = tuple(texts), tuple(words)
        self._retold = Retold((*texts, *(word for word in words if _is_long(plain(word)))), names=words)
        needles: dict[tuple[str, tuple[int, ...] | None], _Needle] = {}
        for text, is_word in [*((text, False) for text in texts), *((word, True) for word in words)]:
            for form in (text,) if are_redacted else _forms(text):
                breaks = None
                if len(form.split()) == 1:
                    written = reading_of(form)
                    breaks = written.breaks(0, len(written.letters))
                for one in plain_forms(form):
                    known = needles.get((one, breaks))
                    if one and (known is None or is_word):
                        needles[one, breaks] = _Needle(one, is_word, breaks)
        self._needles = tuple(sorted(needles.values(), key=lambda one: len(one.plain), reverse=True))
        self._nearly = nearly
        self._keys = frozenset(key for one in self._needles for key in _keys(one))

    def __bool__(self) -> bool:
        return bool(self._needles)

    def count(self, text: str) -> int:
        """Return how many stretches of ``text`` are taken out."""
        return len(self._taken(text))

    def without(self, text: str) -> tuple[str, int]:
        """Return ``text`` with a gap in place of each stretch that is taken out, and how many there were.

        The name of a field, the time of a heading and a bullet stay.
        """
        cuts = self._taken(text)
        return self.cut(text, cuts), len(cuts)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the stretches of ``text`` stand that are taken out."""
        return [(one.start, one.end) for one in self._taken(text)]

    def takes(self, stretch: Stretch) -> bool:
        """Return whether a stretch is taken out: it holds the words, or nearly is enough."""
        return self._nearly or stretch.nearly is None

    @property
    def takes_nearly(self) -> bool:
        """Whether what nearly holds the words is taken out."""
        return self._nearly

    @staticmethod
    def cut(text: str, stretches: Sequence[Stretch]) -> str:
        """Return ``text`` with a gap in place of each stretch."""
        for one in reversed(stretches):
            text = text[: one.start] + GAP + text[one.end :]
        return text

    def stretches(self, text: str) -> list[Stretch]:
        """Return all that holds one of the texts, or nearly, in its order."""
        return self._stretches(text, retold=True)

    def _taken(self, text: str) -> list[Stretch]:
        return [one for one in self._stretches(text, retold=self._nearly) if self.takes(one)]

    def _stretches(self, text: str, *, retold: bool) -> list[Stretch]:
        found: list[Stretch] = []
        for number, form in enumerate(plain_forms(text)):
            if any(key in form for key in self._keys):
                reading = reading_of(text, is_escaped=number > 0)
                sentences = Sentences(text, is_escaped=number > 0)
                for needle in self._needles:
                    found += _stretches(text, reading, sentences, needle)
            if retold and self._retold.may_be_in(form):
                found += [Stretch(start, end, start, Nearly.RETOLD) for start, end in self._retold.spans(text)]
        return list(_joined(found))

    def may_be_in(self, text: str) -> bool:
        """Return whether a text that holds others, JSON for example, is worth a look at each of them."""
        return any(any(key in form for key in self._keys) or self._retold.may_be_in(form) for form in plain_forms(text))


def _is_long(letters: str) -> bool:
    return len(letters) >= (_LEAST_WIDE if letters and is_wide(letters[0]) else _LEAST_LATIN)


def is_short(text: str) -> bool:
    """Return whether a text is too short to be looked for as a word without being asked to: it stands in too much."""
    letters = plain(text)
    return len(letters) < (2 if letters and is_wide(letters[0]) else 3)


def _forms(text: str) -> tuple[str, ...]:
    """Return a text as it was said, and as it was written where something in it was hidden."""
    hidden = redact_text(text)
    told = len(plain(PLACEHOLDER.sub("", hidden)))
    return (text, hidden) if hidden != text and told >= _LEAST_LATIN else (text,)


def _keys(needle: _Needle) -> Iterator[str]:
    """Yield letters of which a text must hold some, to hold the words or a part that tells."""
    yield needle.plain
    if needle.is_long:
        least = _at(_AT_MARK, needle)
        middle = needle.plain[int(0.4 * len(needle.plain)) : int(0.6 * len(needle.plain)) + 1]
        yield from (needle.plain[:least], needle.plain[-least:], middle)


def _at(limits: tuple[int, int], needle: _Needle) -> int:
    return limits[is_wide(needle.plain[0])]


def _stretches(text: str, reading: LetterReading, sentences: Sentences, needle: _Needle) -> Iterator[Stretch]:
    length = len(needle.plain)
    for at in _places(reading.letters, needle.plain):
        end = at + length
        if not (reading.begins_word(at) and reading.ends_word(end - 1)):
            continue
        begin, finish = sentences.around(reading.starts[at], reading.ends[end - 1])
        if needle.is_long or needle.plain in plain_forms(text[begin:finish]):
            yield Stretch(begin, finish, reading.starts[at])
        elif needle.is_word and needle.breaks in (None, reading.breaks(at, end)):
            nearly = Nearly.BORDER if length > 1 and _may_be_part(reading, at, end) else None
            yield Stretch(begin, finish, reading.starts[at], nearly)
    if needle.is_long:
        for at, end in sorted(_parts(text, reading, needle)):
            first = reading.starts[at]
            yield Stretch(*sentences.around(first, reading.ends[end - 1]), first, Nearly.PART)


def _may_be_part(reading: LetterReading, at: int, end: int) -> bool:
    """Return whether letters of a writing without spaces may be a part of another word."""
    if not is_wide(reading.letters[at]):
        return False
    first, last = at, end
    while first > max(0, at - REACH) and reading.ends[first - 1] == reading.starts[first]:
        first -= 1
    while last < min(len(reading.letters), end + REACH) and reading.ends[last - 1] == reading.starts[last]:
        last += 1
    return may_be_part(reading.letters[first:at], reading.letters[at:end], reading.letters[end:last])


def _parts(text: str, reading: LetterReading, needle: _Needle) -> set[tuple[int, int]]:
    """Return what of the letters is a part of the words that tells, but not the words themselves."""
    words, found = needle.plain, set()
    least, long = _at(_AT_MARK, needle), _at(_AT_LINE, needle)
    for at in _places(reading.letters, words[:least]):  # the beginning, up to a cut
        end = at + _alike(reading.letters, at, words, 0)
        if end - at < len(words) and reading.begins_word(at):
            after = text[reading.ends[end - 1] : reading.ends[end - 1] + _NEAR]
            if _CUT_AFTER.match(after) or (end - at >= long and _LINE_AFTER.match(after)):
                found.add((at, end))
    for at in _places(reading.letters, words[-least:]):  # the end, behind a cut
        end = at + least
        begin = end - _alike(reading.letters[:end][::-1], 0, words[::-1], 0, reach=len(words))
        if end - begin < len(words) and reading.ends_word(end - 1):
            before = text[max(0, reading.starts[begin] - _NEAR) : reading.starts[begin]]
            if _CUT_BEFORE.search(before) or (end - begin >= long and _LINE_BEFORE.search(before)):
                found.add((begin, end))
    middle = int(0.4 * len(words))
    for at in _places(
        reading.letters, words[middle : int(0.6 * len(words)) + 1]
    ):  # most of it, or what is between cuts
        begin = at - _alike(reading.letters[:at][::-1][: len(words)], 0, words[:middle][::-1], 0)
        end = at + _alike(reading.letters, at, words, middle)
        if max(_at(_LEAST_SHARE, needle), _SHARE * len(words)) <= end - begin < len(words):
            found.add((begin, end))
    return found


def _alike(text: str, at: int, words: str, begin: int, reach: int = 0) -> int:
    """Return how many letters of two texts are the same, from a place in each on."""
    text = text[at : at + (reach or len(words))]
    count = 0
    for left, right in zip(text, words[begin:], strict=False):
        if left != right:
            break
        count += 1
    return count


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _joined(found: Sequence[Stretch]) -> Iterator[Stretch]:
    """Yield stretches without those that lie in others; what holds the words whole is not one with a part."""
    whole = list(_one_after_the_other(one for one in found if one.nearly is None))
    parts = [
        one
        for one in _one_after_the_other(one for one in found if one.nearly is not None)
        if not any(one.start < other.end and other.start < one.end for other in whole)
    ]
    yield from sorted([*whole, *parts], key=lambda one: one.start)


def _one_after_the_other(found: Iterable[Stretch]) -> Iterator[Stretch]:
    current: Stretch | None = None
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if current is not None and one.start <= current.end:
            current = Stretch(current.start, max(current.end, one.end), min(current.at, one.at), current.nearly)
            continue
        if current is not None:
            yield current
        current = one
    if current is not None:
        yield current
