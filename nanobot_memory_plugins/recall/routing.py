"""How much recall a message needs: off, light or heavy."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text import is_acknowledgement, languages_of
from nanobot_memory_plugins.recall import questions
from nanobot_memory_plugins.recall.follow_ups import goes_on, points_back
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# How much of a message is looked at, from each end: a question stands before or after what is pasted.
_END_CHARS = 2_000
# Characters of the longest message that may be small talk.
_LONGEST_SMALL_TALK = 60
# User turns that follow-ups are traced back through.
_TURNS_BACK = 3
# A draft up to this long is an answer and little else: a hedge in it is about the answer.
_SHORT_DRAFT_TOKENS = 25
# What holds a marker and is no doubt about what is known: advice to the reader, and set phrases.
_NO_DOUBT = re.compile(
    r"不确定性|(?:如果|若|要是|假如|万一)[你您]?[还也仍]?不太?(?:确定|清楚|记得)|[你您][还也仍]?不太?(?:确定|清楚|记得)|"
    r"不可能|可能性|可能的话|尽可能|"
    r"\b(?:if|when|whenever|unless|in case)(?: you(?:'re| are)?)? (?:not sure|unsure|uncertain)|"
    r"\b(?:if|when|in case) (?:you|they|users) (?:don't|do not|can't|cannot) (?:know|remember|recall)|"
    r"\byou(?:'re| are) (?:not sure|unsure|uncertain)|"
    r"\b(?:if|when|unless)\b[^.!?\n]{0,60}\bcould(?:n't| not) (?:be )?f(?:ind|ound)\b|"
    r"(?:如果|若|要是|假如|当)[^，。！？\n]{0,12}没有?找到|没有?找到(?=时|的话|则|就)",
    re.IGNORECASE,
)


class RecallTier(IntEnum):
    """The tiers of recall. ``PROBE`` injects nothing unless its probe finds something strong."""

    PROBE = 0
    LIGHT = 1
    HEAVY = 2


@dataclass(frozen=True, slots=True)
class Signal:
    """What in a message asks for a tier. ``kind`` is the option that looks for it, ``words`` what was matched.

    ``turns_back`` says in which turn: 0 is the message itself, 1 the user's turn before it, which it follows up.
    """

    tier: RecallTier
    kind: str
    words: str = ""
    turns_back: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """The tier for a message and what it comes from; no signal means that no word asks for memory.

    ``follow_ups`` counts the user's turns that it is searched with, ``small_talk`` says that it is nothing else.
    """

    tier: RecallTier
    signal: Signal | None = None
    follow_ups: int = 0
    small_talk: bool = False


def decide_tier(text: str, recent_turns: Sequence[str], options: RecallOptions) -> Decision:
    """Return the tier for a message, from its words, with what speaks for it.

    ``recent_turns`` are the user's messages before it, oldest first. A follow-up ("and that one?", "那个呢？") needs as
    much as what it follows; one that points back ("how old is she?") follows it whatever its own words ask for.
    """
    asked = text
    signal = _signal_of(text, options)
    turns = list(recent_turns[-_TURNS_BACK:])
    back = 0
    while turns and (points_back(simplified(text)) or (signal is None and goes_on(simplified(text)))):
        text = turns.pop()
        back += 1
        signal = signal or _signal_of(text, options, turns_back=back)
    if signal is not None:
        return Decision(signal.tier, signal, back)
    return Decision(RecallTier.PROBE, None, back, is_small_talk(asked, options) or is_acknowledgement(asked))


def is_small_talk(text: str, options: RecallOptions) -> bool:
    """Return whether a message is pleasantries and nothing else ("ok, thanks!", "好的，谢谢")."""
    if len(text) > _LONGEST_SMALL_TALK:
        return False
    said = simplified(text).replace("’", "'")
    left = _pattern(options.small_talk).sub(" ", said)
    if any(map(str.isalnum, left)) and options.small_talk:
        for language in languages_of(said):
            left = language.small_talk_words.sub(" ", left)
    return not any(map(str.isalnum, left))


def tier_after_draft(draft: str, tier: RecallTier, options: RecallOptions) -> RecallTier:
    """Return one tier more when the draft of an answer says that it does not know, else the same."""
    return RecallTier(tier + 1) if tier < RecallTier.HEAVY and is_unsure(draft, options) else tier


def is_unsure(draft: str, options: RecallOptions) -> bool:
    """Return whether the draft of an answer is unsure about what it knows.

    One of the ``uncertain_markers`` is enough; those that are ``hedges`` count in a short draft only, because confident
    texts hold "可能" and "probably" too.
    """
    said = _NO_DOUBT.sub("", simplified(_ends(draft)).replace("’", "'"))
    is_short = estimate_tokens(draft.strip()) <= _SHORT_DRAFT_TOKENS
    hedges = frozenset() if is_short else frozenset(options.hedges)
    return bool(_pattern(tuple(word for word in options.uncertain_markers if word not in hedges)).search(said))


def _signal_of(text: str, options: RecallOptions, *, turns_back: int = 0) -> Signal | None:
    said = _ends(text)
    text = simplified(said).replace("’", "'")  # place by place: what is found in it stands there in the message
    if found := _pattern(options.explicit_anchors).search(text):
        return Signal(RecallTier.HEAVY, "explicitAnchors", said[slice(*found.span())], turns_back)
    if found := _pattern(options.implicit_signals).search(text):
        return Signal(RecallTier.LIGHT, "implicitSignals", said[slice(*found.span())], turns_back)
    if further := _further_signal_of(text, options, turns_back):
        return further
    if options.personal_questions and questions.is_personal(text):
        return Signal(RecallTier.LIGHT, "personalQuestions", "", turns_back)
    return None


def _further_signal_of(text: str, options: RecallOptions, turns_back: int) -> Signal | None:
    """Return the signal of a further language; an option that is emptied turns its words off in each."""
    for language in languages_of(text):
        if options.explicit_anchors and (found := language.asks_for_memory.search(text)):
            return Signal(RecallTier.HEAVY, "explicitAnchors", found[0], turns_back)
        if options.implicit_signals and (found := language.may_need_memory.search(text)):
            return Signal(RecallTier.LIGHT, "implicitSignals", found[0], turns_back)
    return None


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the words, the longest first: whole ones in Latin script, anywhere in Chinese, whatever the case."""
    folded = sorted((simplified(word) for word in words if word), key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in folded if word.isascii())
    # Its edges stand once: looked for at each word, they take ten times as long to compile.
    parts = [rf"(?<![A-Za-z0-9])(?:{latin})(?![A-Za-z0-9])"] if latin else []
    parts += [re.escape(word) for word in folded if not word.isascii()]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)
