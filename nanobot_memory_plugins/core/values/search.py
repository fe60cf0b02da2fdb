"""Queries to a store, what comes back, and why in that order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope, Visibility


class Tier(StrEnum):
    """How much work a search does: ``light`` reads tl;dr, tags and titles only, ``heavy`` the whole text."""

    LIGHT = "light"
    HEAVY = "heavy"


class Level(IntEnum):
    """What a store can do on this machine; lower is better."""

    HYBRID = 0  # vectors in sqlite-vec, and full text
    NUMPY = 1  # vectors compared by numpy, and full text
    FULL_TEXT = 2
    MARKDOWN = 3  # the files are scanned


@dataclass(frozen=True, slots=True)
class Query:
    """One search. Empty filters do not narrow it; without a ``text`` it finds all that has a time, the newest first.

    ``scope`` is a `Scope` for people who look at all memories, or the `Visibility` of whoever asks: both say with
    ``allows`` whether a memory may be among the hits.
    ``since`` and ``until`` bound the time of a memory, both inclusive. ``exclude_records`` leaves out all
    that is of messages, notes and entries with these ids. ``asked_at`` is
    the moment at which the question is asked, from which "last Friday" and recency count, and in whose zone the times
    of hits are; None: the store's now, and the zones in which they were written.
    ``tags`` are those of notes, in either case: one of them is enough, and ``work`` means ``work/helix``, too.
    ``explain`` fills `SearchResult.weighed` and changes nothing else.
    """

    text: str
    limit: int = 10
    tier: Tier = Tier.HEAVY
    scope: Scope | Visibility = Scope()
    origins: frozenset[Origin] = frozenset()
    sources: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    use_vectors: bool = True
    exclude_records: frozenset[str] = frozenset()
    asked_at: datetime | None = None
    explain: bool = False
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and its place.

    ``path`` is relative to the workspace with forward slashes, ``line`` counts from 1. ``score`` lies in
    0..1 and can be compared within one result. ``coverage`` is the share of the query's weight (IDF) that the
    text covers, ``similarity`` the cosine to the query, or None without vectors. ``speaker`` is who said a message
    (`TranscriptRecord.speaker`); ``tldr`` and ``tags`` are those of a structured note. ``source`` is the kind of
    memory: what `core.files.paths.source_of` says of its file (``long_term``, ``note``, ``transcript``, ``document``),
    and of a structured note in the file of a day its own (`NoteEntry.source`: ``note``, ``observation``, ``summary``).
    ``answers`` is the question of the other speaker right before a message,
    empty where there is none; then coverage and similarity are those of both. ``superseded`` says that another memory
    has taken its place: it held once, and its text says until when.
    """

    id: str
    text: str
    path: str
    line: int
    score: float
    origin: Origin
    scope: Scope = Scope()
    time: datetime | None = None
    heading: str = ""
    speaker: str = ""
    snippet: str = ""
    coverage: float = 0.0
    similarity: float | None = None
    source: str = ""
    tldr: str = ""
    tags: tuple[str, ...] = ()
    answers: str = ""
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """One candidate of a search.

    ``parts`` maps each feature to its value and its weight; ``total`` is the sum of their products and decides the
    order, and ``hit.score`` is the score that users see. ``place`` counts from 1, and is None for a candidate that is
    not a hit. ``found_by`` says in words how it became a candidate, or why it is not a hit. ``words`` is its BM25.
    """

    hit: Hit
    words: float
    total: float
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    place: int | None = None
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, with the level at which they were found.

    ``weighed`` holds every candidate, hits first and in their order; it is empty unless the query asked to explain and
    the store can. ``personal`` is the log-odds that the query asks about its author's own life, None without the model
    that can tell.
    """

    hits: tuple[Hit, ...] = ()
    level: Level = Level.FULL_TEXT
    weighed: tuple[ScoredCandidate, ...] = ()
    personal: float | None = None


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The state of a store, for people.

    ``pending_bytes`` counts what is in the files but not yet in the index, ``pending_vectors`` the
    chunks that wait for their vector. Of a store that machines share, ``unsent_bytes`` are those of this machine's
    files that are kept here and not for everybody yet; None: nothing is shared. ``reason`` says why the level is not 0,
    ``hint`` what to do about it.
    """

    level: Level
    documents: int = 0
    vectors: int = 0
    files: int = 0
    pending_bytes: int = 0
    pending_vectors: int = 0
    indexing_here: bool = False
    model: str = ""
    reason: str = ""
    hint: str = ""
    unsent_bytes: int | None = None
