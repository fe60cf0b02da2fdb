"""The rules of one language, ready for use: what is no regular expression in its file is put in, words are whole."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from nanobot_memory_plugins.core.text.words import LazyPattern, Word, any_of


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A way to ask for something to be kept or forgotten, which is all of a folded sentence.

    Its group ``what`` holds what is meant, and ``colon`` says that it may go on; without ``what`` it is what was said
    before. ``may_ask``: it counts with a question mark, too. ``keeps`` is what its example asks for.
    """

    pattern: LazyPattern
    word: Word
    may_ask: bool
    keeps: str


@dataclass(frozen=True, slots=True)
class DateRule:
    """A phrase that names days: ``means`` says how, and ``offset`` how many units later, those before being negative.

    Where ``unless`` stands in the same text the phrase is left alone.
    """

    pattern: LazyPattern
    word: Word
    means: str
    offset: int
    unless: LazyPattern | None


@dataclass(frozen=True, eq=False, repr=False)
class LanguageRules:
    """What further languages are asked for. Patterns are for small letters; dates are looked for with single blanks."""

    name: str
    common: frozenset[str]
    small_talk: tuple[Word, ...]
    abbreviations: frozenset[str]
    behind_numbers: frozenset[str]
    negation: tuple[Word, ...]
    negates_nothing: tuple[Word, ...]
    heavy: tuple[Word, ...]
    light: tuple[Word, ...]
    remember: tuple[OrderRule, ...]
    forget: tuple[OrderRule, ...]
    no_order: tuple[Word, ...]
    work: tuple[Word, ...]
    turns_away: tuple[Word, ...]
    dates: tuple[DateRule, ...]
    numbers: Mapping[str, int]
    units: Mapping[str, str]
    weekdays: Mapping[str, int]

    @cached_property
    def small_talk_words(self) -> LazyPattern:
        """Any word of small talk."""
        return whole_words(any_of(self.small_talk))

    @cached_property
    def negations(self) -> LazyPattern:
        """What denies, in the group ``denies``, and what holds such a word and denies nothing."""
        return LazyPattern(
            rf"(?<!\w)(?:{any_of(self.negates_nothing)}|(?P<denies>{any_of(self.negation)}))(?!\w)", re.IGNORECASE
        )

    @cached_property
    def asks_for_memory(self) -> LazyPattern:
        """Words that ask for memory."""
        return whole_words(any_of(self.heavy))

    @cached_property
    def may_need_memory(self) -> LazyPattern:
        """Words that may need memory."""
        return whole_words(any_of(self.light))

    @cached_property
    def is_no_order(self) -> LazyPattern:
        """What an order never asks to keep or forget: it is all of what was meant."""
        return LazyPattern(any_of(self.no_order))

    @cached_property
    def is_about_work(self) -> LazyPattern:
        """What is beside a request about the work, and not to be kept: it is all of what was meant."""
        return LazyPattern(any_of(self.work))

    @cached_property
    def begins_something_else(self) -> LazyPattern:
        """With what a sentence begins that asks for something else than to be kept."""
        return LazyPattern(rf"{any_of(self.turns_away)}(?!\w)")


def whole_words(pattern: str) -> LazyPattern:
    """Return a pattern whose words are not parts of others, whatever their case."""
    return LazyPattern(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
