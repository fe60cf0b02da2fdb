"""Where history is cut: what is before it is summarised, what is after it stays word by word."""

from collections.abc import Sequence

from nanobot_memory_plugins.compaction.history import Unit
from nanobot_memory_plugins.compaction.token_budget import Limits
from nanobot_memory_plugins.core import Message

# A tail may lose this share of its tokens to begin with what the user said.
_TURN_SHARE = 0.5


def cut_at(messages: Sequence[Message], units: Sequence[Unit], limits: Limits) -> int:
    """Return the index of the first message that stays, always at the border of a unit.

    The last units stay as far as ``limits.tail`` goes, and the last ``limits.keep_messages`` messages as far as
    ``limits.tail_at_most`` goes. Something is cut always, unless there is nothing: a single unit is cut.
    """
    if not units:
        return 0
    kept: list[Unit] = []
    tokens = messages_kept = 0
    for unit in reversed(units[1:]):
        # Of a short history half stays at most, or nothing would be gained.
        wanted = min(limits.keep_messages, len(messages) // 2)
        fits = tokens + unit.tokens <= limits.tail
        wanted_anyway = messages_kept + unit.count <= wanted and tokens + unit.tokens <= limits.tail_at_most
        if not fits and not wanted_anyway:
            break
        kept.append(unit)
        tokens += unit.tokens
        messages_kept += unit.count
    if not kept:
        return units[-1].stop
    return _at_a_turn(messages, kept[::-1], tokens)


def _at_a_turn(messages: Sequence[Message], kept: Sequence[Unit], tokens: int) -> int:
    """Return where the tail begins, moved on to the user's next message when that costs little."""
    left = tokens
    for unit in kept:
        if messages[unit.start].role == "user":
            return unit.start
        left -= unit.tokens
        if left < tokens * _TURN_SHARE:
            break
    return kept[0].start
