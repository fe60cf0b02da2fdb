"""Questions to the server from an event loop: none is waited for longer than its limit."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.isolation.threads import LINGER_SECONDS, DaemonThreadPool, run_in_pool
from nanobot_memory_plugins.postgres.database.connection import Connection
from nanobot_memory_plugins.postgres.reaching import Lease, Server

T = TypeVar("T")

# Questions that wait for the server at a time.
_AT_ONCE = 3
# Seconds: a question that was given up after so long was too late.
_NOTICEABLE = 0.05


class Ask(Protocol):
    """Asks the server; None: it does not answer."""

    def __call__(self, function: Callable[[Connection], T]) -> Awaitable[T | None]:
        """Return what the server answers."""


class Questions:
    """Asks the server in threads, within ``limit`` seconds unless a question has a limit of its own."""

    def __init__(self, server: Server, limit: float) -> None:
        self._server = server
        self._limit = limit
        self._threads = DaemonThreadPool(_AT_ONCE, "nanobot-memory-shared", linger=LINGER_SECONDS)
        self._models = DaemonThreadPool(_AT_ONCE, "nanobot-memory-shared-model", linger=LINGER_SECONDS)

    async def ask(
        self,
        function: Callable[[Connection], T],
        *,
        before: Callable[[], None] | None = None,
        patience: float | None = None,
    ) -> T | None:
        """Return what the server answers, or None where it does not in time.

        ``before`` is done first, in a thread of its own kind: the model's time is not the server's. What has no
        patience of its own is asked of a fast server alone.
        """
        if not (self._server.fast if patience is None else self._server.up):
            return None
        if before is not None:
            await run_in_pool(self._models, before)
        lease, begun = Lease(), time.monotonic()
        answer = asyncio.ensure_future(run_in_pool(self._threads, lambda: self._server.use(function, lease)))
        try:
            done, _ = await asyncio.wait({answer}, timeout=patience or self._limit)
        except asyncio.CancelledError:
            answer.cancel()
            if time.monotonic() - begun > _NOTICEABLE:
                self._server.too_late(lease)
            raise
        if not done:
            answer.cancel()
            self._server.too_late(lease)
            return None
        try:
            return answer.result()
        except StoreError as error:
            logger.debug("the server did not answer: {}", error.cause)
            return None

    def try_out(self, function: Callable[[Connection], object]) -> None:
        """Ask something whose answer nobody needs: so the first connection is no turn's."""
        self._threads.submit(self._server.use, function, Lease())

    def close(self) -> None:
        """Begin no more questions."""
        self._threads.shutdown()
        self._models.shutdown()
