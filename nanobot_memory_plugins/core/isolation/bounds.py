"""How much one answer may hold, so that no plugin can fill a prompt, a disk or an afternoon.

What is over a bound is refused before anything costly (redaction, joining, writing) looks at it. The bounds lie far
above what honest plugins answer: the largest of our own is the silent turn's note of a whole conversation where no
transcripts are kept, two million characters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Any

from nanobot_memory_plugins.core.values import Scope

# Items of the lists and mappings inside the values of one answer, together: tags, ids, the schema of a tool.
_ITEMS = 10_000


class TooLargeError(Exception):
    """An answer is over its bound; the text says by how much, without its content."""


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """What one answer of one plugin may hold: how many values, and how many characters in all of them together.

    ``attributes`` are those whose text counts in values that are no dataclasses.
    """

    values: int = 1_000
    characters: int = 1_000_000
    attributes: tuple[str, ...] = ()


# In a turn somebody waits; behind it, and before history is cut, everything that was said may have to be kept.
_IN_A_TURN = AnswerLimit(values=100, characters=200_000)
_BEHIND_IT = AnswerLimit(values=500, characters=4_000_000)
BOUNDS: Mapping[str, AnswerLimit] = {
    "on_message_received": _IN_A_TURN,
    "on_draft_written": _IN_A_TURN,
    "on_tool_executed": _IN_A_TURN,
    "on_session_idle": _BEHIND_IT,
    "on_turn_finished": _BEHIND_IT,
    "before_compaction": _BEHIND_IT,
    # Beside what they were handed: it may come back as it was.
    "trim_bootstrap": AnswerLimit(values=1, characters=10_000),
    "prompt_entries": AnswerLimit(values=1, characters=200_000),
    "open_store": AnswerLimit(values=1),
    "share_store": AnswerLimit(values=1),
    "open_entries": AnswerLimit(values=1),
    "contribute_tools": AnswerLimit(values=100, characters=200_000, attributes=("name", "description", "parameters")),
    "withheld_texts": AnswerLimit(values=10_000, characters=4_000_000),
    "on_purge": AnswerLimit(values=10_000, characters=4_000_000),
}

# What a plugin's tool may say at a time, in characters, and of a hit of a store: its text, its snippet, and all of its
# other texts together. Our own hits are of some thousand characters.
TOOL_ANSWER = 200_000
HIT_TEXT = 100_000
HIT_SNIPPET = 10_000
HIT_FIELDS = 20_000


def bound_of(hook: str, given: int = 0) -> AnswerLimit:
    """Return the bound of a hook's answers, ``given`` characters wider: those that may come back."""
    bound = BOUNDS.get(hook, AnswerLimit())
    return AnswerLimit(bound.values, bound.characters + given, bound.attributes) if given else bound


class SizeCounter:
    """Counts one answer against its bound."""

    def __init__(self, bound: AnswerLimit) -> None:
        self._bound = bound
        self._characters = bound.characters
        self._items = _ITEMS

    def values(self, count: int) -> None:
        """Count the values of the answer. Raises `TooLargeError`."""
        if count > self._bound.values:
            raise TooLargeError(f"an answer of {count:,} values, where {self._bound.values:,} are allowed")

    def attributes(self, value: object) -> None:
        """Count a value that is handed on itself. Raises `TooLargeError`."""
        if issubclass(type(value), dict):
            self.plain(value)
        for name in self._bound.attributes:
            self.plain(getattr(value, name))

    def plain(self, value: object) -> object:
        """Count the text in a value, and return it: a scope as its fields, an iterator as a tuple.

        Raises `TooLargeError`.
        """
        kind = type(value)
        known: Any = value
        # The base classes' own methods: those of a subclass might say anything, or never end.
        if issubclass(kind, str):
            self._take(str.__len__(known))
        elif issubclass(kind, (bytes, bytearray)):
            self._take(memoryview(known).nbytes)
        elif issubclass(kind, dict):
            self._all(part for pair in dict.items(known) for part in pair)
        elif issubclass(kind, Mapping):
            self._all(part for pair in known.items() for part in pair)
        elif issubclass(kind, list):
            self._all(list.__iter__(known))
        elif issubclass(kind, tuple):
            self._all(tuple.__iter__(known))
        elif issubclass(kind, Scope):
            # Field by field: what is already a scope would be taken as it is, half-built or not.
            return {field.name: self.plain(getattr(value, field.name, None)) for field in fields(Scope)}
        elif is_dataclass(kind):
            self._all(getattr(value, field.name, None) for field in fields(kind))
        elif hasattr(kind, "__iter__"):
            return self._all(known)
        return value

    def _all(self, parts: Iterable[Any]) -> tuple[object, ...]:
        found = []
        for part in islice(parts, self._items + 1):
            self._items -= 1
            if self._items < 0:
                raise TooLargeError(f"an answer of more than {_ITEMS:,} items in its values")
            found.append(self.plain(part))
        return tuple(found)

    def _take(self, characters: int) -> None:
        self._characters -= characters
        if self._characters < 0:
            raise TooLargeError(f"an answer of more than {self._bound.characters:,} characters")
