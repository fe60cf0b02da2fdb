"""From the candidates of a search to its answer: their order, which of them are hits, and on request why."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.values import Explanation, Hit, Level, Origin, Query, ScorePart, SearchResult, Weighed
from nanobot_memory_plugins.storage.candidates import NOWHERE, Candidates
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.features import FeatureQuery
from nanobot_memory_plugins.storage.lexical import score_terms
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.ranking import Parts, by_project, is_learned, odds, rank
from nanobot_memory_plugins.storage.results import hit_of, question_in

# Below this cosine a text that shares no word with the query has nothing to do with it.
LEAST_SIMILARITY = 0.2
# So many of the best are read once more, where there is a reranker.
_READ_AGAIN = 24
# The length of a part that is not the last of its message, at least: 95 of 100 have it in chats with an assistant.
_PART_CHARS = 331
# Those who ask and answer each other.
_SPEAKERS = {Origin.USER.value, Origin.ASSISTANT.value}


@dataclass(frozen=True, slots=True)
class Examination:
    """The candidates of a query before they are put in order, and what the order depends on.

    ``document`` returns the one at a place: of hundreds, a few become hits.
    """

    document: Callable[[int], Document]
    texts: Sequence[str]
    candidates: Candidates
    question: FeatureQuery
    terms: tuple[str, ...]
    options: SearchOptions

    def coverage_of(self, places: Sequence[int]) -> float:
        """Return the share of the query's IDF that some passages hold together, 0..1."""
        weights = np.fromiter(self.question.idf.values(), np.float64, len(self.question.idf))
        held = float(weights @ self.candidates.words.matched[:, places].any(axis=1))
        return min(1.0, held / (float(weights.sum()) or 1.0))


def answer(
    examined: Examination,
    now: datetime,
    query: Query,
    level: Level,
    read: Callable[[str, Sequence[str]], Sequence[float]] | None = None,
) -> SearchResult:
    """Return the best candidates as hits, best first.

    With the learned order these are also the passages beside one that is found: an answer may have none of the
    question's words. ``read`` says in log-odds how well some passages answer, of as many of the first as it comes to:
    that counts beside the learned order.
    """
    parts: Parts | None = {} if query.explain else None
    candidates = examined.candidates
    scores = rank(candidates, examined.question, now, examined.options, parts)
    scores = by_project(scores, candidates, query.scope.project, examined.options, parts)
    is_hit = are_found(candidates)
    if is_learned(examined.options):
        keys = candidates.keys[is_hit]
        # Entries stand below each other by chance.
        is_hit |= np.isin(candidates.keys, np.concatenate([keys - 1, keys + 1])) & ~candidates.always_fresh
    found = _best_first(np.flatnonzero(is_hit).tolist(), scores, examined)
    if is_learned(examined.options):
        found = _repetitions_last(found, examined.texts)
        if read is not None:
            scores = _read_again(examined.texts, found, scores, lambda texts: read(query.text, texts), parts)
            found.sort(key=lambda place: -scores[place])
        found = _best_of_each_message_first(found, examined)
    return answer_of(examined, found, scores, query, level, parts)


def answer_from_files(
    documents: Sequence[Document],
    words: Sequence[str],
    traits: Sequence[int],
    idf: Mapping[str, float],
    query: Query,
    now: datetime,
) -> SearchResult:
    """Return the best of documents that no index holds, given with their terms and traits: by words."""
    candidates = Candidates.of(documents, score_terms(words, idf), traits)
    question = FeatureQuery.of(query.text, idf, query.asked_at or now)
    texts, options = [document.text for document in documents], SearchOptions()
    examined = Examination(documents.__getitem__, texts, candidates, question, tuple(idf), options)
    parts: Parts | None = {} if query.explain else None
    scores = by_project(
        rank(candidates, question, now, options, parts), candidates, query.scope.project, options, parts
    )
    found = _best_first(np.flatnonzero(candidates.words.bm25 > 0).tolist(), scores, examined)
    return answer_of(examined, found, scores, query, Level.MARKDOWN, parts)


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
            words=float(examined.candidates.words.bm25[place]),
            total=scores[place],
            parts=_parts_of(place, parts),
            place=number if place in by_place else None,
            why=_why(examined.candidates, place, is_hit=place in by_place),
        )
        for number, place in enumerate([*found, *left_out], start=1)
    ]
    idf = examined.question.idf
    order = "learned" if is_learned(examined.options) else examined.options.fusion
    terms = tuple((term, idf.get(term, 0.0)) for term in examined.terms)
    return SearchResult(hits, level, Explanation(order, terms, tuple(weighed)))


def _best_first(found: Sequence[int], scores: Sequence[float], examined: Examination) -> list[int]:
    """Return places by their scores, and of the same score by file and place there: rows stand as they were read."""
    counts = Counter(scores[place] for place in found)

    def key(place: int) -> tuple[float, str, int]:
        document = examined.document(place) if counts[scores[place]] > 1 else None
        return (-scores[place], document.path, document.ordinal) if document is not None else (-scores[place], "", 0)

    return sorted(found, key=key)


def are_found(candidates: Candidates) -> NDArray[np.bool_]:
    """Tell which candidates have anything to do with the query by themselves."""
    found: NDArray[np.bool_] = (candidates.words.bm25 > 0) | (candidates.similarity >= LEAST_SIMILARITY)
    return found


def _hit(examined: Examination, place: int, score: float, zone: tzinfo | None) -> Hit:
    candidates = examined.candidates
    asked = _said_before(candidates, place)
    answers = question_in(examined.texts[asked]) if asked != NOWHERE else ""
    item = [place, asked] if answers else [place]
    similarity = float(np.max(candidates.similarity[item]))
    return hit_of(
        examined.document(place),
        score=score,
        coverage=examined.coverage_of(item),
        similarity=None if math.isnan(similarity) else similarity,
        terms=examined.terms,
        zone=zone,
        answers=answers,
    )


def _said_before(candidates: Candidates, place: int) -> int:
    """Return where the message of the other speaker stands, right before the message of a passage, or nowhere."""
    first = int(candidates.messages[place])
    before = int(candidates.before_in_session[first])
    speakers = {candidates.origins[first], candidates.origins[before]}
    return before if before != NOWHERE and speakers == _SPEAKERS else NOWHERE


def _parts_of(place: int, parts: Mapping[str, tuple[float, Sequence[float]]]) -> tuple[ScorePart, ...]:
    return tuple(ScorePart(name, values[place], weight) for name, (weight, values) in parts.items() if weight)


def _why(candidates: Candidates, place: int, *, is_hit: bool) -> str:
    similar = candidates.similarity[place] >= LEAST_SIMILARITY
    if candidates.words.bm25[place] > 0:
        return "words and meaning" if similar else "words"
    if similar:
        return "meaning"
    return "beside a found passage" if is_hit else f"no word in common, and a cosine below {LEAST_SIMILARITY}"


def _read_again(
    texts: Sequence[str],
    found: Sequence[int],
    scores: Sequence[float],
    read: Callable[[Sequence[str]], Sequence[float]],
    parts: Parts | None,
) -> list[float]:
    """Return the scores with what a reranker says of the best, in log-odds as they are.

    What it has not read counts as the least of what it has: it was worse before.
    """
    first = found[:_READ_AGAIN]
    said = dict(zip(first, read([texts[place] for place in first]), strict=False))
    if not said:
        return list(scores)
    least = min(said.values())
    column = [said.get(place, least) for place in range(len(scores))]
    if parts is not None:
        parts["reranker"] = (1.0, column)
    return [score + one for score, one in zip(scores, column, strict=True)]


def _best_of_each_message_first(places: Sequence[int], examined: Examination) -> list[int]:
    """Return places in their order, but further parts of a long message only after all others: its best speaks for it.

    Parts of one record are of one message. So is what was said by one right after another at the same time, where it is
    long: a host may keep a message as several.
    """
    candidates = examined.candidates
    messages = [-1 if math.isnan(candidates.timestamps[place]) else int(candidates.messages[place]) for place in places]
    several = {message for message, count in Counter(messages).items() if count > 1} - {-1}
    longest: dict[int, int] = {}
    records: set[str] = set()
    first: list[int] = []
    further: list[int] = []
    for place, message in zip(places, messages, strict=True):
        if message not in several:
            first.append(place)
            continue
        length, record = len(examined.texts[place]), examined.document(place).key.rpartition("#")[2].partition("/")[0]
        before = longest.get(message, 0)
        is_further = before and max(before, length) >= _PART_CHARS
        (further if is_further or record in records else first).append(place)
        longest[message] = max(before, length)
        records.add(record)
    return first + further


def _repetitions_last(places: Sequence[int], texts: Sequence[str]) -> list[int]:
    """Return places in their order, but those with a text that stood before only after all others."""
    said: set[str] = set()
    first: list[int] = []
    again: list[int] = []
    for place in places:
        text = texts[place]
        (again if text in said else first).append(place)
        said.add(text)
    return first + again
