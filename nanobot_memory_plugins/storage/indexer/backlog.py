"""What the indexer has still to do, in order."""

import threading
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path

_FIRST_RETRY, _LONGEST_RETRY = 2.0, 300.0

Marker = Future[None]


class Backlog:
    """Paths to bring up to date, first come first served, each at most once at a time. Safe from any thread.

    It holds names, never contents, so its size is bounded by the number of files. A marker completes when
    everything that stood before it has been done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: deque[Path | Marker] = deque()
        self._queued: set[Path] = set()
        self._failures: dict[Path, tuple[int, float]] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._queue)

    def add(self, path: Path) -> None:
        """Queue a path, unless it stands in the queue already."""
        with self._lock:
            if path not in self._queued:
                self._queued.add(path)
                self._queue.append(path)

    def add_marker(self, marker: Marker) -> None:
        """Queue a marker behind everything that stands there now."""
        with self._lock:
            self._queue.append(marker)

    def take(self) -> Path | Marker | None:
        """Return what is to be done next, or None. What is taken may be queued again at once."""
        with self._lock:
            if not self._queue:
                self._requeue_failed()
            if not self._queue:
                return None
            item = self._queue.popleft()
            if isinstance(item, Path):
                self._queued.discard(item)
            return item

    def succeeded(self, path: Path) -> None:
        """Forget the failures of a path."""
        with self._lock:
            self._failures.pop(path, None)

    def failed(self, path: Path) -> float:
        """Note a failure; the path comes again after the returned seconds, longer each time."""
        with self._lock:
            count, _ = self._failures.get(path, (0, 0.0))
            delay = min(_LONGEST_RETRY, _FIRST_RETRY * 2.0**count)
            self._failures[path] = (count + 1, time.monotonic() + delay)
            return delay

    def is_resting(self, path: Path) -> bool:
        """Tell whether a path failed and its time has not come yet."""
        with self._lock:
            return path in self._failures and self._failures[path][1] > time.monotonic()

    def _requeue_failed(self) -> None:
        now = time.monotonic()
        for path, (count, due) in self._failures.items():
            if due <= now and path not in self._queued:
                self._failures[path] = (count, now + _LONGEST_RETRY)
                self._queued.add(path)
                self._queue.append(path)

    def clear(self) -> list[Marker]:
        """Empty the backlog and return the markers that stood in it."""
        with self._lock:
            markers = [item for item in self._queue if isinstance(item, Future)]
            self._queue.clear()
            self._queued.clear()
            self._failures.clear()
            return markers
