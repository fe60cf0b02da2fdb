"""A machine that is told something all the time, until somebody kills it: ``python -m tests.support.telling``.

Arguments: workspace, dsn, tenant, machine, a number to begin with. It prints each number once its note is in its file.
"""

import asyncio
import sys
from pathlib import Path

from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note
from tests.postgres.opening import open_shared


async def tell(workspace: MemoryWorkspace, dsn: str, tenant: str, machine: str, number: int) -> None:
    store = await open_shared(workspace.path, None, tenant, dsn=dsn, machine=machine)
    while True:
        store.notify(workspace.note(Note(f"remark {machine} number{number} of many"), f"{machine}{number}"))
        print(number, flush=True)
        number += 1
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    folder, dsn, tenant, machine, number = sys.argv[1:]
    asyncio.run(tell(MemoryWorkspace(Path(folder)), dsn, tenant, machine, int(number)))
