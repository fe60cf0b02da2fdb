"""Run a few turns of a stock nanobot in a process of its own and print what its user saw.

``python -m tests.support.hostile_turns CONFIG`` prints the replies as one JSON list.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from tests import hostile

TURNS = ("read the file", "a second message", "/compact", "and a third", "/new", "a fourth")


async def run(config_file: Path) -> list[str]:
    from nanobot.nanobot import Nanobot

    async with Nanobot.from_config(config_file) as bot:
        return [(await bot.run(text, session_key="sdk:hostile")).content for text in TURNS]


def main() -> None:
    from nanobot.config.loader import set_config_path

    config_file = Path(sys.argv[1])
    set_config_path(config_file)
    replies = asyncio.run(run(config_file))
    hostile.release()
    print(json.dumps(replies), flush=True)
    # Threads that a plugin left behind on purpose may not keep the test waiting.
    os._exit(0)


if __name__ == "__main__":
    main()
