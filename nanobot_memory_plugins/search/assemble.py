"""From the candidates of a search to its answer: their order, which of them are hits, and on request why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nanobot_memory_plugins.core.values import Explanation, Hit, Level, Part, Query, SearchResult, Weighed
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.search.features import Candidate, Question
from nanobot_memory_plugins.search.options import SearchOptions
from nanobot_memory_plugins.search.ranking import Parts, is_learned, odds, rank
from nanobot_memory_plugins.search.results import hit_of

# Below this cosine a text that shares no word with the query has nothing to do with it.
LEAST_SIMILARITY = 0.2


@dataclass(frozen=True, slots=True)
class Examination:
    """The candidates of a query before they are put in order, and what the order depends on."""

    documents: tuple[Document, ...]
    candidates: tuple[Candidate, ...]
    question: Question
    terms: tuple[str, ...]
    options: SearchOptions


def answer(examined: Examination, now: datetime, query: Query, level: Level) -> SearchResult:
    """Return the best candidates as hits, best first.

    With the learned order these are also the passages beside one that is found: an answer may have none of the
    question's words.
    """
    parts: Parts | None = {} if query.explain else None
    scores = rank(examined.candidates, examined.question, now, examined.options, parts)
    beside: set[tuple[str, int]] = set()
    if is_learned(examined.options):
        places = [one.place for one in examined.candidates if is_found(one)]
        beside = {(file, ordinal + step) for file, ordinal in places for step in (-1, 1)}
    found = [place for place, one in enumerate(examined.candidates) if is_found(one) or one.place in beside]
    found.sort(key=lambda place: -scores[place])
    found = _repetitions_last(found, examined.documents) if is_learned(examined.options) else found
    return answer_of(examined, found, scores, query, level, parts)


def answer_of(
    examined: Examination,
    found: Sequence[int],
    scores: Sequence[float],
    query: Query,
    level: Level,
    parts: Parts | None,
) -> SearchResult:
    """Return the hits, which stand at the places ``found``, best first, and their explanation where parts are given."""
    shown = odds([scores[place] for place in found], examined.options)
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    hits = tuple(_hit(examined, place, score, zone) for place, score in zip(found[: query.limit], shown, strict=False))
    if parts is None:
        return SearchResult(hits=hits, level=level)
    by_place = dict(zip(found, shown, strict=True))
    left_out = [place for place in range(len(scores)) if place not in by_place]
    weighed = [
        Weighed(
            hit=_hit(examined, place, by_place.get(place, 0.0), zone),
            words=examined.candidates[place].bm25,
            total=scores[place],
            parts=_parts_of(place, parts),
            place=number if place in by_place else None,
            why=_why(examined.candidates[place], is_hit=place in by_place),
        )
        for number, place in enumerate([*found, *left_out], start=1)
    ]
    idf = examined.question.idf
    order = "learned" if is_learned(examined.options) else examined.options.fusion
    terms = tuple((term, idf.get(term, 0.0)) for term in examined.terms)
    return SearchResult(hits, level, Explanation(order, terms, tuple(weighed)))


def is_found(one: Candidate) -> bool:
    """Tell whether a candidate has anything to do with the query by itself."""
    return one.bm25 > 0 or (one.similarity or 0.0) >= LEAST_SIMILARITY


def _hit(examined: Examination, place: int, score: float, zone: tzinfo | None) -> Hit:
    return hit_of(
        examined.documents[place],
        score=score,
        coverage=examined.candidates[place].coverage,
        similarity=examined.candidates[place].similarity,
        terms=examined.terms,
        zone=zone,
    )


def _parts_of(place: int, parts: Mapping[str, tuple[float, Sequence[float]]]) -> tuple[Part, ...]:
    return tuple(Part(name, values[place], weight) for name, (weight, values) in parts.items() if weight)


def _why(one: Candidate, *, is_hit: bool) -> str:
    similar = (one.similarity or 0.0) >= LEAST_SIMILARITY
    if one.bm25 > 0:
        return "words and meaning" if similar else "words"
    if similar:
        return "meaning"
    return "beside a found passage" if is_hit else f"no word in common, and a cosine below {LEAST_SIMILARITY}"


def _repetitions_last(places: Sequence[int], documents: Sequence[Document]) -> list[int]:
    """Return places in their order, but those with a text that stood before only after all others."""
    said: set[str] = set()
    first: list[int] = []
    again: list[int] = []
    for place in places:
        text = documents[place].text
        (again if text in said else first).append(place)
        said.add(text)
    return first + again
