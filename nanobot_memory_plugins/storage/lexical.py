"""BM25 over the terms of all candidates at once, and how much of a query they cover."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.bm25 import K1, B


@dataclass(frozen=True, slots=True, eq=False)
class LexicalScores:
    """What words say of some texts, a place for each of them.

    ``bm25`` is positive, larger is better. ``coverage``: the share of the query's IDF that a text holds, 0..1.
    ``matched`` (terms of the query, texts) says which of the terms it holds. ``lengths`` are in terms.
    """

    bm25: NDArray[np.float64]
    coverage: NDArray[np.float64]
    matched: NDArray[np.bool_]
    lengths: NDArray[np.int64]


def score_terms(texts: Sequence[str], idf: Mapping[str, float]) -> LexicalScores:
    """Score each text, given by its terms with a space between them. The average length is that of these texts."""
    counts = _counts(texts, tuple(idf))
    weights = np.fromiter(idf.values(), np.float64, len(idf))
    lengths = np.fromiter((text.count(" ") + 1 if text else 0 for text in texts), np.int64, len(texts))
    average = (float(lengths.mean()) if len(texts) else 0.0) or 1.0
    norms = K1 * (1 - B + B * lengths / average)
    matched = counts > 0
    whole = float(weights.sum()) or 1.0
    return LexicalScores(
        bm25=weighed(weights, counts * (K1 + 1) / (counts + norms)),
        coverage=np.minimum(1.0, weighed(weights, matched) / whole),
        matched=matched,
        lengths=lengths,
    )


def weighed(weights: NDArray[np.float64], rows: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weighted sum of rows. Not by ``@``, which may wait for other cores (`VectorCodes.cosines`)."""
    found: NDArray[np.float64] = np.einsum("i,ij->j", weights, rows, dtype=np.float64)
    return found


def _counts(texts: Sequence[str], terms: Sequence[str]) -> NDArray[np.float64]:
    """Return how often each term stands in each text: (terms, texts).

    All texts are looked through at once, term by term: taking each apart makes as many strings as it has words.
    """
    counts = np.zeros((len(terms), len(texts)))
    joined = "\n".join([f" {text} " for text in texts])
    ends = np.cumsum([len(text) + 3 for text in texts])
    for row, term in zip(counts, terms, strict=True):
        wanted = f" {term} "
        found = []
        place = joined.find(wanted)
        while place >= 0:
            found.append(place)
            place = joined.find(wanted, place + len(wanted) - 1)
        if found:
            row += np.bincount(np.searchsorted(ends, found, side="right"), minlength=len(texts))
    return counts
