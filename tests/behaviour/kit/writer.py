"""A host in a process of its own that keeps numbered records until it ends or is killed: what it was told is printed.

``python -m tests.behaviour.kit.writer WORKSPACE NAME COUNT`` prints one JSON object for each receipt.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note

ROOT = Path(__file__).parents[3]
_CONFIG = {
    "core": {"message_limit": 60, "tool_limit": 60},
    "plugins": {"storage": {"embeddingProvider": "none"}, "recall": {"enabled": False}},
}


def start_writer(workspace: Path, name: str, count: int) -> "subprocess.Popen[str]":
    """Start one; what it prints is read from its standard output."""
    command = [sys.executable, "-m", "tests.behaviour.kit.writer", str(workspace), name, str(count)]
    environment = {**os.environ, "NANOBOT_MEMORY_PLUGINS": "storage,observation"}
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment)


def receipts(lines: "list[str]") -> "list[dict[str, object]]":
    """Return what whole lines of a writer say."""
    return [json.loads(line) for line in lines if line.endswith("\n")]


async def _write(workspace: str, name: str, count: int) -> None:
    session = f"cli:{name}"
    async with MemoryHost(workspace, config=MemoryConfig.model_validate(_CONFIG)) as memory:
        for number in range(count):
            word = f"{name}x{number:04}"
            text = f"begin{word} {'wind and waves ' * (number % 40)} end{word}"
            match number % 4:
                case 0:
                    receipt = (await memory.message_received(session_key=session, text=text)).receipt
                case 1:
                    receipt = await memory.message_sent(session_key=session, text=text)
                case 2:
                    receipt = await memory.keep(Note(f"begin{word}", f"end{word}"), session_key=session)
                case _:
                    result = f"{'a list of what there is, ' * 12}\n{text}"
                    receipt = await memory.tool_executed(
                        session_key=session, tool_name="exec", arguments={}, result=result
                    )
            told = {"word": word, "stored": receipt.stored, "reason": receipt.reason}
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_write(sys.argv[1], sys.argv[2], int(sys.argv[3])))
