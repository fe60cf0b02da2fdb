"""The order of passages as it is defined, one passage at a time: what the columns of `features` are held against."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, only_asks
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.candidates import SESSION_GAP
from nanobot_memory_plugins.storage.expected_answer_type import AnswerKind, holds
from nanobot_memory_plugins.storage.features import LONGEST, FeatureQuery
from nanobot_memory_plugins.storage.query_signals import AskedSpeaker
from nanobot_memory_plugins.storage.timestamps import timestamp
from tests.storage.passages import Passage

_BEST_OF_SESSION = 3


def features_of(candidates: Sequence[Passage], question: FeatureQuery) -> list[dict[str, float]]:
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
            {
                "words": words[number],
                "coverage": one.coverage,
                "similarity": max(0.0, one.similarity or 0.0),
                "named_speaker": 0.0 if not named else 1.0 if one.speaker in named else -1.0,
                "question": float(asks[number]),
                "bare_question": float(asks[number] and only_asks(one.text)),
                "length": math.log1p(min(one.length, LONGEST)),
                "answer_time": _answers(one, question, AnswerKind.TIME),
                "answer_number": _answers(one, question, AnswerKind.NUMBER),
                "answer_name": _answers(one, question, AnswerKind.NAME, AnswerKind.NAME_IN_CHINESE),
                "next_words": max((words[n] for n in around), default=0.0),
                "next_meaning": max((max(0.0, meaning[n]) for n in around), default=0.0),
                "asked_before_coverage": candidates[before].coverage if asked and before is not None else 0.0,
                "asked_before_meaning": max(0.0, meaning[before]) if asked and before is not None else 0.0,
                "window_coverage": _covered([one.matched, *(candidates[n].matched for n in around)], question.idf)
                / whole,
                "session_words": session.words,
                "session_words_mean": session.words_mean,
                "session_meaning": session.meaning,
                "session_coverage": session.coverage,
                "in_named_time": _in_named_time(one, question),
                "by_asked_person": _by_asked_person(one, question),
                "by_assistant": float(one.origin is Origin.ASSISTANT),
                "message_words": message_words[messages[number]],
                "message_meaning": message_meaning[messages[number]],
            }
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


def _sessions(candidates: Sequence[Passage]) -> list[tuple[str, int]]:
    """Return the session of each candidate: its file, cut where nothing was said for hours."""
    order = sorted(range(len(candidates)), key=lambda number: candidates[number].place)
    found: list[tuple[str, int]] = [("", 0)] * len(candidates)
    former: Passage | None = None
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


def _messages(candidates: Sequence[Passage]) -> list[int]:
    """Return the message of each candidate, as the number of its first part: parts follow on each other."""
    at = {one.place: number for number, one in enumerate(candidates)}
    found = list(range(len(candidates)))
    for number in sorted(found, key=lambda number: candidates[number].place):
        one = candidates[number]
        before = at.get((one.place[0], one.place[1] - 1))
        if before is not None and _is_one_message(candidates[before], one):
            found[number] = found[before]
    return found


def _is_one_message(former: Passage, one: Passage) -> bool:
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


def _answers(one: Passage, question: FeatureQuery, *kinds: AnswerKind) -> float:
    return float(bool(question.kinds) and any(kind in question.kinds and holds(one.text, kind) for kind in kinds))


def _in_named_time(one: Passage, question: FeatureQuery) -> float:
    if not question.spans or one.time is None:
        return 0.0
    time = one.time.astimezone(question.zone) if one.time.tzinfo and question.zone else one.time
    return float(any(span.start <= time.date() <= span.end for span in question.spans))


def _by_asked_person(one: Passage, question: FeatureQuery) -> float:
    if question.person is None or one.origin not in (Origin.USER, Origin.ASSISTANT):
        return 0.0
    is_user = one.origin is Origin.USER
    return 1.0 if is_user == (question.person is AskedSpeaker.USER) else -1.0
