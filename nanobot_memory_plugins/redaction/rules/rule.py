"""What a rule and a finding are, and how overlapping matches are settled."""

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
"""What replaces contact data, which is no secret of its own."""
UNCHECKED = "[TOO_COSTLY_TO_CHECK]"
"""Stands for what was hidden as a whole, since looking for secrets in it would have taken too long."""

PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_]{1,39}\]")
"""The shape of every placeholder. What has this shape is never redacted again."""

RANK_PERSONAL = 1
"""Loose shapes (e-mail, numbers): give way to a credential that they overlap."""
RANK_VENDOR = 3
"""A token whose issuer is known by its shape."""
RANK_KEYED = 2
"""A value that is secret because of what precedes it."""
RANK_BLOCK = 4
"""A key block; nothing inside it matters on its own."""


class Rule:
    r"""One pattern whose matches are hidden.

    ``pattern`` is searched in the folded text (zero-width characters and terminal codes dropped, full-width
    characters narrowed, escapes undone). A group named ``secret`` is what gets hidden, else the whole match.
    ``validator`` gets the matched secret and may refuse it. When ``literals`` is given, the pattern is only
    tried in text that holds one of them (compared in lower case for a pattern that ignores case). ``anchored`` says
    that every match begins with one of them, which is much cheaper: the pattern is then tried only there.

    Keep every repetition in the pattern bounded, and write character classes in ASCII: ``\w`` and ``\b`` take
    Chinese characters for word characters. Raises ``ValueError`` for a placeholder of another shape than
    ``[UPPER_CASE]``, since such a placeholder would not survive a second redaction, and for a rule that is anchored to
    nothing.
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
    """A rule after whose match a value begins, in quotes or not, as after a name: that is hidden."""

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


def covers(text: str, spans: Iterable[Span]) -> Callable[[int, int], bool]:
    """Return what tells whether one of ``spans``, a credential, covers a place: what is judged there changes nothing.

    One with a bracket in it does not count, since a part of it may be a placeholder's.
    """
    hard = sorted(
        one[:2] for one in spans if one.rank > RANK_PERSONAL and not {"[", "]"} & set(text[one.start : one.end])
    )
    starts, ends = [start for start, _ in hard], [0, *accumulate((end for _, end in hard), max)]
    return lambda start, end: ends[bisect_right(starts, start)] >= end


def settle(spans: Iterable[Span]) -> list[Span]:
    """Order ``spans`` and make them disjoint.

    Credentials that overlap are joined; the wider one names the result, the higher rank when both are equally
    wide. Personal data that overlaps a credential is dropped: ``user:secret@host.example`` holds no e-mail address.
    """
    hard: list[Span] = []
    soft: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end, -s.rank)):
        if span.rank <= RANK_PERSONAL:
            soft.append(span)
        elif hard and span.start < hard[-1].end:
            last = hard[-1]
            wider = last if last.end - last.start >= span.end - span.start else span
            hard[-1] = wider._replace(start=last.start, end=max(last.end, span.end))
        else:
            hard.append(span)
    if not soft:
        return hard
    kept: list[Span] = []
    taken = 0
    for span in soft:
        while taken < len(hard) and hard[taken].end <= span.start:
            taken += 1
        if taken < len(hard) and hard[taken].start < span.end:
            continue
        if kept and span.start < kept[-1].end:
            continue
        kept.append(span)
    return sorted(hard + kept)
