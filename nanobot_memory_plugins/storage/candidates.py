"""The candidates of a search as columns: what their order depends on, and how they stand to each other."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.lexical import LexicalScores
from nanobot_memory_plugins.storage.timestamps import timestamp

# Seconds without a message after which a new session begins, in files that hold more than one.
SESSION_GAP = 3 * 3_600.0
NOWHERE = -1
"""Where there is no such candidate."""
_PLACES_A_FILE = 1 << 40

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages that may answer a query, a place for each of them in every column.

    ``similarity`` is the cosine to the query, NaN without vectors; ``traits`` the numbers of `Trait`; ``origins`` the
    values of `Origin`; ``speakers`` are folded. ``always_fresh`` is what no recency lowers.
    ``projects`` are those that they are about, none at all where that is not known.
    """

    words: LexicalScores
    similarity: Floats
    traits: NDArray[np.int64]
    paths: Sequence[str]
    ordinals: NDArray[np.int64]
    speakers: Sequence[str]
    origins: Sequence[str]
    times: Sequence[datetime | None]
    always_fresh: NDArray[np.bool_]
    projects: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        words: LexicalScores,
        traits: Iterable[int],
        similarity: Floats | None = None,
    ) -> "Candidates":
        """Return the columns of documents."""
        return cls(
            words=words,
            similarity=similarity if similarity is not None else np.full(len(documents), np.nan),
            traits=np.fromiter(traits, np.int64, len(documents)),
            paths=[one.path for one in documents],
            ordinals=np.fromiter((one.ordinal for one in documents), np.int64, len(documents)),
            speakers=[one.speaker.casefold() for one in documents],
            origins=[one.origin for one in documents],
            times=[one.said_at for one in documents],
            always_fresh=np.fromiter((one.source == "long_term" for one in documents), np.bool_, len(documents)),
            projects=[one.scope.project for one in documents],
        )

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.paths)

    @cached_property
    def cosines(self) -> Floats:
        """The similarities that speak for a passage: from 0 on, and 0 without vectors."""
        return np.maximum(0.0, np.nan_to_num(self.similarity))

    @cached_property
    def timestamps(self) -> Floats:
        """The times in seconds since 1970, NaN without one."""
        return np.fromiter((timestamp(time) if time else np.nan for time in self.times), np.float64, len(self))

    @cached_property
    def before(self) -> Places:
        """Where the passage before each one stands among the candidates, in its file."""
        return self._beside(-1)

    @cached_property
    def after(self) -> Places:
        """Where the passage after each one stands."""
        return self._beside(1)

    @cached_property
    def before_in_session(self) -> Places:
        """Where the passage before each one stands, if both are of one session."""
        return self._of_session(self.before)

    @cached_property
    def after_in_session(self) -> Places:
        """Where the passage after each one stands, if both are of one session."""
        return self._of_session(self.after)

    @cached_property
    def in_order(self) -> Places:
        """The places of all candidates, file by file, each in its order."""
        return np.argsort(self.keys, kind="stable")

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        """The session of each, as a number that rises along `in_order`: its file, cut where nobody spoke for hours."""
        files, times = (self.keys // _PLACES_A_FILE)[self.in_order], self.timestamps[self.in_order]
        begins = np.ones(len(self), dtype=np.int64)
        begins[1:] = (files[1:] != files[:-1]) | (np.diff(times) > SESSION_GAP)
        found = np.empty(len(self), dtype=np.int64)
        found[self.in_order] = np.cumsum(begins) - 1
        return found

    @cached_property
    def messages(self) -> Places:
        """The message that each is a part of, as the place of its first part: parts follow on each other."""
        said = codes_of(zip(self.speakers, self.origins, self.times, strict=True))
        follows = (self.before != NOWHERE) & (said == said[self.before])
        found = list(range(len(self)))
        before = self.before.tolist()
        for place in self.in_order[follows[self.in_order]].tolist():
            found[place] = found[before[place]]
        return np.array(found, dtype=np.intp)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Where each stands, as one number: the passage after it in its file has the next one."""
        return codes_of(self.paths) * _PLACES_A_FILE + self.ordinals

    def _of_session(self, places: Places) -> Places:
        return np.where(self.sessions[places] == self.sessions, places, NOWHERE)

    def _beside(self, step: int) -> Places:
        keys = self.keys[self.in_order]
        wanted = self.keys + step
        at = np.searchsorted(keys, wanted, side="right") - 1
        return np.where((at >= 0) & (keys[at] == wanted), self.in_order[at], NOWHERE)


def codes_of(values: Iterable[Hashable]) -> NDArray[np.int64]:
    """Return a number for each value, the same for those that are equal."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)
