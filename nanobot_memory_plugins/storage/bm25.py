"""BM25 and the share of a query that is covered, text by text. `lexical` has the same for hundreds of texts at once.

It needs no numpy: where that cannot be imported, words alone make the order.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

# The usual constants, which FTS5 uses as well.
K1 = 1.2
B = 0.75
# A memory of three messages cannot tell rare words from common ones: it is taken for one of this size.
_FEWEST_DOCUMENTS = 100


def idf_of(terms: Iterable[str], frequencies: Mapping[str, int], documents: int) -> dict[str, float]:
    """Return the inverse document frequency of each term: ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it.

    It stays positive for terms that stand everywhere. A term that stands nowhere counts like one that stands once: it
    says that something is missing, but pairs of Chinese characters that cross words stand nowhere as a rule.
    """
    whole = max(documents, _FEWEST_DOCUMENTS)
    return {
        term: math.log(1 + (whole - n + 0.5) / (n + 0.5))
        for term in terms
        for n in (min(max(frequencies.get(term, 0), 1), whole),)
    }


def scores_of(texts: Sequence[Sequence[str]], idf: Mapping[str, float]) -> list[tuple[float, float]]:
    """Return BM25 and coverage of each text, given by its terms."""
    average = (sum(map(len, texts)) / len(texts) if texts else 0.0) or 1.0
    whole = sum(idf.values()) or 1.0
    found = []
    for terms in texts:
        norm = K1 * (1 - B + B * len(terms) / average)
        counts = {term: terms.count(term) for term in idf if term in terms}
        bm25 = sum(idf[term] * count * (K1 + 1) / (count + norm) for term, count in counts.items())
        found.append((bm25, min(1.0, sum(map(idf.__getitem__, counts)) / whole)))
    return found
