"""Why a search put its candidates in the order in which it did."""

from dataclasses import dataclass

from nanobot_memory_plugins.core.values.search import Hit


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One summand of what a candidate's place goes by: what was measured, and what that is worth."""

    name: str
    value: float
    weight: float

    @property
    def worth(self) -> float:
        """What it adds."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Weighed:
    """One candidate of a search.

    ``total`` is the sum of the ``parts`` and what the order goes by; ``hit.score`` is what is shown of it. ``place``
    counts from 1, and is None for one that is no hit. ``found_by`` says in words how it came to be a candidate, or why
    it is no hit. ``words`` is its BM25.
    """

    hit: Hit
    words: float
    total: float
    parts: tuple[ScorePart, ...] = ()
    place: int | None = None
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one search came to its hits: every candidate, those that are hits first and in their order.

    ``order`` is how the parts become a total (``learned``, ``weighted``, ``rrf``). ``terms`` are those of the query
    that were looked for, with their weight (IDF).
    """

    order: str
    terms: tuple[tuple[str, float], ...] = ()
    candidates: tuple[Weighed, ...] = ()
