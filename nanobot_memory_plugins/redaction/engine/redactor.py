"""The redactor: cuts the text into bounded windows, runs every detector on each, and puts placeholders in."""

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
from nanobot_memory_plugins.redaction.engine.turns import joined_to_answers
from nanobot_memory_plugins.redaction.engine.views import preview, walk
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.rule import (
    CONTACT_PLACEHOLDERS,
    PLACEHOLDER,
    RANK_BLOCK,
    RANK_KEYED,
    REDACTED,
    UNCHECKED,
    SecretFinding,
    Span,
    covers,
    settle,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.folding import FoldedView, unmixed

WINDOW = 16_384
"""Characters whose findings one window gives. One call into ``re`` never sees more than this and the margins."""
_LEFT = 1024
_RIGHT = 2048
_PASSES = 12
_LONG = 256
"""A finding this long may have met a bound of its pattern: what follows it without a break belongs to it."""
# Processor time for any text, and for each 1,024 characters: ten times what dense tables of secrets take.
_SECONDS, _SECONDS_A_KB = 2.0, 0.1
# What is left of a match whose other part is hidden already: fewer characters are no secret, but what was next to one.
_SHORTEST_REMAINDER = 4
_TOKEN_END = re.compile(r"[A-Za-z0-9+/=_.~%-]*+")
# Each finds one way in which secrets or personal data occur, and is asked where a word of each of its lists occurs.
_DETECTORS: tuple[tuple[tuple[KeywordIndex, ...], Callable[[str, Lowered], Iterable[Span]]], ...] = (
    ((), TOKENS.find),
    ((PAIR_CUES,), find_pairs),
    ((TABLE_CUES, CELL_MARKS), find_in_tables),
    ((CREDENTIAL_CUES,), find_credentials),
    ((), SECRETS.find),
    ((), PERSONAL.find),
    ((NUMBER_CUES,), find_personal_data),
)
# The same of what sentences tell, beside what those found.
_IN_CLAUSES = ((SENTENCE_CUES, find_in_sentences), (CODE_CUES, find_codes))

Keeps = Callable[[str, str], bool]
"""Tells of a piece of contact data, by its placeholder and its text, whether it stays."""


class Budget:
    """What one text may cost: time, from now on, of this thread's processor or of any clock."""

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float, clock: Callable[[], float] = thread_time) -> None:
        self._clock = clock
        self._end = clock() + seconds

    @classmethod
    def of(cls, size: int) -> Self:
        """Give what a text of so many characters may take."""
        return cls(_SECONDS + _SECONDS_A_KB * size / 1024)

    def is_spent(self) -> bool:
        """Tell whether the time is over."""
        return self._clock() >= self._end


class UntrustedRules(Protocol):
    """Rules whose patterns and checks are not ours: whoever brings them keeps them within limits."""

    def find(self, text: str, lower: str) -> list[Span]:
        """Give the matches of all rules in ``text``; ``lower`` is the same in lower case."""
        ...


class Redactor:
    """Replaces secrets and personal data by placeholders. Immutable after construction, safe in threads.

    ``bounded`` are rules of others, which are not trusted: they see what the built-in ones have left, so that they can
    hide more, and never less. Redacting twice gives what redacting once gave.
    """

    __slots__ = ("_bounded",)

    def __init__(self, *, bounded: UntrustedRules | None = None) -> None:
        self._bounded = bounded

    def redact(self, text: str, *, keeps: Keeps | None = None, budget: Budget | None = None) -> str:
        """Give ``text`` with every finding replaced by its placeholder.

        ``keeps`` is asked with the placeholder and the text of each piece of contact data, and tells whether it stays.
        Where ``budget`` is spent, the rest of the text is hidden as a whole. No ordinary text spends that which it has
        by default.
        """
        text = _redact(text, keeps, budget or Budget.of(len(text)))
        for _ in range(_PASSES):
            spans = self._find_bounded(text)
            if not spans:
                break
            text = _redact(_replace(text, spans), keeps, Budget.of(len(text)))
        return text

    def findings(self, text: str) -> list[SecretFinding]:
        """Give what :meth:`redact` would first replace, in order, with places in the original ``text``."""
        spans = _find(text, Budget.of(len(text)))
        missed = [
            one for one in self._find_bounded(text) if all(one.end <= it.start or it.end <= one.start for it in spans)
        ]
        return [SecretFinding(span.kind, span.start, span.end, span.placeholder) for span in sorted(spans + missed)]

    def redact_value(self, value: object, *, budget: Budget | None = None) -> Any:
        """Give ``value`` as JSON-ready data of the same shape, redacted; keys of mappings count as names.

        Bytes are decoded with replacement, sets and tuples become lists, other objects go through ``str``. What is
        nested deeper than 64 levels, or inside itself, is replaced by a marker. ``budget`` is that of all texts in it.
        """
        return walk(value, partial(self.redact, budget=budget))

    def preview(self, value: object, *, max_chars: int = 500, budget: Budget | None = None) -> str:
        """Give a view of ``value`` of at most ``max_chars`` characters: redacted first, then cut.

        Strings are shown as they are, everything else as JSON. A cut view ends with how many characters were left out.
        Where ``budget`` is spent, the rest is hidden as a whole.
        """
        return preview(value, max(0, max_chars), partial(self.redact, budget=budget))

    def _find_bounded(self, text: str) -> list[Span]:
        if self._bounded is None:
            return []
        return list(_find_between(text, 0, len(text), self._find_bounded_in_window))

    def _find_bounded_in_window(self, original: str) -> list[Span]:
        view = FoldedView(original)
        spans = self._bounded.find(view.text, view.text.lower()) if self._bounded is not None else []
        return _in_original(view, spans)


def _redact(text: str, keeps: Keeps | None, budget: Budget) -> str:
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
        # What a placeholder leaves next to it can show something more; go on until nothing does.
        text = _replace(text, spans)
        budget = Budget.of(len(text))  # what is left was looked at once, within the budget that was given
    return text


def _find(text: str, budget: Budget) -> list[Span]:
    """Give what is hidden first: the key blocks, and what is found in the windows between them."""
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
    """Find in ``text[start:end]``, window by window; each has margins, so that context is never cut off.

    Where ``budget`` is spent, all that follows is one finding.
    """
    at = start
    done = long = start
    while at < end:
        if budget is not None and budget.is_spent():
            yield Span(at, len(text), "unchecked", UNCHECKED, RANK_BLOCK)
            return
        stop = _cut(text, at, end)
        # What is hidden already, and fills the margin, is no context.
        left, right = max(start, at - _LEFT, long), min(end, stop + _RIGHT)
        for span in find(text[left:right]):
            first, last = left + span.start, left + span.end
            if first < max(at, done) or first >= stop:
                continue
            if last - first >= _LONG or (last == right and right < end):
                token_end = _TOKEN_END.match(text, last, end)
                last = token_end.end() if token_end else last
            done = last
            if last - first >= _LONG:
                long = last
            yield span._replace(start=first, end=last)
        at = max(stop, done)


# A message is looked through for what it says of those after it, for its file and for a prompt; logs repeat themselves.
@lru_cache(maxsize=512)
def _find_in_window(original: str) -> tuple[Span, ...]:
    spans = _find_in_script(original)
    plain = simplified(original)
    # Once as it is, too: labels in Japanese and Korean have traditional characters.
    return tuple(spans if plain == original else settle(spans + _find_in_script(plain)))


def _find_in_script(original: str, *, nested: bool = False) -> list[Span]:
    view = FoldedView(original)
    text = unmixed(view.text)
    lower = Lowered(text)
    spans: list[Span] = []
    for cues, find in _DETECTORS:
        if all(map(lower.meets, cues)):
            spans.extend(find(text, lower))
    for index, find_told in _IN_CLAUSES:
        if lower.meets(index):
            spans.extend(find_told(text, lower, covers(text, spans)))
    if not nested:
        spans.extend(
            Span(*run.span(), "encoded_secret", REDACTED, RANK_KEYED)
            for run in BASE64.finditer(text)
            if (decoded := decoded_text(run.group())) and _find_in_script(decoded, nested=True)
        )
        if "\n" in text and (joined := joined_to_answers(text)):
            spans.extend(_find_in_script(joined, nested=True))
    return _in_original(view, spans)


def _in_original(view: FoldedView, spans: list[Span]) -> list[Span]:
    """Settle ``spans`` of a folded view, and give them with their places in the original text."""
    if spans and "[" in view.text:
        spans = _spare_placeholders(view.text, spans)
    found = []
    for span in settle(spans):
        start, end = view.original_span(span.start, span.end)
        found.append(span._replace(start=start, end=end))
    return found


def _met(masks: list[tuple[int, int]], ends: list[int], span: Span) -> list[tuple[int, int]]:
    """Give those of ``masks``, which are in order and end at ``ends``, that share something with ``span``."""
    first = bisect_right(ends, span.start)
    last = first
    while last < len(masks) and masks[last][0] < span.end:
        last += 1
    return masks[first:last]


def _spare_placeholders(text: str, spans: list[Span]) -> list[Span]:
    """Drop the matches that lie inside a placeholder, and cut off what the others hold a part of."""
    masks = [match.span() for match in PLACEHOLDER.finditer(text)]
    if not masks:
        return spans
    ends = [end for _, end in masks]
    kept = []
    for span in spans:
        start, end = span.start, span.end
        met = _met(masks, ends, span)
        for first, last in met:
            if first < start < last:
                start = last
            if first < end < last:
                end = first
        is_shortened = (start, end) != (span.start, span.end)
        if end - start < (_SHORTEST_REMAINDER if is_shortened else 1):
            continue
        if not any(first <= start and end <= last for first, last in met):
            kept.append(span._replace(start=start, end=end))
    return kept


def _cut(text: str, at: int, end: int) -> int:
    """Give where the window that begins at ``at`` ends: behind the end of a line if there is one, else a space."""
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
