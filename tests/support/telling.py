"""A process of a machine that is told something until somebody kills it: ``python -m tests.support.telling``.

Arguments: workspace, dsn, tenant, machine, its own name, a number to begin with, seconds between two remarks. It prints
each number with the id of its record once that is in its file, and ``sending`` whenever it is the one that sends.
"""

import asyncio
import sys
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryFiles, TranscriptRecord
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from tests.postgres.opening import open_shared


async def tell(workspace: Path, dsn: str, tenant: str, machine: str, name: str, number: int, rest: float) -> None:
    store = await open_shared(workspace, None, tenant, dsn=dsn, machine=machine)
    files = MemoryFiles(workspace, redact=lambda text: text, on_append=store.notify)
    await files.merge_spills()
    scope, was_sending = Scope(session=f"cli:{name}"), False
    while True:
        text = f"remark {name} number{number} of many"
        if number % 2:
            receipt = await files.keep_note(Note(text), scope=scope)
        else:
            record = TranscriptRecord("user", text, scope.session, scope, Origin.USER)
            receipt = await files.keep_message(record)
        if receipt.stored:
            print(number, receipt.id, flush=True)
        is_sending = store._sender.state.owning
        if is_sending and not was_sending:
            print("sending", flush=True)
        was_sending = is_sending
        number += 1
        await asyncio.sleep(rest)


if __name__ == "__main__":
    folder, dsn, tenant, machine, name, number, rest = sys.argv[1:]
    asyncio.run(tell(Path(folder), dsn, tenant, machine, name, int(number), float(rest)))
