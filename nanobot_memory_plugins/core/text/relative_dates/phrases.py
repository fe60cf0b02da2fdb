"""Relative phrases of a text with the days that they mean, for somebody who reads it much later."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from itertools import islice

from nanobot_memory_plugins.core.text.relative_dates import chinese, english
from nanobot_memory_plugins.core.text.relative_dates.calendar import single
from nanobot_memory_plugins.core.text.relative_dates.further import further_phrases
from nanobot_memory_plugins.core.text.relative_dates.rules import FoundPhrase
from nanobot_memory_plugins.core.values import DatedPhrase
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_MOST_PHRASES = 4
# Of a long text only its beginning is looked at: more of it is hardly ever shown.
_LOOKED_AT = 2_000
# Texts whose phrases are kept: the same memories are found again and again.
_REMEMBERED = 2_048
# Days beyond which a span says nothing that the phrase does not say.
_WIDEST = 400
_NAMES_A_YEAR = re.compile(r"(?:19|20)\d\d")
# What the Chinese patterns need of a text.
_CHINESE = re.compile("[天日周期拜月年前昨明后]")


@lru_cache(maxsize=_REMEMBERED)
def dated_phrases(text: str, said_on: date) -> tuple[DatedPhrase, ...]:
    """Return the phrases like "last Friday", "two weeks ago", "下个月" of a text that was said on a day, in its order.

    At most 4, each once. Left out are those that name their year, that mean the day itself, and those that may mean
    several things ("on Friday", "the other day"). A phrase stands as it does in the text but for the case of
    its letters and its spaces. Never raises.
    """
    text = text[:_LOOKED_AT]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = " ".join(text.lower().split())
    own_day = single(said_on)
    phrases: dict[str, DatedPhrase] = {}
    for one in sorted(_found(text, said_on), key=lambda found: found.start):
        wide = (one.span.end - one.span.start).days > _WIDEST
        part_of = text.startswith(" of ", one.start + len(one.phrase))  # the last Sunday of May
        if not (wide or part_of or one.span == own_day or _NAMES_A_YEAR.search(one.phrase)):
            phrases.setdefault(one.phrase, DatedPhrase(one.phrase, one.span.start, one.span.end))
    return tuple(phrases.values())[:_MOST_PHRASES]


def _found(text: str, today: date) -> Iterator[FoundPhrase]:
    yield from _certain(english.RULES.found(text, today), english.CERTAIN)
    yield from islice(english.AHEAD.found(text, today), _MOST_PHRASES)
    yield from (one.found for one in further_phrases(text, today)[: 2 * _MOST_PHRASES] if one.is_certain)
    plain = simplified(text)
    if not text.isascii() and _CHINESE.search(plain):
        for one in (
            *_certain(chinese.RULES.found(plain, today), chinese.CERTAIN),
            *islice(chinese.AHEAD.found(plain, today), _MOST_PHRASES),
        ):
            # As the text has it: traditional characters keep their places.
            yield FoundPhrase(one.start, text[one.start : one.start + len(one.phrase)], one.rule, one.span)


def _certain(found: Iterator[FoundPhrase], rules: frozenset[str]) -> Iterator[FoundPhrase]:
    return islice((one for one in found if one.rule in rules), 2 * _MOST_PHRASES)
