"""Queries to a store, their results, and the explanation of the ranking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope, Visibility


class Tier(StrEnum):
    """The effort of a search: ``light`` reads only tl;dr, tags and titles, ``heavy`` the whole text."""

    LIGHT = "light"
    HEAVY = "heavy"


class Level(IntEnum):
    """The capabilities of a store on this machine. Lower is better."""

    HYBRID = 0  # vectors in sqlite-vec, and full text
    NUMPY = 1  # vectors compared by numpy, and full text
    FULL_TEXT = 2
    MARKDOWN = 3  # the files are scanned


@dataclass(frozen=True, slots=True)
class Query:
    """One search. Empty filters match everything. Without a ``text`` it finds all memories with a time, newest first.

    ``scope`` is a `Scope` for people who look at all memories, or the `Visibility` of the caller; the ``allows`` method
    of both decides whether a memory may be a hit. ``since`` and ``until`` limit the time of a memory, inclusively.
    ``exclude_records`` leaves out messages, notes and entries with these ids. ``asked_at`` is the time of the question,
    to which "last Friday" and recency refer, and in whose time zone the times of hits are given; None means the store's
    present, and the zones in which the memories were written. ``tags`` are tags of notes, ignoring case: one of them
    must match, and ``work`` also matches ``work/helix``. ``explain`` fills `SearchResult.weighed` and changes nothing
    else.
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

    ``path`` is relative to the workspace with forward slashes, ``line`` counts from 1. ``score`` is from 0 to 1, and
    comparable within one result. ``coverage`` is the share of the query's weight (IDF) that the text covers,
    ``similarity`` the cosine to the query, or None without vectors. ``speaker`` is who said a message
    (`TranscriptRecord.speaker`); ``tldr`` and ``tags`` are those of a structured note. ``source`` is the kind of
    memory: `core.files.paths.source_of` its file (``long_term``, ``note``, ``transcript``, ``document``), or
    `NoteEntry.source` for a structured note of a day (``note``, ``observation``, ``summary``). ``answers`` is the
    question of the other speaker right before a message, or empty; with it, coverage and similarity are those of
    question and answer together. A ``superseded`` memory was replaced by another: it was true once, and its text says
    until when.
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

    ``pending_bytes`` counts the bytes of files that are not indexed yet, ``pending_vectors`` the chunks without a
    vector. ``unsent_bytes`` counts the bytes of this machine's files that a shared store does not have yet; it is None
    when the store is not shared. ``reason`` says why the level is not 0, ``hint`` what to do about it.
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
