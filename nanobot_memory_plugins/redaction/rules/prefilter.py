"""A prefilter: a pattern is tried only where one of the words stands with which its matches begin.

``re`` tries a pattern that ignores case, or begins with an assertion, at every character. Looking for words is far
cheaper, and most patterns begin with a few of them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered, places_of

# In a shorter text the plain search is over before the words are found.
_SHORT = 256
_LONGEST = 8
_SHORTEST = 2
_MOST = 96
_MOST_CHARACTERS = 4
_NO_WIDTH = frozenset({"AT", "ASSERT", "ASSERT_NOT"})
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def matches(pattern: re.Pattern[str], text: str, lower: Lowered) -> Iterator[re.Match[str]]:
    """Give what ``pattern.finditer(text)`` gives; ``lower`` is the same text in lower case."""
    if len(text) < _SHORT or len(lower) != len(text):
        return pattern.finditer(text)
    words = beginnings(pattern)
    return _matches(pattern, words, text, lower) if words else pattern.finditer(text)


def _matches(pattern: re.Pattern[str], words: tuple[str, ...], text: str, lower: str) -> Iterator[re.Match[str]]:
    end = 0
    for at in sorted({at for word in words for at in places_of(word, lower)}):
        match = pattern.match(text, at) if at >= end else None
        if match is not None:
            end = match.end()
            yield match


@cache
def beginnings(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Give words in lower case of which one stands where a match begins; none where they are not known."""
    parser: Any = importlib.import_module("re._parser")
    found, whole = _begin(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    words = found | whole
    if not words or any(len(word) < _SHORTEST and word.isascii() for word in words):
        return ()
    return tuple(word for word in words if not any(word != other and word.startswith(other) for other in words))


def _begin(parsed: Iterable[Any]) -> tuple[set[str], set[str]]:
    """Give what a match of ``parsed`` may begin with, and of that what may be all of it."""
    found: set[str] = set()
    whole = {""}
    for kind, value in parsed:
        name = str(kind)
        if name in _NO_WIDTH:
            continue
        first, rest = _begin_of(name, value)
        if len(whole) * (len(first) + len(rest)) > _MOST:
            found |= whole - {""}  # what is known of these is enough
            whole &= {""}
        found |= {left + right for left in whole for right in first}
        whole = {left + right for left in whole for right in rest}
        found |= {word for word in whole if len(word) >= _LONGEST}
        whole = {word for word in whole if len(word) < _LONGEST}
        if not whole:
            break
    return found, whole


def _begin_of(name: str, value: Any) -> tuple[set[str], set[str]]:
    if name == "LITERAL":
        return set(), {chr(value).lower()}
    if name == "SUBPATTERN":
        return _begin(value[3])
    if name == "ATOMIC_GROUP":
        return _begin(value)
    if name == "BRANCH":
        found: set[str] = set()
        whole: set[str] = set()
        for option in value[1]:
            first, rest = _begin(option)
            found, whole = found | first, whole | rest
        return found, whole
    if name == "IN" and len(value) <= _MOST_CHARACTERS and all(str(kind) == "LITERAL" for kind, _ in value):
        return set(), {chr(char).lower() for _, char in value}
    if name in _REPEATS:
        least, most, repeated = value
        first, rest = _begin(repeated)
        if most == 1:
            return first, rest | (set() if least else {""})
        return first | rest, (set() if least else {""})
    return {""}, set()
