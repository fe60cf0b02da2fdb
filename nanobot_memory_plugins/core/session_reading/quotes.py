"""Finds quoted words in a conversation, and returns the whole sentence around them.

Nothing here interprets a sentence. The search ignores case, punctuation, white space and script; if it finds nothing,
the sentence that shares most words with the quotation is taken, provided that it clearly leads.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.text.folding import FoldedText, fold_text
from nanobot_memory_plugins.core.text.pasted import text_to_assistant
from nanobot_memory_plugins.core.text.sentences import sentence_spans, span_around
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.core.values.session_reading import Quote

ASSISTANT_KINDS = frozenset({"experience", "workflow", "skill_usage", "decision"})
"""The kinds of entries that may quote the assistant, since it may have found them out itself."""

# Shorter quotations would be found everywhere.
_SHORTEST = 2
# Characters of a stored quotation; a longer sentence is cut around the quoted words.
_MAX_CHARS = 300
# The share of a quotation's words that a sentence must contain, and its lead over the second best sentence.
_MIN_SHARE, _MIN_LEAD = 0.7, 0.2
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")

# A sentence that asks or laughs is not a fact, and one that hedges is a guess (98 of 100 true quotations pass both
# patterns, and 6 of 20 wrong ones).
_ASKS_OR_LAUGHS = re.compile(
    r"[?？]\W*$|[吗呢]\W*$|\b(?:lol|haha\w*|rofl|just kidding|kidding|joking)\b|哈哈|开玩笑|说笑|逗你", re.IGNORECASE
)
_HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i guess|not sure|no idea|i heard|rumou?r|supposedly|apparently|if)\b"
    r"|也许|可能|大概|好像|似乎|听说|据说|不确定|如果|要是|假如|万一",
    re.IGNORECASE,
)


class Quotations:
    """The texts of a conversation that may be quoted: the users' own words, and the assistant's replies."""

    def __init__(self, records: Sequence[TranscriptRecord]) -> None:
        """Take the records, oldest first; text that users pasted into their messages is left out."""
        self._user_texts = [(one, text_to_assistant(one.text)) for one in records if one.origin is Origin.USER]
        self._assistant_texts = [(one, one.text) for one in records if one.origin is Origin.ASSISTANT]

    def find(self, quotations: Sequence[str], *, of_assistant: bool = False) -> Quote | None:
        """Return the user's sentence that contains the first quotation that can be found, or None.

        With ``of_assistant`` the assistant's replies are searched as well, after the users' words.
        """
        for texts in (self._user_texts, self._assistant_texts) if of_assistant else (self._user_texts,):
            for quotation in quotations:
                quote = _find_exact(quotation, texts) or _find_by_words(quotation, texts)
                if quote is not None:
                    return quote
        return None


def _find_exact(quotation: str, texts: Sequence[tuple[TranscriptRecord, str]]) -> Quote | None:
    letters = _fold(quotation).letters
    if len(letters) < _SHORTEST:
        return None
    for record, text in reversed(texts):
        for start, end in _fold(text).find(letters):
            return _quote(record, text, start, end)
    return None


def _find_by_words(quotation: str, texts: Sequence[tuple[TranscriptRecord, str]]) -> Quote | None:
    """Return the sentence that shares most words with a quotation, if it clearly leads."""
    words = _words(quotation)
    if not words:
        return None
    ranked = [
        (len(words & _words(text[start:end])) / len(words), place, start, end)
        for place, (_, text) in enumerate(texts)
        for start, end in sentence_spans(text)
    ]
    ranked.sort(reverse=True)
    if not ranked or ranked[0][0] < _MIN_SHARE or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MIN_LEAD):
        return None
    _, place, start, end = ranked[0]
    return _quote(*texts[place], start, end)


def _quote(record: TranscriptRecord, text: str, start: int, end: int) -> Quote | None:
    if record.time is None:
        return None
    sentence = _whole_sentence(text, start, end)
    return Quote(
        sentence,
        record.time.astimezone().date(),
        record.origin,
        record.scope,
        not (_ASKS_OR_LAUGHS.search(sentence) or _HEDGES.search(sentence)),
        record.id,
    )


def _whole_sentence(text: str, start: int, end: int) -> str:
    """Return the whole sentence (or sentences) around a part of a text, on one line."""
    first, last = span_around(list(sentence_spans(text)), start, end)
    if last - first > _MAX_CHARS:
        first, last = max(first, start - _MAX_CHARS // 3), min(last, max(end, start + _MAX_CHARS))
    return " ".join(text[first : first + min(last - first, _MAX_CHARS)].split())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(fold_text(text)))


@lru_cache(maxsize=512)
def _fold(text: str) -> FoldedText:
    return FoldedText.of(text, _letters_of)


@lru_cache(maxsize=16_384)
def _letters_of(character: str) -> str:
    return "".join(filter(str.isalnum, fold_text(character)))


def quotations_of(value: object, most: int = 8) -> tuple[str, ...]:
    """Return the quotations in a field of a model's answer: a text or a list of texts."""
    items: Iterable[object] = value if isinstance(value, (list, tuple)) else [value]
    return tuple(one.strip() for one in items if isinstance(one, str) and one.strip())[:most]
