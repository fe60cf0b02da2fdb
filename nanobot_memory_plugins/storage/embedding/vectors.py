"""What every provider checks before it hands out vectors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def unit_vectors(rows: Any, *, source: str, dimension: int | None = None) -> list[list[float]]:
    """Scale the rows (texts x dimension) to unit length.

    Raises `EmbeddingError` when they are no such matrix, have another dimension than ``dimension``, or
    when a row is not finite or all zeros: such vectors would spoil an index without a sign.
    """
    try:
        with np.errstate(over="ignore"):  # numbers beyond float32 become infinite, and are refused below
            matrix: NDArray[np.float32] = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty(0, np.float32)
    if matrix.ndim != 2 or not matrix.shape[1] or matrix.shape[1] != (dimension or matrix.shape[1]):
        raise EmbeddingError(
            Sentence("{source} did not return one vector a text, of one length and as before.", source=source)
        )
    # The largest component first: squares of large float32 components would overflow.
    largest = np.abs(matrix).max(axis=1, keepdims=True, initial=0)
    if not np.isfinite(largest).all() or not largest.all():
        raise EmbeddingError(Sentence("{source} returned a vector that is not finite, or zero.", source=source))
    matrix = matrix / largest
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    vectors: list[list[float]] = matrix.tolist()
    return vectors
