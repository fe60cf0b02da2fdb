"""What a search asks of an index, whatever keeps it: words, rows and vectors, all by the ids of passages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Level, Query
from nanobot_memory_plugins.storage.documents import CandidateRow

Vector = NDArray[np.float32]


class SearchIndex(Protocol):
    """An index that one thread at a time searches. `Searcher` makes an order of what it finds.

    ``level`` is that of a search by words and meaning.
    """

    level: Level

    def documents(self) -> int:
        """Return how many documents there are; of many, as of when they were counted last."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return how many documents contain each term; those that none contains are missing."""

    def best_by_words(self, terms: Sequence[str], asked: Query, limit: int) -> Sequence[int]:
        """Return the ids of the best documents that hold any of the terms and pass the filters, by BM25."""

    def can_compare(self, model: str, dimension: int) -> bool:
        """Tell whether there are vectors of a model that can be compared now."""

    def nearest(self, model: str, vector: Vector, asked: Query, limit: int) -> Mapping[int, float]:
        """Return the ids of the documents that pass the filters and are most similar, with their cosine."""

    def similarity(self, model: str, vector: Vector, ids: Sequence[int]) -> Mapping[int, float]:
        """Return the cosine of some documents; those without a vector are missing."""

    def rows(self, ids: Iterable[int]) -> list[CandidateRow]:
        """Return the rows with these ids, in the ids' order; deleted ones are missing."""

    def around(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """Return the passages directly before and after some, in the same file."""

    def newest(self, asked: Query, limit: int) -> list[CandidateRow]:
        """Return what passes a query's filters, the newest first; what has no time fills what is left, if it passes."""

    def by_key(self, key: str) -> CandidateRow | None:
        """Return the row with this key."""
