"""The recorded messages of sessions, to recognise those of a host's history."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values.conversation import message_key
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# Only this many messages at the end of a transcript are compared.
_MAX_RECORDS = 20_000
# A text of at least this many characters may match a part of a recorded one: hosts cut long messages.
_SHORTEST_PART = 40
_LABEL_LINE = re.compile(r"\s*\[[^\[\]\n]{1,300}\]\s*")
_LEADING_LABELS = re.compile(r"\A\s*(?:\[[^\[\]\n]{1,80}\]\s*){1,4}")


class RecordedMessages:
    """Counts the recorded messages; each record matches one message of the history.

    Messages match by role and words. Where redaction has hidden something, the words around it must match.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._texts: dict[str, list[str]] = {"user": [], "assistant": []}
        self._redacted: dict[str, list[list[str]]] = {"user": [], "assistant": []}

    @classmethod
    def read(cls, paths: MemoryPaths, session_keys: Sequence[str]) -> "RecordedMessages":
        """Return the messages in the transcripts of some sessions, including imported ones. This blocks."""
        recorded = cls()
        for key in session_keys:
            for path in (paths.transcript(key), paths.sessions / session_file_name(f"imported/{key}")):
                try:
                    records = last_records(path, key, _MAX_RECORDS)
                except OSError as error:
                    logger.warning("a transcript cannot be read to compare a history with: {}", error.strerror)
                    continue
                for record in records:
                    recorded._add(record.role, record.text)
        return recorded

    @property
    def is_empty(self) -> bool:
        """Whether no record is left to match."""
        return not any(self._counts.values())

    def add_counts(self, counts: Iterable[Counter[str]]) -> None:
        """Add messages that were counted elsewhere: they may not be written yet, or be redacted in the file."""
        for one in counts:
            self._counts |= one

    def consume(self, role: str, text: str) -> bool:
        """Return whether a message is recorded, perhaps redacted, and remove one record for it."""
        if self.match(role, text) is not None:
            return True
        redacted = self._redacted.get(role, ())
        whole = " ".join(text.split()) if redacted else ""
        for index, pieces in enumerate(redacted):
            if _matches_pieces(whole, pieces):
                del self._redacted[role][index]
                return True
        return False

    def match(self, role: str, text: str) -> str | None:
        """Return a message as recorded, without labels of a host, and remove one record for it; else None."""
        for candidate in dict.fromkeys((text, *_without_labels(text))):
            key = message_key(role, candidate)
            if self._counts[key] > 0:
                self._counts[key] -= 1
                return candidate
        recorded = self._joined_texts.get(role, "")
        whole = " ".join(text.split()) if recorded else ""
        return text if len(whole) >= _SHORTEST_PART and whole in recorded else None

    def _add(self, role: str, text: str) -> None:
        whole = " ".join(text.split())
        self._counts[message_key(role, text)] += 1
        if role in self._texts:
            self._texts[role].append(whole)
            if PLACEHOLDER.search(whole):
                self._redacted[role].append(PLACEHOLDER.split(whole))

    @cached_property
    def _joined_texts(self) -> dict[str, str]:
        return {role: "\n".join(texts) for role, texts in self._texts.items()}


def _without_labels(text: str) -> Iterator[str]:
    """Yield a text without the labels in brackets that hosts add: pictures, times, names."""
    if "[" in text:
        lines = "\n".join(line for line in text.splitlines() if not _LABEL_LINE.fullmatch(line))
        for stripped in (lines, _LEADING_LABELS.sub("", lines, count=1)):
            if stripped.strip():
                yield stripped


def _matches_pieces(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text begins and ends with the outer pieces and contains the others between, in order."""
    if len(text) < sum(map(len, pieces)) or not text.startswith(pieces[0]) or not text.endswith(pieces[-1]):
        return False
    place, end = len(pieces[0]), len(text) - len(pieces[-1])
    for piece in pieces[1:-1]:
        found = text.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True
