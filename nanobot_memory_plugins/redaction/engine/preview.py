"""A short redacted view of any value: redacted first, then cut."""

from __future__ import annotations

import json
import re
import unicodedata

from nanobot_memory_plugins.redaction.engine.redactor import Budget, Redactor
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# Beyond what a view can show this much is looked at, and as much as the longest value that is read as one is left out.
_MARGIN, _BORDER = 32_768, 16_384
_JOINERS = "\u200d\ufe0e\ufe0f"
_PLACEHOLDER_AT = re.compile(PLACEHOLDER.pattern)


def preview(redactor: Redactor, value: object, max_chars: int, budget: Budget | None = None) -> str:
    """Redact ``value``, write it as text (JSON for anything but strings), and cut it to ``max_chars``.

    The mark that says how many characters were left out is part of the ``max_chars``, when there is room for it. Only
    as much of a long text is redacted as the preview can show, and a good way beyond; where ``budget`` is spent, the
    rest is left out.
    """
    limit = max(0, max_chars)
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "replace")
    unread = 0
    if isinstance(value, str):
        reach = limit * 4 + _MARGIN
        unread = max(0, len(value) - reach)
        text = redactor.redact(value[:reach], budget=budget)
        if unread:  # at the border may stand the beginning of a secret, which alone looks like none
            text, unread = text[:-_BORDER], unread + _BORDER
    else:
        text = json.dumps(redactor.redact_value(value, budget=budget), ensure_ascii=False)
    return shorten(text, limit, unread)


def shorten(text: str, limit: int, unread: int = 0) -> str:
    """Cut ``text`` to ``limit`` characters at a character's border and say how many were left out.

    ``unread`` characters more are counted as left out. A placeholder or a character with its combining marks is kept
    whole or left out whole.
    """
    if len(text) + unread <= limit:
        return text
    mark = f"… [+{len(text) + unread} chars]"
    room = limit - len(mark) if limit >= 3 * len(mark) else limit
    cut = _border(text, room)
    kept = text[:cut]
    if limit < 3 * len(mark):
        return kept
    return f"{kept}… [+{len(text) + unread - cut} chars]"


def _border(text: str, cut: int) -> int:
    for match in _PLACEHOLDER_AT.finditer(text, max(0, cut - 48), min(len(text), cut + 48)):
        if match.start() < cut < match.end():
            cut = match.start()
    while 0 < cut < len(text) and (
        unicodedata.combining(text[cut])
        or text[cut] in _JOINERS
        or text[cut - 1] == "\u200d"
        or "\udc00" <= text[cut] <= "\udfff"
    ):
        cut -= 1
    return cut
