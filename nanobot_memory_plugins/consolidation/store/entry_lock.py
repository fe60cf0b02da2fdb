"""The lock of the entries' file: waited for as long as others get on, and no longer than that where they do not."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock, queued
from nanobot_memory_plugins.redaction.script.messages import Sentence

_POLL_SECONDS = 0.01
# How often a wait may begin again. On a busy machine each of many writers gets its turn so; one that is stuck holds
# nobody up for longer than they said.
_WAITS = 5


@contextmanager
def locked_entries(paths: MemoryPaths, path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of the file at ``path``.

    It is waited for ``seconds``, and as long again while others write the file meanwhile, five times in all. Raises
    `FileBusyError`, and `MemoryFileError` where the file cannot be locked.
    """
    from filelock import Timeout

    lock = file_lock(paths, path)
    with ExitStack() as held:
        for attempt in range(1, _WAITS + 1):
            before = _version(path)
            try:
                held.enter_context(queued(lock, timeout=seconds, poll_interval=_POLL_SECONDS))
            except Timeout as error:
                if attempt == _WAITS or _version(path) == before:
                    raise FileBusyError("The entries are locked by another process.") from error
            except OSError as error:
                raise MemoryFileError(Sentence("The entries cannot be locked: {why}.", why=error.strerror)) from error
            else:
                break
        yield


def _version(path: Path) -> tuple[int, int, int] | None:
    """Return what every write of the file changes."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
