"""The plan of one compaction: the messages to summarise, those that remain, and the limits of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.compaction.history import Unit, call_ids, group_into_units
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.summarise import Material
from nanobot_memory_plugins.compaction.token_budget import Limits, limits_for
from nanobot_memory_plugins.compaction.transcript import redact_message, safe_text
from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.text.conversation import dominant_language, message_tokens
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary, unmarked_summary

# The reason of a compaction after which no message remains, because the session is over.
_SESSION_ENDED = "session_ended"
# A summary with a smaller limit, in tokens, has no room for the marker.
_LEAST_FOR_MARKER = 40
_MARKER_TOKENS = 12
# The tail may lose this share of its tokens so that it begins with a message of the user.
_TURN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of one compaction.

    ``keep_from`` is the index of the first remaining message in the host's list.
    """

    material: Material
    limits: Limits
    keep_from: int
    history_tokens: int
    tail_tokens: int
    has_marker: bool


def make_plan(
    messages: Sequence[Message],
    *,
    window: int,
    room: int,
    reason: str,
    options: CompactionOptions,
    redact: Callable[[str], str],
) -> Plan:
    """Return the plan, with the messages that are cut without their secrets."""
    found = find_earlier_summary(messages)
    if found is not None and call_ids(messages[found]):
        found = None  # a message with tool calls is the model's own, and must stay together with the results
    first = 0 if found is None else found + 1
    earlier = "" if found is None else unmarked_summary(messages[found].text)
    recent = messages[first:]
    sizes = [message_tokens(message) for message in recent]
    history_tokens = sum(sizes) + estimate_tokens(earlier)
    limits = limits_for(options, window=window, room=room, history_tokens=history_tokens, keep=reason != _SESSION_ENDED)
    has_marker = limits.summary >= _LEAST_FOR_MARKER
    units = group_into_units(recent, sizes)
    cut = cut_index(recent, units, limits)
    return Plan(
        material=Material(
            [redact_message(message, redact) for message in recent[:cut]],
            sizes[:cut],
            [unit for unit in units if unit.start < cut],
            safe_text(earlier, redact),
            dominant_language([Message(role="assistant", text=earlier), *recent]),
        ),
        limits=replace(limits, summary=limits.summary - _MARKER_TOKENS) if has_marker else limits,
        keep_from=first + cut,
        history_tokens=history_tokens,
        tail_tokens=sum(sizes[cut:]),
        has_marker=has_marker,
    )


def cut_index(messages: Sequence[Message], units: Sequence[Unit], limits: Limits) -> int:
    """Return the index of the first message that remains. It is the start of a unit, or the end of the history.

    The last units remain as far as they fit into ``limits.tail``, and the last ``limits.keep_messages`` messages as far
    as they fit into ``limits.tail_max``. At least the first unit is cut.
    """
    if not units:
        return 0
    kept: list[Unit] = []
    tokens = messages_kept = 0
    for unit in reversed(units[1:]):
        # At most half of a short history remains, or nothing would be gained.
        messages_to_keep = min(limits.keep_messages, len(messages) // 2)
        fits = tokens + unit.tokens <= limits.tail
        is_kept_anyway = messages_kept + unit.count <= messages_to_keep and tokens + unit.tokens <= limits.tail_max
        if not fits and not is_kept_anyway:
            break
        kept.append(unit)
        tokens += unit.tokens
        messages_kept += unit.count
    if not kept:
        return units[-1].stop
    return _tail_start(messages, kept[::-1], tokens)


def _tail_start(messages: Sequence[Message], kept: Sequence[Unit], tokens: int) -> int:
    """Return the index at which the tail begins: at the user's next message if that is near enough."""
    left = tokens
    for unit in kept:
        if messages[unit.start].role == "user":
            return unit.start
        left -= unit.tokens
        if left < tokens * _TURN_SHARE:
            break
    return kept[0].start
