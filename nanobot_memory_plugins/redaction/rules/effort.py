"""How much work a stretch of text may cost: what is read over and over is hidden, not checked.

Rules read values. Ordinary text has few, and they are short; a text made for it has one behind every word, each of
which goes on to the text's end. The work is counted in characters, so that it is the same on every machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

# Characters read for each character of a stretch, and for any stretch; what a value costs, however short it is. Of a
# text in which every line has a secret one character is read for each character.
_TIMES = 2.5
_AT_LEAST = 30_000
_A_VALUE = 40


# Processor time for any text, and for each 1,024 characters: ten times what dense tables of secrets take.
_SECONDS = 2.0
_SECONDS_A_KB = 0.1
_MOST_COSTLY = 3


class TooCostlyError(Exception):
    """More work than any ordinary text costs."""


class _Effort(threading.local):
    left: float = float("inf")


_effort = _Effort()


@contextmanager
def bounded_effort(size: int) -> Iterator[None]:
    """Bound the work on a stretch of so many characters in this thread: beyond it `TooCostlyError` is raised.

    What was remembered of its values is dropped after it: they may be secrets.
    """
    before, _effort.left = _effort.left, _AT_LEAST + _TIMES * size
    try:
        yield
    finally:
        _effort.left = before
        for judge in _judges:
            judge.cache_clear()


def count_value(characters: int) -> None:
    """Count a value that was read."""
    _effort.left -= _A_VALUE + characters
    if _effort.left < 0:
        raise TooCostlyError


_Judge = TypeVar("_Judge", bound=Callable[..., Any])
_judges: list[Any] = []


def remembered(judge: _Judge) -> _Judge:
    """Let a judgement of a value be made once in a stretch of text: the same may occur there a thousand times."""
    cached: Any = lru_cache(maxsize=1024)(judge)
    _judges.append(cached)
    return cached  # type: ignore[no-any-return]


class Budget:
    """What one text may cost: time, from now on, of this thread's processor or of any clock; and costly stretches."""

    __slots__ = ("_clock", "_costly", "_end")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._costly = 0
        self._end = clock() + seconds

    @classmethod
    def of(cls, size: int) -> Budget:
        """Give what a text of so many characters may take."""
        return cls(_SECONDS + _SECONDS_A_KB * size / 1024)

    def count_costly(self) -> None:
        """Count a stretch that was hidden because it cost too much."""
        self._costly += 1

    def is_spent(self) -> bool:
        """Tell whether the time is over, or so many stretches cost too much that all others will."""
        return self._costly >= _MOST_COSTLY or self.is_over()

    def is_over(self) -> bool:
        """Tell whether the time is over."""
        return self._clock() >= self._end


class BudgetSpentError(Exception):
    """The budget was spent where the text had been checked up to ``at``."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at
