"""The token limits of the parts of a compaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.tokens import split_text

# The assumed window of a host that does not know its own.
_DEFAULT_WINDOW = 200_000
# The largest shares of a small window for the reserve and the summary.
RESERVE_SHARE, _SUMMARY_SHARE = 0.25, 0.1
# The largest share of the history for the messages that remain.
_KEEP_HISTORY_SHARE = 0.3
# A summary may have this many tokens even if that is more than a quarter of a short history.
_LEAST_SUMMARY = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in tokens. ``summary`` and ``tail_max`` together leave the reserve free.

    ``tail`` limits the messages that remain, and ``tail_max`` the last ``keep_messages`` of them.
    """

    window: int
    summary: int
    tail: int
    tail_max: int
    keep_messages: int


def limits_for(options: CompactionOptions, *, window: int, room: int, history_tokens: int, keep: bool) -> Limits:
    """Return the limits of one compaction.

    ``window`` and ``room`` are the host's, and ``history_tokens`` is the size of the history. Without ``keep`` only the
    summary remains.
    """
    if window <= 0:
        window = _DEFAULT_WINDOW
        room = room if room > 0 else window
    reserve = min(options.reserve_tokens, int(window * RESERVE_SHARE))
    available = max(1, min(window - reserve, room))
    requested = min(options.summary_tokens, max(_LEAST_SUMMARY, int(window * _SUMMARY_SHARE)))
    summary = min(requested, max(1, available // 2), max(_LEAST_SUMMARY, history_tokens // 4))
    tail_max = available - summary if keep else 0
    tail = min(int(window * options.keep_share), int(history_tokens * _KEEP_HISTORY_SHARE), tail_max)
    return Limits(window, summary, tail, tail_max, options.keep_messages if keep else 0)


# If messages average over the first share of the window, chunks become smaller. Of a message above the second one the
# model sees only an excerpt.
_LARGE_SHARE, _OVERSIZED_SHARE = 0.1, 0.5


def chunk_ratio(sizes: Sequence[int], window: int, options: CompactionOptions) -> float:
    """Return the share of the window that one model call may take.

    It is ``base_chunk_ratio`` while messages average at most a tenth of the window, with the safety margin. Above that
    it is lower by twice their average share, but at least ``min_chunk_ratio``.
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
    """Join blocks, in order, into chunks of at most ``limit`` tokens. Larger blocks are split."""
    chunks: list[str] = []
    parts: list[str] = []
    tokens = 0
    for block in blocks:
        whole = estimate_tokens(block)
        for piece in (block,) if whole <= limit else split_text(block, limit):
            # One more token for the line break, since estimates are rounded up.
            size = (whole if whole <= limit else estimate_tokens(piece)) + 1
            if parts and tokens + size > limit:
                chunks.append("\n".join(parts))
                parts, tokens = [], 0
            parts.append(piece)
            tokens += size
    if parts:
        chunks.append("\n".join(parts))
    return chunks
