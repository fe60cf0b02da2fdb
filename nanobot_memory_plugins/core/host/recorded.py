"""The messages in transcripts, to recognise those of a host's history."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values.conversation import message_key
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# Messages of a session that are compared, the last ones.
_RECORDS = 20_000
# From so many characters on a text is known as a part of one that was recorded: hosts cut what is long.
_PART = 40
_MARK_LINE = re.compile(r"\s*\[[^\[\]\n]{1,300}\]\s*")
_MARKS_BEFORE = re.compile(r"\A\s*(?:\[[^\[\]\n]{1,80}\]\s*){1,4}")


class RecordedMessages:
    """Counts what is recorded; each record accounts for one message of the history.

    A message is known by its role and words. Where redaction has hidden something, the words around it have to be
    there.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._texts: dict[str, list[str]] = {"user": [], "assistant": []}
        self._redacted: dict[str, list[list[str]]] = {"user": [], "assistant": []}

    @classmethod
    def read(cls, paths: MemoryPaths, session_keys: Sequence[str]) -> "RecordedMessages":
        """Return what the transcripts of some sessions hold, imported ones included. It blocks."""
        made = cls()
        for key in session_keys:
            for path in (paths.transcript(key), paths.sessions / session_file_name(f"imported/{key}")):
                try:
                    records = last_records(path, key, _RECORDS)
                except OSError as error:
                    logger.warning("a transcript cannot be read to compare a history with: {}", error.strerror)
                    continue
                for record in records:
                    made._add(record.role, record.text)
        return made

    @property
    def is_empty(self) -> bool:
        """Whether nothing is recorded, so that nothing can have been dropped of it either."""
        return not any(self._counts.values())

    def add_counts(self, counts: Iterable[Counter[str]]) -> None:
        """Add messages that were counted elsewhere: they may be on their way to the file, or redacted in it."""
        for one in counts:
            self._counts |= one

    def take(self, role: str, text: str) -> bool:
        """Return whether a message is recorded, perhaps redacted, and use up one record for it."""
        if self.known(role, text) is not None:
            return True
        redacted = self._redacted.get(role, ())
        whole = " ".join(text.split()) if redacted else ""
        for index, pieces in enumerate(redacted):
            if _fits(pieces, whole):
                del self._redacted[role][index]
                return True
        return False

    def known(self, role: str, text: str) -> str | None:
        """Return what of a message is recorded word by word, without a host's marks around it, or None."""
        for candidate in dict.fromkeys((text, *_without_marks(text))):
            key = message_key(role, candidate)
            if self._counts[key] > 0:
                self._counts[key] -= 1
                return candidate
        recorded = self._joined.get(role, "")
        whole = " ".join(text.split()) if recorded else ""
        return text if len(whole) >= _PART and whole in recorded else None

    def _add(self, role: str, text: str) -> None:
        whole = " ".join(text.split())
        self._counts[message_key(role, text)] += 1
        if role in self._texts:
            self._texts[role].append(whole)
            if PLACEHOLDER.search(whole):
                self._redacted[role].append(PLACEHOLDER.split(whole))

    @cached_property
    def _joined(self) -> dict[str, str]:
        return {role: "\n".join(texts) for role, texts in self._texts.items()}


def _without_marks(text: str) -> Iterator[str]:
    """Yield a text without what hosts put around it in brackets: pictures, times, names."""
    if "[" in text:
        lines = "\n".join(line for line in text.splitlines() if not _MARK_LINE.fullmatch(line))
        for left in (lines, _MARKS_BEFORE.sub("", lines, count=1)):
            if left.strip():
                yield left


def _fits(pieces: Sequence[str], text: str) -> bool:
    """Return whether a text begins and ends with the outer pieces, and has the others between, in order."""
    if len(text) < sum(map(len, pieces)) or not text.startswith(pieces[0]) or not text.endswith(pieces[-1]):
        return False
    place, end = len(pieces[0]), len(text) - len(pieces[-1])
    for piece in pieces[1:-1]:
        found = text.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True
