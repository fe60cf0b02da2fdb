"""By default, data leaves the machine only in the host's model calls, and no other program is started."""

import subprocess
import sys
from pathlib import Path

import pytest

# A whole life, in a process in which each attempt to reach another machine, to ask for its address, or to start another
# program is counted.
PROGRAM = """
import asyncio, sys
from pathlib import Path

reached = []
def audit(event, given):
    network = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")
    if event in (*network, "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system"):
        if event == "socket.connect" and isinstance(given[1], (str, bytes)):
            return  # a socket of this machine's file system
        reached.append((event, str(given)))
        raise OSError("this is not allowed here")
sys.addaudithook(audit)

from nanobot_memory_plugins.core import MemoryHost, Query

asked = []
async def complete(messages, *, max_tokens, purpose):
    asked.append(purpose)
    return "[]"

async def main():
    async with MemoryHost(Path("workspace"), llm=complete) as memory:
        history = []
        for number in range(6):
            text = f"The locker {number} of my gym opens with code 70{number}."
            await memory.message_received(session_key="cli:one", text=text, history=history)
            await memory.message_sent(session_key="cli:one", text="Noted.")
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]
        await memory.tool_executed(
            session_key="cli:one", tool_name="web_fetch", arguments={"url": "https://example.com"}, result="a page"
        )
        tools = {tool.name: tool for tool in memory.tools()}
        said = {"text": "The gym is in Lund.", "said": history[0]["content"]}
        await tools["remember"].run(said, session_key="cli:one")
        await memory.before_compaction(
            session_key="cli:one", messages=history * 9, context_window=2_000, reason="token_pressure"
        )
        await memory.session_idle(session_key="cli:one", history=history, ended=True)
        await memory.flush_index()
        found = await memory.search(Query("locker of the gym"))
        await memory.message_received(session_key="cli:two", text="Do you remember my gym's code?")
        await tools["memory_search"].run({"query": "gym"}, session_key="cli:two")
        await memory.diagnose()
        print("lived", len(found.hits) > 0, sorted(set(asked)))
asyncio.run(main())
print("reached", reached)
"""


@pytest.mark.smoke
@pytest.mark.accept("PL-10", "LR-09")
def test_the_default_configuration_opens_no_connection_and_starts_no_program(
    tmp_path: Path, builtin_model: Path, monkeypatch
):
    # The bridge needs nanobot's loop, and a store on a server needs its configuration.
    plugins = "storage,recall,observation,flush,summary,compaction,consolidation,bootstrap"
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", plugins)
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    lived, reached = ended.stdout.splitlines()[-2:]
    assert lived.startswith("lived True")
    assert "compaction" in lived or "flush" in lived
    assert reached == "reached []"
