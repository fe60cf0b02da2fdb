"""Opening the database so that nobody meets another one's half-made file."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import filelock

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.private import make_missing, private_lock
from nanobot_memory_plugins.core.log import logger

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database

# Seconds that an opener waits for another one, which may be checking a large index.
_LONGEST_WAIT = 20.0
# An attempt that fails in less than this met somebody at work; a lock that is held makes it wait for longer.
_AT_ONCE = 1.0


class DatabaseOpener:
    """Opens one index, for writing and for reading, in whichever process and thread.

    Making the file, checking it and putting a damaged one aside are several steps. Whoever takes them holds the lock
    file beside the database meanwhile. Everything here raises `StoreError` when the database cannot be opened.
    """

    def __init__(self, path: Path, *, allow_vec: bool = True, allow_fts5: bool = True) -> None:
        self.path = path
        self._parts = {"allow_vec": allow_vec, "allow_fts5": allow_fts5}

    def for_writing(self) -> "Database":
        """Open the index, or make it; a damaged one is put aside, and a new one begun."""
        with self._alone():
            return self._for_writing()

    def for_reading(self) -> "Database":
        """Open the index as it stands, or make it. A damaged one is left for a writer to put aside."""
        if self.path.exists():
            started = time.monotonic()
            try:
                return self._for_reading()
            except StoreError as error:
                if time.monotonic() - started > _AT_ONCE:
                    raise  # it is locked, and would be once more
                logger.debug("the index cannot be read as it stands: {}", error.cause)
        from nanobot_memory_plugins.storage.database import CorruptIndexError

        with self._alone():
            if self.path.exists():
                try:
                    return self._for_reading()
                except CorruptIndexError:
                    raise
                except StoreError as error:
                    logger.debug("the index is made ready: {}", error.cause)
            self._for_writing().close()
            return self._for_reading()

    def _for_writing(self) -> "Database":
        from nanobot_memory_plugins.storage.database import Database

        return _with_full_text(Database.open(self.path, **self._parts))

    def _for_reading(self) -> "Database":
        from nanobot_memory_plugins.storage.database import Database

        return _with_full_text(Database.open(self.path, read_only=True, **self._parts))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = private_lock(self.path.with_name(f"{self.path.name}.opening.lock"))
        try:
            make_missing(self.path.parent)
            lock.acquire(timeout=_LONGEST_WAIT)
        except filelock.Timeout as error:
            raise StoreError(
                f"The index {self.path.name} is being opened by another process all the time.",
                mend="End the process that hangs.",
            ) from error
        except OSError as error:
            raise StoreError(
                f"The index {self.path} cannot be opened ({error.strerror or type(error).__name__}).",
                mend="Check that its folder can be written.",
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                lock.release()


def _with_full_text(database: "Database") -> "Database":
    if database.has_fts5:
        return database
    database.close()
    raise StoreError("This SQLite has no FTS5.", mend="Install apsw from a wheel, which brings its own SQLite.")
