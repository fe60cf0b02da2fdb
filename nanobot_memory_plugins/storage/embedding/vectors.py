"""What every provider checks before it hands out vectors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def unit_vectors(rows: Any, *, source: str, dimension: int | None = None) -> list[list[float]]:
    """Scale the rows (texts x dimension) to unit length. What is not finite, or zero, becomes zero: it is like nothing.

    Raises `EmbeddingError` when they are no such matrix, or have another dimension than ``dimension``. Without one they
    are the first of a model, and are refused where they are like nothing.
    """
    try:
        with np.errstate(over="ignore"):  # numbers beyond float32 become infinite, and are zero below
            matrix: NDArray[np.float32] = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty(0, np.float32)
    if matrix.ndim != 2 or not matrix.shape[1] or matrix.shape[1] != (dimension or matrix.shape[1]):
        raise EmbeddingError(
            Sentence("{source} did not return one vector a text, of one length and as before.", source=source)
        )
    # The largest component first: squares of large float32 components would overflow.
    largest = np.abs(matrix).max(axis=1, keepdims=True, initial=0)
    usable = np.isfinite(largest) & (largest > 0)
    if dimension is None and not usable.all():
        raise EmbeddingError(Sentence("{source} returned a vector that is not finite, or zero.", source=source))
    matrix = np.divide(matrix, largest, where=usable, out=np.zeros_like(matrix))
    np.divide(matrix, np.linalg.norm(matrix, axis=1, keepdims=True), where=usable, out=matrix)
    vectors: list[list[float]] = matrix.tolist()
    return vectors
