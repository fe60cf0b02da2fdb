"""Calls into onnxruntime, and the end of the process, which waits for those that run and lets none begin.

When the interpreter ends, a daemon thread that comes back from C++ or Rust for its lock is ended by unwinding its
stack. These libraries take that for an error nobody handles, and abort the whole process.
"""

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.isolation.fork import at_fork
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Seconds that the end of the process waits: a model loads in far less, and what hangs must not hold it for ever.
_LONGEST_WAIT = 60.0


class NativeCalls:
    """The calls that run at this moment. Any thread may make them."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know of no call: those of the process from which this one was forked off are not here."""
        self._changed = threading.Condition()
        self._running = 0
        self._ended = False

    @contextmanager
    def one(self) -> Iterator[None]:
        """Make one call inside. Raises `EmbeddingError` once the process ends."""
        with self._changed:
            if self._ended:
                raise EmbeddingError(Sentence("The process is ending."))
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def end(self, timeout: float = _LONGEST_WAIT) -> bool:
        """Let no further call begin, wait (seconds) for those that run, and return whether all have come back."""
        with self._changed:
            self._ended = True
            return self._changed.wait_for(lambda: not self._running, timeout)


native_calls = NativeCalls()
at_fork(native_calls.begin_anew)
atexit.register(native_calls.end)
