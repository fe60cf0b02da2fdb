"""What speaks for a passage as the answer to a question, as numbers.

Words and meaning come first. What stands around a passage counts as well: in a conversation the words of a question
often stand in the turn before its answer, and the rest of its subject elsewhere in the same session.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.text.days import DaySpan, relative_spans
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.candidates import NOWHERE, Candidates, Floats, Places
from nanobot_memory_plugins.storage.expected_answer_type import AnswerKind, kinds_asked
from nanobot_memory_plugins.storage.lexical import weighed
from nanobot_memory_plugins.storage.query_signals import AskedSpeaker, person_asked
from nanobot_memory_plugins.storage.text_traits import TRAIT_OF_KIND, Trait

# Terms beyond which a longer text says no more: answers of assistants go on for hundreds.
LONGEST = 32
# What of a query is looked at beside its terms: who pastes more asks in the beginning.
QUESTION_CHARS = 4_000
_BEST_OF_SESSION = 3
# Below it cosines are the same but for rounding.
_LEAST_DEVIATION = 1e-9

_Value = TypeVar("_Value", np.float64, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What speaks for each passage, in columns.

    Shares, coverages and cosines lie in 0..1. What ends in ``meaning`` counts by how many standard deviations a cosine
    stands out among the candidates.
    """

    words: Floats  # BM25 as a share of the best candidate's
    coverage: Floats  # the share of the query's IDF that the passage holds
    similarity: Floats  # the cosine
    named_speaker: Floats  # 1: said by somebody whom the query names; -1: it names somebody else
    question: Floats  # it ends with a question mark
    bare_question: Floats  # it holds questions and nothing else
    length: Floats  # the logarithm of its terms
    answer_time: Floats  # it holds a time, and the query asks for one
    answer_number: Floats
    answer_name: Floats
    next_words: Floats  # the better of the passages before and after, by words
    next_meaning: Floats  # and by meaning
    asked_before_coverage: Floats  # the passage before, where that is a question
    asked_before_meaning: Floats
    window_coverage: Floats  # what it covers together with the passages before and after
    session_words: Floats  # the best passage of its session
    session_words_mean: Floats  # the mean of the best three
    session_meaning: Floats
    session_coverage: Floats  # what its session covers together
    in_named_time: Floats  # it was said on a day that the query names in relation to now
    by_asked_person: Floats  # 1: said by the one whom "I" or "you" in the query means; -1: by the other
    by_assistant: Floats  # an assistant said it: such answers are long, and are seldom what the user looks for
    message_words: Floats  # the best passage of the message that it is a part of
    message_meaning: Floats  # and the best cosine in it


@dataclass(frozen=True, slots=True)
class FeatureQuery:
    """A query as its features see it. ``idf`` weighs its terms."""

    text: str
    idf: Mapping[str, float]
    kinds: AbstractSet[AnswerKind]
    spans: tuple[DaySpan, ...]
    person: AskedSpeaker | None
    zone: tzinfo | None

    @classmethod
    def of(cls, text: str, idf: Mapping[str, float], asked_at: datetime) -> "FeatureQuery":
        """Return what a query asks for, at the moment at which it is asked."""
        text = text[:QUESTION_CHARS]
        spans = relative_spans(text, asked_at)
        return cls(text.casefold(), idf, kinds_asked(text), spans, person_asked(text), asked_at.tzinfo)


def features_of(candidates: Candidates, question: FeatureQuery) -> Features:
    """Return the features of the candidates, which depend on each other."""
    words = shares_of_best(candidates.words.bm25)
    meaning = np.maximum(0.0, _standard(candidates.similarity))
    traits = candidates.traits
    weights = np.fromiter(question.idf.values(), np.float64, len(question.idf))
    whole = float(weights.sum()) or 1.0
    origins = np.array(candidates.origins, dtype=np.str_)
    is_user, is_assistant = origins == Origin.USER.value, origins == Origin.ASSISTANT.value
    asks = traits & Trait.QUESTION != 0
    before, after = candidates.before_in_session, candidates.after_in_session
    asked = np.where((before != NOWHERE) & asks[before], before, NOWHERE)
    matched = candidates.words.matched
    window = matched | _at(before, matched) | _at(after, matched)
    order, session = candidates.in_order, candidates.sessions
    begins = np.flatnonzero(np.diff(session[order], prepend=-1))

    def best_of_session(values: Floats) -> Floats:
        best: Floats = np.maximum.reduceat(values[order], begins)[session] if len(order) else values
        return best

    def covered_by_session() -> Floats:
        held = np.logical_or.reduceat(matched[:, order], begins, axis=1) if len(order) else matched
        return weighed(weights, held)[session] / whole

    return Features(
        words=words,
        coverage=candidates.words.coverage,
        similarity=candidates.cosines,
        named_speaker=_named_speaker(candidates, question),
        question=asks.astype(np.float64),
        bare_question=(traits & Trait.BARE_QUESTION != 0).astype(np.float64),
        length=np.log1p(np.minimum(candidates.words.lengths, LONGEST)),
        answer_time=_answers(candidates, question, AnswerKind.TIME),
        answer_number=_answers(candidates, question, AnswerKind.NUMBER),
        answer_name=_answers(candidates, question, AnswerKind.NAME, AnswerKind.NAME_IN_CHINESE),
        next_words=np.maximum(_at(before, words), _at(after, words)),
        next_meaning=np.maximum(_at(before, meaning), _at(after, meaning)),
        asked_before_coverage=_at(asked, candidates.words.coverage),
        asked_before_meaning=_at(asked, meaning),
        window_coverage=weighed(weights, window) / whole,
        session_words=best_of_session(words),
        session_words_mean=_mean_of_best(words, session, begins),
        session_meaning=best_of_session(meaning),
        session_coverage=covered_by_session(),
        in_named_time=_in_named_time(candidates, question),
        by_asked_person=_by_asked_person(is_user, is_assistant, question),
        by_assistant=is_assistant.astype(np.float64),
        message_words=_best_of(candidates.messages, words),
        message_meaning=_best_of(candidates.messages, candidates.cosines),
    )


def shares_of_best(values: Floats) -> Floats:
    """Return values as shares of the best one."""
    best = float(values.max(initial=0.0))
    shares: Floats = values / best if best > 0 else np.zeros(len(values))
    return shares


def _standard(values: Floats) -> Floats:
    """Return how many standard deviations each lies above the mean; 0 for what has no value."""
    known = values[~np.isnan(values)]
    deviation = float(known.std()) if len(known) else 0.0
    if deviation < _LEAST_DEVIATION:
        return np.zeros(len(values))
    standard: Floats = np.nan_to_num((values - known.mean()) / deviation)
    return standard


def _at(places: Places, values: NDArray[_Value]) -> NDArray[_Value]:
    """Return the values at some places, which are the last axis; 0 for those that are nowhere."""
    return np.where(places != NOWHERE, values[..., places], values.dtype.type(0))


def _mean_of_best(values: Floats, session: NDArray[np.int64], begins: Places) -> Floats:
    """Return the mean of the best three of each one's session."""
    best_first = np.lexsort((-values, session))
    of = session[best_first]
    first = np.arange(len(of)) - begins[of] < _BEST_OF_SESSION
    sums = np.bincount(of[first], weights=values[best_first][first])
    means: Floats = (sums / np.bincount(of[first]))[session]
    return means


def _best_of(groups: Places, values: Floats) -> Floats:
    best = np.zeros(len(values))
    np.maximum.at(best, groups, values)
    found: Floats = best[groups]
    return found


def _named_speaker(candidates: Candidates, question: FeatureQuery) -> Floats:
    named = {one for one in set(candidates.speakers) if len(one) > 1 and one in question.text}
    if not named:
        return np.zeros(len(candidates))
    return np.array([1.0 if one in named else -1.0 for one in candidates.speakers])


def _answers(candidates: Candidates, question: FeatureQuery, *kinds: AnswerKind) -> Floats:
    wanted = sum(TRAIT_OF_KIND[kind] for kind in kinds if kind in question.kinds)
    held: Floats = (candidates.traits & wanted != 0).astype(np.float64)
    return held


def _in_named_time(candidates: Candidates, question: FeatureQuery) -> Floats:
    if not question.spans:
        return np.zeros(len(candidates))
    return np.array([float(_is_in(time, question)) for time in candidates.times])


def _is_in(time: datetime | None, question: FeatureQuery) -> bool:
    if time is None:
        return False
    local = time.astimezone(question.zone) if time.tzinfo and question.zone else time
    return any(span.start <= local.date() <= span.end for span in question.spans)


def _by_asked_person(is_user: NDArray[np.bool_], is_assistant: NDArray[np.bool_], question: FeatureQuery) -> Floats:
    if question.person is None:
        return np.zeros(len(is_user))
    sign = 1.0 if question.person is AskedSpeaker.USER else -1.0
    return sign * (is_user.astype(np.float64) - is_assistant)
