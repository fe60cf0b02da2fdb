"""A lock file for which the threads of one process queue up."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.isolation.fork import at_fork

if TYPE_CHECKING:
    from filelock import FileLock

_queues: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_guard = threading.Lock()


def _begin_anew() -> None:
    """Forget who queued up in the process that this one was forked off: its threads are not here to leave."""
    global _guard
    _guard = threading.Lock()
    _queues.clear()


at_fork(_begin_anew)


@contextmanager
def queued(lock: "FileLock", *, timeout: float, poll_interval: float) -> Iterator[None]:
    """Hold ``lock``, and wait for it at most ``timeout`` seconds.

    A lock file is had by whoever asks at the right moment: of many threads that ask again and again, one may be passed
    over until its time is up, and all that ask take processor time from who has it. Here only the first of a process
    asks. Raises `filelock.Timeout`, and `OSError` where the file cannot be locked.
    """
    deadline = time.monotonic() + timeout
    with _guard:
        queue = _queues.setdefault(lock.lock_file, threading.Lock())
    if not queue.acquire(timeout=timeout):
        from filelock import Timeout

        raise Timeout(lock.lock_file)
    try:
        with lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=poll_interval):
            yield
    finally:
        queue.release()
