"""The way to the server: a few connections, how long an answer is waited for, and whether trying is worth while."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar
from uuid import UUID

import psycopg

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.postgres import schema
from nanobot_memory_plugins.postgres.connection import Connection, break_off, connect, plain_errors, run, transaction

T = TypeVar("T")

# Seconds between looks whether a server that was away is back.
_LOOK = 1.0
# Connections that wait for the next question, and questions at a time.
_AT_ONCE = 4
# Of the locks of the leaders: who leads does what is to be done on one machine.
_LEADER = 7_021_934


class Server:
    """One server, for one tenant. While it is ``up`` it is used; else a thread of its own looks for it.

    ``came_back`` is called in that thread whenever it is found. Searches wait ``patience`` seconds, others for longer.
    """

    def __init__(self, dsn: str, tenant: UUID, *, patience: float, came_back: Callable[[], None]) -> None:
        self._dsn = dsn
        self._tenant = tenant
        self._patience = patience
        self._came_back = came_back
        self._threads = DaemonThreadPool(_AT_ONCE, "nanobot-memory-shared")
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._leading_lock = threading.Lock()
        self._leading: Connection | None = None
        self._closed, self._looked = threading.Event(), threading.Event()
        self._looking: threading.Thread | None = None
        self.up = False
        self.reason = "The server of the shared memory was not reached yet."
        self.hint = ""

    def look(self, patience: float) -> None:
        """Begin to look for the server where it is away, and wait for it for a while."""
        with self._lock:
            if not self._closed.is_set() and not self.up and (self._looking is None or not self._looking.is_alive()):
                self._looked.clear()
                self._looking = threading.Thread(target=self._watch, name="nanobot-memory-server", daemon=True)
                self._looking.start()
        self._looked.wait(patience)

    def connected(self) -> Connection:
        """Return a connection for somebody who keeps it, and closes it himself. Raises `StoreError`."""
        if not self.up:
            raise StoreError(self.reason, hint=self.hint)
        connection = connect(self._dsn)
        with self._lock:
            self._open = {opened for opened in self._open if not opened.closed} | {connection}
        return connection

    async def ask(self, function: Callable[[Connection], T], *, patience: float | None = None) -> T | None:
        """Return what ``function`` makes of a connection, in one transaction; None where there is no answer in time."""
        if not self.up:
            return None
        answer = asyncio.ensure_future(run_in_pool(self._threads, self.use, function))
        try:
            # One that comes too late is dropped; where the way to the server hangs its thread hangs, and others go on.
            return await asyncio.wait_for(answer, patience or self._patience)
        except TimeoutError:
            logger.info("the shared memory answers too late (postgres.searchSeconds is what a search waits)")
        except StoreError as error:
            logger.debug("the server did not answer: {}", error.cause)
        return None

    def use(self, function: Callable[[Connection], T]) -> T:
        """Return what ``function`` makes of a connection, in one transaction. It blocks. Raises `StoreError`."""
        try:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is not None:
                try:
                    return self._used(function, kept)
                except StoreError:
                    if not kept.broken:
                        raise
            return self._used(function, self.connected())  # anew where the server was, since `kept` was used
        except StoreError as error:
            self._failed(error)
            raise

    def lead(self) -> bool:
        """Tell whether this machine is the leader of its tenant now, and no other; each is while the server is away.

        A transaction that stays open holds a lock of the server's: so a machine that dies keeps nobody waiting, and
        behind a pooler it is no stranger's.
        """
        sql = "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))"
        with self._leading_lock, suppress(StoreError), plain_errors():
            if self._leading is None or self._leading.broken:
                self._leading = self.connected()
                run(self._leading, "BEGIN")
            # Who has it already gets it again.
            row = run(self._leading, sql, (_LEADER, str(self._tenant))).fetchone()
            if row and row[0]:
                return True
            self._leading.close()
            self._leading = None
            return False
        return True

    def resign(self) -> None:
        """Let another machine lead."""
        with self._leading_lock:
            if self._leading is not None:
                self._leading.close()
            self._leading = None

    def close(self) -> None:
        """Close what is open, and break off what is in use."""
        self._closed.set()
        self.resign()
        self._threads.shutdown()
        self._go_down()
        looking = self._looking
        if looking is not None and looking is not threading.current_thread():
            looking.join(3 * _LOOK)

    def _used(self, function: Callable[[Connection], T], connection: Connection) -> T:
        keep = False
        try:
            with transaction(connection, self._tenant):
                result = function(connection)
            with self._lock:
                keep = not self._closed.is_set() and len(self._idle) < _AT_ONCE
                if keep:
                    self._idle.append(connection)
            return result
        finally:
            if not keep:
                connection.close()

    def _failed(self, error: StoreError) -> None:
        """Learn of an error: one of the way to the server, or of its tables, sends somebody to look for it."""
        is_way = isinstance(error.__cause__, psycopg.OperationalError | psycopg.errors.UndefinedTable)
        if is_way and self.up and not self._closed.is_set():
            logger.warning("the shared memory is away, this machine's own index answers: {}", error.cause)
            self.reason, self.hint = error.cause, error.hint
            self._go_down()
            self.look(0)

    def _go_down(self) -> None:
        with self._lock:
            self.up = False
            idle, self._idle = self._idle, []
            used, self._open = self._open - set(idle), set()
        for connection in idle:
            connection.close()
        for connection in used:
            if not connection.closed:
                break_off(connection)

    def _watch(self) -> None:
        while not self._closed.is_set():
            try:
                connection = connect(self._dsn)
                try:
                    schema.prepare(connection)
                finally:
                    connection.close()
            except (StoreError, psycopg.Error) as error:
                self._note_failure(error)
                self._looked.set()
                self._closed.wait(_LOOK)
                continue
            self.up, self.reason, self.hint = True, "", ""
            self._came_back()
            self._looked.set()
            return

    def _note_failure(self, error: Exception) -> None:
        reason = error.cause if isinstance(error, StoreError) else type(error).__name__
        if reason != self.reason:
            logger.info("the shared memory cannot be reached: {}", reason)
        self.reason, self.hint = reason, error.hint if isinstance(error, StoreError) else ""
