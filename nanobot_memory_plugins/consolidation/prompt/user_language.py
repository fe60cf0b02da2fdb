"""The language that the user writes, remembered across processes: one message in another one changes nothing."""

import os
import re
import threading
from pathlib import Path

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import Message, logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, make_folder
from nanobot_memory_plugins.core.text.conversation import dominant_language
from nanobot_memory_plugins.core.text.fence import Language

# The language of each of the user's last messages is kept. Another one takes over when it has at least so many of them,
# and so many times as many as the one in use: people who mix two languages keep one.
_KEPT = 9
_LEAST = 3
_TIMES = 3

# Characters of a message that are looked at; a pasted file says little about its reader.
_SAMPLE = 4_000
_TELLING = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[A-Za-z]{2}\W+[A-Za-z]{2}")


class UserLanguage:
    """The user's language in one workspace, in ``memory/.entries/language``. It may be used from any thread.

    The file holds the language in use and that of the last messages, oldest first: ``zh: en zh zh``.
    """

    def __init__(self, workspace: str | Path) -> None:
        self._paths = MemoryPaths.of(workspace)
        self._file = entries_folder(self._paths) / "language"
        self._lock = threading.Lock()
        self._known: tuple[object, tuple[Language | None, tuple[Language, ...]]] = (None, (None, ()))

    def current(self) -> Language | None:
        """Return the language in use, or None when the user has not said anything that tells. Cheap."""
        with self._lock:
            return self._read()[0]

    def hear(self, text: str) -> None:
        """Learn from a message of the user's. It writes a file when that tells anything new: call it in a thread."""
        language = language_of_message(text)
        if language is None:
            return
        with self._lock:
            used, before = self._read()
            heard = (*before, language)[-_KEPT:]
            used = _after(used, heard)
            if (used, heard) == self._known[1]:
                return
            self._write(used, heard)

    def _write(self, used: Language, heard: tuple[Language, ...]) -> None:
        try:
            make_folder(self._paths, self._file.parent)
            write_private(self._file, f"{used}: {' '.join(heard)}\n".encode())
        except MemoryFileError as error:
            logger.debug("cannot save the user's language: {}", error.cause)
        self._known = (_signature(self._file), (used, heard))

    def _read(self) -> tuple[Language | None, tuple[Language, ...]]:
        signature = _signature(self._file)
        if signature != self._known[0]:
            try:
                text = (read_file(self._file) or b"").decode("ascii", "replace")
            except MemoryFileError:
                text = ""
            used, _, heard = text.partition(":")
            self._known = (signature, (_language(used), tuple(filter(None, map(_language, heard.split()[-_KEPT:])))))
        return self._known[1]


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


def _language(word: str) -> Language | None:
    match word.strip():
        case "zh":
            return "zh"
        case "en":
            return "en"
        case _:
            return None


def _signature(path: Path) -> object:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
