"""Turns the candidates of a search into its result: which of them are hits, best first, and on request why."""

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.values import Hit, Level, Origin, Query, SearchResult, Tier
from nanobot_memory_plugins.core.values.search import ScoredCandidate
from nanobot_memory_plugins.storage.candidates import NO_CANDIDATE, Candidates, coverage_of
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.ranking import display_scores, rank
from nanobot_memory_plugins.storage.results import hit_of, question_in

# Below this cosine a text that shares no word with the query is unrelated to it.
LEAST_SIMILARITY = 0.2
# Shortest length of a part of a split message that is not its last part: 95 of 100 are longer in assistant chats.
_PART_CHARS = 331
# Characters of a query that are read besides its terms: the question comes first where somebody pastes a long text.
_QUESTION_CHARS = 4_000
_SPEAKERS = {Origin.USER.value, Origin.ASSISTANT.value}


def answer(candidates: Candidates, query: Query, level: Level, options: SearchOptions, now: datetime) -> SearchResult:
    """Return the best candidates as hits.

    With the learned order the passages next to a match are hits as well: an answer may share no word with its
    question. Exact repetitions and further parts of a long message come after all other hits.
    """
    is_learned = options.fusion == "learned"
    if is_learned and query.tier is Tier.LIGHT:  # tl;dr, tags and titles have no neighbours to look at
        is_learned, options = False, options.model_copy(update={"fusion": "weighted"})
    asked_at = query.asked_at or now
    scores, parts = rank(candidates, query.text[:_QUESTION_CHARS], asked_at, options, query.scope.project)
    is_match = matches(candidates)
    is_hit = is_match.copy()
    if is_learned:
        positions = candidates.positions[is_match]
        # Entries of long-term memory follow each other by chance.
        is_hit |= np.isin(candidates.positions, np.concatenate([positions - 1, positions + 1])) & ~candidates.long_term
    order, rows = (-scores).tolist(), candidates.rows
    places = sorted(
        np.flatnonzero(is_hit).tolist(), key=lambda place: (order[place], rows[place].path, rows[place].line)
    )
    if is_learned:
        places = _repeats_last(places, candidates, len(places) if query.explain else query.limit)
    shown = display_scores([float(scores[place]) for place in places], options)
    hits = tuple(
        _hit(candidates, place, score, query) for place, score in zip(places[: query.limit], shown, strict=False)
    )
    if not query.explain:
        return SearchResult(hits=hits, level=level)
    by_place = dict(zip(places, shown, strict=True))
    left_out = [place for place in range(len(candidates)) if place not in by_place]
    explained = tuple(
        ScoredCandidate(
            hit=_hit(candidates, place, by_place.get(place, 0.0), query),
            words=float(candidates.words.bm25[place]),
            total=float(scores[place]),
            parts={name: (float(values[place]), weight) for name, (weight, values) in parts.items() if weight},
            place=number if place in by_place else None,
            found_by=_found_by(candidates, place, is_hit=place in by_place),
        )
        for number, place in enumerate([*places, *left_out], start=1)
    )
    return SearchResult(hits, level, explained)


def matches(candidates: Candidates) -> NDArray[np.bool_]:
    """Return which candidates match the query by their own words or meaning."""
    is_match: NDArray[np.bool_] = (candidates.words.bm25 > 0) | (candidates.similarity >= LEAST_SIMILARITY)
    return is_match


def _repeats_last(places: Sequence[int], candidates: Candidates, limit: int) -> list[int]:
    """Return the first ``limit`` places in their order, then the repetitions and further parts of long messages.

    Long passages by one speaker at one time, one right after the other, are parts of one message: some hosts store a
    message in several records. The best part stands for the message.
    """
    texts: set[str] = set()
    longest: dict[int, int] = {}
    records: set[str] = set()
    first: list[int] = []
    last: list[int] = []
    for place in places:
        if len(first) == limit:
            break
        row, message = candidates.rows[place], candidates.message(place)
        record, _, part = row.key.rpartition("/")
        record = record if record and part.isdecimal() else row.key
        before = longest.get(message, 0) if not math.isnan(candidates.timestamps[place]) else 0
        is_part = before and max(before, len(row.text)) >= _PART_CHARS
        (last if row.text in texts or record in records or is_part else first).append(place)
        texts.add(row.text)
        records.add(record)
        longest[message] = max(before, len(row.text))
    return first + last


def _hit(candidates: Candidates, place: int, score: float, query: Query) -> Hit:
    question_place = _preceding_message(candidates, place)
    question = question_in(candidates.rows[question_place].text) if question_place != NO_CANDIDATE else ""
    coverage, similarity = float(candidates.words.coverage[place]), float(candidates.similarity[place])
    if question:
        pair = [place, question_place]
        weights = np.fromiter(candidates.idf.values(), np.float64, len(candidates.idf))
        matched = np.logical_or.reduce(candidates.words.matched[:, pair], axis=1, keepdims=True)
        coverage, similarity = float(coverage_of(weights, matched)[0]), float(np.max(candidates.similarity[pair]))
    return hit_of(
        candidates.rows[place],
        score=score,
        coverage=coverage,
        similarity=None if math.isnan(similarity) else similarity,
        terms=candidates.idf.keys(),
        zone=query.asked_at.tzinfo if query.asked_at is not None else None,
        answers=question,
    )


def _preceding_message(candidates: Candidates, place: int) -> int:
    """Return the place of the other speaker's message right before the message of a passage, or `NO_CANDIDATE`."""
    first = candidates.message(place)
    before = int(candidates.before[first])
    speakers = {candidates.rows[first].origin, candidates.rows[before].origin}
    return before if before != NO_CANDIDATE and speakers == _SPEAKERS else NO_CANDIDATE


def _found_by(candidates: Candidates, place: int, *, is_hit: bool) -> str:
    similar = candidates.similarity[place] >= LEAST_SIMILARITY
    if candidates.words.bm25[place] > 0:
        return "words and meaning" if similar else "words"
    if similar:
        return "meaning"
    return "beside a found passage" if is_hit else f"no word in common, and a cosine below {LEAST_SIMILARITY}"
