"""Notices for the index that a file has grown, held back while a message in it is being answered.

Otherwise the index would have the message while memory is searched for it, or not, as fast as the machine is, and what
is recalled would differ from one run to the next.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class AppendNotices:
    """Passes on which files have grown; any thread may call it."""

    def __init__(self, pass_on: Callable[[Path], None]) -> None:
        self._pass_on = pass_on
        self._lock = threading.Lock()
        self._held: Counter[Path] = Counter()
        self._grown: set[Path] = set()

    def __call__(self, path: Path) -> None:
        """Pass on that a file has grown, at once or when nothing holds it any more."""
        with self._lock:
            if path in self._held:
                self._grown.add(path)
                return
        self._pass_on(path)

    @contextmanager
    def held(self, path: Path) -> Iterator[None]:
        """Hold back what is said of a file. Several may do so at once; the last one lets it go."""
        with self._lock:
            self._held[path] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[path] -= 1
                has_grown = not self._held[path] and path in self._grown
                if not self._held[path]:
                    del self._held[path]
                    self._grown.discard(path)
            if has_grown:
                self._pass_on(path)
