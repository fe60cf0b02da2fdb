"""A nanobot that answers lines of JSON, ``{"session": ..., "text": ...}``, until its input ends."""

import asyncio
import json
import sys
from pathlib import Path

from nanobot.agent.loop import AgentLoop
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.config.loader import load_config


async def main(config_file: str) -> None:
    """Answer the lines of standard input."""
    loop = AgentLoop.from_config(load_config(Path(config_file)), None, tool_registry=ToolRegistry())
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        answer = await loop.process_direct(asked["text"], session_key=asked["session"])
        print(json.dumps({"answer": answer.content if answer is not None else None}), flush=True)
    await loop.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
