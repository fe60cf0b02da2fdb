"""BM25 over the terms of candidates, and how much of a query they cover."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# The usual constants, which FTS5 uses as well.
K1 = 1.2
B = 0.75
# A memory of three messages cannot tell rare words from common ones: it is taken for one of this size.
_FEWEST_DOCUMENTS = 100


@dataclass(frozen=True, slots=True)
class LexicalScore:
    """``bm25`` is positive, larger is better. ``coverage``: the share of the query's IDF that the text holds, 0..1.

    ``matched`` are the terms of the query that the text holds.
    """

    bm25: float
    coverage: float
    matched: frozenset[str] = frozenset()


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


def score_terms(texts: Sequence[Sequence[str]], idf: Mapping[str, float]) -> list[LexicalScore]:
    """Score each text, given by its terms. The average length is that of these texts."""
    average = sum(map(len, texts)) / len(texts) if texts else 1.0
    whole = sum(idf.values())
    wanted = frozenset(idf)
    return [_score(terms, wanted, idf, average or 1.0, whole or 1.0) for terms in texts]


def _score(
    terms: Sequence[str], wanted: frozenset[str], idf: Mapping[str, float], average: float, whole: float
) -> LexicalScore:
    # Few of a text's terms are asked for: finding those and counting each is faster than counting them all.
    counts = {term: terms.count(term) for term in wanted.intersection(terms)}
    length = K1 * (1 - B + B * len(terms) / average)
    bm25 = sum(idf[term] * n * (K1 + 1) / (n + length) for term, n in counts.items())
    coverage = min(1.0, sum(idf[term] for term in counts) / whole)
    return LexicalScore(bm25=bm25, coverage=coverage, matched=frozenset(counts))
