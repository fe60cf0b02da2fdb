"""Cutting what is to be summarised into chunks that fit a model call."""

from collections.abc import Sequence

from nanobot_memory_plugins.compaction.excerpts import split_text
from nanobot_memory_plugins.compaction.history import text_tokens
from nanobot_memory_plugins.compaction.options import CompactionOptions

# Where messages average over this share of the window, chunks become smaller.
_LARGE_SHARE = 0.1


def chunk_ratio(sizes: Sequence[int], window: int, options: CompactionOptions) -> float:
    """Return the share of the window that one model call may take.

    It is ``base_chunk_ratio`` until messages average over a tenth of the window, with the safety margin; then it
    falls by twice their share, down to ``min_chunk_ratio``.
    """
    least = min(options.min_chunk_ratio, options.base_chunk_ratio)
    if not sizes or window <= 0:
        return options.base_chunk_ratio
    average = sum(sizes) / len(sizes) * options.safety_margin / window
    if average <= _LARGE_SHARE:
        return options.base_chunk_ratio
    return max(least, options.base_chunk_ratio - min(2 * average, options.base_chunk_ratio - least))


def is_oversized(tokens: int, window: int, options: CompactionOptions) -> bool:
    """Return whether a message is too large for a summary call: over half the window, with the safety margin."""
    return tokens * options.safety_margin > window * options.oversized_share


def fair_limit(sizes: Sequence[int], budget: int) -> int:
    """Return the largest limit with which ``sizes``, each cut to it, sum to at most ``budget``; at least 1."""
    left = budget
    remaining = len(sizes)
    for size in sorted(sizes):
        if size * remaining > left:
            return max(1, left // remaining)
        left -= size
        remaining -= 1
    return max(1, max(sizes, default=1))


def pack(blocks: Sequence[str], limit: int) -> list[str]:
    """Join blocks, in order, into chunks of at most ``limit`` tokens; a larger block is split, none is dropped."""
    chunks: list[str] = []
    parts: list[str] = []
    tokens = 0
    for block in blocks:
        whole = text_tokens(block)
        for piece in (block,) if whole <= limit else split_text(block, limit):
            # One for the line break, since estimates are rounded up.
            size = (whole if whole <= limit else text_tokens(piece)) + 1
            if parts and tokens + size > limit:
                chunks.append("\n".join(parts))
                parts, tokens = [], 0
            parts.append(piece)
            tokens += size
    if parts:
        chunks.append("\n".join(parts))
    return chunks
