"""The protocol over standard input and output: nothing else gets through to either of them.

File descriptor 1 leads to standard error while a server runs, and 0 to nothing: a plugin, a library or a child that
prints or reads does not break into the protocol. Version 2 of the SDK does the same by itself.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TextIO

from nanobot_memory_plugins.core.cli.serving import stop_on_signals
from nanobot_memory_plugins.mcp.server import IS_VERSION_1, MemoryServer

# Seconds for the last answers, once the client has closed its end: it may not read them any more.
_LAST_SECONDS = 2.0


def serve_stdio(make_server: Callable[..., MemoryServer]) -> None:
    """Answer the client until it closes its end or the process is told to end; the process ends with it.

    ``make_server`` takes the SDK's ``lifespan``. A thread that waits for a client for ever holds the end up no longer.
    """
    pipes = _claim_pipes() if IS_VERSION_1 else ()
    asyncio.run(_serve(make_server, pipes))


def _claim_pipes() -> tuple[TextIO, ...]:
    """Lead descriptors 0 and 1 elsewhere, and return what leads to the client, which is held for as long as it runs.

    `sys.stdin` and `sys.stdout` are the same until the SDK has taken their buffers.
    """
    sys.stdout.flush()
    sys.stdin, sys.stdout = pipes = os.fdopen(os.dup(0), closefd=False), os.fdopen(os.dup(1), "w", closefd=False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipes


async def _serve(make_server: Callable[..., MemoryServer], pipes: Sequence[TextIO]) -> None:
    ended = asyncio.Event()

    @contextlib.asynccontextmanager
    async def lifespan(_server: Any) -> AsyncIterator[None]:
        if pipes:  # the SDK has taken what leads to the client
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
        await asyncio.wait({serving}, timeout=_LAST_SECONDS)
        if not serving.done():  # what waits for a client in a thread cannot be cancelled: the process ends without it
            sys.stderr.flush()
            os._exit(0)
        with contextlib.suppress(Exception):  # a client that is gone is no failure
            serving.result()
