"""The target of an order, and where in a sentence somebody is asked to keep something."""

from collections.abc import Callable, Iterator
from itertools import islice
from re import Match
from typing import NamedTuple

from nanobot_memory_plugins.core.text.orders.sentences import OrderSentence, plain
from nanobot_memory_plugins.core.text.words import LazyPattern

# Words of keeping that are looked at in a sentence, and borders between its clauses.
_MOST, _MOST_BORDERS = 8, 24


class Target(NamedTuple):
    """The target of an order: what is to be kept, or forgotten. An empty text refers to what was said before.

    ``goes_on``: it stands behind a colon.
    ``everything`` says that all that names it is meant, ``ahead`` that the empty text may be what is said next, and
    ``here`` that it is something in the same message.
    """

    text: str
    goes_on: bool = False
    everything: bool = False
    ahead: bool = False
    here: bool = False


def part(sentence: OrderSentence, start: int, end: int | None = None) -> str:
    """Return a part of a sentence as it is remembered."""
    return plain(sentence.text[start:end])


def asked_for(
    folded: str, keeps: LazyPattern, border: LazyPattern, asks: Callable[[str, Match[str]], bool]
) -> Iterator[tuple[Match[str], int]]:
    """Yield the words of keeping that are asked for, each with where its clause may begin, the nearest first.

    ``asks`` says whether what stands before a word asks for it: all of the sentence, or what begins at a border.
    """
    borders = [0, *(one.end() for one in islice(border.finditer(folded), _MOST_BORDERS))]
    for word in islice(keeps.finditer(folded), _MOST):
        if _is_in_quotation(folded[: word.start()]):
            continue
        start = max(one for one in borders if one <= word.start())
        for begin in dict.fromkeys((start, 0)):
            if asks(folded[begin : word.start()], word):
                yield word, begin


def _is_in_quotation(before: str) -> bool:
    """Whether a quotation is still open behind ``before`` that began behind other words: it is nobody's order."""
    if before.rfind("《") > before.rfind("》"):
        return True  # a title
    at = max(before.rfind(mark) for mark in '"“「『')
    if at < 1 or not before[:at].strip() or any(mark in before[at:] for mark in "”」』"):
        return False
    return before[at] != '"' or (before[at - 1] in " :,(\u3000" and not before[at + 1 : at + 2].isspace())
