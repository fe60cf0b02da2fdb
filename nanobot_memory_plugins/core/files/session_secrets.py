"""Hides the secrets of a session in its later messages and notes, whose text no longer shows that they are secret."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.engine.turns import hide_answer, hide_values, is_lasting_secret
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED

# A shorter value may occur in ordinary text, and a longer one is a document.
_SHORTEST, _LONGEST = 4, 500
# A longer message is not the answer to a question that asks for a secret.
_LONGEST_ANSWER = 2_000
# Secrets that are remembered per session.
_MOST_SECRETS = 100


@dataclass(slots=True)
class SessionSecrets:
    """The last message of a session with its secrets, and the lasting secrets of the whole session."""

    _last: str = ""
    _secrets: tuple[str, ...] = ()
    _lasting: BoundedDict[str, None] = field(default_factory=lambda: BoundedDict(_MOST_SECRETS))

    def hide(self, text: str) -> str:
        """Return a message without secrets of the previous message, secrets that it asked for, and lasting ones."""
        if len(text) > _LONGEST_ANSWER:
            return hide_values(text, self._lasting)
        return hide_values(hide_answer(self._last, text), (*self._secrets, *self._lasting))

    def learn(self, text: str, secrets: Iterable[str]) -> None:
        """Remember a message and its secrets."""
        self._last, self._secrets = text[-_LONGEST_ANSWER:], tuple(sorted(secrets, key=len, reverse=True))
        self._lasting.update(dict.fromkeys(filter(is_lasting_secret, self._secrets)))

    def hide_in_note(self, note: Note) -> Note:
        """Return a note of the session without the lasting secrets."""
        tldr, details, title = (hide_values(text, self._lasting) for text in (note.tldr, note.details, note.title))
        return replace(note, tldr=tldr, details=details, title=title)


def redacted_values(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the placeholders in ``after`` with the values of ``before`` that they replaced, of 4 to 500 characters."""
    at = 0
    pieces, placeholders = PLACEHOLDER.split(after), ("", *PLACEHOLDER.findall(after))
    if len(pieces) == 1:
        return
    for number, (piece, placeholder) in enumerate(zip(pieces, placeholders, strict=True)):
        is_last_and_empty = not piece and number == len(pieces) - 1
        place = len(before) if is_last_and_empty else before.find(piece, at)
        if place < 0:
            return
        found = before[at:place].strip()
        if placeholder and found != REDACTED and _SHORTEST <= len(found) <= _LONGEST:
            yield placeholder, found
        at = place + len(piece)
