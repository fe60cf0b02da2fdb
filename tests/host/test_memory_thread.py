"""The memory's own thread: its life, and what it does to the host's."""

import asyncio
import subprocess
import sys
import textwrap
import threading
from datetime import UTC, datetime

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread
from nanobot_memory_plugins.core.testing import ManualClock


def thread_for(tmp_path, monkeypatch) -> MemoryThread:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    return MemoryThread(lambda: MemoryHost(tmp_path / "workspace", config=MemoryConfig()))


async def send(thread: MemoryThread, text: str):
    return await thread.call(lambda memory: memory.message_sent(session_key="s", text=text), limit=10)


async def test_a_late_call_goes_on_when_its_caller_is_gone(tmp_path, monkeypatch):
    thread = thread_for(tmp_path, monkeypatch)
    done = threading.Event()

    async def slow(_memory):
        await asyncio.sleep(0.2)
        done.set()

    assert await thread.call(slow, limit=0.01) is None
    cancelled = asyncio.create_task(thread.call(slow, limit=10))
    await asyncio.sleep(0.05)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    await thread.aclose(5)
    assert done.is_set()


async def test_a_stray_exit_in_the_thread_ends_the_thread_only():
    async def leave(_memory):
        async def stray():
            sys.exit(3)

        task = asyncio.create_task(stray())
        await asyncio.sleep(0.05)
        return task

    class Nothing:
        async def start(self): ...
        async def close(self): ...

    thread = MemoryThread(Nothing)
    assert await thread.call(leave, limit=5) is None
    assert await send(thread, "anybody there?") is None
    assert await thread.aclose(5)


async def test_trap_11_a_memory_that_does_not_close_holds_the_end_for_the_limit_only():
    class Stuck:
        async def start(self): ...

        async def close(self):
            await asyncio.sleep(3600)

    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    thread = MemoryThread(Stuck, clock=clock)
    await thread.call(lambda memory: asyncio.sleep(0), limit=500.0)
    closing = asyncio.ensure_future(thread.aclose(500.0))
    while clock.alarms != [500.0]:
        await asyncio.sleep(0)
    clock.advance(500.0)
    assert not await closing


def test_an_interpreter_that_ends_without_a_close_keeps_what_was_accepted(tmp_path):
    """Nobody calls ``aclose`` here: the exit hook does the closing."""
    source = textwrap.dedent(
        """
        import asyncio, sys, threading, time
        from nanobot_memory_plugins.core.host.memory_thread import MemoryThread
        from nanobot_memory_plugins.core import MemoryHost

        thread = MemoryThread(lambda: MemoryHost(sys.argv[1]))
        asyncio.run(thread.call(lambda memory: memory.message_sent(session_key="s", text="hello"), limit=30))

        def refuse(_thread):
            raise RuntimeError("can't create new thread at interpreter shutdown")

        time.sleep(2.5)  # files are synced after a second, and other threads wait one more for work
        threading.Thread.start = refuse  # as Python 3.12.1 does then
        thread.submit(lambda memory: memory.message_sent(session_key="s", text="the last words"))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"NANOBOT_MEMORY_PLUGINS": "", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "the last words" in next((tmp_path / "memory" / "sessions").glob("*.jsonl")).read_text(encoding="utf-8")
