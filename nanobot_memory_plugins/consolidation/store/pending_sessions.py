"""Messages that wait to be learned from: cut by a compaction, or left because there was no model.

One small file a session, ``memory/.entries/pending/<session>.json``, without secrets, for the owner only. It is not
beside the index, which may be deleted at any time: what was cut may stand nowhere else.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import Timeout

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import MemoryFileError, MemoryPaths, Message, Scope, logger
from nanobot_memory_plugins.core.files import private_folder, private_lock, session_file_name
from nanobot_memory_plugins.core.files.seen_messages import SeenMessages
from nanobot_memory_plugins.core.text import message_time

# Messages that wait at most: of a session the newest, and the sessions that came last.
_MESSAGES, _SESSIONS = 400, 500
_LOCK_SECONDS = 5.0

# What is counted of a waiting message: questions about it that were not answered, and uses of the model that failed.
ASKED, FAILED = "asked", "failed"


class Pending:
    """The waiting messages of one workspace. Everything here blocks: call it in a thread."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._memory = paths.memory
        self._folder = entries_folder(paths) / "pending"

    def add(
        self,
        session_key: str,
        messages: Sequence[Message],
        scope: Scope,
        *,
        left: Callable[[Sequence[Message]], Sequence[Message]] = lambda messages: messages,
    ) -> bool:
        """Add messages, each once; say whether they are on the disk.

        ``left`` says under the lock what of them may be kept: a purge looks here after it has said what is forgotten.
        """
        if not messages:
            return True

        def change(waiting: list[Message]) -> list[Message]:
            return [*waiting, *unknown_among(left(messages), waiting)][-_MESSAGES:]

        return self._change(session_key, change, scope)

    def read(self, session_key: str) -> list[Message]:
        """Return the waiting messages of a session, oldest first."""
        return _messages(self._load(self._file(session_key)))

    def count(self, session_key: str, messages: Sequence[Message], what: str, *, times: int, most: int) -> list[bool]:
        """Count `ASKED` or `FAILED` of waiting messages, and drop those that have had their chances.

        Return for each of ``messages`` whether it is such a one.
        """
        meant = {_identity(_row(message)) for message in messages}
        spent: set[tuple[object, ...]] = set()

        def change(waiting: list[Message]) -> list[Message]:
            left = []
            for message in waiting:
                identity = _identity(_row(message))
                if identity in meant:
                    count = counted(message, what) + times
                    if count >= most:
                        spent.add(identity)
                        continue
                    message = replace(message, raw={**message.raw, what: count})
                left.append(message)
            return left

        self._change(session_key, change, None)
        return [_identity(_row(message)) in spent for message in messages]

    def has_unasked(self, session_key: str) -> bool:
        """Return whether messages of a session wait that the model was never asked about."""
        return self.has(session_key) and any(
            not counted(message, ASKED) and not counted(message, FAILED) for message in self.read(session_key)
        )

    def remove(self, session_key: str, dealt_with: Sequence[Message]) -> None:
        """Remove messages that have been dealt with."""
        if self._file(session_key).exists():
            self._change(session_key, lambda waiting: unknown_among(waiting, dealt_with), None)

    def forget(self, is_meant: Callable[[str], bool]) -> int:
        """Remove the messages whose text is meant, of all sessions, and return how many there were: for a purge.

        Raises `MemoryFileError`.
        """
        count = 0

        def kept(waiting: list[Message]) -> list[Message]:
            nonlocal count
            left = [message for message in waiting if not is_meant(message.text)]
            count += len(waiting) - len(left)
            return left

        if not self._folder.is_dir():
            return 0
        try:
            with private_lock(self._folder / ".lock", timeout=_LOCK_SECONDS):
                keys = [key for key, _ in self.sessions()]  # one that is being added is there, or told what to leave
        except (OSError, Timeout) as error:
            raise MemoryFileError("What waits to be learned from is locked by another process.") from error
        meant = [key for key in keys if any(is_meant(message.text) for message in self.read(key))]
        if [key for key in meant if not self._change(key, kept, None)]:
            raise MemoryFileError("What waits to be learned from cannot be written.")
        return count

    def sessions(self) -> list[tuple[str, Scope]]:
        """Return the sessions that wait, longest first, with whose they are."""
        found = []
        with suppress(OSError):
            for file in sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime):
                data = self._load(file)
                if isinstance(data.get("session"), str):
                    fields = data.get("scope")
                    known = {k: str(v) for k, v in fields.items()} if isinstance(fields, dict) else {}
                    with suppress(TypeError):
                        found.append((data["session"], Scope(**known)))
        return found

    def has(self, session_key: str) -> bool:
        """Return whether messages of a session wait."""
        return self._file(session_key).exists()

    def _change(self, session_key: str, change: Callable[[list[Message]], list[Message]], scope: Scope | None) -> bool:
        file = self._file(session_key)
        try:
            private_folder(self._folder, below=self._memory)
            with private_lock(self._folder / ".lock", timeout=_LOCK_SECONDS):
                data = self._load(file)
                left = change(_messages(data))
                if not left:
                    file.unlink(missing_ok=True)
                    return True
                if not file.exists():
                    self._prune()
                data["session"] = session_key
                if scope is not None:
                    data["scope"] = {name: value for name, value in asdict(scope).items() if value}
                data["messages"] = [_row(message) for message in left]
                write_private(file, json.dumps(data).encode("ascii"), durable=True)
        except (OSError, Timeout, MemoryFileError) as error:
            logger.warning("messages that are to be learned from cannot be kept: {}", type(error).__name__)
            return False
        return True

    def _file(self, session_key: str) -> Path:
        return self._folder / session_file_name(session_key).replace(".jsonl", ".json")

    def _load(self, file: Path) -> dict[str, Any]:
        try:
            data = json.loads(read_file(file) or b"{}")
        except (ValueError, RecursionError, MemoryFileError) as error:
            logger.warning("messages that were to be learned from cannot be read: {}", type(error).__name__)
            return {}
        return data if isinstance(data, dict) else {}

    def _prune(self) -> None:
        files = sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime)
        for file in files[: max(0, len(files) - _SESSIONS + 1)]:
            file.unlink(missing_ok=True)


def unknown_among(messages: Sequence[Message], known: Sequence[Message]) -> list[Message]:
    """Return the messages that are not among ``known``, told as `SeenMessages` does: by text and neighbour."""
    marks = SeenMessages()
    marks.add(known)
    return [message for message, new in zip(messages, marks.is_new(messages), strict=True) if new]


def counted(message: Message, what: str) -> int:
    """Return how often something was counted of a waiting message."""
    count = message.raw.get(what)
    return count if isinstance(count, int) else 0


def _row(message: Message) -> dict[str, Any]:
    time = message_time(message)
    row = {"role": message.role, "text": message.text, **({"time": time.isoformat()} if time else {})}
    return row | {what: count for what in (ASKED, FAILED) if (count := counted(message, what))}


def _identity(row: Mapping[str, Any]) -> tuple[object, ...]:
    return row["role"], row["text"], str(row.get("time"))


def _is_message(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("role"), str) and isinstance(row.get("text"), str)


def _messages(data: dict[str, Any]) -> list[Message]:
    rows = data.get("messages")
    return [
        Message(role=row["role"], text=row["text"], raw={name: row.get(name) for name in ("time", ASKED, FAILED)})
        for row in (rows if isinstance(rows, list) else [])
        if _is_message(row)
    ]
