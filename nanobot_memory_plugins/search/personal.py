"""Whether a message asks for something of its author's own life: one learned layer on the built-in embedding.

513 numbers, by logistic regression on messages of made-up people and questions of general knowledge:
``python -m benchmarks learn_need`` learns them anew; docs/retrieval.md has the figures.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.search.embedding.installation import BUILTIN_NAME

WEIGHTS = Path(__file__).with_name("personal.npy")
"""A weight for each number of a vector, and the bias: float32."""


def personal(model: str, vector: NDArray[np.float32]) -> float | None:
    """Return the log-odds that a message with this unit ``vector`` is personal; None for another model's."""
    if model != BUILTIN_NAME:
        return None
    weights = _weights()
    return float(vector @ weights[:-1] + weights[-1])


@cache
def _weights() -> NDArray[np.float32]:
    loaded: NDArray[np.float32] = np.load(WEIGHTS)
    return loaded
