"""Chooses the tier of recall by the words of a message: off, light or heavy."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.recall.options import HEDGES, RecallOptions
from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

# Characters of a message that are read, from each end: a question comes before or after a pasted text.
_END_CHARS = 2_000
# A question of at most so many estimated tokens may depend on the turn before it.
_SHORT_TOKENS = 8
# A draft of at most so many estimated tokens is just the answer: a hedge in it is about the answer.
_SHORT_DRAFT_TOKENS = 25
# The longest answer, in characters, that may say no more than that it does not know; the words that introduce more.
_NON_ANSWER_CHARS = 240
_CONTRASTS = ("but", "however", "although", "though", "但", "但是", "不过", "可是", "只知道", "只记得")
_FOLD = SIMPLIFIED_OF | str.maketrans("：，；？！（）　’‘ʼ＇", ":,;?!() ''''")


class RecallTier(StrEnum):
    """The tiers of recall, lowest first. At ``OFF`` a quick probe may still find a strong match."""

    OFF = "off"
    LIGHT = "light"
    HEAVY = "heavy"


@dataclass(frozen=True, slots=True)
class Decision:
    """The tier that the words of a message ask for.

    ``words`` is the first match of the phrases of ``option``; both are empty when no word asks for memory.
    ``turns_back`` is the turn of the match: 0 is the message itself, 1 the user's turn before it. ``follows`` says that
    the message is searched together with that turn.
    """

    tier: RecallTier = RecallTier.OFF
    option: str = ""
    words: str = ""
    turns_back: int = 0
    follows: bool = False


def decide_tier(text: str, recent_turns: Sequence[str], options: RecallOptions) -> Decision:
    """Return the tier for a message by its words, with the words that decided.

    ``recent_turns`` are the user's messages before it, oldest first. A short question ("and that one?", "那个呢？")
    gets the tier of the turn before it.
    """
    decision = _match_phrases(text, options)
    follows = bool(recent_turns) and estimate_tokens(text) <= _SHORT_TOKENS and ends_in_question_mark(text)
    if follows and decision.tier is RecallTier.OFF:
        decision = replace(_match_phrases(recent_turns[-1], options), turns_back=1)
    return replace(decision, follows=follows)


def is_unsure(draft: str, options: RecallOptions) -> bool:
    """Return whether the draft of an answer is unsure about what it knows.

    One of the ``uncertain_markers`` is enough. Hedges count only in a short draft: confident texts also contain them.
    """
    is_short = estimate_tokens(draft.strip()) <= _SHORT_DRAFT_TOKENS
    markers = options.uncertain_markers if is_short else _plain_markers(options)
    return _phrase_pattern(markers).search(_fold(_excerpt(draft))) is not None


def is_non_answer(answer: str, options: RecallOptions) -> bool:
    """Return whether a short answer only says that it does not know, without a "but" that may introduce more."""
    folded = _fold(answer)
    return (
        len(answer) <= _NON_ANSWER_CHARS
        and _phrase_pattern(_plain_markers(options)).search(folded) is not None
        and _phrase_pattern(_CONTRASTS).search(folded) is None
    )


def _plain_markers(options: RecallOptions) -> tuple[str, ...]:
    return tuple(word for word in options.uncertain_markers if word not in HEDGES)


@lru_cache(maxsize=64)
def _phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches any of the phrases, the longest first, in folded texts (`_fold`).

    Phrases in Latin script match whole words, Chinese ones match anywhere. Without phrases nothing matches.
    """
    folded = sorted((_fold(phrase) for phrase in phrases if phrase), key=len, reverse=True)
    latin = "|".join(re.escape(phrase) for phrase in folded if phrase.isascii())
    # One pair of word boundaries for all: a pair for each word takes ten times as long to compile.
    parts = [rf"(?<![A-Za-z0-9])(?:{latin})(?![A-Za-z0-9])"] if latin else []
    parts += [re.escape(phrase) for phrase in folded if not phrase.isascii()]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def _match_phrases(text: str, options: RecallOptions) -> Decision:
    ends = _excerpt(text)
    folded = _fold(ends)  # one character for each: positions are the same as in ``ends``
    for tier, option, phrases in (
        (RecallTier.HEAVY, "explicitAnchors", options.explicit_anchors),
        (RecallTier.LIGHT, "implicitSignals", options.implicit_signals),
    ):
        if match := _phrase_pattern(phrases).search(folded):
            return Decision(tier, option, ends[slice(*match.span())])
    return Decision()


def _excerpt(text: str) -> str:
    return text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"


def _fold(text: str) -> str:
    return text.translate(_FOLD)
