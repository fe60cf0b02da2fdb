"""What a message asks for, as two learned layers on the built-in embedding: its author's own life, and advice.

Each has 513 numbers, by logistic regression on messages that were written for it: ``python -m benchmarks learn_need``
learns them anew; docs/retrieval.md has the figures.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.embedding.installation import BUILTIN_NAME

WEIGHTS = Path(__file__).with_name("question_kinds.npy")
"""A row a layer, personal and advice: a weight for each number of a vector, and the bias; float32."""


def question_kinds(model: str, vector: NDArray[np.float32]) -> tuple[float, float] | None:
    """Return the log-odds that a message with this unit ``vector`` is personal, and that it asks for advice.

    None for the vector of another model than the built-in one.
    """
    if model != BUILTIN_NAME:
        return None
    weights = _weights()
    personal, advice = weights[:, :-1] @ vector + weights[:, -1]
    return float(personal), float(advice)


@cache
def _weights() -> NDArray[np.float32]:
    loaded: NDArray[np.float32] = np.load(WEIGHTS)
    return loaded
