"""One thread that does jobs in the order in which they came."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from nanobot_memory_plugins.core.log import logger

Job = Callable[[], Any]
# Called in the thread with the job's result, or with the exception that it raised.
Deliver = Callable[[Any, BaseException | None], None]


class SerialThread:
    """A daemon thread with a queue. It starts with its first job.

    ``tick`` is called after each job and when its own time has come: it answers in how many seconds it
    wants to be called again, or None.
    """

    def __init__(self, name: str, tick: Callable[[], float | None]) -> None:
        self._name = name
        self._tick = tick
        self._queue: queue.SimpleQueue[tuple[Job, Deliver] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False  # nothing more is accepted
        self._done = False  # everything accepted is done
        self._at_end: list[Callable[[], None]] = []

    def submit(self, job: Job, deliver: Deliver) -> bool:
        """Accept a job, from any thread; return False once `end` was called. What was accepted is done."""
        with self._lock:
            if self._ended:
                return False
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._queue.put((job, deliver))
            return True

    def end(self, last: Job, at_end: Callable[[], None]) -> None:
        """Let the thread end after what was accepted and the job ``last``; then call ``at_end``.

        Asking again only adds another ``at_end``. Without a thread there is nothing to end: it is called at
        once.
        """
        with self._lock:
            if not self._ended:
                self._ended = True
                if self._thread is not None:
                    self._queue.put((last, _to_nobody))
                    self._queue.put(None)
            if self._thread is None or self._done:
                at_end()
            else:
                self._at_end.append(at_end)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end of the thread, in seconds at most ``timeout``."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _run(self) -> None:
        wait: float | None = None
        while True:
            try:
                item = self._queue.get(timeout=wait)
            except queue.Empty:
                item = (_nothing, _to_nobody)
            if item is None:
                break
            job, deliver = item
            result, error = None, None
            # Nothing that a job raises may end the thread, or all later records would be lost.
            try:
                result = job()
            except BaseException as raised:
                error = raised
            try:
                deliver(result, error)
                del item, job, deliver, result, error
                wait = self._tick()
            except BaseException as raised:
                logger.error("memory writer: unhandled {}, continuing", type(raised).__name__)
                wait = None
        with self._lock:
            self._done = True
            for at_end in self._at_end:
                at_end()


def _nothing() -> None:
    """Do nothing: the job of a tick."""


def _to_nobody(result: Any, error: BaseException | None) -> None:
    """Discard a result that nobody waits for."""
