"""The constants of BM25, and the weight of a term."""

import math
from collections.abc import Iterable, Mapping

# The usual constants, which FTS5 uses as well.
K1 = 1.2
B = 0.75
# A memory of three messages cannot tell rare words from common ones: it is taken for one of this size.
_FEWEST_DOCUMENTS = 100


def idf_of(terms: Iterable[str], frequencies: Mapping[str, int], documents: int) -> dict[str, float]:
    """Return the inverse document frequency of each term: ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it.

    It stays positive for terms that occur everywhere. A term that occurs nowhere counts like one that occurs once: it
    says that something is missing, but pairs of Chinese characters that cross words occur nowhere as a rule.
    """
    whole = max(documents, _FEWEST_DOCUMENTS)
    return {
        term: math.log(1 + (whole - n + 0.5) / (n + 0.5))
        for term in terms
        for n in (min(max(frequencies.get(term, 0), 1), whole),)
    }
