"""How alike two texts are: a page that was renamed and edited at once is known by what it still says."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

from nanobot_memory_plugins.core.text.folding import fold

# Words of letters and digits; of Chinese, Japanese and Korean each character.
_TERMS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3_]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# What of a text is looked at, the share from which two are one page, and pairs of words that it takes to tell.
_LOOKED_AT, _SAME, _FEWEST = 20_000, 0.5, 6

Pairs = frozenset[tuple[str, str]]


def pairs_of(text: str) -> Pairs:
    """Return the pairs of words that follow each other."""
    terms = _TERMS.findall(fold(text[:_LOOKED_AT]))
    return frozenset(pairwise(terms))


def own_of(pages: Mapping[str, Pairs], others: Iterable[Pairs]) -> dict[str, Pairs]:
    """Return the pairs that one page alone has: what several say alike is of their template, and tells none of them."""
    said = Counter(pair for pairs in pages.values() for pair in pairs)
    elsewhere = frozenset[tuple[str, str]]().union(*others)
    return {
        name: frozenset(pair for pair in pairs if said[pair] == 1 and pair not in elsewhere)
        for name, pairs in pages.items()
    }


def matches_of(old: Mapping[str, Pairs], new: Mapping[str, Pairs]) -> dict[str, str]:
    """Return for each old name the new one that is the same page, where there is one; each is that of one alone."""
    found = sorted(
        (
            (-len(before & after) / len(before | after), one, other)
            for one, before in old.items()
            if len(before) >= _FEWEST
            for other, after in new.items()
            if len(after) >= _FEWEST
        ),
    )
    same: dict[str, str] = {}
    for share, one, other in found:
        if -share >= _SAME and one not in same and other not in same.values():
            same[one] = other
    return same
