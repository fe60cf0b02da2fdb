"""Sending this machine's files to the server, and knowing what of them is not there yet."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future

from nanobot_memory_plugins.core import Clock, Embedder, StoreError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.passages import Owner, PassageIndex, states_of
from nanobot_memory_plugins.postgres.server import Server
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.indexer.session import IndexSettings
from nanobot_memory_plugins.storage.indexer.worker import Indexer
from nanobot_memory_plugins.storage.sources.places import Places, unindexed_bytes

# Seconds: between looks at what was sent, how long that may make no progress, how long the sender may go on at the end,
# how old the count of what is not sent may be, and what a question may take.
_POLL, _STUCK, _DRAIN, _AGE, _PATIENCE = 0.05, 120.0, 5.0, 1.0, 20.0


class Sending:
    """Sends the files of one machine. One of its processes does so: who holds ``.storage/sender.lock``."""

    def __init__(
        self,
        server: Server,
        owner: Owner,
        paths: MemoryPaths,
        chunking: Chunking,
        embedder: Callable[[], Embedder | None],
        clock: Clock,
    ) -> None:
        self._server = server
        self._owner = owner
        self._places = Places(paths)
        self._indexer = Indexer(
            paths,
            lock=paths.index_folder / "sender.lock",
            database=None,
            open_index=lambda: PassageIndex(server.connected(), owner, self._was_sent),
            embedder=embedder,
            settings=IndexSettings(chunking),
            clock=clock,
        )
        self._threads = DaemonThreadPool(1, "nanobot-memory-unsent")
        self._lock = threading.Lock()
        self._states: dict[str, FileState] = {}
        self._revision = -1
        self._counted_at = 0.0
        self._counting: Future[None] | None = None
        self._closed = False
        self.unsent = 0
        """Bytes of the files that are not on the server, as far as this process knows."""

    def start(self) -> None:
        """Begin."""
        self._indexer.start()
        self._count()

    def notify(self) -> None:
        """Learn that a file has changed."""
        self._indexer.notify()

    def look_again(self) -> None:
        """Compare the files with the server anew: what it lacks is sent again."""
        self._indexer.check_database()

    def stop(self) -> None:
        """Finish what was begun, within seconds."""
        self._closed = True
        # A server that hangs would hold the sender up for as long as it does.
        timer = threading.Timer(_DRAIN + 1.0, self._server.close)
        timer.start()
        try:
            self._indexer.stop(_DRAIN if self._server.up else 0.0)
        finally:
            timer.cancel()

    def break_off(self) -> None:
        """End the thread now."""
        self._indexer.stop(0.0)

    def count_soon(self) -> None:
        """Count what is not sent, where the number is old."""
        if (self._counting is None or self._counting.done()) and time.monotonic() - self._counted_at > _AGE:
            self._counting = self._threads.submit(self._count)

    async def count(self) -> None:
        """Count it now."""
        await run_in_pool(self._threads, self._count)

    def states(self, connection: Connection) -> dict[str, FileState]:
        """Return how far the files were sent, whichever process does it; read again only when that has changed."""
        sql = "SELECT m.revision FROM nanobot_memory.machine m WHERE m.machine = %s"
        row = run(connection, sql, (self._owner.machine,)).fetchone()
        revision = int(row[0]) if row else 0
        with self._lock:
            if revision == self._revision:
                return self._states
        found = states_of(connection, self._owner.machine)
        with self._lock:
            has_lost = not self._states.keys() <= found.keys()
            self._states, self._revision = found, revision
        if has_lost:  # another process had something forgotten: what the files still hold of it is sent again
            self.look_again()
        return found

    async def flush(self, must_wait: Callable[[], Awaitable[bool]]) -> None:
        """Return once what stood in the files at the call is sent, or the server is away, or something ``must_wait``.

        Raises `StoreError` when it makes no progress for two minutes.
        """
        target = {source.relative: (source.size, source.mtime_ns) for source in self._places.find()}
        sent, sent_at = -1, time.monotonic()
        self.notify()  # who sends looks at all files now
        while self._server.up and not self._closed:
            states = await self._server.ask(self.states, patience=_PATIENCE)
            if (states is not None and _covers(states, target)) or await must_wait():
                break
            now = sum(state.offset for state in self._states.values())
            if now != sent:
                sent, sent_at = now, time.monotonic()
            elif time.monotonic() - sent_at > _STUCK:
                raise StoreError(
                    "The files of this machine are not being sent.",
                    hint="See the log of the process that holds .storage/sender.lock, or end that process.",
                )
            await asyncio.sleep(_POLL)
        await self.count()

    def _was_sent(self, states: dict[str, FileState]) -> None:
        with self._lock:
            self._states, self._revision = states, -1

    def _count(self) -> None:
        self._counted_at = time.monotonic()
        self.unsent = unindexed_bytes(self._places.find(), self._states)


def _covers(states: dict[str, FileState], target: dict[str, tuple[int, int]]) -> bool:
    """Tell whether all files, as they were, are sent, and none that was gone is left."""
    return states.keys() <= target.keys() and all(
        (state := states.get(path)) is not None and state.size >= size and state.mtime_ns >= time_ns
        for path, (size, time_ns) in target.items()
    )
