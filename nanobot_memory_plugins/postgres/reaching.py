"""The way to the server: a few connections, and whether trying is worth while."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

import psycopg

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.postgres.database import row_security, schema
from nanobot_memory_plugins.postgres.database.connection import Connection, break_off, connect, plain_errors, run

T = TypeVar("T")

# Failures in a row after which nobody tries but the one thread that looks whether the server is back.
_FAILURES = 2
# Seconds between its looks, and how many connections wait for the next search.
_PROBE_SECONDS, _IDLE = 1.0, 4
# Seconds between its looks whether a server that is there has become fast enough to be searched.
_SLOW_PROBE_SECONDS = 5.0


class Lease:
    """One use of the server by a thread, which another may break off."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self.broken = False

    def hold(self, connection: Connection | None) -> None:
        """Say which connection is in use now, or that none is any more."""
        with self._lock:
            self._connection = connection
            late = self.broken
        if late and connection is not None:
            break_off(connection)

    def break_off(self) -> None:
        """Let the thread come back at once: whoever waited does so no more."""
        with self._lock:
            self.broken = True
            connection = self._connection
        if connection is not None:
            break_off(connection)


class Server:
    """One server, from any thread. While it is ``up`` it is used; else one thread of ours looks for it.

    Searches use it while it is ``fast`` as well: so much so that half of their ``limit`` is enough for a word of it.
    What is sent may take its time. ``came_back`` is called in that thread, and told whether it was up before. With a
    ``tenant`` row-level security holds everything else away.
    """

    def __init__(
        self,
        dsn: str,
        *,
        pooler: bool,
        partitions: int,
        limit: float,
        came_back: Callable[[bool], None] = lambda was_up: None,
        tenant: UUID | None = None,
    ) -> None:
        self._dsn = dsn
        self._pooler = pooler
        self._tenant = tenant
        self._partitions = partitions
        self._limit = limit
        self._came_back = came_back
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._lent: set[Lease] = set()
        self._failures = 0
        self._closed = threading.Event()
        self._changed = threading.Event()
        self._looking: threading.Thread | None = None
        self.up = self.fast = False
        self.reason = "The server of the shared memory was not reached yet."
        self.hint = ""

    def look(self, patience: float) -> None:
        """Begin to look for the server, and wait for it for a while."""
        self._look_for_it()
        self._changed.wait(patience)

    def use(self, function: Callable[[Connection], T], lease: Lease) -> T:
        """Return what ``function`` makes of a connection. Raises `StoreError`, also where another broke it off."""
        with self._lock:
            self._lent.add(lease)
        try:
            result = self._use(function, lease)
        except StoreError as error:
            if not lease.broken:
                self._failed(error.cause, error.hint)
            raise
        finally:
            with self._lock:
                self._lent.discard(lease)
        with self._lock:
            self._failures = 0
        return result

    def too_late(self, lease: Lease) -> None:
        """Learn that somebody has waited for an answer for too long, and does no more."""
        lease.break_off()
        self._failed("The server of the shared memory answers too late.", "Is it far away, or busy?", is_late=True)

    def connected(self) -> Connection:
        """Return a new connection, for somebody who keeps it. Raises `StoreError`."""
        if not self.up:
            raise StoreError(self.reason, hint=self.hint)
        return self._connect()

    def hold(self, lease: Lease) -> None:
        """Break a lease off as well when the server is gone, or when this is closed."""
        with self._lock:
            self._lent.add(lease)

    def close(self) -> None:
        """Close what is open, and break off what is in use."""
        self._closed.set()
        self.up = self.fast = False
        with self._lock:
            idle, self._idle = self._idle, []
            lent = list(self._lent)
            looking = self._looking
        for lease in lent:
            lease.break_off()
        for connection in idle:
            connection.close()
        if looking is not None:
            looking.join(3 * _PROBE_SECONDS)

    def _use(self, function: Callable[[Connection], T], lease: Lease) -> T:
        kept = self._take()
        if kept is not None:
            try:
                return self._run(function, kept, lease)
            except StoreError:
                # It may have died while it waited: the server was restarted, a pooler has closed it.
                if lease.broken or not kept.broken:
                    raise
        return self._run(function, self._connect(), lease)

    def _run(self, function: Callable[[Connection], T], connection: Connection, lease: Lease) -> T:
        lease.hold(connection)
        try:
            with plain_errors():
                result = function(connection)
        except BaseException:
            lease.hold(None)
            connection.close()
            raise
        lease.hold(None)
        with self._lock:
            keep = not self._closed.is_set() and not lease.broken and len(self._idle) < _IDLE
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        return result

    def _take(self) -> Connection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _failed(self, reason: str, hint: str, *, is_late: bool = False) -> None:
        """Count a failure. After some nobody searches there; whether it is down as well, who looks for it says."""
        with self._lock:
            self._failures += 1
            changes = self._failures >= _FAILURES and (self.fast if is_late else self.up)
            if changes:
                self.fast = False
        self.reason, self.hint = reason, hint
        if changes:
            logger.warning("the shared memory is away, this machine's own index answers: {}", reason)
            if not is_late:
                self._goes_down()
            self._look_for_it()

    def _goes_down(self) -> None:
        with self._lock:
            self.up = self.fast = False
            idle, self._idle = self._idle, []
            lent = list(self._lent)
        for lease in lent:
            lease.break_off()
        for connection in idle:
            connection.close()

    def _look_for_it(self) -> None:
        with self._lock:
            if self._closed.is_set() or (self._looking is not None and self._looking.is_alive()):
                return
            self._looking = threading.Thread(target=self._look, name="nanobot-memory-server", daemon=True)
            self._looking.start()

    def _look(self) -> None:
        while not self._closed.is_set():
            rest = _PROBE_SECONDS
            try:
                seconds = self._tried()
            except (StoreError, psycopg.Error) as error:
                if self.up:
                    self._goes_down()
                self._say(error)
            else:
                with self._lock:
                    was_up, self.up = self.up, not self._closed.is_set()
                    self.fast = is_fast = self.up and seconds <= self._limit / 2
                    self._failures = 0
                    if is_fast:
                        self._looking = None  # from here on another may be begun
                        self.reason = self.hint = ""
                if not is_fast:
                    self._say(StoreError("The server of the shared memory is slow.", hint="Is it far away, or busy?"))
                    rest = _SLOW_PROBE_SECONDS
                self._changed.set()
                if is_fast or not was_up:
                    self._came_back(was_up)
                if is_fast:
                    return
            self._changed.set()
            self._closed.wait(rest)

    def _tried(self) -> float:
        """Reach the server, and return the seconds that it took for a word. Raises `StoreError`."""
        connection = self._connect()
        try:
            if self._tenant is None:
                schema.prepare(connection, self._partitions)
            else:
                row_security.check(connection)
            begun = time.monotonic()
            with plain_errors():
                run(connection, "SELECT 1").fetchall()
            return time.monotonic() - begun
        finally:
            connection.close()

    def _connect(self) -> Connection:
        return connect(self._dsn, pooler=self._pooler, tenant=self._tenant)

    def _say(self, error: Exception) -> None:
        reason = error.cause if isinstance(error, StoreError) else type(error).__name__
        if reason != self.reason:
            logger.info("the shared memory cannot be reached: {}", reason)
        self.reason, self.hint = reason, error.hint if isinstance(error, StoreError) else ""
