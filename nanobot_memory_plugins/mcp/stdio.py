"""The protocol over standard input and output: nothing else gets through to either of them.

File descriptor 1 leads to standard error while a server runs, and 0 to nothing: a plugin, a library or a child that
prints or reads does not break into the protocol. Neither stream ever holds up the end of the process: a client that is
gone, or that no longer reads, leaves no orphan behind.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Self, cast

from mcp.server.stdio import stdio_server
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.mcp.ending import end_both, until_told_to_end

# Lines that wait to be read by the server; the client waits beyond them.
_LINES_AHEAD = 64
# Seconds for the last answers, once the client has closed its end: it may not read them any more.
_LAST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Pipes:
    """The two ends that lead to the client."""

    read: BinaryIO
    write: BinaryIO


@contextlib.contextmanager
def claimed_pipes() -> Iterator[Pipes]:
    """Take both streams away from everybody else in the process, for as long as it lives."""
    sys.stdout.flush()
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Not closed: a thread may still wait for the client there when all else has ended.
    yield Pipes(os.fdopen(reading, "rb", closefd=False), os.fdopen(writing, "wb", buffering=0, closefd=False))


class _Lines:
    """What the client sends, line by line, read in a thread of its own."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(_LINES_AHEAD)
        self.ended = asyncio.Event()
        threading.Thread(target=self._read, name="mcp-input", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            self.ended.set()
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._file:
                if not self._hand_over(line.decode("utf-8", "replace")):
                    return
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> bool:
        work = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except BaseException:  # the loop has ended: there is nobody to hand it to
            with contextlib.suppress(ValueError, RuntimeError):
                work.close()
            return False
        return True


class _Output:
    """What the client is sent. Once it is gone, nothing is."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._gone = False

    async def write(self, text: str) -> None:
        if not self._gone:
            await run_in_daemon_thread(lambda: self._write(text.encode("utf-8", "replace")))

    async def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) or 0 :]
        except (OSError, ValueError):
            self._gone = True
            logger.debug("the client reads no more")


async def serve_pipes(server: Any, pipes: Pipes) -> None:
    """Answer the client until it closes its end, or the process is told to end."""
    lines = _Lines(pipes.read)
    stdin, stdout = cast(Any, lines), cast(Any, _Output(pipes.write))

    async def serve() -> None:
        async with stdio_server(stdin, stdout) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    async def serve_until_the_client_is_gone() -> None:
        serving, gone = asyncio.create_task(serve()), asyncio.create_task(lines.ended.wait())
        try:
            await asyncio.wait({serving, gone}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({serving}, timeout=_LAST_SECONDS)
        finally:
            await end_both(serving, gone)

    await until_told_to_end(serve_until_the_client_is_gone)
