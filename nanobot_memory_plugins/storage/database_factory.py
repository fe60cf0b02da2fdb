"""Opening the database so that nobody meets another one's half-made file."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import filelock

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.files.private import make_missing, private_lock
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.database import Database

# Seconds that an opener waits for another one, which may be checking a large index.
_LONGEST_WAIT = 20.0
# Milliseconds after which a database that somebody holds counts as locked. Writers of ours hold it for some of them.
_LOCKED_MS = 1_000


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
            import apsw

            try:
                return self._for_reading()
            except StoreError as error:
                if isinstance(error.__cause__, apsw.BusyError | apsw.LockedError):
                    raise  # it would be locked once more
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

    def is_locked(self, *, for_writing: bool) -> bool:
        """Return whether another process keeps the database from us for longer than a second. It blocks."""
        import apsw

        if not self.path.exists():
            return False
        flags = apsw.SQLITE_OPEN_READWRITE if for_writing else apsw.SQLITE_OPEN_READONLY
        try:
            connection = apsw.Connection(str(self.path), flags=flags)
            with closing(connection):
                connection.set_busy_timeout(_LOCKED_MS)
                connection.execute("BEGIN IMMEDIATE" if for_writing else "BEGIN")
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
                connection.execute("ROLLBACK")
        except apsw.BusyError:
            return True
        except apsw.Error as error:  # whoever opens it says what is wrong
            logger.debug("the index cannot be looked at: {}", type(error).__name__)
        return False

    def _for_writing(self) -> "Database":
        from nanobot_memory_plugins.storage.database import Database

        return Database.open(self.path, **self._parts)

    def _for_reading(self) -> "Database":
        from nanobot_memory_plugins.storage.database import Database

        return Database.open(self.path, read_only=True, **self._parts)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = private_lock(self.path.with_name(f"{self.path.name}.opening.lock"))
        try:
            make_missing(self.path.parent)
            lock.acquire(timeout=_LONGEST_WAIT)
        except filelock.Timeout as error:
            raise StoreError(
                Sentence("The index {name} is being opened by another process all the time.", name=self.path.name),
                hint="End the process that hangs.",
            ) from error
        except OSError as error:
            raise StoreError(
                Sentence(
                    "The index {path} cannot be opened ({why}).",
                    path=self.path,
                    why=error.strerror or type(error).__name__,
                ),
                hint="Check that its folder can be written.",
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                lock.release()
