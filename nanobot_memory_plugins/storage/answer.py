"""From the candidates of a search to its answer: which of them are hits, best first, and on request why."""

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.values import Hit, Level, Origin, Query, SearchResult, Tier
from nanobot_memory_plugins.core.values.search import ScoredCandidate
from nanobot_memory_plugins.storage.candidates import NOWHERE, Candidates, covered
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.ranking import odds, rank
from nanobot_memory_plugins.storage.results import hit_of, question_in

# Below this cosine a text that shares no word with the query has nothing to do with it.
LEAST_SIMILARITY = 0.2
# The length of a part that is not the last of its message, at least: 95 of 100 have it in chats with an assistant.
_PART_CHARS = 331
# What of a query is looked at besides its terms: who pastes more asks in the beginning.
_QUESTION_CHARS = 4_000
_SPEAKERS = {Origin.USER.value, Origin.ASSISTANT.value}


def answer(candidates: Candidates, query: Query, level: Level, options: SearchOptions, now: datetime) -> SearchResult:
    """Return the best candidates as hits.

    With the learned order these are also the passages next to one that is found: an answer may have none of the
    question's words. What was said word for word before, and further parts of a long message, come after all else.
    """
    is_learned = options.fusion == "learned"
    if is_learned and query.tier is Tier.LIGHT:  # a search of tl;dr, tags and titles has no context to look at
        is_learned, options = False, options.model_copy(update={"fusion": "weighted"})
    asked_at = query.asked_at or now
    scores, parts = rank(candidates, query.text[:_QUESTION_CHARS], asked_at, options, query.scope.project)
    found_alone = are_found(candidates)
    is_hit = found_alone.copy()
    if is_learned:
        keys = candidates.keys[found_alone]
        # That entries follow each other is chance.
        is_hit |= np.isin(candidates.keys, np.concatenate([keys - 1, keys + 1])) & ~candidates.always_fresh
    worst, rows = (-scores).tolist(), candidates.rows
    found = sorted(
        np.flatnonzero(is_hit).tolist(), key=lambda place: (worst[place], rows[place].path, rows[place].line)
    )
    if is_learned:
        found = _said_before_last(found, candidates, len(found) if query.explain else query.limit)
    shown = odds([float(scores[place]) for place in found], options)
    hits = tuple(
        _hit(candidates, place, score, query) for place, score in zip(found[: query.limit], shown, strict=False)
    )
    if not query.explain:
        return SearchResult(hits=hits, level=level)
    by_place = dict(zip(found, shown, strict=True))
    left_out = [place for place in range(len(candidates)) if place not in by_place]
    weighed = tuple(
        ScoredCandidate(
            hit=_hit(candidates, place, by_place.get(place, 0.0), query),
            words=float(candidates.words.bm25[place]),
            total=float(scores[place]),
            parts={name: (float(values[place]), weight) for name, (weight, values) in parts.items() if weight},
            place=number if place in by_place else None,
            found_by=_found_by(candidates, place, is_hit=place in by_place),
        )
        for number, place in enumerate([*found, *left_out], start=1)
    )
    return SearchResult(hits, level, weighed)


def are_found(candidates: Candidates) -> NDArray[np.bool_]:
    """Tell which candidates have anything to do with the query by themselves."""
    found: NDArray[np.bool_] = (candidates.words.bm25 > 0) | (candidates.similarity >= LEAST_SIMILARITY)
    return found


def _said_before_last(places: Sequence[int], candidates: Candidates, limit: int) -> list[int]:
    """Return the first of places in their order, repetitions and further parts of a long message after all others.

    What was said by one right after another at the same time is one message where it is long: a host may keep a
    message as several. Its best part speaks for it.
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
    question_place = _said_before(candidates, place)
    answers = question_in(candidates.rows[question_place].text) if question_place != NOWHERE else ""
    coverage, similarity = float(candidates.words.coverage[place]), float(candidates.similarity[place])
    if answers:
        item = [place, question_place]
        weights = np.fromiter(candidates.idf.values(), np.float64, len(candidates.idf))
        held = np.logical_or.reduce(candidates.words.matched[:, item], axis=1, keepdims=True)
        coverage, similarity = float(covered(weights, held)[0]), float(np.max(candidates.similarity[item]))
    return hit_of(
        candidates.rows[place],
        score=score,
        coverage=coverage,
        similarity=None if math.isnan(similarity) else similarity,
        terms=candidates.idf.keys(),
        zone=query.asked_at.tzinfo if query.asked_at is not None else None,
        answers=answers,
    )


def _said_before(candidates: Candidates, place: int) -> int:
    """Return the place of the other speaker's message right before the message of a passage, or nowhere."""
    first = candidates.message(place)
    before = int(candidates.before[first])
    speakers = {candidates.rows[first].origin, candidates.rows[before].origin}
    return before if before != NOWHERE and speakers == _SPEAKERS else NOWHERE


def _found_by(candidates: Candidates, place: int, *, is_hit: bool) -> str:
    similar = candidates.similarity[place] >= LEAST_SIMILARITY
    if candidates.words.bm25[place] > 0:
        return "words and meaning" if similar else "words"
    if similar:
        return "meaning"
    return "beside a found passage" if is_hit else f"no word in common, and a cosine below {LEAST_SIMILARITY}"
