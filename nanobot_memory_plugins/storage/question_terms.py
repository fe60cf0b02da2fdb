"""The search terms of a question and their weights: its words, the days it names, and rare Chinese characters."""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from nanobot_memory_plugins.core.text.days import DaySpan, relative_spans
from nanobot_memory_plugins.storage.segmentation import has_chinese, query_terms, uncovered_characters

# The usual constants, which FTS5 uses as well.
K1 = 1.2
B = 0.75
MAX_QUERY_TERMS = 32
# Terms of a long query whose frequencies are looked up.
_MAX_LOOKUPS = 300
# Three messages do not show which words are rare: a smaller memory counts as one of this size.
_MIN_DOCUMENTS = 100


def idf_of(terms: Iterable[str], frequencies: Mapping[str, int], documents: int) -> dict[str, float]:
    """Return the inverse document frequency of each term: ln(1 + (N - n + 0.5) / (n + 0.5)), as in Lucene.

    It is positive even for terms that occur everywhere. A term that occurs nowhere counts as if it occurred once: pairs
    of Chinese characters across a word boundary usually occur nowhere.
    """
    total = max(documents, _MIN_DOCUMENTS)
    return {
        term: math.log(1 + (total - n + 0.5) / (n + 0.5))
        for term in terms
        for n in (min(max(frequencies.get(term, 0), 1), total),)
    }


def question_terms(
    text: str,
    asked_at: datetime,
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
    documents: Callable[[], int],
) -> tuple[str, ...]:
    """Return the terms to search for a question.

    ``frequencies`` returns how many of the ``documents()`` contain each term, without the terms that none contains.
    """
    terms = distinctive_terms(text, frequencies)
    rare = _rare_characters(text, terms, frequencies, documents)
    return (*terms, *rare, *_day_terms(text, asked_at, terms))


def distinctive_terms(text: str, frequencies: Callable[[Sequence[str]], Mapping[str, int]]) -> tuple[str, ...]:
    """Return the terms of a query in their order; of more than `MAX_QUERY_TERMS` the rarest that occur at all."""
    terms = query_terms(text)
    if len(terms) <= MAX_QUERY_TERMS:
        return terms
    counts = frequencies(terms[:_MAX_LOOKUPS])
    rarest = set(sorted(counts, key=lambda term: counts[term])[:MAX_QUERY_TERMS])
    return tuple(term for term in terms if term in rarest)


# Days that a query names relative to now become terms: "what did I do last Friday?" has no other word to search for.
# The terms of a passage include the day on which it was said. A longer span becomes the term of its month, or none:
# "a few months ago" would be a query of a hundred days.
_MAX_DAYS = 7


def _day_terms(text: str, asked_at: datetime, terms: Container[str]) -> tuple[str, ...]:
    """Return a term for each day or month that a query names relatively, unless it is among its ``terms``."""
    day_terms: dict[str, None] = {}
    for span in relative_spans(text, asked_at):
        day_terms |= dict.fromkeys(_span_terms(span, terms))
    return tuple(term for term in day_terms if term not in terms)


def _span_terms(span: DaySpan, terms: Container[str]) -> list[str]:
    days = (span.end - span.start).days + 1
    if days <= _MAX_DAYS:
        named = [span.start + timedelta(days=number) for number in range(days)]
        return [day.isoformat() for day in named if f"--{day:%m-%d}" not in terms]
    is_month = span.start.day == 1 and (span.end + timedelta(days=1)).day == 1 and span.start.month == span.end.month
    if is_month and span.start.year == span.end.year and f"--{span.start:%m}" not in terms:
        return [f"{span.start:%Y-%m}"]
    return []


# Chinese is searched by pairs of characters. The index has no pair of a name of one character (蓍 in 蓍所生长的地区) or
# of a half mistyped word, but it has the character. A character is rare when at most this number of documents, or this
# share of them, contain it; more common ones do not change what is found.
_RARE_COUNT, _RARE_SHARE = 3, 0.02


def _rare_characters(
    text: str,
    terms: tuple[str, ...],
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
    documents: Callable[[], int],
) -> tuple[str, ...]:
    """Return rare characters of a query that no pair among its ``terms`` covers, up to `MAX_QUERY_TERMS` in total."""
    if len(terms) >= MAX_QUERY_TERMS or not has_chinese(text):
        return ()
    uncovered = tuple(
        character for character in uncovered_characters(text, frequencies(terms)) if character not in terms
    )
    counts = frequencies(uncovered)
    limit = max(_RARE_COUNT, _RARE_SHARE * documents())
    return tuple(character for character in uncovered if 0 < counts.get(character, 0) <= limit)[
        : MAX_QUERY_TERMS - len(terms)
    ]
