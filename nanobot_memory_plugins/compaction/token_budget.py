"""How many tokens each part of a compaction may take."""

from dataclasses import dataclass, replace

from nanobot_memory_plugins.compaction.options import CompactionOptions

# A host that does not know its window.
_USUAL_WINDOW = 200_000
# A summary of a short history may be this long, although that is more than a quarter of it.
_SHORTEST_LIMIT = 200
# What each time that a session comes back too soon leaves of the tail and of the summary.
_TAIL_FACTOR = 0.5
_SUMMARY_FACTOR = 0.7
# From here on nothing but the summary stays.
MAX_DEPTH = 4


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

    def without(self, tokens: int) -> "Limits":
        """Return the same limits with so many tokens less for the summary."""
        return replace(self, summary=self.summary - tokens)


def limits_for(
    options: CompactionOptions, *, window: int, room: int, history_tokens: int, depth: int, keep: bool
) -> Limits:
    """Return the limits of one compaction.

    ``window`` and ``room`` are the host's, ``history_tokens`` what there is to cut. ``depth`` counts how often the
    session came back too soon. With ``keep`` false nothing stays but the summary.
    """
    if window <= 0:
        window = _USUAL_WINDOW
        room = room if room > 0 else window
    reserve = min(options.reserve_tokens, int(window * options.reserve_share))
    available = max(1, min(window - reserve, room))
    requested = min(options.summary_tokens, max(_SHORTEST_LIMIT, int(window * options.summary_share)))
    summary = min(requested, max(1, available // 2), max(_SHORTEST_LIMIT, history_tokens // 4))
    summary = max(1, int(summary * _SUMMARY_FACTOR**depth))
    at_most = available - summary
    tail = min(int(window * options.keep_share), int(history_tokens * options.keep_history_share), at_most)
    if depth:
        tail = int(tail * _TAIL_FACTOR**depth) if depth < MAX_DEPTH else 0
        at_most = tail
    if not keep:
        tail = at_most = 0
    return Limits(window, summary, tail, at_most, options.keep_messages if keep and not depth else 0)
