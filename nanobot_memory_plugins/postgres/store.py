"""The store that many machines share: the server answers, and this machine's own index where it does not."""

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nanobot_memory_plugins.core import Clock, Finding, Hit, Level, Query, SearchResult, Store, StoreError, StoreStatus
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.core.protocols import EncodingStore, LendingStore, ModelReport, VectorStore
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.postgres.asking import TAIL_BYTES, Asking
from nanobot_memory_plugins.postgres.database import health, leases, records
from nanobot_memory_plugins.postgres.database.connection import Connection
from nanobot_memory_plugins.postgres.database.shipping import Shipment, states_of
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.entry_exchange import EntryExchange
from nanobot_memory_plugins.postgres.machine import machine_name
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.orders import Orders
from nanobot_memory_plugins.postgres.questions import Questions
from nanobot_memory_plugins.postgres.reaching import Lease, Server
from nanobot_memory_plugins.postgres.sharing_findings import away, sharing, slow
from nanobot_memory_plugins.postgres.spool import Spool
from nanobot_memory_plugins.postgres.unsent import Unsent, covers
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.search.indexer.session import SessionSettings
from nanobot_memory_plugins.search.indexer.step import StepSettings
from nanobot_memory_plugins.search.indexer.worker import Indexer
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places

T = TypeVar("T")

# Seconds: how long opening waits for the server, between looks at what was sent, how long that may make no progress,
# and how long the sender may go on at the end.
_OPEN, _POLL, _STUCK, _DRAIN = 1.0, 0.05, 120.0, 5.0
# How often the bytes that are not sent are told.
_LOOK = 0.5
# How long a command waits for the server.
_REACH = 30.0
# What is no turn's waits so long for an answer: over a slow way a few statements take seconds.
_LONG = 20.0
# What looking through everything that is shared may take.
_PURGE = 600.0


class SharedStore:
    """The `Store` over a server, with the store of this machine behind it. A turn waits for no network for long.

    This machine's files are sent by whichever process of it holds the sender's lock. What they hold and the server
    does not have yet is searched beside it.
    """

    def __init__(
        self,
        workspace: Path,
        options: PostgresOptions,
        clock: Clock,
        local: Store,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> None:
        self._local = local
        self._paths = MemoryPaths.of(workspace)
        self._places = Places(self._paths)
        tenant = Tenant.named(options.tenant)
        self._whose = TenantOwner(tenant, options.tenant, machine_name(self._paths, options.machine))
        self._server = Server(
            options.dsn.get_secret_value(),
            pooler=options.pooler,
            partitions=options.partitions,
            limit=options.search_seconds,
            came_back=self._came_back,
            tenant=tenant.id if options.rls else None,
        )
        self._questions = Questions(self._server, options.search_seconds)
        self._housekeeping = DaemonThreadPool(2, "nanobot-memory-shared-work")
        chunking = Chunking(redact=redact)
        self._asking = Asking(self._whose, self._places, chunking, options, clock, self._embedder)
        self._large_from = options.large_from
        self._lease = Lease()
        self._sender = Indexer(
            self._paths,
            lock=self._paths.index_folder / "sender.lock",
            database=None,
            open_database=self._open_shipment,
            embedder=self._embedder,
            settings=SessionSettings(step=StepSettings(chunking=chunking, records=True)),
            clock=clock,
        )
        self.entries = EntryExchange(self._whose, self._paths.index_folder, self._ask_long)
        self.orders = Orders(
            self._whose, self._paths, self._ask_long, self._look_through, lambda: self._sender.check_database()
        )
        self.spool = None if options.keep_files else Spool(self._whose, self._paths, clock, self._ask_long)
        self._unsent = Unsent(self._places, lambda: self._asking.sent, self._housekeeping)
        self._closed = False
        # Daemon threads that run while the interpreter is taken apart can crash it.
        self._finalizer = weakref.finalize(self, _stop_at_exit, os.getpid(), self._sender, self._server)
        # Whether somebody here carries out what other machines order: until then nothing may be sent.
        self.obeys = False

    @classmethod
    async def open(
        cls,
        workspace: Path,
        options: PostgresOptions,
        clock: Clock,
        local: Store,
        *,
        redact: Callable[[str], str] = without_secrets,
    ) -> "SharedStore":
        """Open the shared store before that of this machine. It opens without the server, too.

        Raises `StoreError` where this machine's name cannot be kept.
        """
        store = cls(workspace, options, clock, local, redact=redact)
        await store._in_housekeeping(store._start)
        return store

    def _start(self) -> None:
        self._server.look(_OPEN)
        self._sender.start()
        self._unsent.count()

    def _came_back(self, was_up: bool) -> None:
        """Send again, and let the first connection and the first search be no turn's."""
        if not was_up:
            self._sender.check_database()
        if not self._server.fast:
            return
        warm = Query(text="memory", limit=1)
        self._questions.try_out(lambda connection: self._asking.search(connection, warm))

    @property
    def local(self) -> Store:
        """The store of this machine."""
        return self._local

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query`` of all machines, best first; of this one where the server is away.

        Raises `StoreError` when nothing can answer.
        """
        self._unsent.count_soon()
        if self._unsent.bytes > TAIL_BYTES:
            return await self._local.search(query)  # it has all of this machine: the server's part of it is being made
        found = await self._ask(lambda connection: self._asking.search(connection, query), query)
        return found if found is not None else await self._local.search(query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None when there is none with this id."""
        self._must_be_open()
        here = await self._local.read(hit_id)
        if here is not None:
            return here
        return await self._ask(lambda connection: self._asking.read(connection, hit_id))

    def notify(self, path: Path) -> None:
        """Learn that a memory file has grown or changed."""
        self._local.notify(path)
        self._sender.notify(path)

    async def flush(self) -> None:
        """Return once what stood in the files at the call is searchable here, and sent if the server is there.

        Raises `StoreError` when either makes no progress for two minutes.
        """
        self._must_be_open()
        await self._local.flush()
        wanted = await self._in_housekeeping(self._unsent.sizes)
        barrier: Any = None
        progress, progress_at = -1, time.monotonic()
        try:
            while self._server.up and not self._closed:
                if barrier is not None and barrier.done():
                    if not barrier.cancelled():
                        await self._in_housekeeping(self._unsent.count)
                        return
                    barrier = None
                if barrier is None and self._sender.state.owning:
                    barrier = self._sender.barrier()
                if not self.obeys and await self.orders.waiting():
                    return
                if barrier is None:
                    states = await self._ask_long(lambda connection: states_of(connection, self._whose))
                    if states is not None and covers(states, wanted):
                        return
                sent = sum(state.offset for state in self._asking.sent.values())
                if sent != progress:
                    progress, progress_at = sent, time.monotonic()
                elif time.monotonic() - progress_at > _STUCK:
                    raise StoreError(
                        "The files of this machine are not being sent.",
                        hint="See the log of the process that holds .storage/sender.lock, or end that process.",
                    )
                await asyncio.sleep(_POLL)
        finally:
            if barrier is not None:
                barrier.cancel()

    def status(self) -> StoreStatus:
        """Return the store's state, and why the server does not answer where it does not."""
        self._unsent.count_soon()
        own = replace(self._local.status(), unsent_bytes=self._unsent.bytes)
        if not self._server.fast:
            reason = Sentence("{why} This machine's own index answers.", why=self._server.reason)
            told = Sentence.joined(filter(None, (reason, own.reason)), " ")
            return replace(own, reason=told, hint=self._server.hint or own.hint)
        if self._unsent.bytes > TAIL_BYTES:
            reason = Sentence(
                "{bytes:,} bytes are being sent to the shared memory. This machine's own index answers.",
                bytes=self._unsent.bytes,
            )
            return replace(own, reason=Sentence.joined(filter(None, (reason, own.reason)), " "))
        if own.model:
            return replace(own, level=Level.HYBRID, reason="", hint="")
        return replace(own, level=Level.FULL_TEXT)

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector a text, or None while there is no model that answers."""
        return await self._local.encode(texts) if isinstance(self._local, EncodingStore) else None

    async def vectors_complete(self, waiting: Callable[[StoreStatus, ModelReport], None]) -> None:
        """Return once everything of this machine has its vector here and on the server, or when there is no model."""
        if isinstance(self._local, VectorStore):
            await self._local.vectors_complete(waiting)
        embedder = self._embedder()
        space = embedder.name if embedder is not None else ""
        while space and self._server.up and not self._closed:
            missing = await self._ask_long(lambda connection: self._asking.lacks_vectors(connection, space))
            if missing is False:
                return
            await asyncio.sleep(_POLL)

    async def kept_for_all(self, ids: Sequence[str]) -> Collection[str]:
        """Return those of some records that are on the server; none while it is away."""
        found = await self._ask(lambda connection: records.kept(connection, self._whose, ids), patience=_DRAIN)
        return found or ()

    async def lease(self, work: str, seconds: float) -> bool:
        """Whether this machine does a kind of work, and nobody else for so long; each while the server is away."""
        return await self._ask_long(lambda connection: leases.take(connection, self._whose, work, seconds)) is not False

    @property
    def machine(self) -> str:
        """The name of this machine among those that share."""
        return self._whose.machine

    async def reach(self) -> None:
        """Return once the server was reached, or cannot be: for commands, which wait longer for it than an agent."""
        await self._in_housekeeping(lambda: self._server.look(_REACH))

    async def send_all(self, waiting: Callable[[int], None]) -> None:
        """Return once everything is sent, or when it cannot be.

        ``waiting`` is told how many bytes are not sent, now and then. Raises `StoreError` when it makes no progress for
        two minutes.
        """
        flushing = asyncio.ensure_future(self.flush())
        try:
            while not (await asyncio.wait({flushing}, timeout=_LOOK))[0]:
                await self._in_housekeeping(self._unsent.count)
                waiting(self._unsent.bytes)
        finally:
            flushing.cancel()
        await self._in_housekeeping(self._unsent.count)
        flushing.result()

    async def passages(self) -> dict[str, int] | None:
        """Return how many passages each machine has on the server; None where the server is away."""
        return await self._ask_long(self._asking.passages)

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` how the server and the sending stand."""
        await self._in_housekeeping(self._unsent.count)
        told = await self._ask_long(lambda connection: health.findings(connection, self._whose))
        if told is None:
            return [away(self._server)]
        late = [] if self._server.fast else [slow(self._server)]
        return [sharing(self._whose, self._unsent.bytes), *late, *told]

    async def close(self) -> None:
        """Finish what was begun, within seconds, close what is open and end every thread."""
        if self._closed:
            return
        self._closed = True
        self._finalizer.detach()
        self._questions.close()
        await self._in_housekeeping(self._stop)
        await self._local.close()

    def _stop(self) -> None:
        patience = _DRAIN if self._server.up else 0.0
        # A server that hangs would hold the sender up for as long as it does.
        timer = threading.Timer(patience + 1.0, self._lease.break_off)
        timer.start()
        try:
            self._sender.stop(patience)
        finally:
            timer.cancel()
            self._server.close()

    def _open_shipment(self) -> Shipment:
        connection = self._server.connected()
        self._lease = lease = Lease()
        lease.hold(connection)
        self._server.hold(lease)
        self.orders.bring(connection)  # before anything is sent: what comes then was cleaned of it
        return Shipment(connection, self._whose, large_from=self._large_from, sent=self._asking.was_sent)

    async def _ask(
        self, function: Callable[[Connection], T], query: Query | None = None, *, patience: float | None = None
    ) -> T | None:
        """Return what the server answers, or None where it does not in time."""
        self._must_be_open()

        embed = None if query is None else lambda: self._asking.embed(query)
        return await self._questions.ask(function, before=embed, patience=patience)

    async def _ask_long(self, function: Callable[[Connection], T]) -> T | None:
        return await self._ask(function, patience=_LONG)

    async def _look_through(self, function: Callable[[Connection], T]) -> T | None:
        return await self._ask(function, patience=_PURGE)

    def _embedder(self) -> Any:
        return self._local.embedder if isinstance(self._local, LendingStore) else None

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")

    async def _in_housekeeping(self, function: Callable[[], T]) -> T:
        return await run_in_pool(self._housekeeping, function)


def _stop_at_exit(process: int, sender: Indexer, server: Server) -> None:
    """Stop what nobody closed, in the process that has its threads. What is not sent stands in the files."""
    if process == os.getpid():
        server.close()
        sender.stop(0.0)
