"""Nothing beyond the standard install is needed: no other program, no server, no network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import asyncio, socket, sys

def refuse(*args, **kwargs):
    raise OSError("this test allows no connection")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

PATIENT = MemoryConfig.model_validate({"core": {"message_limit": 30}, "plugins": {"recall": {"recall_timeout": 20}}})

async def main(workspace):
    async with MemoryHost(workspace, config=PATIENT) as memory:
        await memory.message_received(session_key="cli:one", text="我们决定用 SQLite，不引入额外托管组件")
    async with MemoryHost(workspace, config=PATIENT) as memory:
        context = await memory.message_received(session_key="cli:two", text="之前为什么决定用 SQLite？")
        print(context.block)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.accept("LR-09")
def test_it_remembers_with_no_other_program_and_no_network(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path / "workspace"],
        env={**os.environ, "PATH": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "不引入额外托管组件" in done.stdout
