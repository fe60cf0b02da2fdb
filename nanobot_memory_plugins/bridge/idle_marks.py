"""Which sessions' quiet has been dealt with: a small file beside the index, shared by the processes of a workspace."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import Timeout

from nanobot_memory_plugins.core import MemoryFileError, logger
from nanobot_memory_plugins.core.files import private_folder, private_lock, read_regular, replace_file
from nanobot_memory_plugins.core.scopes import redact_key

# A session whose catching up was cut short this often is given up: short-lived processes would pay for it for ever.
_TRIES = 3
_REMEMBERED = 1_000
_LOCK_SECONDS = 1.0


class IdleMarks:
    """Remembers per session up to which save it has been dealt with.

    What was saved before the file was first written counts as done, so that installing the set does not
    set off a summary of every old session.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = private_lock(file.with_suffix(".lock"), timeout=_LOCK_SECONDS)

    def due(
        self, sessions: Iterable[tuple[str, datetime]], *, now: datetime, at_most: int
    ) -> list[tuple[str, datetime]]:
        """Return the sessions that nobody has dealt with since they were saved, newest first, and count the try."""
        chosen: list[tuple[str, datetime]] = []

        def choose(marks: dict[str, Any]) -> None:
            since = marks.setdefault("since", now.isoformat())
            done, tries = marks.setdefault("done", {}), marks.setdefault("tries", {})
            for key, saved in sorted(sessions, key=lambda one: one[1], reverse=True):
                stamp = saved.isoformat()
                name = redact_key(key)
                known = tries.get(name, ["", 0])
                count = known[1] if known[0] == stamp else 0
                if stamp > max(since, done.get(name, "")) and count < _TRIES and len(chosen) < at_most:
                    tries[name] = [stamp, count + 1]
                    chosen.append((key, saved))

        self._change(choose)
        return chosen

    def note(self, key: str, saved: datetime) -> None:
        """Record that a session has been dealt with as it was saved at ``saved``."""
        name = redact_key(key)

        def add(marks: dict[str, Any]) -> None:
            marks.setdefault("since", saved.isoformat())
            marks.setdefault("tries", {}).pop(name, None)
            done = marks.setdefault("done", {})
            done[name] = max(saved.isoformat(), done.pop(name, ""))
            for oldest in sorted(done, key=done.__getitem__)[:-_REMEMBERED]:
                marks["since"] = max(marks["since"], done.pop(oldest))

        self._change(add)

    def _change(self, change: Any) -> None:
        """Read, change and write the file under its lock. A file that cannot be used is begun anew."""
        try:
            private_folder(self._file.parent)
            with self._lock:
                marks: dict[str, Any] = {}
                with suppress(FileNotFoundError, ValueError):
                    read = json.loads(read_regular(self._file))
                    marks = read if isinstance(read, dict) else {}
                change(marks)
                replace_file(self._file, json.dumps(marks, ensure_ascii=False).encode())
        except (OSError, Timeout, MemoryFileError, AttributeError, TypeError, IndexError) as error:
            logger.warning("the marks of idle sessions could not be kept: {}", type(error).__name__)
