"""Warnings about a file, each given once in the life of the process."""

import threading

from nanobot_memory_plugins.core.log import logger

_given: set[tuple[str, str]] = set()
_lock = threading.Lock()
_REMEMBERED = 10_000


def warn_once(path: str, problem: str) -> None:
    """Log that ``path`` has ``problem``, unless that has been said before."""
    with _lock:
        if (path, problem) in _given:
            return
        if len(_given) >= _REMEMBERED:
            _given.clear()
        _given.add((path, problem))
    logger.warning("{}: {}", path, problem)
