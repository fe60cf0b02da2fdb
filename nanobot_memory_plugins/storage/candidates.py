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

# Seconds without a message after which a new session begins, in files with several sessions.
SESSION_GAP = 3 * 3_600.0
NO_CANDIDATE = -1
"""The place of a candidate that does not exist."""
_POSITIONS_PER_FILE = 1 << 40

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LexicalScores:
    """How well the words of some texts match a query, one place per text in every array.

    ``bm25`` is positive, larger is better. ``coverage`` is the share of the query's IDF that a text contains, 0..1.
    ``matched`` (query terms x texts) says which terms a text contains. ``lengths`` are in terms.
    """

    bm25: Floats
    coverage: Floats
    matched: NDArray[np.bool_]
    lengths: NDArray[np.int64]


def score_terms(texts: Sequence[str], idf: Mapping[str, float]) -> LexicalScores:
    """Score each text, given as its terms separated by spaces. The average length is that of these texts."""
    counts = _term_counts(texts, tuple(idf))
    weights = np.fromiter(idf.values(), np.float64, len(idf))
    lengths = np.fromiter((text.count(" ") + 1 if text else 0 for text in texts), np.int64, len(texts))
    average = (float(lengths.mean()) if len(texts) else 0.0) or 1.0
    norms = K1 * (1 - B + B * lengths / average)
    matched = counts > 0
    return LexicalScores(
        bm25=np.einsum("i,ij->j", weights, counts * (K1 + 1) / (counts + norms)),
        coverage=coverage_of(weights, matched),
        matched=matched,
        lengths=lengths,
    )


def coverage_of(weights: Floats, matched: NDArray[np.bool_]) -> Floats:
    """Return the share of a query's IDF that each text contains, 0..1. ``matched`` is (query terms x texts)."""
    total = float(weights.sum()) or 1.0
    # Not ``@``: it splits the work among cores and waits for the busy ones.
    coverage: Floats = np.minimum(1.0, np.einsum("i,ij->j", weights, matched, dtype=np.float64) / total)
    return coverage


def _term_counts(texts: Sequence[str], terms: Sequence[str]) -> Floats:
    """Return how often each term occurs in each text: (terms x texts).

    It searches all texts at once, term by term: splitting them would make a string for every word.
    """
    counts = np.zeros((len(terms), len(texts)))
    joined = "\n".join([f" {text} " for text in texts])
    ends = np.cumsum([len(text) + 3 for text in texts])
    for row, term in zip(counts, terms, strict=True):
        padded = f" {term} "
        places = []
        place = joined.find(padded)
        while place >= 0:
            places.append(place)
            place = joined.find(padded, place + len(padded) - 1)
        if places:
            row += np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(texts))
    return counts


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages that may answer a query, one place per passage in every column.

    ``similarity`` is the cosine to the query, NaN without a vector. ``idf`` is the weight of each query term.
    """

    rows: Sequence[Document]
    idf: Mapping[str, float]
    similarity: Floats
    tier: Tier = Tier.HEAVY

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def words(self) -> LexicalScores:
        """How well the words of each match the query's terms."""
        return score_terms([row.terms(self.tier) for row in self.rows], self.idf)

    @cached_property
    def cosines(self) -> Floats:
        """The similarities, 0 where they are negative or there is no vector."""
        return np.maximum(0.0, np.nan_to_num(self.similarity))

    @cached_property
    def has_meaning(self) -> bool:
        """Whether any candidate has a vector of the query's model."""
        return not bool(np.isnan(self.similarity).all())

    @cached_property
    def timestamps(self) -> Floats:
        """When each was said, in seconds since 1970; NaN for scored entries and passages without a time."""
        times = (None if holds_entries(row.path) else row.timestamp for row in self.rows)
        return np.array(list(times), np.float64)

    @cached_property
    def long_term(self) -> NDArray[np.bool_]:
        """Which belong to long-term memory: they do not age, and their neighbours in the file are unrelated."""
        return np.fromiter((row.source == "long_term" for row in self.rows), np.bool_, len(self))

    @cached_property
    def by_assistant(self) -> NDArray[np.bool_]:
        """Which were said by an assistant."""
        assistant = Origin.ASSISTANT.value
        return np.fromiter((row.origin == assistant for row in self.rows), np.bool_, len(self))

    @cached_property
    def questions(self) -> NDArray[np.bool_]:
        """Which end with a question mark."""
        return np.fromiter((ends_in_question_mark(row.text) for row in self.rows), np.bool_, len(self))

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """The position of each in its file as one number: the passage after it has the next number."""
        ordinals = np.fromiter((row.ordinal for row in self.rows), np.int64, len(self))
        return codes_of(row.path for row in self.rows) * _POSITIONS_PER_FILE + ordinals

    @cached_property
    def by_position(self) -> Places:
        """The places of all candidates, file by file, in the order of each file."""
        return np.argsort(self.positions, kind="stable")

    @cached_property
    def before(self) -> Places:
        """The place of the passage before each one in the same session, else `NO_CANDIDATE`."""
        return self._neighbours(-1)

    @cached_property
    def after(self) -> Places:
        """The place of the passage after each one in the same session, else `NO_CANDIDATE`."""
        return self._neighbours(1)

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        """The session of each, as a number that rises along `by_position`; a new one begins after `SESSION_GAP`.

        The file of a day's notes contains several sessions.
        """
        sessions = codes_of((row.path, row.session) for row in self.rows)[self.by_position]
        begins = np.ones(len(self), dtype=np.int64)
        begins[1:] = (sessions[1:] != sessions[:-1]) | (np.diff(self.timestamps[self.by_position]) > SESSION_GAP)
        numbers = np.empty(len(self), dtype=np.int64)
        numbers[self.by_position] = np.cumsum(begins) - 1
        return numbers

    def message(self, place: int) -> int:
        """Return the place of the first part of the message to which a passage belongs."""
        before = int(self.before[place])
        while before != NO_CANDIDATE and _message_key(self.rows[before]) == _message_key(self.rows[place]):
            place, before = before, int(self.before[before])
        return place

    def _neighbours(self, step: int) -> Places:
        positions = self.positions[self.by_position]
        neighbour_positions = self.positions + step
        at = np.searchsorted(positions, neighbour_positions, side="right") - 1
        places = np.where((at >= 0) & (positions[at] == neighbour_positions), self.by_position[at], NO_CANDIDATE)
        return np.where(self.sessions[places] == self.sessions, places, NO_CANDIDATE)


def _message_key(row: Document) -> tuple[str, str, str | None]:
    return row.speaker, row.origin, row.iso_time


def codes_of(values: Iterable[Hashable]) -> NDArray[np.int64]:
    """Return a number for each value, the same one for equal values."""
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.int64)
