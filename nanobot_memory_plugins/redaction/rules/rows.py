"""Rules that are rows: words that call for a pattern, the pattern, and an example and a counter-example of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span

SECRET_OPENS, SECRET_CLOSES = "«", "»"
"""Around what an example's rule hides."""


class Row(NamedTuple):
    """One rule. The group ``secret`` of ``pattern``, which ignores case, is hidden where ``check`` does not refuse it.

    The pattern is only tried where one of ``cues``, words in lower case, stands in the text. In ``example`` the secret
    stands between « and »; of ``counter`` nothing is hidden.
    """

    cues: tuple[str, ...]
    pattern: str
    example: str
    counter: str
    check: Callable[[str], bool] | None = None
    placeholder: str = REDACTED


class RowRules:
    """Rows, tried where their words stand."""

    __slots__ = ("_kind", "_rank", "_rows", "rows")

    def __init__(self, kind: str, rows: Sequence[Row], *, rank: int = RANK_KEYED) -> None:
        self.rows = tuple(rows)
        self._kind = kind
        self._rank = rank
        self._rows = ByCue((row.cues, (lazy_re(row.pattern, re.IGNORECASE), row)) for row in rows)

    def find(self, text: str, lower: Lowered) -> Iterator[Span]:
        """Find what the rows hide in the folded ``text``; ``lower`` is the same in lower case."""
        for pattern, row in self._rows.met(lower):
            for match in matches(pattern, text, lower):
                if row.check is None or row.check(match["secret"]):
                    yield Span(*match.span("secret"), self._kind, row.placeholder, self._rank)
