"""The language that the user writes, remembered across processes: one message in another one changes nothing."""

import re
import threading
from contextlib import suppress

from nanobot_memory_plugins.core import Message, StoreError
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.conversation import dominant_language
from nanobot_memory_plugins.core.text.fence import Language

_TASK = "language"
# The language of each of the user's last messages is kept. Another one takes over when it has at least so many of them,
# and so many times as many as the one in use: people who mix two languages keep one.
_KEPT = 9
_LEAST = 3
_TIMES = 3

# Characters of a message that are looked at; a pasted file says little about its reader.
_SAMPLE = 4_000
_TELLING = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[A-Za-z]{2}\W+[A-Za-z]{2}")


class UserLanguage:
    """The user's language in one workspace, in the state database. It may be used from any thread."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._known: tuple[Language | None, tuple[Language, ...]] | None = None

    def current(self) -> Language | None:
        """Return the language in use, or None when the user has not said anything that tells."""
        with self._lock:
            return self._read()[0]

    def hear(self, text: str) -> None:
        """Learn from a message of the user's. It writes when that tells anything new: call it in a thread."""
        language = language_of_message(text)
        if language is None:
            return
        with self._lock:
            used, before = self._read()
            heard = (*before, language)[-_KEPT:]
            used = _after(used, heard)
            if (used, heard) != self._known:
                self._known = (used, heard)
                with suppress(StoreError):
                    self._state.set_task(_TASK, _TASK, {"used": used, "heard": heard})

    def _read(self) -> tuple[Language | None, tuple[Language, ...]]:
        if self._known is None:
            with suppress(StoreError):
                row = self._state.task(_TASK, _TASK) or {}
                heard = tuple(one for word in row.get("heard", ()) if (one := _language(word)) is not None)
                self._known = (_language(row.get("used")), heard)
        return self._known or (None, ())


def language_of_message(text: str) -> Language | None:
    """Return the language of one message, or None when it is too short to tell: one word, a number, a link."""
    sample = text[:_SAMPLE]
    if not _TELLING.search(re.sub(r"(?<!\S)\S*[:/@]\S+", " ", sample)):
        return None
    return dominant_language([Message(role="user", text=sample)])


def _after(used: Language | None, heard: tuple[Language, ...]) -> Language:
    if used is None:
        return heard[-1]
    own = heard.count(used)
    others = len(heard) - own
    return ("en" if used == "zh" else "zh") if others >= max(_LEAST, _TIMES * own) else used


def _language(word: object) -> Language | None:
    match word:
        case "zh":
            return "zh"
        case "en":
            return "en"
        case _:
            return None
