"""The store that many machines share: the server answers, and this machine's own index where it does not."""

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
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
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
"""Of the files, read by a search besides the server's answer; while more is not sent, the own index answers."""
# Seconds: how long opening and commands wait for the server; what is no turn's; what looks through everything.
_OPEN, _REACH, _LONG, _LOOK_THROUGH = 1.0, 30.0, 20.0, 600.0
# Seconds: between looks at vectors that are being sent, and how long the sender may go on at the end.
_POLL, _DRAIN = 0.05, 5.0


class SharedStore:
    """The `Store` over a server, with the store of this machine as its fallback. A turn waits for no network for long.

    What this machine's files hold and the server does not have yet is searched as well; one of its processes sends it,
    who holds ``.storage/sender.lock``. Making a store raises `StoreError` where this machine's name cannot be kept;
    `start` begins.
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
        self.local = local
        paths = self._paths = MemoryPaths.of(workspace)
        self.owner = Owner(options.tenant, machine_name(paths, options.machine))
        self.server = Server(
            options.dsn.get_secret_value(),
            self.owner.tenant,
            patience=options.search_seconds,
            came_back=lambda: self._sender.reopen(),  # what it lacks is sent again
        )
        chunking = Chunking(redact=redact)
        self._sources = SourceFinder(paths)
        self._tail = TailReader(chunking)
        self._sender = Indexer(
            paths,
            lock=paths.index_folder / "sender.lock",
            database=None,
            open_index=lambda: PassageIndex(self.server.connected(), self.owner),
            embedder=lambda: self.embedder,
            clock=clock,
            chunking=chunking,
        )
        # How far the files were sent, as far as this process knows, and at which revision of this machine's.
        self._states: dict[str, FileState] = {}
        self._revision = -1
        self._lock = threading.Lock()
        self._unsent = 0  # bytes, as they were counted last
        self._options = options
        self._clock = clock
        self.entries = EntryExchange(self.owner, paths, self.server)
        self._process = os.getpid()
        self._closed = False
        # Daemon threads that run while the interpreter is taken apart can crash it.
        atexit.register(self._stop_at_exit)

    async def start(self) -> None:
        """Look for the server, and begin to send. It starts without the server, too."""
        await run_in_daemon_thread(lambda: self.server.look(_OPEN))
        self._sender.start()
        await self._count(_OPEN)

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query`` of all machines, best first; of this one where the server is away.

        Raises `StoreError` when nothing can answer.
        """
        self._must_be_open()
        found = None
        hidden = await run_in_daemon_thread(lambda: hidden_records(self._paths))
        query = replace(query, exclude_records=query.exclude_records | hidden)
        if self.server.up:
            # Before the server is asked: a model's time is not the server's.
            meaning = await run_in_daemon_thread(lambda: meaning_of(query, self.embedder))
            found = await self.server.ask(lambda connection: self._search(connection, query, meaning))
        return found if found is not None else await self.local.search(query)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None when there is none with this id."""
        self._must_be_open()
        hit = await self.local.read(hit_id)
        if hit is not None or record_of(hit_id) in await run_in_daemon_thread(lambda: hidden_records(self._paths)):
            return hit
        return await self.server.ask(lambda connection: self._searcher(connection).read(hit_id))

    def notify(self, path: Path) -> None:
        """Learn that a memory file has grown or changed."""
        self.local.notify(path)
        self._sender.notify()

    async def flush(self) -> None:
        """Return once what stood in the files at the call is searchable here, and sent if the server is there.

        Raises `StoreError` when either makes no progress for two minutes.
        """
        self._must_be_open()
        await self.local.flush()
        self._sender.notify()  # who sends looks at all files now
        await wait_until_indexed(self._waiting, STUCK_SECONDS, "sender.lock")
        await self._count(_LONG)

    def status(self) -> StoreStatus:
        """Return the store's state, and why the server does not answer where it does not.

        What is not sent was counted by the last search or `flush`.
        """
        status = replace(self.local.status(), unsent_bytes=self._unsent)
        reason = ""
        if not self.server.up:
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
        """Return one vector a text, or None while there is no model that answers."""
        return await self.local.encode(texts) if isinstance(self.local, VectorStore) else None

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Return once everything of this machine has its vector here and on the server, or when there is no model."""
        if isinstance(self.local, VectorStore):
            await self.local.vectors_complete(waiting)
        embedder = self.embedder
        sql = (
            "SELECT EXISTS (SELECT 1 FROM nanobot_memory.passage c WHERE c.machine = %s AND NOT EXISTS "
            "(SELECT 1 FROM nanobot_memory.embedding e WHERE e.id = c.id AND e.model = %s))"
        )
        while embedder is not None and self.server.up and not self._closed:
            values = (self.owner.machine, embedder.name)
            row = await self.ask(lambda connection: run(connection, sql, values).fetchone())  # noqa: B023
            if row is not None and not row[0]:
                return
            await asyncio.sleep(_POLL)

    async def lead(self) -> bool:
        """Return whether this machine is the leader, until it resigns; each is while the server is away."""
        self._must_be_open()
        return await run_in_daemon_thread(self.server.lead)

    async def resign(self) -> None:
        """Let another machine lead."""
        await run_in_daemon_thread(self.server.resign)

    async def found(self, erasure: Erasure) -> dict[str, int] | None:
        """Return how many passages contain something, by machine; None where the server cannot be asked."""
        return await self.server.ask(lambda connection: forgetting.found(connection, erasure), patience=_LOOK_THROUGH)

    async def forget(self, erasure: Erasure) -> dict[str, int] | None:
        """Have every machine forget something; return how many passages went, or None where the server is away."""
        gone = await self.server.ask(
            lambda connection: forgetting.forget(connection, self.owner, erasure), patience=_LOOK_THROUGH
        )
        self._sender.reopen()  # what of the files is still there is sent anew
        return gone

    async def to_forget(self) -> list[tuple[int, Erasure]]:
        """Return what other machines want this one to forget; nothing where the server is away."""
        return await self.ask(lambda connection: forgetting.waiting(connection, self.owner)) or []

    async def has_forgotten(self, revision: int) -> None:
        """Say that it is forgotten here; then this machine's files are sent again."""
        await self.ask(lambda connection: forgetting.done(connection, self.owner, revision))
        self._sender.reopen()

    async def reach(self) -> None:
        """Return once the server was reached, or cannot be: for commands, which wait longer for it than an agent."""
        await run_in_daemon_thread(lambda: self.server.look(_REACH))

    async def passages(self) -> dict[str, int] | None:
        """Return how many passages each machine has on the server; None where the server is away."""
        sql = "SELECT c.machine, count(*) FROM nanobot_memory.passage c GROUP BY c.machine ORDER BY c.machine"
        return await self.ask(lambda connection: {str(row[0]): int(row[1]) for row in run(connection, sql)})

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` the state of the server and of the sending."""
        await self._count(_LONG)
        found = await self.ask(lambda connection: list(doctor.findings(connection, self.owner, self._unsent))) or []
        if not found:
            reason = self.server.reason
            away = Sentence("away: {reason} This machine's own index answers, and nothing is lost.", reason=reason)
            found.insert(0, Finding("shared memory", away, Health.DEGRADED, self.server.hint))
        return found

    async def close(self) -> None:
        """Finish what was begun, within seconds, close what is open and end every thread."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self._stop_at_exit)
        await run_in_daemon_thread(self._stop)
        await self.local.close()

    def _stop(self) -> None:
        # A server that hangs would hold the sender up for as long as it does.
        timer = threading.Timer(_DRAIN + 1.0, self.server.close)
        timer.start()
        try:
            self._sender.stop(_DRAIN if self.server.up else 0.0)
        finally:
            timer.cancel()
            self.server.close()

    def _stop_at_exit(self) -> None:
        """Stop what nobody closed, in the process that has its threads. What is not sent is still in the files."""
        if self._process == os.getpid():
            self.server.close()
            self._sender.stop(0.0)

    async def ask(self, function: Callable[[Connection], T]) -> T | None:
        """Return what the server answers; None where it does not within a while that no turn has to wait."""
        self._must_be_open()
        return await self.server.ask(function, patience=_LONG)

    def _sent_states(self, connection: Connection) -> dict[str, FileState]:
        """Return how far the files were sent, whichever process does it; read again only when that has changed."""
        sql = "SELECT m.revision FROM nanobot_memory.machine m WHERE m.machine = %s"
        row = run(connection, sql, (self.owner.machine,)).fetchone()
        revision = int(row[0]) if row else 0
        with self._lock:
            if revision == self._revision:
                return self._states
        found = states_of(connection, self.owner.machine)
        with self._lock:
            has_lost = not self._states.keys() <= found.keys()
            self._states, self._revision = found, revision
        if has_lost:  # another process had something forgotten: what the files still hold of it is sent again
            self._sender.reopen()
        return found

    async def _waiting(self) -> int:
        """Return what is still to be sent; nothing where the server is away, or this machine has to forget first."""
        if not self.server.up or self._closed:
            return 0
        states = await self.ask(self._sent_states)
        left = await run_in_daemon_thread(lambda: self._sources.remaining(states)) if states is not None else 1
        return 0 if left and await self.to_forget() else left

    async def _count(self, patience: float) -> None:
        await self.server.ask(self._sent_states, patience=patience)
        sources = await run_in_daemon_thread(self._sources.find)
        self._unsent = pending_bytes(sources, self._states)

    def _search(self, connection: Connection, query: Query, meaning: Meaning | None) -> SearchResult | None:
        """Search the server and what it does not have yet; None where that is too much."""
        states = self._sent_states(connection)
        sources = self._sources.find()
        self._unsent = pending_bytes(sources, states)
        if self._unsent > TAIL_BYTES:
            return None
        tail = self._tail.documents(states, sources, most_bytes=TAIL_BYTES)
        return self._searcher(connection).search(query, meaning, tail=tail)

    def _searcher(self, connection: Connection) -> Searcher:
        return Searcher(ServerIndex(connection, self.owner), self._options, self._clock)

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")


def machine_name(paths: MemoryPaths, given: str = "") -> str:
    """Return the name of this workspace's machine, made once and kept next to the index.

    Two folders never have the same name by themselves: it distinguishes what each of them sends.
    """
    if given:
        return given
    file = paths.index_folder / "machine"
    host = re.sub(r"[^\w-]+", "-", socket.gethostname().partition(".")[0], flags=re.ASCII).strip("-")[:40] or "machine"
    made = f"{host}-{uuid.uuid4().hex[:6]}"
    new = file.with_name(f".{made}.tmp")
    try:
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not file.exists():
            new.write_text(f"{made}\n", encoding="utf-8")
            with suppress(FileExistsError):
                os.link(new, file)  # whole or not at all, and only the first of those who begin at once
            new.unlink()
        return file.read_text(encoding="utf-8").strip() or made
    except OSError as error:
        raise StoreError(
            Sentence("The name of this machine cannot be kept ({why}).", why=error.strerror or type(error).__name__),
            hint=Sentence(
                "Check that {parent} can be written, or give the option machine of postgres.", parent=file.parent
            ),
        ) from error
