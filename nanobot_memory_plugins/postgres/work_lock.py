"""Which machine does what is to be done on one of them: who holds a lock of the server's."""

import threading
from contextlib import suppress
from typing import Final

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.connection import Connection, plain_errors, run
from nanobot_memory_plugins.postgres.passages import Owner
from nanobot_memory_plugins.postgres.server import Server

_CLASS: Final = 7_021_934


class WorkLock:
    """The lock, held by a transaction that stays open: a machine that dies keeps nobody waiting. Everything blocks.

    It is no lock of a session, which would be a stranger's behind a pooler.
    """

    def __init__(self, server: Server, owner: Owner) -> None:
        self._server = server
        self._owner = owner
        self._lock = threading.Lock()
        self._connection: Connection | None = None

    def take(self, work: str) -> bool:
        """Tell whether this machine has the lock for a kind of work now; each has while the server is away."""
        sql = "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))"
        with self._lock, suppress(StoreError), plain_errors():
            if self._connection is None or self._connection.broken:
                self._connection = self._server.connected()
                run(self._connection, "BEGIN")
            # Who has it already gets it again.
            row = run(self._connection, sql, (_CLASS, f"{self._owner.tenant} {work}")).fetchone()
            if not (row and row[0]):
                self._drop()
                return False
        return True

    def give_back(self) -> bool:
        """Let another machine have it."""
        with self._lock:
            self._drop()
        return True

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
