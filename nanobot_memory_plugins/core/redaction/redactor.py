"""The redactor: cuts the text into bounded windows, runs every detector on each, and puts placeholders in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nanobot_memory_plugins.core.redaction.chinese import find_told_in_chinese
from nanobot_memory_plugins.core.redaction.credentials import find_credentials
from nanobot_memory_plugins.core.redaction.declarations import find_declared
from nanobot_memory_plugins.core.redaction.encoded import find_encoded
from nanobot_memory_plugins.core.redaction.english import find_told_in_english
from nanobot_memory_plugins.core.redaction.folding import FoldedView
from nanobot_memory_plugins.core.redaction.further_tokens import FURTHER_RULES
from nanobot_memory_plugins.core.redaction.given import find_given
from nanobot_memory_plugins.core.redaction.other_languages import find_told_in_other_languages
from nanobot_memory_plugins.core.redaction.pairs import find_pairs, may_hold_pairs
from nanobot_memory_plugins.core.redaction.personal import find_personal_data
from nanobot_memory_plugins.core.redaction.private_keys import find_key_blocks
from nanobot_memory_plugins.core.redaction.rule_index import RuleIndex
from nanobot_memory_plugins.core.redaction.rules import PLACEHOLDER, Finding, Rule, Span, settle
from nanobot_memory_plugins.core.redaction.tables import find_in_tables
from nanobot_memory_plugins.core.redaction.value_walker import walk
from nanobot_memory_plugins.core.redaction.vendor_tokens import JWT_RULES, VENDOR_RULES

WINDOW = 32_768
"""Characters whose findings one window gives. One call into ``re`` never sees more than this and the margins."""
_LEFT = 1024
_RIGHT = 2048
_PASSES = 12
_BORDER = re.compile(r"\s(?=\S*\Z)")
_LONG = 1024
"""A finding this long may have met a bound of its pattern: what goes on behind it without a break belongs to it."""
_BUILT_IN = RuleIndex((*VENDOR_RULES, *FURTHER_RULES, *JWT_RULES))
_REST_OF_TOKEN = re.compile(r"[A-Za-z0-9+/=_.~%-]*+")


class Redactor:
    """Replaces secrets and personal data by placeholders. Immutable after construction, safe in threads.

    ``extra_rules`` are searched beside the built-in ones. Redacting twice gives what redacting once gave.
    """

    __slots__ = ("_extra",)

    def __init__(self, *, extra_rules: Sequence[Rule] = ()) -> None:
        self._extra = RuleIndex(extra_rules) if extra_rules else None

    def redact(self, text: str) -> str:
        """Give ``text`` with every finding replaced by its placeholder."""
        for _ in range(_PASSES):
            spans = self._find(text)
            if not spans:
                break
            # What a placeholder leaves beside it can show something more; go on until nothing does.
            text = _replace(text, spans)
        return text

    def findings(self, text: str) -> list[Finding]:
        """Give what :meth:`redact` would first replace, in order, with places in the original ``text``."""
        return [Finding(span.kind, span.start, span.end) for span in self._find(text)]

    def redact_value(self, value: object) -> Any:
        """Give ``value`` as JSON-ready data of the same shape, redacted; keys of mappings count as names.

        Bytes are decoded with replacement, sets and tuples become lists, other objects go through ``str``. What is
        nested deeper than 64 levels, or inside itself, is replaced by a marker.
        """
        return walk(value, self.redact)

    def _find(self, text: str) -> list[Span]:
        spans: list[Span] = []
        at = 0
        for block in find_key_blocks(text):
            spans.extend(self._find_between(text, at, block.start))
            spans.append(block)
            at = block.end
        spans.extend(self._find_between(text, at, len(text)))
        return spans

    def _find_between(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find in ``text[start:end]``, window by window; each has margins, so that context is never cut off."""
        at = start
        done = start
        while at < end:
            stop = _cut(text, at, end)
            left, right = max(start, at - _LEFT), min(end, stop + _RIGHT)
            for span in self._find_in_window(text[left:right]):
                first, last = left + span.start, left + span.end
                if first < max(at, done) or first >= stop:
                    continue
                if last - first >= _LONG or (last == right and right < end):
                    rest = _REST_OF_TOKEN.match(text, last, end)
                    last = rest.end() if rest else last
                done = last
                yield span._replace(start=first, end=last)
            at = max(stop, done)

    def _find_in_window(self, original: str, *, nested: bool = False) -> list[Span]:
        view = FoldedView(original)
        text = view.text
        lower = text.lower()
        spans: list[Span] = []
        spans.extend(_BUILT_IN.find(text, lower))
        if self._extra is not None:
            spans.extend(self._extra.find(text, lower))
        if may_hold_pairs(text, lower):
            spans.extend(find_pairs(text))
            spans.extend(find_declared(text))
        spans.extend(find_in_tables(text, lower))
        spans.extend(find_given(text, lower))
        spans.extend(find_credentials(text, lower))
        spans.extend(find_told_in_english(text, lower))
        spans.extend(find_told_in_chinese(text, lower))
        spans.extend(find_told_in_other_languages(text, lower))
        spans.extend(find_personal_data(text, lower))
        if not nested:
            spans.extend(find_encoded(text, lambda inner: bool(self._find_in_window(inner, nested=True))))
        if not spans:
            return spans
        if "[" in text:
            spans = _spare_placeholders(text, spans)
        found = []
        for span in settle(spans):
            start, end = view.original_span(span.start, span.end)
            found.append(span._replace(start=start, end=end))
        return found


def _spare_placeholders(text: str, spans: list[Span]) -> list[Span]:
    """Drop the matches that lie inside a placeholder or are nothing but placeholders."""
    masks = [match.span() for match in PLACEHOLDER.finditer(text)]
    if not masks:
        return spans
    return [span for span in spans if not any(s <= span.start and span.end <= e for s, e in masks)]


def _cut(text: str, at: int, end: int) -> int:
    """Give where the window that begins at ``at`` ends: at a line's end if there is one, else at a space."""
    limit = at + WINDOW
    if limit >= end:
        return end
    newline = text.rfind("\n", limit - WINDOW // 4, limit)
    if newline > 0:
        return newline + 1
    space = text.rfind(" ", limit - WINDOW // 4, limit)
    return space + 1 if space > 0 else limit


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces.append(text[at : span.start])
        pieces.append(span.placeholder)
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)
