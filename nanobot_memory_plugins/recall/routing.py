"""How much recall a message needs: off, light or heavy."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.recall.options import RecallOptions

# A follow-up such as "and that one?" is judged together with the turn before it, up to this length.
_FOLLOW_UP_CHARS = 24


class RecallTier(IntEnum):
    """The tiers of recall. ``OFF`` injects nothing unless its probe finds something strong."""

    OFF = 0
    LIGHT = 1
    HEAVY = 2


def choose_tier(text: str, recent_turns: Sequence[str], options: RecallOptions) -> RecallTier:
    """Return the tier for a message, from its words; a short follow-up takes over the tier of the user's last turn."""
    tier = _tier_of(text, options)
    if tier is RecallTier.OFF and recent_turns and 0 < len(text.strip()) <= _FOLLOW_UP_CHARS:
        return _tier_of(recent_turns[-1], options)
    return tier


def tier_after_draft(draft: str, tier: RecallTier, options: RecallOptions) -> RecallTier:
    """Return one tier more when the draft of an answer sounds like a guess, else the same."""
    if tier < RecallTier.HEAVY and _pattern(options.uncertain_markers).search(draft):
        return RecallTier(tier + 1)
    return tier


def _tier_of(text: str, options: RecallOptions) -> RecallTier:
    if _pattern(options.explicit_anchors).search(text):
        return RecallTier.HEAVY
    if _pattern(options.implicit_signals).search(text):
        return RecallTier.LIGHT
    return RecallTier.OFF


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the words: whole ones in Latin script, anywhere in Chinese, whatever the case."""
    parts = [
        rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])" if word.isascii() else re.escape(word)
        for word in words
        if word
    ]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)
