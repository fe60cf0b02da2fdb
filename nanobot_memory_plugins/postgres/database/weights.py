"""BM25 as an inner product: a passage's vector has the weight of each of its terms, a question's their IDF."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from nanobot_memory_plugins.postgres.database.tenant import DIMENSIONS, dimension
from nanobot_memory_plugins.search.bm25 import K1, B

# pgvector's sparsevec holds no more.
_MOST = 16_000


def weights_of(terms: Sequence[int], average: float) -> str:
    """Return a passage's vector: ``tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))`` of each hashed term."""
    norm = K1 * (1 - B + B * len(terms) / average)
    counted = Counter(terms).most_common(_MOST)
    return _vector((term, count * (K1 + 1) / (count + norm)) for term, count in counted)


def question_of(idf: Mapping[int, float]) -> str:
    """Return a question's vector, of the IDF of its hashed terms."""
    return _vector(idf.items())


def _vector(weights: Iterable[tuple[int, float]]) -> str:
    """Write a sparse vector. Two terms at one place are added up: a vector may not name a place twice."""
    at: dict[int, float] = {}
    for term, weight in weights:
        place = dimension(term)
        at[place] = at.get(place, 0.0) + weight
    return "{" + ",".join(f"{place}:{weight:.6g}" for place, weight in sorted(at.items())) + f"}}/{DIMENSIONS}"
