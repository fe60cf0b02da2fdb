"""Token F1 of an answer, and the confidence interval of a mean."""

import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1_000
SEED = 20_240_501
_COVERED = 0.95

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the interval that contains 95 of 100 resamples."""

    mean: float
    low: float
    high: float


def normalized(text: str) -> list[str]:
    """Return the words of an answer as in SQuAD's scorer: lower case, without punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(answer: str, expected: str) -> float:
    """Return the harmonic mean of precision and recall over the words, from 0 to 1."""
    given, wanted = normalized(answer), normalized(expected)
    if not given or not wanted:
        return float(given == wanted)
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted))


def mean_interval(values: Sequence[float], *, seed: int = SEED, resamples: int = RESAMPLES) -> Interval:
    """Return the bootstrap interval of a mean. For a paired comparison pass the differences, one per question."""
    if not values:
        raise ValueError("there is no value to resample")
    chance = random.Random(seed)
    count = len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(resamples))
    edge = (1 - _COVERED) / 2
    low, high = means[int(edge * resamples)], means[min(resamples - 1, int((1 - edge) * resamples))]
    return Interval(sum(values) / count, low, high)
