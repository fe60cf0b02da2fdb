"""The guard against compactions that free too little and come again."""

from dataclasses import dataclass

from nanobot_memory_plugins.compaction.token_budget import MAX_DEPTH
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# Sessions that are remembered; the one that was longest without a compaction is forgotten first.
_SESSIONS = 512
# Somebody asked for these, or the session was quiet: that they come soon means nothing.
UNHURRIED = frozenset({"archive", "idle", "command", "session_ended"})


@dataclass(frozen=True, slots=True)
class _Cut:
    left_tokens: int
    depth: int


class Cycles:
    """Remembers, per session, what the last compaction left and how deep it cut."""

    def __init__(self) -> None:
        self._last: BoundedDict[str, _Cut] = BoundedDict(_SESSIONS)

    def depth(self, session_key: str, *, history_tokens: int, least_growth: int, reason: str) -> int:
        """Return how much deeper than usual to cut: 0, or one more than the last time when the session hardly grew."""
        last = self._last.get(session_key)
        if last is None or reason in UNHURRIED or history_tokens - last.left_tokens >= least_growth:
            return 0
        return min(last.depth + 1, MAX_DEPTH)

    def note(self, session_key: str, *, left_tokens: int, depth: int) -> None:
        """Remember what a compaction left."""
        self._last[session_key] = _Cut(left_tokens, depth)
