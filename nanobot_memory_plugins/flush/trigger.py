"""When a context is full enough to flush, long enough before the host cuts it."""

RESERVE_FLOOR = 20_000
SOFT_THRESHOLD = 4_000

# Of a small window, the share that both margins have together at most.
_LARGEST_SHARE = 0.4
# What hosts keep free besides the answer (nanobot's Consolidator._SAFETY_BUFFER).
_HOST_BUFFER = 1_024
# How far before the host's own compaction the trigger stays.
_BEFORE_HOST = 0.95


def flush_margins(
    window: int, reserve_floor: int = RESERVE_FLOOR, soft_threshold: int = SOFT_THRESHOLD
) -> tuple[float, float]:
    """Return the reserve and the soft threshold for a window, in tokens.

    They are as given while they fit into 40 % of the window; in a smaller one both are scaled down together.
    """
    wanted = reserve_floor + soft_threshold
    scale = min(1.0, _LARGEST_SHARE * window / wanted) if wanted else 1.0
    return reserve_floor * scale, soft_threshold * scale


def flush_trigger(
    window: int,
    reserve_floor: int = RESERVE_FLOOR,
    soft_threshold: int = SOFT_THRESHOLD,
    *,
    answer_tokens: int | None = None,
) -> int:
    """Return the tokens from which on a context is flushed: 176,000 of 200,000 by default.

    ``answer_tokens`` is what the host keeps free for the model's answer: it cuts at window - answer - 1,024, and the
    trigger stays before that. It is positive for every positive window.
    """
    reserve, soft = flush_margins(window, reserve_floor, soft_threshold)
    trigger = window - reserve - soft
    if answer_tokens is not None:
        cut_at = window - answer_tokens - _HOST_BUFFER
        if cut_at > 0:
            trigger = min(trigger, _BEFORE_HOST * cut_at)
    return max(1, int(trigger))
