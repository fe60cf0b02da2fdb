"""Files as a spool: where nobody keeps them, those go that everybody has (``keepFiles: false``)."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from nanobot_memory_plugins.core import Clock
from nanobot_memory_plugins.core.files import MemoryPaths, private_lock
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.postgres.database.shelving import shelve
from nanobot_memory_plugins.postgres.database.shipping import states_of
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.questions import Ask
from nanobot_memory_plugins.search.documents import FileState
from nanobot_memory_plugins.search.sources.places import FileKind, Places

# A failover to a standby that was behind loses the last moments: what is younger is kept to be sent again.
KEPT = timedelta(minutes=10)
_LOCK_SECONDS = 1.0


class Spool:
    """Takes transcripts and day notes away that have been on the server for a while. People's own files stay."""

    def __init__(
        self, whose: TenantOwner, paths: MemoryPaths, clock: Clock, ask: Ask, *, kept: timedelta = KEPT
    ) -> None:
        self._whose = whose
        self._paths = paths
        self._places = Places(paths)
        self._clock = clock
        self._ask = ask
        self._kept = kept

    async def clear(self) -> list[Path]:
        """Take away what may go, and return the files that went. Raises `OSError` and `MemoryFileError`."""
        states = await self._ask(lambda connection: states_of(connection, self._whose))
        gone = []
        for path, state in await run_in_daemon_thread(lambda: list(self._old(states or {}))):
            if await self._take(path, state):
                gone.append(path)
        return gone

    def _old(self, states: dict[str, FileState]) -> Iterator[tuple[Path, FileState]]:
        """Yield the files of ours that were sent whole and have not grown for a while."""
        before = (self._clock.now() - self._kept).timestamp()
        for source in self._places.find():
            state = states.get(source.relative)
            is_sent = state is not None and (state.size, state.mtime_ns) == (source.size, source.mtime_ns)
            if is_sent and state is not None and source.kind in _OURS and source.mtime_ns / 1e9 <= before:
                yield source.path, state

    async def _take(self, path: Path, state: FileState) -> bool:
        from filelock import Timeout

        lock = private_lock(self._paths.lock(path), timeout=_LOCK_SECONDS, thread_local=False)
        try:
            await run_in_daemon_thread(lock.acquire)
        except Timeout:
            return False  # it is being written: the next look comes soon
        try:
            if not await run_in_daemon_thread(lambda: _is_as(path, state)):
                return False
            if not await self._ask(lambda connection: shelve(connection, self._whose, state, self._clock.now())):
                return False
            await run_in_daemon_thread(path.unlink)
            return True
        finally:
            lock.release()


_OURS = frozenset({FileKind.TRANSCRIPT, FileKind.DAY_NOTES})


def _is_as(path: Path, state: FileState) -> bool:
    found = path.stat()
    return (found.st_size, found.st_mtime_ns) == (state.size, state.mtime_ns)
