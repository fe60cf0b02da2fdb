"""The points between Markdown, queue and database at which a writer can be made to end.

Everything here is put around the product's own functions, in the process of the writer alone.
"""

import functools
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from nanobot_memory_plugins.consolidation.store import repository
from nanobot_memory_plugins.core.files import appending, replace, spill, writing
from nanobot_memory_plugins.storage.database import database
from nanobot_memory_plugins.storage.database import writing as rows_writing

Passed = Callable[[str], None]

ENTRIES = ("before check", "before journal", "after journal", "after replace", "after seen")
POINTS = (
    *("before append", "half a write", "after append", "before the queue", "after the queue"),
    *("after spill", "spill merged, not removed"),
    *("before the transaction", "inside the transaction", "before commit", "after commit"),
    *("new file written", "after backup"),
    *(f"entries: {point}" for point in ENTRIES),
)


def arm(point: str, nth: int, reached: Callable[[], None]) -> None:
    """Kill this process without warning when it passes ``point`` for the ``nth`` time."""
    lock, passed = threading.Lock(), [0]

    def passes(name: str) -> None:
        if name != point:
            return
        with lock:
            passed[0] += 1
            if passed[0] != nth:
                return
            reached()
            os.kill(os.getpid(), signal.SIGKILL)

    _around(appending.OpenFile, "append", passes, "before append", "after append")
    _around(writing.Writer, "_announce", passes, "before the queue", "after the queue")
    _around(spill.SpillFile, "add", passes, "", "after spill")
    _around(spill, "_remove", passes, "spill merged, not removed", "")
    _around(database.Database, "apply_all", passes, "before the transaction", "after commit")
    _around(rows_writing, "apply_change", passes, "inside the transaction", "before commit")
    _around(replace, "_write_new", passes, "", "new file written")
    _around(replace, "_keep_backup", passes, "", "after backup")
    if point == "half a write":
        _halve(passes)
    began = repository.EntryRepository.__init__

    @functools.wraps(began)
    def begin(*arguments: Any, **named: Any) -> None:
        began(*arguments, **{**named, "at": lambda name: passes(f"entries: {name}")})

    repository.EntryRepository.__init__ = begin  # type: ignore[method-assign]


def _around(owner: Any, name: str, passes: Passed, before: str, after: str) -> None:
    function = getattr(owner, name)

    @functools.wraps(function)
    def around(*arguments: Any, **named: Any) -> Any:
        passes(before)
        result = function(*arguments, **named)
        passes(after)
        return result

    setattr(owner, name, around)


def _halve(passes: Passed) -> None:
    """Write half of a record, as the kernel does for a process that is killed within a long write."""

    class HalfWriting:
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        @staticmethod
        def write(descriptor: int, data: Any) -> int:
            half = os.write(descriptor, data[: len(data) // 2])
            passes("half a write")
            return half + os.write(descriptor, data[len(data) // 2 :])

    appending.os = HalfWriting()  # type: ignore[assignment]
