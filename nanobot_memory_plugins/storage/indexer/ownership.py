"""Which process indexes a workspace."""

from pathlib import Path

import filelock

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.files import make_missing, private_lock


class Ownership:
    """The lock of ``.storage/indexer.lock``: one process holds it, and loses it by ending, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # The lock is taken in the indexer's thread, and asked about in others.
        self._lock = private_lock(path, thread_local=False)
        self._inode = 0

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def try_acquire(self) -> bool:
        """Take the lock if it is free; return whether it is held now. Raises OSError when it cannot be used."""
        if self.held:
            return True
        make_missing(self._path.parent)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            return False
        self._inode = self._path.stat().st_ino
        return True

    def lost(self) -> bool:
        """Tell whether the lock file was removed or replaced, so that another process may hold a new one."""
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True

    def release(self) -> None:
        """Give the lock back; without it nothing happens."""
        try:
            self._lock.release(force=True)
        except OSError as error:
            logger.warning("cannot release the indexer's lock: {}", type(error).__name__)
