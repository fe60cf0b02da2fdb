"""Warnings about a file, each given once: in the life of the process, or until the file is well again."""

import threading

from nanobot_memory_plugins.core.log import logger

_given: set[tuple[str, str]] = set()
_lock = threading.Lock()
_REMEMBERED = 10_000


def warn_once(path: str, problem: str, *, said: str = "") -> None:
    """Log that ``path`` has ``problem``, in the words ``said`` if there are any, unless that has been said before."""
    with _lock:
        if (path, problem) in _given:
            return
        if len(_given) >= _REMEMBERED:
            _given.clear()
        _given.add((path, problem))
    logger.warning("{}", said or f"{path}: {problem}")


def is_well(path: str) -> None:
    """Say of ``path`` what was said of it before, should it come again."""
    with _lock:
        _given.difference_update([one for one in _given if one[0] == path])
