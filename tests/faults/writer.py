"""The process that starts writers: ``python -m tests.faults.writer``.

It has imported everything, and forks a writer for every order that it reads: a start costs milliseconds. It answers
each line with one: the process id for an order, the exit status for ``wait PID``.
"""

import asyncio
import os
import resource
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from loguru import logger

from nanobot_memory_plugins.consolidation.commands.service import _warm_up as consolidation_warm_up
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.values import Destination, Note, Receipt
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.warm_up import warm_up as recall_warm_up
from tests.faults import points
from tests.faults.orders import BEGIN, END, Order, say, word_of

SETTINGS = {
    "core": {"message_limit": 30, "tool_limit": 30, "idle_limit": 60},
    "plugins": {"storage": {"embedding_provider": "none"}},
}


class BackwardsClock(SystemClock):
    """A wall clock that somebody sets back again and again."""

    def __init__(self, seconds: float) -> None:
        self._step = timedelta(seconds=seconds)
        self._shift = timedelta()

    def now(self) -> datetime:
        self._shift -= self._step
        return datetime.now(UTC) + self._shift


def configuration(settings: dict[str, Any] | None = None) -> MemoryConfig:
    """Return the configuration of all writers: storage by words, and no time limit that a busy machine would meet."""
    plugins = {**SETTINGS["plugins"], **(settings or {})}
    return MemoryConfig.model_validate({**SETTINGS, "plugins": plugins})


async def write(memory: MemoryHost, order: Order, name: str) -> None:
    """Write the records of one thread."""
    numbers = iter(range(order.count))

    async def task() -> None:
        for number in numbers:
            kind = order.kinds[number % len(order.kinds)]
            word = word_of(name, number)
            # Of a long tool result a note keeps the beginning and the end only.
            padding = 0 if kind == "tool" else order.padding
            filling = f" {word[::-1]} {'wind and waves ' * (padding // 15)}"
            receipt = await one(memory, kind, f"{BEGIN}{word}{filling} {END}{word}", f"cli:{name}")
            where = receipt.path.relative_to(memory.workspace).as_posix() if receipt.path else ""
            what = {"word": word, "kind": kind, "stored": receipt.stored, "path": where}
            say(order.says, kept={**what, "spilled": receipt.spilled, "reason": receipt.reason})
            await asyncio.sleep(order.pause)

    await asyncio.gather(*(task() for _ in range(order.width)))


async def one(memory: MemoryHost, kind: str, text: str, session_key: str) -> Receipt:
    """Keep one text in one way, and return what the host answered."""
    match kind:
        case "message":
            return (await memory.message_received(session_key=session_key, text=text)).receipt
        case "reply":
            return await memory.message_sent(session_key=session_key, text=text)
        case "tool":
            # The note's first line shows the beginning of a result: the words shall stand in it once.
            result = "a list of what there is, " * 12 + "\n" + text
            return await memory.tool_executed(
                session_key=session_key, tool_name="exec", arguments={"command": "look"}, result=result
            )
        case "note":
            first, _, rest = text.partition(" ")
            return await memory.keep(Note(first, rest), session_key=session_key)
        case "long_term":
            first, _, rest = text.partition(" ")
            return await memory.keep(Note(first, rest, destination=Destination.LONG_TERM), session_key=session_key)
    (remember,) = [tool for tool in memory.tools() if tool.name == "remember"]
    answer = await remember.run({"text": text}, session_key=session_key)
    path = memory.workspace / "memory" / "ENTRIES.md"
    return Receipt(stored=answer.startswith("Written to"), path=path, reason=answer)


async def live(order: Order, name: str) -> None:
    """Be one host, from its start to its close."""
    clock = BackwardsClock(order.backwards) if order.backwards else SystemClock()
    async with MemoryHost(order.workspace, config=configuration(order.settings), clock=clock) as memory:
        say(order.says, started=name)
        if not order.cancel_after:
            await write(memory, order, name)
            return
        writing = asyncio.create_task(write(memory, order, name))
        await asyncio.wait([writing], timeout=order.cancel_after)
        writing.cancel()
        await asyncio.wait([writing])


def obey(order: Order) -> None:
    """Be the writer of an order."""
    if order.point:
        points.arm(order.point, order.nth, lambda: say(order.says, reached=order.point))
    if order.limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.limit, resource.RLIM_INFINITY))
    if order.user:
        with tempfile.TemporaryDirectory() as elsewhere:  # that user may not be allowed to read the interpreter's files
            asyncio.run(live(replace(order, workspace=elsewhere, says=os.devnull), order.name))
        os.setgid(order.user)
        os.setuid(order.user)
    names = [f"{order.name}-{number}" for number in range(order.threads)]
    threads = [threading.Thread(target=lambda name=name: asyncio.run(live(order, name))) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(order.says, done=order.name)


def main() -> None:
    """Obey the orders on standard input until it ends."""
    logger.remove()
    preload()
    for line in sys.stdin:
        if line.startswith("wait "):
            _, status = os.waitpid(int(line.split()[1]), 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        child = os.fork()
        if child == 0:
            code = 1
            try:
                obey(Order.decoded(line))
                code = 0
            except BaseException as error:
                with suppress(OSError):
                    say(Order.decoded(line).says, failed=repr(error), at=time.time())
            os._exit(code)
        print(child, flush=True)


def preload() -> None:
    """Import what a host imports when it starts, and read what its warm-up reads, without starting one."""
    import importlib
    from importlib.metadata import entry_points

    for entry in entry_points(group="nanobot_memory_plugins"):
        entry.load()
    for name in (
        *("apsw", "numpy", "sqlite_vec", "watchfiles"),
        "nanobot_memory_plugins.storage.database",
        "nanobot_memory_plugins.storage.search.searcher",
    ):
        with suppress(ImportError):
            importlib.import_module(name)
    recall_warm_up(RecallOptions())
    consolidation_warm_up()


if __name__ == "__main__":
    main()
