"""The store that many machines share: the server answers, or this machine's own index while it does not."""

import asyncio
import atexit
import os
import re
import socket
import threading
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from nanobot_memory_plugins.core import (
    Clock,
    Embedder,
    Finding,
    Health,
    Hit,
    Level,
    Query,
    SearchResult,
    Store,
    StoreError,
    StoreStatus,
)
from nanobot_memory_plugins.core.files.entry_lines import hidden_records
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.core.redaction.contact_redaction import redact_secrets
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres import doctor, forgetting
from nanobot_memory_plugins.postgres.connection import Connection, run
from nanobot_memory_plugins.postgres.entries import EntryExchange
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.passages import Owner, PassageIndex, states_of
from nanobot_memory_plugins.postgres.search import ServerIndex
from nanobot_memory_plugins.postgres.server import Server
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.filters import record_of
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.indexer.worker import STUCK_SECONDS, Indexer, wait_until_indexed
from nanobot_memory_plugins.storage.search.searcher import Meaning, Searcher, meaning_of
from nanobot_memory_plugins.storage.sources.source_files import SourceFinder, pending_bytes

T = TypeVar("T")

TAIL_BYTES: Final = 1_000_000
"""Unsent bytes of the files that a search reads besides the server; with more, the local index answers."""
# Seconds that opening, commands, requests outside of a turn, and scans of all passages wait for the server.
_OPEN_SECONDS, _REACH_SECONDS, _REQUEST_SECONDS, _FULL_SCAN_SECONDS = 1.0, 30.0, 20.0, 600.0
# Seconds between checks for unsent vectors, and that the sender may take at the end.
_POLL_SECONDS, _DRAIN_SECONDS = 0.05, 5.0


class SharedStore:
    """The `Store` over a server, with this machine's store as its fallback, so that a turn never waits long.

    Content of this machine's files that the server does not have yet is searched as well; the process that holds
    ``.storage/sender.lock`` sends it. The constructor raises `StoreError` when this machine's name cannot be stored;
    `start` begins the work.
    """

    def __init__(
        self,
        workspace: Path,
        options: PostgresOptions,
        clock: Clock,
        local: Store,
        *,
        redact: Callable[[str], str] = redact_secrets,
    ) -> None:
        self.local = local
        paths = self._paths = MemoryPaths.of(workspace)
        self.owner = Owner(options.tenant, machine_name(paths, options.machine))
        self.server = Server(
            options.dsn.get_secret_value(),
            self.owner.tenant,
            timeout=options.search_seconds,
            on_reconnect=lambda: self._sender.reopen(),  # to send what the server lacks
        )
        chunking = Chunking(redact=redact)
        self._sources = SourceFinder(paths)
        self._tail = TailReader(chunking)
        self._sender = Indexer(
            paths,
            lock=paths.index_folder / "sender.lock",
            database=None,
            open_index=lambda: PassageIndex(self.server.new_connection(), self.owner),
            embedder=lambda: self.embedder,
            clock=clock,
            chunking=chunking,
        )
        # How far the files were sent, as far as this process knows, and the machine's revision at that time.
        self._states: dict[str, FileState] = {}
        self._revision = -1
        self._lock = threading.Lock()
        self._unsent = 0  # bytes at the last count
        self._options = options
        self._clock = clock
        self.entries = EntryExchange(self.owner, paths, self.server)
        self._process = os.getpid()
        self._closed = False
        # Daemon threads that still run while the interpreter shuts down can crash it.
        atexit.register(self._stop_at_exit)

    async def start(self) -> None:
        """Connect to the server, and start the sender. It also starts without the server."""
        await run_in_daemon_thread(lambda: self.server.reconnect(_OPEN_SECONDS))
        self._sender.start()
        await self._count(_OPEN_SECONDS)

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query`` of all machines, or only of this one while the server is away.

        Raises `StoreError` when neither can answer.
        """
        self._check_open()
        result = None
        hidden = await run_in_daemon_thread(lambda: hidden_records(self._paths))
        query = replace(query, exclude_records=query.exclude_records | hidden)
        if self.server.is_up:
            # Before the request, so that the model's time does not count against the server's limit.
            meaning = await run_in_daemon_thread(lambda: meaning_of(query, self.embedder))
            result = await self.server.ask(lambda connection: self._search(connection, query, meaning))
        return result if result is not None else await self.local.search(query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory with its whole text, or None when no memory has this id."""
        self._check_open()
        hit = await self.local.read(hit_id)
        if hit is not None or record_of(hit_id) in await run_in_daemon_thread(lambda: hidden_records(self._paths)):
            return hit
        return await self.server.ask(lambda connection: self._searcher(connection).read(hit_id))

    def notify(self, path: Path) -> None:
        """Wake the indexer and the sender because a memory file has changed."""
        self.local.notify(path)
        self._sender.notify()

    async def flush(self) -> None:
        """Wait until the present content of the files is searchable here, and sent if the server is up.

        Raises `StoreError` when either makes no progress for two minutes.
        """
        self._check_open()
        await self.local.flush()
        self._sender.notify()
        await wait_until_indexed(self._remaining, STUCK_SECONDS, "sender.lock")
        await self._count(_REQUEST_SECONDS)

    def status(self) -> StoreStatus:
        """Return the state, with the reason when the server does not answer.

        Unsent bytes are those at the last search or `flush`.
        """
        status = replace(self.local.status(), unsent_bytes=self._unsent)
        reason = ""
        if not self.server.is_up:
            reason = Sentence("{why} This machine's own index answers.", why=self.server.reason)
        elif self._unsent > TAIL_BYTES:
            reason = Sentence(
                "{bytes:,} bytes are being sent to the shared memory. This machine's own index answers.",
                bytes=self._unsent,
            )
        if reason:
            reasons = Sentence.joined(filter(None, (reason, status.reason)), " ")
            return replace(status, reason=reasons, hint=self.server.hint or status.hint)
        if not status.model:
            return replace(status, level=Level.FULL_TEXT)
        return replace(status, level=Level.HYBRID, reason="", hint="")

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model of this machine, once it is ready."""
        return self.local.embedder if isinstance(self.local, VectorStore) else None

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector per text, or None while there is no working model."""
        return await self.local.encode(texts) if isinstance(self.local, VectorStore) else None

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Wait until every passage of this machine has a vector here and on the server, or there is no model."""
        if isinstance(self.local, VectorStore):
            await self.local.vectors_complete(waiting)
        embedder = self.embedder
        sql = (
            "SELECT EXISTS (SELECT 1 FROM nanobot_memory.passage c WHERE c.machine = %s AND NOT EXISTS "
            "(SELECT 1 FROM nanobot_memory.embedding e WHERE e.id = c.id AND e.model = %s))"
        )
        while embedder is not None and self.server.is_up and not self._closed:
            values = (self.owner.machine, embedder.name)
            row = await self.ask(lambda connection: run(connection, sql, values).fetchone())  # noqa: B023
            if row is not None and not row[0]:
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def lead(self) -> bool:
        """Return whether this machine is the leader, until it resigns; every machine is while the server is away."""
        self._check_open()
        return await run_in_daemon_thread(self.server.lead)

    async def resign(self) -> None:
        """Let another machine lead."""
        await run_in_daemon_thread(self.server.resign)

    async def count_matches(self, erasure: Erasure) -> dict[str, int] | None:
        """Return how many passages contain something, by machine, or None while the server is away."""
        return await self.server.ask(
            lambda connection: forgetting.count_matches(connection, erasure), timeout=_FULL_SCAN_SECONDS
        )

    async def forget(self, erasure: Erasure) -> dict[str, int] | None:
        """Erase something on every machine; return the deleted passages by machine, None while the server is away."""
        deleted = await self.server.ask(
            lambda connection: forgetting.forget(connection, self.owner, erasure), timeout=_FULL_SCAN_SECONDS
        )
        self._sender.reopen()  # to send again the rest of the files
        return deleted

    async def pending_erasures(self) -> list[tuple[int, Erasure]]:
        """Return the erasures of other machines that this one has to carry out, none while the server is away."""
        return await self.ask(lambda connection: forgetting.pending_erasures(connection, self.owner)) or []

    async def confirm_erasure(self, revision: int) -> None:
        """Record that this machine has carried out an erasure; then its files are sent again."""
        await self.ask(lambda connection: forgetting.confirm_erasure(connection, self.owner, revision))
        self._sender.reopen()

    async def wait_until_reachable(self) -> None:
        """Wait until the server is reached or an attempt has failed: commands wait longer for it than agents."""
        await run_in_daemon_thread(lambda: self.server.reconnect(_REACH_SECONDS))

    async def passages(self) -> dict[str, int] | None:
        """Return how many passages each machine has on the server, or None while the server is away."""
        sql = "SELECT c.machine, count(*) FROM nanobot_memory.passage c GROUP BY c.machine ORDER BY c.machine"
        return await self.ask(lambda connection: {str(row[0]): int(row[1]) for row in run(connection, sql)})

    async def findings(self) -> list[Finding]:
        """Return the findings of ``nanobot-memory doctor`` about the server and the sender."""
        await self._count(_REQUEST_SECONDS)
        found = await self.ask(lambda connection: list(doctor.findings(connection, self.owner, self._unsent))) or []
        if not found:
            reason = self.server.reason
            away = Sentence("away: {reason} This machine's own index answers, and nothing is lost.", reason=reason)
            found.insert(0, Finding("shared memory", away, Health.DEGRADED, self.server.hint))
        return found

    async def close(self) -> None:
        """Finish the work in progress, within seconds, close all connections and end every thread."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self._stop_at_exit)
        await run_in_daemon_thread(self._stop)
        await self.local.close()

    def _stop(self) -> None:
        # Closing the connections frees a sender that waits for a hanging server.
        timer = threading.Timer(_DRAIN_SECONDS + 1.0, self.server.close)
        timer.start()
        try:
            self._sender.stop(_DRAIN_SECONDS if self.server.is_up else 0.0)
        finally:
            timer.cancel()
            self.server.close()

    def _stop_at_exit(self) -> None:
        """Stop a store that was not closed, in the process that has its threads. Unsent content stays in the files."""
        if self._process == os.getpid():
            self.server.close()
            self._sender.stop(0.0)

    async def ask(self, function: Callable[[Connection], T]) -> T | None:
        """Return the answer of the server, or None without one; not for turns, since it may wait long."""
        self._check_open()
        return await self.server.ask(function, timeout=_REQUEST_SECONDS)

    def _sent_states(self, connection: Connection) -> dict[str, FileState]:
        """Return how far the files were sent by any process; it is read again only after it has changed."""
        sql = "SELECT m.revision FROM nanobot_memory.machine m WHERE m.machine = %s"
        row = run(connection, sql, (self.owner.machine,)).fetchone()
        revision = int(row[0]) if row else 0
        with self._lock:
            if revision == self._revision:
                return self._states
        states = states_of(connection, self.owner.machine)
        with self._lock:
            has_lost_files = not self._states.keys() <= states.keys()
            self._states, self._revision = states, revision
        if has_lost_files:  # another process erased something: the rest of those files is sent again
            self._sender.reopen()
        return states

    async def _remaining(self) -> int:
        """Return the work left to send, 0 while the server is away or this machine has to carry out erasures first."""
        if not self.server.is_up or self._closed:
            return 0
        states = await self.ask(self._sent_states)
        remaining = await run_in_daemon_thread(lambda: self._sources.remaining(states)) if states is not None else 1
        return 0 if remaining and await self.pending_erasures() else remaining

    async def _count(self, timeout: float) -> None:
        await self.server.ask(self._sent_states, timeout=timeout)
        sources = await run_in_daemon_thread(self._sources.find)
        self._unsent = pending_bytes(sources, self._states)

    def _search(self, connection: Connection, query: Query, meaning: Meaning | None) -> SearchResult | None:
        """Search the server and the unsent content of the files; None when that is too much."""
        states = self._sent_states(connection)
        sources = self._sources.find()
        self._unsent = pending_bytes(sources, states)
        if self._unsent > TAIL_BYTES:
            return None
        tail = self._tail.documents(states, sources, most_bytes=TAIL_BYTES)
        return self._searcher(connection).search(query, meaning, tail=tail)

    def _searcher(self, connection: Connection) -> Searcher:
        return Searcher(ServerIndex(connection, self.owner), self._options, self._clock)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")


def machine_name(paths: MemoryPaths, configured: str = "") -> str:
    """Return the name of this machine for the workspace, generated once and stored next to the index.

    Generated names of two folders always differ: they distinguish what each of them sends.
    """
    if configured:
        return configured
    file = paths.index_folder / "machine"
    host = re.sub(r"[^\w-]+", "-", socket.gethostname().partition(".")[0], flags=re.ASCII).strip("-")[:40] or "machine"
    name = f"{host}-{uuid.uuid4().hex[:6]}"
    new = file.with_name(f".{name}.tmp")
    try:
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not file.exists():
            new.write_text(f"{name}\n", encoding="utf-8")
            with suppress(FileExistsError):
                os.link(new, file)  # atomic: of several processes that start at once the first one wins
            new.unlink()
        return file.read_text(encoding="utf-8").strip() or name
    except OSError as error:
        raise StoreError(
            Sentence("The name of this machine cannot be stored ({why}).", why=error.strerror or type(error).__name__),
            hint=Sentence(
                "Check that {parent} can be written, or give the option machine of postgres.", parent=file.parent
            ),
        ) from error
