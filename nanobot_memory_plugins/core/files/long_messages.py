"""Long messages: redacted in a thread of their own, so that what is short is written meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from nanobot_memory_plugins.core.files.thread import Deliver, SerialThread
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.values import Receipt

LONG = 32_768
"""Characters beyond which a message is redacted beside the others. Nothing shorter takes a second."""


class LongMessages:
    """Redacts long messages and hands them on to the writer's thread. The order within a session is kept.

    What follows a long message in its session goes the same way until that one was handed on. Nothing is on the disk
    before it is redacted.
    """

    def __init__(self, writer: SerialThread) -> None:
        self._writer = writer
        self._thread = SerialThread("memory-redaction", _nothing_is_due)
        self._lock = threading.Lock()
        self._waiting: Counter[str] = Counter()

    def takes(self, record: TranscriptRecord) -> bool:
        """Tell whether a message is long, or follows one that is still being redacted."""
        with self._lock:
            return len(record.text) > LONG or self._waiting[record.session_key] > 0

    def submit(
        self,
        record: TranscriptRecord,
        redact: Callable[[TranscriptRecord], TranscriptRecord],
        write: Callable[[TranscriptRecord], Receipt],
        deliver: Deliver,
    ) -> bool:
        """Accept a message; False once `end` was called."""
        with self._lock:
            self._waiting[record.session_key] += 1
        return self._thread.submit(partial(redact, record), partial(self._hand_on, record.session_key, write, deliver))

    def _hand_on(
        self,
        session_key: str,
        write: Callable[[TranscriptRecord], Receipt],
        deliver: Deliver,
        redacted: TranscriptRecord | None,
        error: BaseException | None,
    ) -> None:
        with self._lock:
            self._waiting[session_key] -= 1
            if not self._waiting[session_key]:
                del self._waiting[session_key]
            if redacted is None or not self._writer.submit(partial(write, redacted), deliver):
                deliver(None, error or RuntimeError("the writer has ended"))

    def end(self, at_end: Callable[[], None]) -> None:
        """Let the thread end after what was accepted; then call ``at_end``."""
        self._thread.end(_nothing, at_end)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end of the thread, in seconds at most ``timeout``."""
        self._thread.join(timeout)


def _nothing_is_due() -> None:
    return None


def _nothing() -> Any:
    """Be the last job."""
