"""How many tokens each part of a compaction may take."""

from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.tokens import split_text

# A host that does not know its window.
_USUAL_WINDOW = 200_000
# In small windows reserve and summary take these shares of them at most.
RESERVE_SHARE, _SUMMARY_SHARE = 0.25, 0.1
# The last messages that stay take this share of the history at most.
_KEEP_HISTORY_SHARE = 0.3
# A summary of a short history may be this long, although that is more than a quarter of it.
_SHORTEST_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens. ``summary`` and ``tail_at_most`` together leave the reserve free.

    ``tail`` is what recent messages should take, ``tail_at_most`` what the last few may.
    """

    window: int
    summary: int
    tail: int
    tail_at_most: int
    keep_messages: int


def limits_for(options: CompactionOptions, *, window: int, room: int, history_tokens: int, keep: bool) -> Limits:
    """Return the limits of one compaction.

    ``window`` and ``room`` are the host's, ``history_tokens`` what there is to cut. With ``keep`` false nothing stays
    but the summary.
    """
    if window <= 0:
        window = _USUAL_WINDOW
        room = room if room > 0 else window
    reserve = min(options.reserve_tokens, int(window * RESERVE_SHARE))
    available = max(1, min(window - reserve, room))
    requested = min(options.summary_tokens, max(_SHORTEST_LIMIT, int(window * _SUMMARY_SHARE)))
    summary = min(requested, max(1, available // 2), max(_SHORTEST_LIMIT, history_tokens // 4))
    at_most = available - summary if keep else 0
    tail = min(int(window * options.keep_share), int(history_tokens * _KEEP_HISTORY_SHARE), at_most)
    return Limits(window, summary, tail, at_most, options.keep_messages if keep else 0)


# Where messages average over this share of the window, chunks become smaller; a message above the other is shown to
# the model as an excerpt only.
_LARGE_SHARE, _OVERSIZED_SHARE = 0.1, 0.5


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
    return tokens * options.safety_margin > window * _OVERSIZED_SHARE


def pack(blocks: Sequence[str], limit: int) -> list[str]:
    """Join blocks, in order, into chunks of at most ``limit`` tokens; a larger block is split, none is dropped."""
    chunks: list[str] = []
    parts: list[str] = []
    tokens = 0
    for block in blocks:
        whole = estimate_tokens(block)
        for piece in (block,) if whole <= limit else split_text(block, limit):
            # One for the line break, since estimates are rounded up.
            size = (whole if whole <= limit else estimate_tokens(piece)) + 1
            if parts and tokens + size > limit:
                chunks.append("\n".join(parts))
                parts, tokens = [], 0
            parts.append(piece)
            tokens += size
    if parts:
        chunks.append("\n".join(parts))
    return chunks
