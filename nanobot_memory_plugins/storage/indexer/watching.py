"""Hearing of changes that other programs make to the memory files."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.core import logger

# Changes within this time of each other come together; long enough for an editor's save.
_DEBOUNCE_MS = 400
_STEP_MS = 50
_RUST_TIMEOUT_MS = 1_000
_JOIN_SECONDS = 5.0


class Watcher:
    """Watches one folder in a thread of its own.

    ``working`` is false while the operating system offers no notifications (too many watches, a network
    share, a folder that is gone), or while there is a link to a folder below, which the notifications would
    follow to wherever it leads. The owner then looks by itself, often.
    """

    def __init__(self, folder: Path, changed: Callable[[Path], None]) -> None:
        self._folder = folder
        self._changed = changed
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._inode = 0
        self.working = False

    def start(self) -> None:
        """Begin to watch; a watcher that runs goes on."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stop.clear()
        try:
            self._inode = self._folder.stat().st_ino
        except OSError:
            return
        self._thread = threading.Thread(target=self._run, name="nanobot-memory-watch", daemon=True)
        self._thread.start()

    def refresh(self) -> None:
        """Watch anew when the folder was replaced by another one of its name, or the watch has ended."""
        try:
            replaced = self._folder.stat().st_ino != self._inode
        except OSError:
            replaced = True
        if replaced:
            self.stop()
        self.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_JOIN_SECONDS)
            if self._thread.is_alive():
                logger.warning("the thread that watches the memory files did not end in {} s", _JOIN_SECONDS)
            self._thread = None
        self.working = False

    def _run(self) -> None:
        try:
            if _has_linked_folder(self._folder):
                self._stop.wait()
                return
            import watchfiles  # as long as all of a short command: those that only read do without

            changes = watchfiles.watch(
                self._folder,
                watch_filter=None,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                rust_timeout=_RUST_TIMEOUT_MS,
                stop_event=self._stop,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            self.working = True
            for batch in changes:
                for _, name in sorted(batch, key=lambda change: change[1]):
                    self._changed(Path(name))
        except Exception as error:  # inotify's limits arrive as several types
            logger.warning(
                "the memory files cannot be watched ({}); they are looked at every few seconds", type(error).__name__
            )
        finally:
            self.working = False


def _has_linked_folder(folder: Path) -> bool:
    return any(os.path.islink(os.path.join(here, name)) for here, folders, _ in os.walk(folder) for name in folders)
