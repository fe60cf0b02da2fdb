"""The candidates of a search: rows as they are stored, and the columns that their order depends on."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core import Origin, Tier
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.storage.documents import Document, holds_entries
from nanobot_memory_plugins.storage.question_terms import K1, B

# Seconds without a message after which a new session begins, in files that hold more than one.
SESSION_GAP = 3 * 3_600.0
NOWHERE = -1
"""Where there is no such candidate."""
_PLACES_A_FILE = 1 << 40

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LexicalScores:
    """What words say of some texts, a place for each of them.

    ``bm25`` is positive, larger is better. ``coverage``: the share of the query's IDF that a text holds, 0..1.
    ``matched`` (terms of the query, texts) says which of the terms it holds. ``lengths`` are in terms.
    """

    bm25: Floats
    coverage: Floats
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
    return LexicalScores(
        bm25=np.einsum("i,ij->j", weights, counts * (K1 + 1) / (counts + norms)),
        coverage=covered(weights, matched),
        matched=matched,
        lengths=lengths,
    )


def covered(weights: Floats, held: NDArray[np.bool_]) -> Floats:
    """Return the share of a query's IDF that texts hold, of which terms (terms, texts) are known."""
    whole = float(weights.sum()) or 1.0
    # Not by ``@``, which shares the work among cores, and waits for those that have other work.
    found: Floats = np.minimum(1.0, np.einsum("i,ij->j", weights, held, dtype=np.float64) / whole)
    return found


def _counts(texts: Sequence[str], terms: Sequence[str]) -> Floats:
    """Return how often each term occurs in each text: (terms, texts).

    All texts are looked through at once, term by term: taking each apart makes as many strings as it has words.
    """
    counts = np.zeros((len(terms), len(texts)))
    joined = "\n".join([f" {text} " for text in texts])
    ends = np.cumsum([len(text) + 3 for text in texts])
    for row, term in zip(counts, terms, strict=True):
        padded = f" {term} "
        found = []
        place = joined.find(padded)
        while place >= 0:
            found.append(place)
            place = joined.find(padded, place + len(padded) - 1)
        if found:
            row += np.bincount(np.searchsorted(ends, found, side="right"), minlength=len(texts))
    return counts


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages that may answer a query, a place for each of them in every column.

    ``similarity`` is the cosine to the query, NaN without vectors. ``idf`` weighs the query's terms.
    """

    rows: Sequence[Document]
    idf: Mapping[str, float]
    similarity: Floats
    tier: Tier = Tier.HEAVY

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def words(self) -> LexicalScores:
        """What the query's terms say of each."""
        return score_terms([row.terms(self.tier) for row in self.rows], self.idf)

    @cached_property
    def cosines(self) -> Floats:
        """The similarities that speak for a passage: from 0 on, and 0 without vectors."""
        return np.maximum(0.0, np.nan_to_num(self.similarity))

    @cached_property
    def has_meaning(self) -> bool:
        """Whether any has a vector that can be compared."""
        return not bool(np.isnan(self.similarity).all())

    @cached_property
    def timestamps(self) -> Floats:
        """When each was said."""
        times = (None if holds_entries(row.path) else row.timestamp for row in self.rows)
        return np.array(list(times), np.float64)

    @cached_property
    def always_fresh(self) -> NDArray[np.bool_]:
        """Which are of long-term memory: no recency lowers them, and what comes next to them does so by chance."""
        return np.fromiter((row.source == "long_term" for row in self.rows), np.bool_, len(self))

    @cached_property
    def by_assistant(self) -> NDArray[np.bool_]:
        """Which an assistant said."""
        assistant = Origin.ASSISTANT.value
        return np.fromiter((row.origin == assistant for row in self.rows), np.bool_, len(self))

    @cached_property
    def questions(self) -> NDArray[np.bool_]:
        """Which end with a question mark."""
        return np.fromiter((ends_in_question_mark(row.text) for row in self.rows), np.bool_, len(self))

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The place of each, as one number: the passage after it in its file has the next one."""
        ordinals = np.fromiter((row.ordinal for row in self.rows), np.int64, len(self))
        return codes_of(row.path for row in self.rows) * _PLACES_A_FILE + ordinals

    @cached_property
    def in_order(self) -> Places:
        """The places of all candidates, file by file, each in its order."""
        return np.argsort(self.keys, kind="stable")

    @cached_property
    def before(self) -> Places:
        """The place of the passage before each one, if both are of one session."""
        return self._neighbours(-1)

    @cached_property
    def after(self) -> Places:
        """The place of the passage after each one, if both are of one session."""
        return self._neighbours(1)

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        """The session of each, as a number that rises along `in_order`, cut where nobody spoke for hours.

        The notes of a day are of several sessions, and stand in one file.
        """
        sessions = codes_of((row.path, row.session) for row in self.rows)[self.in_order]
        begins = np.ones(len(self), dtype=np.int64)
        begins[1:] = (sessions[1:] != sessions[:-1]) | (np.diff(self.timestamps[self.in_order]) > SESSION_GAP)
        found = np.empty(len(self), dtype=np.int64)
        found[self.in_order] = np.cumsum(begins) - 1
        return found

    def message(self, place: int) -> int:
        """Return the message that a passage is a part of, as the place of its first part."""
        before = int(self.before[place])
        while before != NOWHERE and _said(self.rows[before]) == _said(self.rows[place]):
            place, before = before, int(self.before[before])
        return place

    def _neighbours(self, step: int) -> Places:
        keys = self.keys[self.in_order]
        neighbour_keys = self.keys + step
        at = np.searchsorted(keys, neighbour_keys, side="right") - 1
        places = np.where((at >= 0) & (keys[at] == neighbour_keys), self.in_order[at], NOWHERE)
        return np.where(self.sessions[places] == self.sessions, places, NOWHERE)


def _said(row: Document) -> tuple[str, str, str | None]:
    return row.speaker, row.origin, row.iso_time


def codes_of(values: Iterable[Hashable]) -> NDArray[np.int64]:
    """Return a number for each value, the same for those that are equal."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)
