"""When a history fills the window of its model, and what of it may be cut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.host.live_history import tokens_of
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary
from nanobot_memory_plugins.core.values import Message, messages_from_chat

# Share of the window that a history may fill: the rest is for the system prompt, the tools and the answer.
FILL = 0.7


@dataclass(frozen=True, slots=True)
class CompactionCut:
    """``messages`` that may be cut, and the other arguments of a compaction."""

    messages: Sequence[object]
    more: dict[str, Any]


def history_to_cut(
    messages: Sequence[object], is_asked: Callable[[Message], bool], window: int, fill: float
) -> CompactionCut | None:
    """Return what stands before the last message that ``is_asked``, or None while all fits or nothing stands there.

    ``fill`` is the share of the ``window``, in tokens, from which on the messages are too many.
    """
    if window <= 0:
        return None
    read = messages_from_chat(messages)
    tokens = list(map(tokens_of, read))
    if sum(tokens) <= window * fill:
        return None
    asked = max((index for index, one in enumerate(read) if is_asked(one)), default=len(read))
    earlier = find_earlier_summary(read[:asked])
    known = 0 if earlier is None else earlier + 1
    if asked <= known:
        return None
    room = max(1, int(window * fill) - sum(tokens[asked:]))
    more = {"context_window": window, "room": room, "reason": "token_pressure", "known": known}
    return CompactionCut(messages[:asked], more)
