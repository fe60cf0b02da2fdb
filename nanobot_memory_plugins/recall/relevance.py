"""Whether a hit is good enough to be injected."""

from nanobot_memory_plugins.core import Hit

# Cosines of the built-in model: unrelated texts lie below the first figure, paraphrases above the second.
_UNRELATED_SIMILARITY = 0.15
_SAME_SIMILARITY = 0.75


def relevance(hit: Hit) -> float:
    """Return how relevant a hit is by itself, in 0..1: the better of its words and its meaning.

    A score within one result says only that a hit is better than the others there. The share of the query's weight
    that its text covers, and its cosine, say whether it is any good.
    """
    if hit.similarity is None:
        return hit.coverage
    meaning = (hit.similarity - _UNRELATED_SIMILARITY) / (_SAME_SIMILARITY - _UNRELATED_SIMILARITY)
    return max(hit.coverage, min(1.0, max(0.0, meaning)))
