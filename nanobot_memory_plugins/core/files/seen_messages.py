"""Which messages of a session have been dealt with: a small file a session, shared by the processes of a workspace.

Hosts give messages no ids, cut histories anywhere and hand over the same message along several ways. A message is known
by its content together with that of a neighbour, so that a message which is repeated later, elsewhere, counts as new.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from filelock import Timeout

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.private import private_folder, private_lock
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_T = TypeVar("_T")

# Messages that are remembered a session; a context window holds far fewer.
_REMEMBERED = 4_000
# Sessions whose files are kept, and whose marks are held in memory when their file cannot be written.
_SESSIONS = 500
_LOCK_SECONDS = 2.0
# Of a longer text only both ends are hashed, and its length.
_HASHED = 1 << 16
# A text this long is not said twice in the same words: no neighbour needs to vouch for it.
_TELLING = 120
_SPOKEN = ("user", "assistant")


def digest(*parts: str) -> str:
    """Return a short fingerprint of some texts, the same in every process."""
    hashed = hashlib.blake2b(digest_size=6)
    for part in parts:
        if len(part) > 2 * _HASHED:
            part = f"{part[:_HASHED]}\0{len(part)}\0{part[-_HASHED:]}"
        hashed.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return hashed.hexdigest()


@dataclass(slots=True)
class SeenMessages:
    """What is remembered of one session: its messages, and ``values`` of the plugin's own (JSON)."""

    singles: dict[str, None] = field(default_factory=dict)
    pairs: dict[str, None] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def is_new(self, messages: Sequence[Message]) -> list[bool]:
        """Return for each message whether it has not been dealt with.

        Messages without text are what the next message with text is, tool results likewise; system messages are
        never new.
        """
        spoken, prints = _spoken(messages)
        new = [self._is_new(prints, place, messages[index].text) for place, index in enumerate(spoken)]
        flags: list[bool] = []
        place = 0
        for index, message in enumerate(messages):
            while place < len(spoken) and spoken[place] < index:
                place += 1
            near = min(place, len(spoken) - 1)
            flags.append(message.role != "system" and bool(new) and new[near])
        return flags

    def add(self, messages: Sequence[Message], only: Sequence[bool] | None = None) -> None:
        """Remember that these messages, or ``only`` those, have been dealt with; the others are their neighbours."""
        indexes, prints = _spoken(messages)
        for index, one in zip(indexes, prints, strict=True):
            if only is None or only[index]:
                _append(self.singles, one)
        for before, one in pairwise(prints):
            _append(self.pairs, digest(before, one))

    def _is_new(self, prints: Sequence[str], place: int, text: str) -> bool:
        one = prints[place]
        if one not in self.singles:
            return True
        if len(prints) == 1 or len(text) >= _TELLING:
            return False
        before = digest(prints[place - 1], one) if place else ""
        after = digest(one, prints[place + 1]) if place + 1 < len(prints) else ""
        return before not in self.pairs and after not in self.pairs


class MessageMarks:
    """The marks of all sessions, below one folder. Everything here blocks: call it in a worker thread.

    ``below`` says under which folder all are ours; it is the folder's parent, unless given. Where the folder cannot be
    written they are kept in memory, so that one process at least does nothing twice.
    """

    def __init__(self, folder: Path, *, below: Path | None = None) -> None:
        self._folder = folder
        self._below = below
        self._unwritten: BoundedDict[str, SeenMessages] = BoundedDict(_SESSIONS)

    def read(self, session_key: str) -> SeenMessages:
        """Return a session's marks; without a file that can be read they are empty."""
        return self._unwritten.get(session_key) or _load(self._file(session_key))

    def change(self, session_key: str, change: Callable[[SeenMessages], _T]) -> _T:
        """Read a session's marks, change them and write them back, alone among all processes."""
        file = self._file(session_key)
        try:
            private_folder(self._folder, below=self._below)
            with private_lock(self._folder / ".lock", timeout=_LOCK_SECONDS):
                marks = self.read(session_key)
                answer = change(marks)
                data = {"singles": list(marks.singles), "pairs": list(marks.pairs), "values": marks.values}
                if not file.exists():
                    self._prune()
                replace_file(file, json.dumps(data, ensure_ascii=True).encode("ascii"))
                self._unwritten.pop(session_key, None)
                return answer
        except (OSError, Timeout, MemoryFileError) as error:
            logger.warning("cannot save which messages were processed ({}): keeping it in memory", type(error).__name__)
        marks = self.read(session_key)
        answer = change(marks)
        self._unwritten[session_key] = marks
        return answer

    def _file(self, session_key: str) -> Path:
        return self._folder / session_file_name(session_key).replace(".jsonl", ".json")

    def _prune(self) -> None:
        """Forget the sessions that were dealt with longest ago."""
        with suppress(OSError):
            files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
            for file in files[: max(0, len(files) - _SESSIONS + 1)]:
                file.unlink(missing_ok=True)
                Path(f"{file}.bak").unlink(missing_ok=True)


def _spoken(messages: Sequence[Message]) -> tuple[list[int], list[str]]:
    """Return where people's and the assistant's texts stand, and their fingerprints."""
    indexes = [
        index for index, message in enumerate(messages) if message.role in _SPOKEN and not message.text.isspace()
    ]
    indexes = [index for index in indexes if messages[index].text]
    return indexes, [digest(messages[index].role, _folded(messages[index].text)) for index in indexes]


def _folded(text: str) -> str:
    """Return a text in the spelling in which it is compared: hosts trim and wrap what they hand over."""
    return " ".join(text.split()) if len(text) <= 2 * _HASHED else text.strip()


def _append(known: dict[str, None], one: str) -> None:
    known.pop(one, None)
    known[one] = None
    while len(known) > _REMEMBERED:
        del known[next(iter(known))]


def _load(file: Path) -> SeenMessages:
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, encoding="utf-8") as opened:
            data = json.load(opened)
        return SeenMessages(
            singles=dict.fromkeys(str(one) for one in data["singles"]),
            pairs=dict.fromkeys(str(one) for one in data["pairs"]),
            values=dict(data["values"]),
        )
    except FileNotFoundError:
        return SeenMessages()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        logger.warning("the marks of a session cannot be read and are begun anew: {}", type(error).__name__)
        return SeenMessages()
