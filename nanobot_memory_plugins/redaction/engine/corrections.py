"""Secrets that are told twice, once wrong: a value of the shape of one that was found, and a word that corrects.

``The code is 4417. No wait, it's 4471``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nanobot_memory_plugins.redaction.rules.rule import RANK_BLOCK, Span

_CORRECTS = re.compile(
    r"(?i)(?<![a-z])(?:no[ ,]+wait|wait,|sorry|oops|actually|i[ ]mean[t]?|correction|typo|make[ ]that"
    r"|scratch[ ]that|hm+|the"
    r"[ ]old[ ]one|it['’]?s[ ]now|now[ ]it['’]?s|is[ ]now|wrong|instead|changed[ ](?:it[ ])?to|no[ ]longer)(?![a-z])"
    r"|不对|错了|錯了|更正|应该是|應該是|改成|改为|改為|换成|換成|写错|打错|(?m:^)\*"
)
_BEFORE, _BEHIND = 120, 160
_SHORTEST, _LONGEST, _MOST = 4, 40, 16


def find_corrected(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Find what corrects the secrets of ``spans`` in ``text``, or is corrected by them."""
    if not spans or not _CORRECTS.search(text):
        return
    for span in [one for one in spans if one.rank < RANK_BLOCK][:_MOST]:
        value = text[span.start : span.end]
        if not _SHORTEST <= len(value) <= _LONGEST or not any(map(str.isdigit, value)):
            continue
        left, right = max(0, span.start - _BEFORE), min(len(text), span.end + _BEHIND)
        for match in re.compile(_shape(value)).finditer(text, left, right):
            if match.start() >= span.end:
                between = text[span.end : match.start() + 1]
            elif match.end() <= span.start:
                between = text[match.end() : span.start]
            else:
                continue
            if _CORRECTS.search(between) or _CORRECTS.match(text, match.end() + 1):
                yield span._replace(start=match.start(), end=match.end())


def _shape(value: str) -> str:
    kinds = "".join(
        "[0-9]" if char.isdigit() else "[A-Z]" if char.isupper() else "[a-z]" if char.islower() else re.escape(char)
        for char in value
    )
    return rf"(?<![A-Za-z0-9]){kinds}(?![A-Za-z0-9])"
