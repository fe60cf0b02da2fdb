"""Serves the protocol over standard input and output, and keeps all other reads and writes out of them.

While a server runs, file descriptor 1 points to standard error and 0 to the null device, so that a plugin, library or
child process that prints or reads does not disturb the protocol. Version 2 of the SDK does this itself.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TextIO

from nanobot_memory_plugins.core.cli.serving import stop_on_signals
from nanobot_memory_plugins.mcp.server import IS_VERSION_1, MemoryServer

# Seconds for the last answers after the client has closed its end. It may no longer read them.
_DRAIN_SECONDS = 2.0


def serve_stdio(make_server: Callable[..., MemoryServer]) -> None:
    """Answer the client until it closes its end or a signal arrives. Then the process may exit at once.

    ``make_server`` takes the SDK's ``lifespan``. A thread that still waits for the client does not delay the exit.
    """
    pipes = _claim_pipes() if IS_VERSION_1 else ()
    asyncio.run(_serve(make_server, pipes))


def _claim_pipes() -> tuple[TextIO, ...]:
    """Redirect descriptors 0 and 1, and return the streams to the client, which must stay referenced.

    `sys.stdin` and `sys.stdout` are these streams until the SDK has taken their buffers.
    """
    sys.stdout.flush()
    sys.stdin, sys.stdout = pipes = os.fdopen(os.dup(0), closefd=False), os.fdopen(os.dup(1), "w", closefd=False)
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    os.dup2(2, 1)
    return pipes


async def _serve(make_server: Callable[..., MemoryServer], pipes: Sequence[TextIO]) -> None:
    ended = asyncio.Event()

    @contextlib.asynccontextmanager
    async def lifespan(_server: Any) -> AsyncIterator[None]:
        if pipes:  # the SDK has taken the streams to the client
            sys.stdin, sys.stdout = sys.__stdin__, sys.__stdout__
        try:
            yield
        finally:
            ended.set()

    server = make_server(lifespan=lifespan)
    server.begin()
    with stop_on_signals(ended.set):
        serving = asyncio.create_task(server.run_stdio_async())
        await asyncio.wait({serving, asyncio.create_task(ended.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await server.close()
        await asyncio.wait({serving}, timeout=_DRAIN_SECONDS)
        if not serving.done():  # a thread that waits for the client cannot be cancelled, so exit without it
            sys.stderr.flush()
            os._exit(0)
        with contextlib.suppress(Exception):  # a client that has gone away is no failure
            serving.result()
