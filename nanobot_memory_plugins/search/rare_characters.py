"""Rare Chinese characters of a query whose pairs stand nowhere.

Chinese is looked for by pairs of characters. A name of one character, 蓍 in 蓍所生长的地区, and a word that is half
mistyped have none of their pairs in the index, but the character stands there.
"""

from collections.abc import Callable, Mapping, Sequence

from nanobot_memory_plugins.search.segmentation import MAX_QUERY_TERMS, holds_chinese, uncovered_characters

# A character is rare where it stands in so many documents at most, or in this share of them. Commoner ones change
# nothing in what is found (docs/retrieval.md).
_FEW, _SHARE = 3, 0.02


def rare_characters(
    text: str,
    terms: Sequence[str],
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
    documents: int,
) -> tuple[str, ...]:
    """Return the rare characters of a query that none of its ``terms`` finds, as far as it may have more terms.

    ``frequencies`` says in how many documents terms stand, of ``documents``; those that stand nowhere are missing.
    """
    if len(terms) >= MAX_QUERY_TERMS or not holds_chinese(text):
        return ()
    alone = [one for one in uncovered_characters(text, frequencies(terms)) if one not in terms]
    found = frequencies(alone)
    most = max(_FEW, _SHARE * documents)
    return tuple(one for one in alone if 0 < found.get(one, 0) <= most)[: MAX_QUERY_TERMS - len(terms)]
