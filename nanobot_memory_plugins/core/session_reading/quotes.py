"""The place of quoted words in a conversation: found by characters, widened to their sentence, and looked at once.

Nothing here judges what a sentence means. A quotation is searched without case, punctuation, white space and script;
words that occur nowhere so are those of the sentence that shares most of them, if one does so clearly.
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
"""Kinds of entries that may rest on the assistant's own words: what it has found out itself."""

# Fewer characters than this are found everywhere.
_SHORTEST = 2
# Characters of a stored sentence: a longer one is cut around what was quoted.
LONGEST = 300
# Of the words of a quotation that occurs nowhere, the share that a sentence must hold, and by how much it must lead.
_ENOUGH, _LEAD = 0.7, 0.2
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")

# A sentence that asks or laughs is no fact, and one that hedges is a guess (98 of 100 true quotations pass these
# two, and 6 of 20 wrong ones).
_ASKS_OR_LAUGHS = re.compile(
    r"[?？]\W*$|[吗呢]\W*$|\b(?:lol|haha\w*|rofl|just kidding|kidding|joking)\b|哈哈|开玩笑|说笑|逗你", re.IGNORECASE
)
_HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i guess|not sure|no idea|i heard|rumou?r|supposedly|apparently|if)\b"
    r"|也许|可能|大概|好像|似乎|听说|据说|不确定|如果|要是|假如|万一",
    re.IGNORECASE,
)


class Quotations:
    """The sentences of a conversation that may be quoted: the users' own, and the assistant's replies."""

    def __init__(self, records: Sequence[TranscriptRecord]) -> None:
        """Begin with records, oldest first; what users pasted into their messages is nobody's word."""
        self._user_texts = [(one, text_to_assistant(one.text)) for one in records if one.origin is Origin.USER]
        self._assistant_texts = [(one, one.text) for one in records if one.origin is Origin.ASSISTANT]

    def find(self, words: Sequence[str], *, of_assistant: bool = False) -> Quote | None:
        """Return the sentence of a user's that holds the first of some quoted words that anybody has said, or None.

        With ``of_assistant`` a reply of the assistant's counts where no user has said it.
        """
        for records in (self._user_texts, self._assistant_texts) if of_assistant else (self._user_texts,):
            for quoted in words:
                found = _exactly(quoted, records) or _by_words(quoted, records)
                if found is not None:
                    return found
        return None


def _exactly(quoted: str, records: Sequence[tuple[TranscriptRecord, str]]) -> Quote | None:
    needle = _folded(quoted).letters
    if len(needle) < _SHORTEST:
        return None
    for record, text in reversed(records):
        for start, end in _folded(text).find(needle):
            return _quote(record, text, start, end)
    return None


def _by_words(quoted: str, records: Sequence[tuple[TranscriptRecord, str]]) -> Quote | None:
    """Return the sentence that shares most words with a quotation, where it is clear which that is."""
    quoted_words = _words(quoted)
    if not quoted_words:
        return None
    rated = [
        (len(quoted_words & _words(text[start:end])) / len(quoted_words), place, start, end)
        for place, (_, text) in enumerate(records)
        for start, end in sentence_spans(text)
    ]
    rated.sort(reverse=True)
    if not rated or rated[0][0] < _ENOUGH or (len(rated) > 1 and rated[0][0] - rated[1][0] < _LEAD):
        return None
    _, place, start, end = rated[0]
    return _quote(*records[place], start, end)


def _quote(record: TranscriptRecord, text: str, start: int, end: int) -> Quote | None:
    if record.time is None:
        return None
    sentence = _widened(text, start, end)
    return Quote(
        sentence,
        record.time.astimezone().date(),
        record.origin,
        record.scope,
        not (_ASKS_OR_LAUGHS.search(sentence) or _HEDGES.search(sentence)),
        record.id,
    )


def _widened(text: str, start: int, end: int) -> str:
    """Return the whole sentences that a part of a text touches, on one line."""
    first, last = span_around(list(sentence_spans(text)), start, end)
    if last - first > LONGEST:
        first, last = max(first, start - LONGEST // 3), min(last, max(end, start + LONGEST))
    return " ".join(text[first : first + min(last - first, LONGEST)].split())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(fold_text(text)))


@lru_cache(maxsize=512)
def _folded(text: str) -> FoldedText:
    return FoldedText.of(text, _letters_of)


@lru_cache(maxsize=16_384)
def _letters_of(character: str) -> str:
    return "".join(filter(str.isalnum, fold_text(character)))


def quotations_of(value: object, most: int = 8) -> tuple[str, ...]:
    """Return the quotations that a model gave: a text or a list of texts."""
    given: Iterable[object] = value if isinstance(value, (list, tuple)) else [value]
    return tuple(one.strip() for one in given if isinstance(one, str) and one.strip())[:most]
