"""The terms of a question, and what they weigh: those of its words, and the days and rare characters that it names."""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from nanobot_memory_plugins.core.text.days import DaySpan, relative_spans
from nanobot_memory_plugins.storage.segmentation import holds_chinese, query_terms, uncovered_characters

# The usual constants, which FTS5 uses as well.
K1 = 1.2
B = 0.75
MAX_QUERY_TERMS = 32
# Terms of a long query whose frequency is looked up.
_MOST_COMPARED = 300
# A memory of three messages cannot tell rare words from common ones: it is taken for one of this size.
_FEWEST_DOCUMENTS = 100


def idf_of(terms: Iterable[str], frequencies: Mapping[str, int], documents: int) -> dict[str, float]:
    """Return the inverse document frequency of each term: ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it.

    It stays positive for terms that occur everywhere. A term that occurs nowhere counts like one that occurs once: it
    says that something is missing, but pairs of Chinese characters that cross words occur nowhere as a rule.
    """
    whole = max(documents, _FEWEST_DOCUMENTS)
    return {
        term: math.log(1 + (whole - n + 0.5) / (n + 0.5))
        for term in terms
        for n in (min(max(frequencies.get(term, 0), 1), whole),)
    }


def question_terms(
    text: str,
    asked_at: datetime,
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
    documents: Callable[[], int],
) -> tuple[str, ...]:
    """Return the terms by which a question is searched.

    ``frequencies`` says how many of ``documents`` contain each term; those that none contains are missing.
    """
    terms = telling_terms(text, frequencies)
    rare = _rare_characters(text, terms, frequencies, documents)
    return (*terms, *rare, *_terms_of_named_days(text, asked_at, terms))


def telling_terms(text: str, frequencies: Callable[[Sequence[str]], Mapping[str, int]]) -> tuple[str, ...]:
    """Return the terms of a query: where it has too many, the rarest of those that occur anywhere, in their order."""
    terms = query_terms(text)
    if len(terms) <= MAX_QUERY_TERMS:
        return terms
    found = frequencies(terms[:_MOST_COMPARED])
    rarest = set(sorted(found, key=lambda term: found[term])[:MAX_QUERY_TERMS])
    return tuple(term for term in terms if term in rarest)


# The days that a query names in relation to now, as terms: "what did I do last Friday?" has no other word to find.
#
# A passage holds the day on which it was said among its terms.
# Wider spans are looked for by their month, or not at all: "a few months ago" would be a query of a hundred days.
_MOST_DAYS = 7


def _terms_of_named_days(text: str, asked_at: datetime, terms: Container[str]) -> tuple[str, ...]:
    """Return a term for each day, or for the month, that a query names besides the dates among its ``terms``."""
    found: dict[str, None] = {}
    for span in relative_spans(text, asked_at):
        found |= dict.fromkeys(_terms_of(span, terms))
    return tuple(term for term in found if term not in terms)


def _terms_of(span: DaySpan, terms: Container[str]) -> list[str]:
    days = (span.end - span.start).days + 1
    if days <= _MOST_DAYS:
        named = [span.start + timedelta(days=number) for number in range(days)]
        return [day.isoformat() for day in named if f"--{day:%m-%d}" not in terms]
    is_month = span.start.day == 1 and (span.end + timedelta(days=1)).day == 1 and span.start.month == span.end.month
    if is_month and span.start.year == span.end.year and f"--{span.start:%m}" not in terms:
        return [f"{span.start:%Y-%m}"]
    return []


# Rare Chinese characters of a query whose pairs occur nowhere.
#
# Chinese is looked for by pairs of characters. A name of one character, 蓍 in 蓍所生长的地区, and a word that is half
# mistyped have none of their pairs in the index, but the character is there.
# A character is rare where so many documents at most contain it, or in this share of them. Commoner ones change
# nothing in what is found.
_FEW, _SHARE = 3, 0.02


def _rare_characters(
    text: str,
    terms: tuple[str, ...],
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
    documents: Callable[[], int],
) -> tuple[str, ...]:
    """Return the rare characters of a query that none of its ``terms`` finds, as far as it may have more terms."""
    if len(terms) >= MAX_QUERY_TERMS or not holds_chinese(text):
        return ()
    alone = tuple(character for character in uncovered_characters(text, frequencies(terms)) if character not in terms)
    found = frequencies(alone)
    most = max(_FEW, _SHARE * documents())
    return tuple(character for character in alone if 0 < found.get(character, 0) <= most)[
        : MAX_QUERY_TERMS - len(terms)
    ]
