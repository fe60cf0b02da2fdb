"""How much recall a message needs by its words: off, light or heavy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.text.small_talk import any_phrase, is_small_talk
from nanobot_memory_plugins.recall.options import RecallOptions

# How much of a message is looked at, from each end: a question comes before or after what is pasted.
_END_CHARS = 2_000
# A message up to so many estimated tokens may say little without the turn before it.
_SHORT_TOKENS = 8
# A draft up to this long is an answer and little else: a hedge in it is about the answer.
_SHORT_DRAFT_TOKENS = 25


class RecallTier(StrEnum):
    """The tiers of recall, from below. At ``OFF`` a quick probe may still find something strong."""

    OFF = "off"
    LIGHT = "light"
    HEAVY = "heavy"


@dataclass(frozen=True, slots=True)
class Decision:
    """The tier that the words of a message ask for.

    ``words`` is what was found of the phrases of ``option``; both are empty where no word asks for memory.
    ``turns_back`` says in which turn: 0 is the message itself, 1 the user's turn before it. ``follows`` says that the
    message is searched with that turn, ``small_talk`` that it is nothing else.
    """

    tier: RecallTier = RecallTier.OFF
    option: str = ""
    words: str = ""
    turns_back: int = 0
    follows: bool = False
    small_talk: bool = False


def decide_tier(text: str, recent_turns: Sequence[str], options: RecallOptions) -> Decision:
    """Return the tier for a message, from its words, with what speaks for it.

    ``recent_turns`` are the user's messages before it, oldest first. A short one ("and that one?", "那个呢？") needs as
    much as the turn before it, unless it is small talk.
    """
    decision = _asked_for(text, options)
    if decision.tier is RecallTier.OFF and is_small_talk(text, options.small_talk):
        return Decision(small_talk=True)
    follows = bool(recent_turns) and estimate_tokens(text) <= _SHORT_TOKENS
    if follows and decision.tier is RecallTier.OFF:
        decision = replace(_asked_for(recent_turns[-1], options), turns_back=1)
    return replace(decision, follows=follows)


def is_unsure(draft: str, options: RecallOptions) -> bool:
    """Return whether the draft of an answer is unsure about what it knows.

    One of the ``uncertain_markers`` is enough; those that are ``hedges`` count in a short draft only, because confident
    texts hold "可能" and "probably" too.
    """
    is_short = estimate_tokens(draft.strip()) <= _SHORT_DRAFT_TOKENS
    hedges = frozenset() if is_short else frozenset(options.hedges)
    markers = tuple(word for word in options.uncertain_markers if word not in hedges)
    return any_phrase(markers).search(fold(_both_ends(draft))) is not None


def _asked_for(text: str, options: RecallOptions) -> Decision:
    ends = _both_ends(text)
    folded = fold(ends)  # character by character: a place in it is the same place in the message
    for tier, option, phrases in (
        (RecallTier.HEAVY, "explicitAnchors", options.explicit_anchors),
        (RecallTier.LIGHT, "implicitSignals", options.implicit_signals),
    ):
        if found := any_phrase(phrases).search(folded):
            return Decision(tier, option, ends[slice(*found.span())])
    return Decision()


def _both_ends(text: str) -> str:
    return text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"
