"""The order of hits: ten features of each passage, and the weight of each.

None of them parses a sentence. Words and meaning weigh most. The surroundings of a passage count as well: in a
conversation the words of a question often occur in the turn before its answer, and the rest of its subject elsewhere
in the same session. ``python -m benchmarks learn_ranking`` learns the two tables; docs/figures.md has the figures.
The option ``fusion`` selects a weighted sum of words, meaning and recency instead, or reciprocal ranks.
"""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.candidates import NO_CANDIDATE, Candidates, Floats, Places, coverage_of
from nanobot_memory_plugins.storage.documents import timestamp
from nanobot_memory_plugins.storage.options import SearchOptions

# Log-odds: a passage whose score is one higher is e times as likely to hold the answer.
WITH_MEANING = {
    "words": 0.54,
    "similarity": 6.33,
    "by_assistant": -3.06,
    "neighbours": 3.68,
    "session_words": 3.76,
    "length": 2.02,
    "named_speaker": 1.01,
    "question": -0.80,
    "asked_before_words": 0.86,
    "asked_before_meaning": 1.79,
}
WORDS_ALONE = {
    "words": 1.92,
    "by_assistant": -3.49,
    "neighbours": 3.90,
    "session_words": 3.71,
    "length": 1.49,
    "named_speaker": 1.16,
    "question": -0.43,
    "asked_before_words": 2.19,
}
SECONDS_A_DAY = 86_400.0
# The length feature stops growing at this many terms: answers of assistants have hundreds.
MAX_LENGTH = 32
# Log-odds of a memory about the current project and of one about another; their weight in the other two orders.
OWN_PROJECT, OTHER_PROJECT, PROJECT_SHARE = 1.0, -3.0, 0.1

_Scalar = TypeVar("_Scalar", np.float64, np.bool_)
# The summands of an order by name: what each is worth, and a value for each candidate.
Parts = dict[str, tuple[float, Floats]]


def features(candidates: Candidates, question: str) -> dict[str, Floats]:
    """Return the features of each passage as a possible answer to a question, by name."""
    words, matched = candidates.words, candidates.words.matched
    weights = np.fromiter(candidates.idf.values(), np.float64, len(candidates.idf))
    share = _shares_of_best(words.bm25)
    before, after = candidates.before, candidates.after
    question_places = np.where((before != NO_CANDIDATE) & candidates.questions[before], before, NO_CANDIDATE)
    best_of_session = np.zeros(len(candidates))
    np.maximum.at(best_of_session, candidates.sessions, share)
    return {
        "words": share,  # BM25 as a share of the best candidate's
        "similarity": candidates.cosines,
        "by_assistant": candidates.by_assistant.astype(np.float64),  # long, and rarely the memory that is asked for
        "neighbours": coverage_of(
            weights, matched | _values_at(before, matched) | _values_at(after, matched)
        ),  # and itself, together
        "session_words": best_of_session[candidates.sessions],  # the best passage of its session
        "length": np.log1p(np.minimum(words.lengths, MAX_LENGTH)),
        "named_speaker": _named_speaker(candidates, question),
        "question": candidates.questions.astype(np.float64),  # it ends with a question mark
        "asked_before_words": _values_at(
            question_places, words.coverage
        ),  # the passage before, where that ends with one
        "asked_before_meaning": _values_at(question_places, candidates.cosines),
    }


def rank(
    candidates: Candidates, question: str, asked_at: datetime, options: SearchOptions, project: str = ""
) -> tuple[Floats, Parts]:
    """Return a score for each candidate, larger is better, and the terms of its sum.

    Scores of the learned order are log-odds. With a ``project``, its memories rise and those of other projects fall.
    """
    if options.fusion == "learned":
        table = WITH_MEANING if candidates.has_meaning else WORDS_ALONE
        feature_values = features(candidates, question)
        parts = {name: (weight, feature_values[name]) for name, weight in table.items()}
    elif options.fusion == "weighted":
        parts = weighted_sum(candidates, asked_at, options)
    else:
        parts = reciprocal_rank(candidates, options)
    if project:
        about = [row.project for row in candidates.rows]
        fit = [0.0 if not name else OWN_PROJECT if name == project else OTHER_PROJECT for name in about]
        parts["project"] = (1.0 if options.fusion == "learned" else PROJECT_SHARE, np.array(fit))
    return sum((weight * values for weight, values in parts.values()), start=np.zeros(len(candidates))), parts


def weighted_sum(candidates: Candidates, asked_at: datetime, options: SearchOptions) -> Parts:
    """Fuse by weight: BM25 as a share of the best candidate's, cosines stretched from the median to the best, recency.

    Without vectors the words also get the weight of the meaning.
    """
    relevance = (options.vector_weight + options.fts_weight) or 1.0
    total = relevance + options.recency_weight
    parts = {"words": (relevance / total, _shares_of_best(candidates.words.bm25))}
    if candidates.has_meaning:
        cosines = np.nan_to_num(candidates.similarity)
        middle, best = float(np.sort(cosines)[len(cosines) // 2]), float(cosines.max())
        meaning: Floats = np.clip((cosines - middle) / (best - middle), 0.0, 1.0) if best > middle else np.sign(cosines)
        parts["words"] = (options.fts_weight / total, parts["words"][1])
        parts["meaning"] = (options.vector_weight / total, meaning)
    if options.recency_weight:
        parts["recency"] = (options.recency_weight / total, _recency(candidates, asked_at, options))
    return parts


def reciprocal_rank(candidates: Candidates, options: SearchOptions) -> Parts:
    """Fuse by rank: the sum of 1 / (k + rank) over both orders, ranks from 1; a passage that is not found adds 0."""
    parts = {}
    for name, values in (("words", candidates.words.bm25), ("meaning", np.nan_to_num(candidates.similarity))):
        shares = np.zeros(len(values))
        order = [place for place in np.argsort(-values, kind="stable") if values[place] > 0]
        shares[order] = [1.0 / (options.rrf_k + rank) for rank in range(1, len(order) + 1)]
        parts[name] = (1.0, shares)
    return parts


def display_scores(scores: Sequence[float], options: SearchOptions) -> list[float]:
    """Scale scores to 0..1, 1 for the best: shares of the best score, or with the learned order the odds against it."""
    best = max(scores, default=0.0)
    if options.fusion == "learned":
        return [math.exp(min(0.0, score - best)) for score in scores]
    return [min(1.0, max(0.0, score / best)) if best > 0 else 0.0 for score in scores]


def _named_speaker(candidates: Candidates, question: str) -> Floats:
    """Return 1 for passages by a speaker whom the question names, -1 where it names another speaker, else 0."""
    speakers, folded_question = [row.speaker.casefold() for row in candidates.rows], question.casefold()
    named = {name for name in set(speakers) if len(name) > 1 and name in folded_question}
    return np.array([0.0 if not named else 1.0 if name in named else -1.0 for name in speakers])


def _recency(candidates: Candidates, asked_at: datetime, options: SearchOptions) -> Floats:
    """Return 0.5 ** (age / half-life): 1 at the time of the question or later and for long-term memory, 0 undated."""
    days = np.maximum(0.0, (timestamp(asked_at) - candidates.timestamps) / SECONDS_A_DAY)
    recency = np.nan_to_num(0.5 ** (days / options.recency_half_life_days))
    return np.where(candidates.long_term, 1.0, recency)


def _shares_of_best(values: Floats) -> Floats:
    best = float(values.max(initial=0.0))
    return values / best if best > 0 else np.zeros(len(values))


def _values_at(places: Places, values: NDArray[_Scalar]) -> NDArray[_Scalar]:
    return np.where(places != NO_CANDIDATE, values[..., places], values.dtype.type(0))
