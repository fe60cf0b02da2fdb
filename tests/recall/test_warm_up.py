"""The first message of a process finds its patterns compiled: compiling them takes longer than it may."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import asyncio, json, re._compiler as compiler, sys
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

compiled = []
compile_ = compiler.compile
compiler.compile = lambda *given: compiled.append(given) or compile_(*given)
off = {"embedding": {"provider": "none"}}
config = MemoryConfig.model_validate({"core": {"message_limit": 60.0}, "plugins": {"storage": off}})

async def main():
    async with MemoryHost(sys.argv[1], config=config) as memory:
        at_the_start = len(compiled)
        await memory.message_received(session_key="cli:a", text=sys.argv[2])
        print(json.dumps([at_the_start, len(compiled) - at_the_start]))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "message", ["Remember that our staging database listens on port 5433.", "你还记得我们的数据库端口是多少吗？"]
)
def test_what_a_message_needs_is_compiled_at_the_start(tmp_path: Path, message: str):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), message], capture_output=True, text=True, check=True
    )
    at_the_start, at_the_message = json.loads(done.stdout.splitlines()[-1])
    assert at_the_message < at_the_start / 4
