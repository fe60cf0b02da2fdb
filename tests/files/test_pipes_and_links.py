"""A pipe, a device or a link in the place of a memory file holds nobody up and leads nowhere."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.memory_host import MemoryHost

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")

CONFIG = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})
# What hangs, hangs for ever; a whole round takes about a second where nothing does.
_LONGEST = 30.0


async def live_through(workspace: Path) -> tuple[str, str]:
    """Start, take messages, remember, index and close; return what the tool said, and the base context."""
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="plain", text="Remember that my dog is called Rex.")
        assert (await memory.message_sent(session_key="plain", text="I shall.")).stored
        (remember,) = (tool for tool in memory.tools() if tool.name == "remember")
        said = await remember.run({"text": "The user's cat is called Tabby"}, session_key="plain")
        await memory.flush_index()
        return said, memory.base_context()


@pytest.mark.parametrize("name", ["MEMORY.md", "topic.md", "MEMORY.md.bak", ".entries/seen-MEMORY.md"])
def test_a_named_pipe_holds_nobody_up(tmp_path: Path, name: str) -> None:
    pipe = tmp_path / "memory" / name
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)

    async def within_a_limit() -> tuple[str, str]:
        return await asyncio.wait_for(live_through(tmp_path), _LONGEST)

    began = time.monotonic()
    said, base = asyncio.run(within_a_limit())
    if name == "topic.md":
        assert "Written to memory/MEMORY.md" in said
        assert "Rex" in base
    else:
        assert "it is no regular file" in said
    for command in ("doctor", "scrub", "search cat", "entries list"):
        CliRunner().invoke(app, [*command.split(), "--workspace", str(tmp_path)])
    assert time.monotonic() - began < _LONGEST


def test_a_socket_is_refused_with_a_reason(tmp_path: Path) -> None:
    import socket

    (tmp_path / "memory").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(tmp_path / "memory")  # a socket's path must be short
        try:
            bound.bind("MEMORY.md")
        finally:
            os.chdir(here)
        said, base = asyncio.run(live_through(tmp_path))
    assert said.startswith("Error: nothing was remembered.")
    assert base == ""
