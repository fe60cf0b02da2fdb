"""A process of one machine that writes facts one after the other, and prints each written one.

``python -m tests.postgres.writer WORKSPACE DSN TENANT MACHINE [FIRST FACT]``
"""

import asyncio
import sys
import uuid
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost, Note
from tests.postgres.machines import configured


async def write(workspace: str, dsn: str, tenant: str, machine: str, *facts: str) -> None:
    """Write facts until this process ends."""
    waiting = list(facts)
    async with MemoryHost(Path(workspace), config=configured(dsn, tenant, machine)) as memory:
        while True:
            fact = waiting.pop() if waiting else f"fact {uuid.uuid4().hex} of {machine}"
            receipt = await memory.keep(Note(fact), session_key="cli:direct")
            if receipt.stored:
                sys.stdout.write(f"{fact}\n")
                sys.stdout.flush()
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(write(*sys.argv[1:]))
