"""The access to the server: a few connections, time limits for answers, and reconnecting while it is away."""

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
from nanobot_memory_plugins.postgres.connection import Connection, abort, connect, run, transaction, translate_errors

T = TypeVar("T")

# Seconds between attempts to reconnect.
_RETRY_SECONDS = 1.0
# Idle connections that are kept, and requests at the same time.
_MAX_CONNECTIONS = 4
# The class of the advisory locks of leaders: the leader does the work that only one machine must do.
_LEADER_LOCK = 7_021_934


class Server:
    """One server, for one tenant. While ``is_up`` is False nothing is sent to it, and a thread tries to reconnect.

    That thread calls ``on_reconnect`` after each success. Searches wait ``timeout`` seconds, other requests longer.
    """

    def __init__(self, dsn: str, tenant: UUID, *, timeout: float, on_reconnect: Callable[[], None]) -> None:
        self._dsn = dsn
        self._tenant = tenant
        self._search_timeout = timeout
        self._on_reconnect = on_reconnect
        self._threads = DaemonThreadPool(_MAX_CONNECTIONS, "nanobot-memory-shared")
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._leader_mutex = threading.Lock()
        self._leader_connection: Connection | None = None
        self._closed, self._attempted = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self.is_up = False
        self.reason = "The server of the shared memory was not reached yet."
        self.hint = ""

    def reconnect(self, timeout: float) -> None:
        """Start to reconnect if the server is away, and wait up to ``timeout`` seconds for the first attempt."""
        with self._lock:
            if not self._closed.is_set() and not self.is_up and (self._thread is None or not self._thread.is_alive()):
                self._attempted.clear()
                self._thread = threading.Thread(target=self._reconnect_loop, name="nanobot-memory-server", daemon=True)
                self._thread.start()
        self._attempted.wait(timeout)

    def new_connection(self) -> Connection:
        """Return a new connection, which the caller closes. Raises `StoreError`."""
        if not self.is_up:
            raise StoreError(self.reason, hint=self.hint)
        connection = connect(self._dsn)
        with self._lock:
            self._open = {opened for opened in self._open if not opened.closed} | {connection}
        return connection

    async def ask(self, function: Callable[[Connection], T], *, timeout: float | None = None) -> T | None:
        """Return the result of ``function`` in one transaction, or None when there is no answer in time."""
        if not self.is_up:
            return None
        answer = asyncio.ensure_future(run_in_pool(self._threads, self.use, function))
        try:
            # A late answer is dropped. If the network hangs, so does the thread of this request; other threads go on.
            return await asyncio.wait_for(answer, timeout or self._search_timeout)
        except TimeoutError:
            logger.info("the shared memory answers too late (postgres.searchSeconds is what a search waits)")
        except StoreError as error:
            logger.debug("the server did not answer: {}", error.cause)
        return None

    def use(self, function: Callable[[Connection], T]) -> T:
        """Return the result of ``function`` with a connection, in one transaction. It blocks. Raises `StoreError`."""
        try:
            with self._lock:
                idle_connection = self._idle.pop() if self._idle else None
            if idle_connection is not None:
                try:
                    return self._run(function, idle_connection)
                except StoreError:
                    if not idle_connection.broken:
                        raise
            return self._run(function, self.new_connection())  # the server may have restarted meanwhile
        except StoreError as error:
            self._handle_error(error)
            raise

    def lead(self) -> bool:
        """Return whether this machine is now the leader of its tenant; every machine is while the server is away.

        An open transaction holds an advisory lock. The server releases it when the machine dies, and a pooler cannot
        give the connection to another client.
        """
        sql = "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))"
        with self._leader_mutex, suppress(StoreError), translate_errors():
            if self._leader_connection is None or self._leader_connection.broken:
                self._leader_connection = self.new_connection()
                run(self._leader_connection, "BEGIN")
            # The holder of the lock gets it again.
            row = run(self._leader_connection, sql, (_LEADER_LOCK, str(self._tenant))).fetchone()
            if row and row[0]:
                return True
            self._leader_connection.close()
            self._leader_connection = None
            return False
        return True

    def resign(self) -> None:
        """Let another machine lead."""
        with self._leader_mutex:
            if self._leader_connection is not None:
                self._leader_connection.close()
            self._leader_connection = None

    def close(self) -> None:
        """Close idle connections, and abort those in use."""
        self._closed.set()
        self.resign()
        self._threads.shutdown()
        self._disconnect()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(3 * _RETRY_SECONDS)

    def _run(self, function: Callable[[Connection], T], connection: Connection) -> T:
        is_kept = False
        try:
            with transaction(connection, self._tenant):
                result = function(connection)
            with self._lock:
                is_kept = not self._closed.is_set() and len(self._idle) < _MAX_CONNECTIONS
                if is_kept:
                    self._idle.append(connection)
            return result
        finally:
            if not is_kept:
                connection.close()

    def _handle_error(self, error: StoreError) -> None:
        """Start to reconnect after an error of the connection or of missing tables."""
        is_away = isinstance(error.__cause__, psycopg.OperationalError | psycopg.errors.UndefinedTable)
        if is_away and self.is_up and not self._closed.is_set():
            logger.warning("the shared memory is away, this machine's own index answers: {}", error.cause)
            self.reason, self.hint = error.cause, error.hint
            self._disconnect()
            self.reconnect(0)

    def _disconnect(self) -> None:
        with self._lock:
            self.is_up = False
            idle, self._idle = self._idle, []
            active, self._open = self._open - set(idle), set()
        for connection in idle:
            connection.close()
        for connection in active:
            if not connection.closed:
                abort(connection)

    def _reconnect_loop(self) -> None:
        while not self._closed.is_set():
            try:
                connection = connect(self._dsn)
                try:
                    schema.prepare(connection)
                finally:
                    connection.close()
            except (StoreError, psycopg.Error) as error:
                self._note_failure(error)
                self._attempted.set()
                self._closed.wait(_RETRY_SECONDS)
                continue
            self.is_up, self.reason, self.hint = True, "", ""
            self._on_reconnect()
            self._attempted.set()
            return

    def _note_failure(self, error: Exception) -> None:
        reason = error.cause if isinstance(error, StoreError) else type(error).__name__
        if reason != self.reason:
            logger.info("the shared memory cannot be reached: {}", reason)
        self.reason, self.hint = reason, error.hint if isinstance(error, StoreError) else ""
