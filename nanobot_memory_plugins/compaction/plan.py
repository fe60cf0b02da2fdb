"""What one compaction cuts: the part that is summarised, the part that stays, and the limits of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.compaction.history import Unit, call_ids, group
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.summarise import Material
from nanobot_memory_plugins.compaction.token_budget import Limits, limits_for
from nanobot_memory_plugins.compaction.transcript import safe_text, without_secrets
from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.text.conversation import dominant_language, message_tokens
from nanobot_memory_plugins.core.text.summary_marker import find_earlier_summary, unmarked_summary

# Nothing is said after it: nothing has to stay.
_ENDED = "session_ended"
# Below it a summary has no room for its mark.
_MARK_FROM = 40
_MARK_TOKENS = 12
# A tail may lose this share of its tokens to begin with what the user said.
_TURN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """``keep_from`` is the index, in the host's messages, of the first that stays."""

    material: Material
    limits: Limits
    keep_from: int
    history_tokens: int
    tail_tokens: int
    marked: bool


def make_plan(
    messages: Sequence[Message],
    *,
    window: int,
    room: int,
    reason: str,
    options: CompactionOptions,
    redact: Callable[[str], str],
) -> Plan:
    """Return where to cut, with which limits, and what is cut, without its secrets."""
    found = find_earlier_summary(messages)
    if found is not None and call_ids(messages[found]):
        found = None  # it calls a tool: its words are the model's, and the tool's result goes with it
    first = 0 if found is None else found + 1
    earlier = "" if found is None else unmarked_summary(messages[found].text)
    recent = messages[first:]
    sizes = [message_tokens(message) for message in recent]
    history_tokens = sum(sizes) + estimate_tokens(earlier)
    limits = limits_for(options, window=window, room=room, history_tokens=history_tokens, keep=reason != _ENDED)
    marked = limits.summary >= _MARK_FROM
    units = group(recent, sizes)
    cut = cut_at(recent, units, limits)
    return Plan(
        material=Material(
            [without_secrets(message, redact) for message in recent[:cut]],
            sizes[:cut],
            [unit for unit in units if unit.start < cut],
            safe_text(earlier, redact),
            dominant_language([Message(role="assistant", text=earlier), *recent]),
        ),
        limits=replace(limits, summary=limits.summary - _MARK_TOKENS) if marked else limits,
        keep_from=first + cut,
        history_tokens=history_tokens,
        tail_tokens=sum(sizes[cut:]),
        marked=marked,
    )


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
        messages_to_keep = min(limits.keep_messages, len(messages) // 2)
        fits = tokens + unit.tokens <= limits.tail
        is_kept_anyway = messages_kept + unit.count <= messages_to_keep and tokens + unit.tokens <= limits.tail_at_most
        if not fits and not is_kept_anyway:
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
