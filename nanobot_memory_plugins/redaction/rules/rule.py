"""Rules and findings, and the resolution of overlapping matches."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import NamedTuple

API_KEY = "[API_KEY]"
REDACTED = "[REDACTED]"
PRIVATE_KEY = "[PRIVATE_KEY]"
EMAIL = "[EMAIL]"
PHONE = "[PHONE]"
CARD = "[CARD]"
ID_NUMBER = "[ID_NUMBER]"
IBAN = "[IBAN]"
CONTACT_PLACEHOLDERS = frozenset({EMAIL, PHONE})
"""The placeholders of contact data, which is personal but not secret."""
UNCHECKED = "[TOO_COSTLY_TO_CHECK]"
"""The placeholder of text that was hidden as a whole, because checking it would have taken too long."""

PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_]{1,39}\]")
"""The pattern of every placeholder. Text that matches it is never redacted again."""

RANK_PERSONAL = 1
"""Personal data (e-mail addresses, numbers), which yields to a credential that overlaps it."""
RANK_VENDOR = 3
"""A token whose shape identifies its issuer."""
RANK_KEYED = 2
"""A value that is secret because of the text around it."""
RANK_BLOCK = 4
"""A key block, which is one finding whatever it contains."""


class Rule:
    r"""A pattern whose matches are hidden.

    ``pattern`` is searched in the folded text (zero-width characters and terminal codes removed, full-width
    characters narrowed, escapes undone). The group named ``secret`` is hidden, or the whole match without one.
    ``validator`` gets the matched secret and may reject it. With ``literals``, the pattern is tried only in texts that
    contain one of them (compared in lower case if the pattern ignores case). ``anchored`` says that every match begins
    with a literal, which is much cheaper: the pattern is then tried only at those places.

    Keep every repetition in the pattern bounded, and write character classes in ASCII: ``\w`` and ``\b`` match
    Chinese characters as well. Raises ``ValueError`` for a placeholder that is not like ``[UPPER_CASE]``, since it
    would not survive a second redaction, and for an anchored rule without literals.
    """

    __slots__ = ("anchored", "ignores_case", "kind", "literals", "pattern", "placeholder", "validator")

    def __init__(
        self,
        kind: str,
        placeholder: str,
        pattern: re.Pattern[str],
        validator: Callable[[str], bool] | None = None,
        literals: tuple[str, ...] = (),
        anchored: bool = False,
    ) -> None:
        if not PLACEHOLDER.fullmatch(placeholder):
            raise ValueError(f"placeholder of rule {kind!r} must look like [UPPER_CASE]")
        if anchored and not literals:
            raise ValueError(f"rule {kind!r} is anchored to nothing: it needs literals")
        self.kind, self.placeholder, self.pattern, self.validator = kind, placeholder, pattern, validator
        self.literals, self.anchored = literals, anchored
        self.ignores_case = bool(pattern.flags & re.IGNORECASE)  # literals and text are compared in lower case


class ValueRule(Rule):
    """A rule whose match is followed by a value, quoted or bare, which is hidden."""

    __slots__ = ()


class SecretFinding(NamedTuple):
    """A secret's place in the original text, in characters. It never holds the value."""

    kind: str
    start: int
    end: int
    placeholder: str = REDACTED


class Span(NamedTuple):
    """A match before overlaps are settled."""

    start: int
    end: int
    kind: str
    placeholder: str
    rank: int


def hidden_check(text: str, spans: Iterable[Span]) -> Callable[[int, int], bool]:
    """Return a function that says whether a credential among ``spans`` covers a place, so that it need not be judged.

    A span with a bracket in it does not count, since part of it may be a placeholder.
    """
    credentials = sorted(
        one[:2] for one in spans if one.rank > RANK_PERSONAL and not {"[", "]"} & set(text[one.start : one.end])
    )
    starts, ends = [start for start, _ in credentials], [0, *accumulate((end for _, end in credentials), max)]
    return lambda start, end: ends[bisect_right(starts, start)] >= end


def resolve_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return ``spans`` sorted and without overlaps.

    Overlapping credentials are joined and get the kind of the wider one, or of the higher rank if both are equally
    wide. Personal data that overlaps a credential is dropped: ``user:secret@host.example`` is not an e-mail address.
    """
    credentials: list[Span] = []
    personal: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end, -s.rank)):
        if span.rank <= RANK_PERSONAL:
            personal.append(span)
        elif credentials and span.start < credentials[-1].end:
            last = credentials[-1]
            wider = last if last.end - last.start >= span.end - span.start else span
            credentials[-1] = wider._replace(start=last.start, end=max(last.end, span.end))
        else:
            credentials.append(span)
    if not personal:
        return credentials
    kept: list[Span] = []
    taken = 0
    for span in personal:
        while taken < len(credentials) and credentials[taken].end <= span.start:
            taken += 1
        if taken < len(credentials) and credentials[taken].start < span.end:
            continue
        if kept and span.start < kept[-1].end:
            continue
        kept.append(span)
    return sorted(credentials + kept)
