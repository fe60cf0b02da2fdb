"""The redactor: splits text into bounded windows, runs every detector on each, and inserts placeholders."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from time import thread_time
from typing import Any, Protocol, Self

from nanobot_memory_plugins.redaction.detectors.clauses import SENTENCE_CUES, find_in_sentences
from nanobot_memory_plugins.redaction.detectors.codes import CODE_CUES, find_codes
from nanobot_memory_plugins.redaction.detectors.credentials import (
    BASE64,
    CREDENTIAL_CUES,
    KEY_BLOCK,
    decoded_text,
    find_credentials,
    find_key_blocks,
)
from nanobot_memory_plugins.redaction.detectors.pairs import PAIR_CUES, find_pairs
from nanobot_memory_plugins.redaction.detectors.personal import NUMBER_CUES, find_personal_data
from nanobot_memory_plugins.redaction.detectors.rule_table import PERSONAL, SECRETS, TOKENS
from nanobot_memory_plugins.redaction.detectors.tables import CELL_MARKS, TABLE_CUES, find_in_tables
from nanobot_memory_plugins.redaction.engine.turns import join_answers
from nanobot_memory_plugins.redaction.engine.views import preview, redact_tree
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, LowercaseText
from nanobot_memory_plugins.redaction.rules.rule import (
    CONTACT_PLACEHOLDERS,
    PLACEHOLDER,
    RANK_BLOCK,
    RANK_KEYED,
    REDACTED,
    UNCHECKED,
    SecretFinding,
    Span,
    hidden_check,
    resolve_overlaps,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.folding import FoldedView, unmix_scripts

WINDOW = 16_384
"""Characters that one window covers. A call into ``re`` never gets more than this and the margins."""
_LEFT_MARGIN = 1024
_RIGHT_MARGIN = 2048
_PASSES = 12
_LONG_FINDING = 256
"""A finding this long may have been cut by a bound of its pattern: it is extended to the end of the token."""
# Seconds of processor time for any text, and per 1,024 characters: ten times what dense tables of secrets take.
_SECONDS, _SECONDS_A_KB = 2.0, 0.1
# When part of a match is already hidden, a shorter remainder is not a secret, but text next to one.
_SHORTEST_REMAINDER = 4
_TOKEN_END = re.compile(r"[A-Za-z0-9+/=_.~%-]*+")
# Each detector runs only on text in which a word of each of its lists occurs.
_DETECTORS: tuple[tuple[tuple[KeywordIndex, ...], Callable[[str, LowercaseText], Iterable[Span]]], ...] = (
    ((), TOKENS.find),
    ((PAIR_CUES,), find_pairs),
    ((TABLE_CUES, CELL_MARKS), find_in_tables),
    ((CREDENTIAL_CUES,), find_credentials),
    ((), SECRETS.find),
    ((), PERSONAL.find),
    ((NUMBER_CUES,), find_personal_data),
)
# These detectors read sentences, and skip what the others have found.
_CLAUSE_DETECTORS = ((SENTENCE_CUES, find_in_sentences), (CODE_CUES, find_codes))

ContactPolicy = Callable[[str, str], bool]
"""A function that says whether contact data stays visible, given its placeholder and its text."""


class Budget:
    """A time limit for redacting one text, measured in the thread's processor time or by another clock."""

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float, clock: Callable[[], float] = thread_time) -> None:
        self._clock = clock
        self._end = clock() + seconds

    @classmethod
    def of(cls, size: int) -> Self:
        """Return the default budget of a text of ``size`` characters."""
        return cls(_SECONDS + _SECONDS_A_KB * size / 1024)

    def is_spent(self) -> bool:
        """Return whether the time is used up."""
        return self._clock() >= self._end


class UntrustedRules(Protocol):
    """Third-party rules. The object that implements this keeps their patterns and checks within limits."""

    def find(self, text: str, lower: str) -> list[Span]:
        """Return the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        ...


class Redactor:
    """Replaces secrets and personal data with placeholders. Immutable and thread-safe.

    ``extra_rules`` are third-party rules, which are not trusted: they get the text that the built-in rules have
    redacted, so that they can only hide more. Redacting a redacted text does not change it.
    """

    __slots__ = ("_extra_rules",)

    def __init__(self, *, extra_rules: UntrustedRules | None = None) -> None:
        self._extra_rules = extra_rules

    def redact(self, text: str, *, keeps: ContactPolicy | None = None, budget: Budget | None = None) -> str:
        """Return ``text`` with every finding replaced by its placeholder.

        ``keeps`` gets the placeholder and the text of each piece of contact data, and says whether it stays visible.
        When ``budget`` is spent, the rest of the text is hidden as a whole. No ordinary text spends the default budget.
        """
        text = _redact(text, keeps, budget or Budget.of(len(text)))
        for _ in range(_PASSES):
            spans = self._find_extra(text)
            if not spans:
                break
            text = _redact(_replace(text, spans), keeps, Budget.of(len(text)))
        return text

    def findings(self, text: str) -> list[SecretFinding]:
        """Return what :meth:`redact` replaces in its first pass, in order, with positions in the original ``text``."""
        spans = _find(text, Budget.of(len(text)))
        extra = [
            one for one in self._find_extra(text) if all(one.end <= it.start or it.end <= one.start for it in spans)
        ]
        return [SecretFinding(span.kind, span.start, span.end, span.placeholder) for span in sorted(spans + extra)]

    def redact_value(self, value: object, *, budget: Budget | None = None) -> Any:
        """Return ``value`` as JSON-ready data of the same shape, redacted; keys of mappings count as names.

        Bytes are decoded with replacement, sets and tuples become lists, other objects are converted with ``str``.
        Values nested deeper than 64 levels, or inside themselves, are replaced with a marker. ``budget`` is shared by
        all texts in the value.
        """
        return redact_tree(value, partial(self.redact, budget=budget))

    def preview(self, value: object, *, max_chars: int = 500, budget: Budget | None = None) -> str:
        """Return ``value`` as text of at most ``max_chars`` characters: redacted first, then cut.

        Strings are shown directly, everything else as JSON. A cut text ends with the number of characters left out.
        When ``budget`` is spent, the rest is hidden as a whole.
        """
        return preview(value, max(0, max_chars), partial(self.redact, budget=budget))

    def _find_extra(self, text: str) -> list[Span]:
        if self._extra_rules is None:
            return []
        return list(_find_between(text, 0, len(text), self._find_extra_in_window))

    def _find_extra_in_window(self, original: str) -> list[Span]:
        view = FoldedView(original)
        spans = self._extra_rules.find(view.text, view.text.lower()) if self._extra_rules is not None else []
        return _to_original(view, spans)


def _redact(text: str, keeps: ContactPolicy | None, budget: Budget) -> str:
    for _ in range(_PASSES):
        spans = _find(text, budget)
        if spans and keeps is not None:
            spans = [
                span
                for span in spans
                if span.placeholder not in CONTACT_PLACEHOLDERS
                or not keeps(span.placeholder, text[span.start : span.end])
            ]
        if not spans:
            break
        # The text around a placeholder can reveal another secret: repeat until nothing is found.
        text = _replace(text, spans)
        budget = Budget.of(len(text))  # the first pass checked the whole text within the given budget
    return text


def _find(text: str, budget: Budget) -> list[Span]:
    """Return the spans that one pass hides: key blocks, and the findings in the text between them."""
    spans: list[Span] = []
    at = 0
    blocks = find_key_blocks(text) if KEY_BLOCK.search(text) else ()
    for block in (*blocks, None):
        for span in _find_between(text, at, block.start if block else len(text), _find_in_window, budget):
            spans.append(span)
            if span.placeholder == UNCHECKED:
                return spans
        if block:
            spans.append(block)
            at = block.end
    return spans


def _find_between(
    text: str, start: int, end: int, find: Callable[[str], Iterable[Span]], budget: Budget | None = None
) -> Iterator[Span]:
    """Yield the findings in ``text[start:end]``, window by window; margins keep the context of each window.

    When ``budget`` is spent, the rest of the text is one finding.
    """
    at = start
    done = long_end = start
    while at < end:
        if budget is not None and budget.is_spent():
            yield Span(at, len(text), "unchecked", UNCHECKED, RANK_BLOCK)
            return
        stop = _window_end(text, at, end)
        # A long finding before the window is not part of its context.
        left, right = max(start, at - _LEFT_MARGIN, long_end), min(end, stop + _RIGHT_MARGIN)
        for span in find(text[left:right]):
            first, last = left + span.start, left + span.end
            if first < max(at, done) or first >= stop:
                continue
            if last - first >= _LONG_FINDING or (last == right and right < end):
                token_end = _TOKEN_END.match(text, last, end)
                last = token_end.end() if token_end else last
            done = last
            if last - first >= _LONG_FINDING:
                long_end = last
            yield span._replace(start=first, end=last)
        at = max(stop, done)


# The same message is redacted for later messages, for its file and for a prompt, and logs repeat lines.
@lru_cache(maxsize=512)
def _find_in_window(original: str) -> tuple[Span, ...]:
    spans = _find_all(original)
    plain = simplified(original)
    # The unconverted text as well: labels in Japanese and Korean have traditional characters.
    return tuple(spans if plain == original else resolve_overlaps(spans + _find_all(plain)))


def _find_all(original: str, *, nested: bool = False) -> list[Span]:
    view = FoldedView(original)
    text = unmix_scripts(view.text)
    lower = LowercaseText(text)
    spans: list[Span] = []
    for cues, find in _DETECTORS:
        if all(map(lower.contains_any, cues)):
            spans.extend(find(text, lower))
    for cues_of_clause, find_in_clause in _CLAUSE_DETECTORS:
        if lower.contains_any(cues_of_clause):
            spans.extend(find_in_clause(text, lower, hidden_check(text, spans)))
    if not nested:
        spans.extend(
            Span(*run.span(), "encoded_secret", REDACTED, RANK_KEYED)
            for run in BASE64.finditer(text)
            if (decoded := decoded_text(run.group())) and _find_all(decoded, nested=True)
        )
        if "\n" in text and (joined := join_answers(text)):
            spans.extend(_find_all(joined, nested=True))
    return _to_original(view, spans)


def _to_original(view: FoldedView, spans: list[Span]) -> list[Span]:
    """Resolve overlaps among ``spans`` of a folded view, and return them with positions in the original text."""
    if spans and "[" in view.text:
        spans = _exclude_placeholders(view.text, spans)
    found = []
    for span in resolve_overlaps(spans):
        start, end = view.original_span(span.start, span.end)
        found.append(span._replace(start=start, end=end))
    return found


def _overlapping(masks: list[tuple[int, int]], ends: list[int], span: Span) -> list[tuple[int, int]]:
    """Return the ``masks`` that overlap ``span``; they are sorted, and ``ends`` are their ends."""
    first = bisect_right(ends, span.start)
    last = first
    while last < len(masks) and masks[last][0] < span.end:
        last += 1
    return masks[first:last]


def _exclude_placeholders(text: str, spans: list[Span]) -> list[Span]:
    """Remove spans inside a placeholder, and shorten spans that overlap one."""
    masks = [match.span() for match in PLACEHOLDER.finditer(text)]
    if not masks:
        return spans
    ends = [end for _, end in masks]
    kept = []
    for span in spans:
        start, end = span.start, span.end
        overlapped = _overlapping(masks, ends, span)
        for first, last in overlapped:
            if first < start < last:
                start = last
            if first < end < last:
                end = first
        is_shortened = (start, end) != (span.start, span.end)
        if end - start < (_SHORTEST_REMAINDER if is_shortened else 1):
            continue
        if not any(first <= start and end <= last for first, last in overlapped):
            kept.append(span._replace(start=start, end=end))
    return kept


def _window_end(text: str, at: int, end: int) -> int:
    """Return the end of the window that begins at ``at``: after a line break if there is one, else after a space."""
    limit = at + WINDOW
    if limit >= end:
        return end
    borders = (text.rfind(mark, limit - WINDOW // 4, limit) + 1 for mark in "\n ")
    return next(filter(None, borders), limit)


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces.append(text[at : span.start])
        pieces.append(span.placeholder)
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)
