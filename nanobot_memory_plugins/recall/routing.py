"""How much recall a message needs by its words: off, light or heavy."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.recall.options import HEDGES, RecallOptions
from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

# How much of a message is looked at, from each end: a question comes before or after what is pasted.
_END_CHARS = 2_000
# A message up to so many estimated tokens may say little without the turn before it.
_SHORT_TOKENS = 8
# A draft up to this long is an answer and little else: a hedge in it is about the answer.
_SHORT_DRAFT_TOKENS = 25
# Characters of an answer that says no more than that it does not know, and what it goes on with otherwise.
_LONGEST_NON_ANSWER = 240
_GOES_ON = ("but", "however", "although", "though", "但", "但是", "不过", "可是", "只知道", "只记得")
_FOLD = SIMPLIFIED_OF | str.maketrans("：，；？！（）　’‘ʼ＇", ":,;?!() ''''")


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
    message is searched with that turn.
    """

    tier: RecallTier = RecallTier.OFF
    option: str = ""
    words: str = ""
    turns_back: int = 0
    follows: bool = False


def decide_tier(text: str, recent_turns: Sequence[str], options: RecallOptions) -> Decision:
    """Return the tier for a message, from its words, with what speaks for it.

    ``recent_turns`` are the user's messages before it, oldest first. A short question ("and that one?", "那个呢？")
    needs as much as the turn before it.
    """
    decision = _asked_for(text, options)
    follows = bool(recent_turns) and estimate_tokens(text) <= _SHORT_TOKENS and ends_in_question_mark(text)
    if follows and decision.tier is RecallTier.OFF:
        decision = replace(_asked_for(recent_turns[-1], options), turns_back=1)
    return replace(decision, follows=follows)


def is_unsure(draft: str, options: RecallOptions) -> bool:
    """Return whether the draft of an answer is unsure about what it knows.

    One of the ``uncertain_markers`` is enough. Hedges count in a short draft only: confident texts hold them, too.
    """
    is_short = estimate_tokens(draft.strip()) <= _SHORT_DRAFT_TOKENS
    markers = options.uncertain_markers if is_short else _unknown(options)
    return _any_phrase(markers).search(_fold(_both_ends(draft))) is not None


def knows_nothing(answer: str, options: RecallOptions) -> bool:
    """Return whether a short answer says that it does not know; what goes on with a "but" may tell something."""
    folded = _fold(answer)
    return (
        len(answer) <= _LONGEST_NON_ANSWER
        and _any_phrase(_unknown(options)).search(folded) is not None
        and _any_phrase(_GOES_ON).search(folded) is None
    )


def _unknown(options: RecallOptions) -> tuple[str, ...]:
    return tuple(word for word in options.uncertain_markers if word not in HEDGES)


@lru_cache(maxsize=64)
def _any_phrase(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of the phrases, the longest first, for folded texts (`_fold`).

    Those in Latin script match whole words, Chinese ones match anywhere. Without a phrase nothing matches.
    """
    folded = sorted((_fold(phrase) for phrase in phrases if phrase), key=len, reverse=True)
    latin = "|".join(re.escape(phrase) for phrase in folded if phrase.isascii())
    # The borders are written once: at each word they take ten times as long to compile.
    parts = [rf"(?<![A-Za-z0-9])(?:{latin})(?![A-Za-z0-9])"] if latin else []
    parts += [re.escape(phrase) for phrase in folded if not phrase.isascii()]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def _asked_for(text: str, options: RecallOptions) -> Decision:
    ends = _both_ends(text)
    folded = _fold(ends)  # character by character: a place in it is the same place in the message
    for tier, option, phrases in (
        (RecallTier.HEAVY, "explicitAnchors", options.explicit_anchors),
        (RecallTier.LIGHT, "implicitSignals", options.implicit_signals),
    ):
        if found := _any_phrase(phrases).search(folded):
            return Decision(tier, option, ends[slice(*found.span())])
    return Decision()


def _both_ends(text: str) -> str:
    return text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"


def _fold(text: str) -> str:
    return text.translate(_FOLD)
