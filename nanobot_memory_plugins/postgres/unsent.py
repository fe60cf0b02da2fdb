"""What of this machine's files is kept here, and not for everybody yet."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Final

from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.search.documents import FileState
from nanobot_memory_plugins.search.sources.places import Places

# Seconds: how old the number in a status may be.
_AGE: Final = 1.0


class Unsent:
    """Counts the bytes that are not on the server, as far as this process knows what was ``sent``."""

    def __init__(self, places: Places, sent: Callable[[], Mapping[str, FileState]], threads: DaemonThreadPool) -> None:
        self._places = places
        self._sent = sent
        self._threads = threads
        self._lock = threading.Lock()
        self._counted_at = 0.0
        self._counting: Future[None] | None = None
        self.bytes = 0

    def count(self) -> None:
        """Count them now. It looks at every file."""
        with self._lock:  # one count after the other: that which began last is the last to say
            self._counted_at = time.monotonic()
            sent, unsent = self._sent(), 0
            for source in self._places.find():
                state = sent.get(source.relative)
                if state is None or (state.size, state.mtime_ns) != (source.size, source.mtime_ns):
                    unsent += max(1, source.size - (state.offset if state is not None else 0))
            self.bytes = unsent

    def count_soon(self) -> None:
        """Have them counted, where the number is old."""
        idle = self._counting is None or self._counting.done()
        if idle and time.monotonic() - self._counted_at > _AGE:
            self._counting = self._threads.submit(self.count)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return each file as it is now, by its size and its time."""
        return {source.relative: (source.size, source.mtime_ns) for source in self._places.find()}


def covers(states: Mapping[str, FileState], wanted: Mapping[str, tuple[int, int]]) -> bool:
    """Tell whether all files, as they were, are sent, and none that was gone is left."""
    return set(states) <= set(wanted) and all(
        (state := states.get(path)) is not None and state.size >= size and state.mtime_ns >= time_ns
        for path, (size, time_ns) in wanted.items()
    )
