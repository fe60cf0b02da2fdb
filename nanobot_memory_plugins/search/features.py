"""What speaks for a passage as the answer to a question, as numbers.

Words and meaning come first. What stands around a passage counts as well: in a conversation the words of a question
often stand in the turn before its answer, and the rest of its subject elsewhere in the same session.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nanobot_memory_plugins.core.text import asks_for_advice, holds_wish
from nanobot_memory_plugins.core.text.relative_dates import Span, relative_spans
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, sentences_of
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.search.asked_speaker import Person, person_asked
from nanobot_memory_plugins.search.expected_answer_type import AnswerKind, holds, kinds_asked
from nanobot_memory_plugins.search.timestamps import timestamp

# Terms beyond which a longer text says no more: answers of assistants go on for hundreds.
LONGEST = 32
# What of a query is looked at beside its terms: who pastes more asks in the beginning.
QUESTION_CHARS = 4_000
# Seconds without a message after which a new session begins, in files that hold more than one.
SESSION_GAP = 3 * 3_600.0
_BEST_OF_SESSION = 3
_LONGEST_BARE_QUESTION = 300


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the order of one passage depends on.

    ``matched`` are the terms of the query that it holds, ``similarity`` the cosine to the query, None without vectors.
    ``place`` is (file, ordinal), ``speaker`` folded.
    """

    text: str
    bm25: float
    coverage: float
    matched: AbstractSet[str]
    similarity: float | None
    place: tuple[str, int]
    speaker: str
    origin: Origin
    length: int
    time: datetime | None
    always_fresh: bool = False


@dataclass(frozen=True, slots=True)
class Features:
    """What speaks for one passage.

    Shares, coverages and cosines lie in 0..1. What ends in ``meaning`` counts by how many standard deviations a cosine
    stands out among the candidates.
    """

    words: float  # BM25 as a share of the best candidate's
    coverage: float  # the share of the query's IDF that the passage holds
    similarity: float  # the cosine
    named_speaker: float  # 1: said by somebody whom the query names; -1: it names somebody else
    question: float  # it ends with a question mark
    bare_question: float  # it is one question and nothing else
    length: float  # the logarithm of its terms
    answer_time: float  # it holds a time, and the query asks for one
    answer_number: float
    answer_name: float
    next_words: float  # the better of the passages before and after, by words
    next_meaning: float  # and by meaning
    asked_before_coverage: float  # the passage before, where that is a question
    asked_before_meaning: float
    window_coverage: float  # what it covers together with the passages before and after
    session_words: float  # the best passage of its session
    session_words_mean: float  # the mean of the best three
    session_meaning: float
    session_coverage: float  # what its session covers together
    in_named_time: float  # it was said on a day that the query names in relation to now
    by_asked_person: float  # 1: said by the one whom "I" or "you" in the query means; -1: by the other
    by_assistant: float  # an assistant said it: such answers are long, and are seldom what the user looks for
    message_words: float  # the best passage of the message that it is a part of
    message_meaning: float  # and the best cosine in it
    wish: float  # the query asks for advice, and this is what its user wants, or what constrains the answer


@dataclass(frozen=True, slots=True)
class Question:
    """A query as its features see it. ``idf`` weighs its terms."""

    text: str
    idf: Mapping[str, float]
    kinds: AbstractSet[AnswerKind]
    spans: tuple[Span, ...]
    person: Person | None
    zone: tzinfo | None
    asks_for_advice: bool = False

    @classmethod
    def of(cls, text: str, idf: Mapping[str, float], asked_at: datetime) -> "Question":
        """Return what a query asks for, at the moment at which it is asked."""
        text = text[:QUESTION_CHARS]
        spans = relative_spans(text, asked_at)
        return cls(
            text.casefold(), idf, kinds_asked(text), spans, person_asked(text), asked_at.tzinfo, asks_for_advice(text)
        )


def features_of(candidates: Sequence[Candidate], question: Question) -> list[Features]:
    """Return the features of each candidate, which depend on the other candidates as well."""
    sessions = _sessions(candidates)
    words = _shares([one.bm25 for one in candidates])
    meaning = _standard([one.similarity for one in candidates])
    at = {one.place: number for number, one in enumerate(candidates)}
    asks = [ends_in_question_mark(one.text) for one in candidates]
    named = {one.speaker for one in candidates if len(one.speaker) > 1 and one.speaker in question.text}
    whole = sum(question.idf.values()) or 1.0
    by_session = {
        session: _SessionFeatures.of(
            [words[n] for n in numbers],
            [max(0.0, meaning[n]) for n in numbers],
            _covered([candidates[n].matched for n in numbers], question.idf) / whole,
        )
        for session, numbers in _numbers(sessions).items()
    }
    messages = _messages(candidates)
    message_words = _best_of(messages, words)
    message_meaning = _best_of(messages, [max(0.0, one.similarity or 0.0) for one in candidates])
    found = []
    for number, one in enumerate(candidates):
        path, ordinal = one.place
        around = [at[place] for place in ((path, ordinal - 1), (path, ordinal + 1)) if place in at]
        around = [n for n in around if sessions[n] == sessions[number]]
        before = at.get((path, ordinal - 1))
        asked = before is not None and sessions[before] == sessions[number] and asks[before]
        session = by_session[sessions[number]]
        found.append(
            Features(
                words=words[number],
                coverage=one.coverage,
                similarity=max(0.0, one.similarity or 0.0),
                named_speaker=0.0 if not named else 1.0 if one.speaker in named else -1.0,
                question=float(asks[number]),
                bare_question=float(asks[number] and is_bare_question(one.text)),
                length=math.log1p(min(one.length, LONGEST)),
                answer_time=_answers(one, question, AnswerKind.TIME),
                answer_number=_answers(one, question, AnswerKind.NUMBER),
                answer_name=_answers(one, question, AnswerKind.NAME, AnswerKind.NAME_IN_CHINESE),
                next_words=max((words[n] for n in around), default=0.0),
                next_meaning=max((max(0.0, meaning[n]) for n in around), default=0.0),
                asked_before_coverage=candidates[before].coverage if asked and before is not None else 0.0,
                asked_before_meaning=max(0.0, meaning[before]) if asked and before is not None else 0.0,
                window_coverage=_covered([one.matched, *(candidates[n].matched for n in around)], question.idf) / whole,
                session_words=session.words,
                session_words_mean=session.words_mean,
                session_meaning=session.meaning,
                session_coverage=session.coverage,
                in_named_time=_in_named_time(one, question),
                by_asked_person=_by_asked_person(one, question),
                by_assistant=float(one.origin is Origin.ASSISTANT),
                message_words=message_words[messages[number]],
                message_meaning=message_meaning[messages[number]],
                wish=float(one.origin is Origin.USER and question.asks_for_advice and holds_wish(one.text)),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class _SessionFeatures:
    words: float
    words_mean: float
    meaning: float
    coverage: float

    @classmethod
    def of(cls, words: Sequence[float], meaning: Sequence[float], coverage: float) -> "_SessionFeatures":
        return cls(max(words), _mean_of_best(words), max(meaning), coverage)


def _sessions(candidates: Sequence[Candidate]) -> list[tuple[str, int]]:
    """Return the session of each candidate: its file, cut where nothing was said for hours."""
    order = sorted(range(len(candidates)), key=lambda number: candidates[number].place)
    found: list[tuple[str, int]] = [("", 0)] * len(candidates)
    former: Candidate | None = None
    cut = 0
    for number in order:
        one = candidates[number]
        if former is not None and one.place[0] == former.place[0]:
            if one.time and former.time and timestamp(one.time) - timestamp(former.time) > SESSION_GAP:
                cut += 1
        else:
            cut = 0
        found[number] = (one.place[0], cut)
        former = one
    return found


def _messages(candidates: Sequence[Candidate]) -> list[int]:
    """Return the message of each candidate, as the number of its first part: parts follow on each other."""
    at = {one.place: number for number, one in enumerate(candidates)}
    found = list(range(len(candidates)))
    for number in sorted(found, key=lambda number: candidates[number].place):
        one = candidates[number]
        before = at.get((one.place[0], one.place[1] - 1))
        if before is not None and _is_one_message(candidates[before], one):
            found[number] = found[before]
    return found


def _is_one_message(former: Candidate, one: Candidate) -> bool:
    return (former.speaker, former.origin, former.time) == (one.speaker, one.origin, one.time)


def _best_of(groups: Sequence[int], values: Sequence[float]) -> dict[int, float]:
    best: dict[int, float] = {}
    for group, value in zip(groups, values, strict=True):
        best[group] = max(value, best.get(group, 0.0))
    return best


def _numbers(sessions: Sequence[tuple[str, int]]) -> dict[tuple[str, int], list[int]]:
    members: dict[tuple[str, int], list[int]] = {}
    for number, session in enumerate(sessions):
        members.setdefault(session, []).append(number)
    return members


def _shares(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]


def _standard(values: Sequence[float | None]) -> list[float]:
    """Return how many standard deviations each lies above the mean; 0 for what has no value."""
    known = [value for value in values if value is not None]
    if not known:
        return [0.0] * len(values)
    mean = sum(known) / len(known)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in known) / len(known))
    return [(value - mean) / deviation if value is not None and deviation > 0 else 0.0 for value in values]


def _mean_of_best(values: Sequence[float]) -> float:
    best = sorted(values, reverse=True)[:_BEST_OF_SESSION]
    return sum(best) / len(best)


def _covered(matched: Sequence[AbstractSet[str]], idf: Mapping[str, float]) -> float:
    return sum(idf[term] for term in frozenset().union(*matched))


def is_bare_question(text: str) -> bool:
    """Tell whether a text is one question and nothing else: it asks, and tells nothing."""
    if len(text) > _LONGEST_BARE_QUESTION or not ends_in_question_mark(text):
        return False
    return len(sentences_of(text)) == 1


def _answers(one: Candidate, question: Question, *kinds: AnswerKind) -> float:
    return float(bool(question.kinds) and any(kind in question.kinds and holds(one.text, kind) for kind in kinds))


def _in_named_time(one: Candidate, question: Question) -> float:
    if not question.spans or one.time is None:
        return 0.0
    time = one.time.astimezone(question.zone) if one.time.tzinfo and question.zone else one.time
    return float(any(span.start <= time.date() <= span.end for span in question.spans))


def _by_asked_person(one: Candidate, question: Question) -> float:
    if question.person is None or one.origin not in (Origin.USER, Origin.ASSISTANT):
        return 0.0
    is_user = one.origin is Origin.USER
    return 1.0 if is_user == (question.person is Person.USER) else -1.0
