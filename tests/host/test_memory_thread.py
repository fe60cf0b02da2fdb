"""The memory's own thread: late calls, stray exits, a close that hangs, and the end of the interpreter."""

import asyncio
import subprocess
import sys
import textwrap
import threading
from datetime import UTC, datetime

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.testing import ManualClock


async def test_a_late_or_cancelled_call_still_runs_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    memory = MemoryService(tmp_path / "workspace", start_limit=0.01)
    done = threading.Event()

    async def slow(_memory):
        await asyncio.sleep(0.2)
        done.set()

    assert await memory.call(slow, limit=-0.4) is None  # a tenth of a second, with the grace
    cancelled = asyncio.ensure_future(memory.call(slow, limit=10))
    await asyncio.sleep(0.05)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    await memory.aclose()
    assert done.is_set()


def service_opening(workspace, kind, **options) -> MemoryService:
    """Return a service that opens an instance of ``kind`` instead of its memory."""

    class Opening(MemoryService):
        async def _open(self):
            return kind()

    return Opening(workspace, **options)


async def test_a_stray_system_exit_ends_only_the_memory_thread(tmp_path):
    async def leave(_memory):
        async def stray():
            sys.exit(3)

        task = asyncio.create_task(stray())
        await asyncio.sleep(0.05)
        return task

    class Nothing:
        async def close(self): ...

    memory = service_opening(tmp_path, Nothing)
    assert await memory.call(leave, limit=5) is None
    assert await memory.turn("s").received("anybody there?") is None
    assert await memory.aclose()


async def test_trap_11_a_hanging_close_is_abandoned_at_its_limit(tmp_path):
    end = threading.Event()

    class Stuck:
        async def close(self):
            await run_in_daemon_thread(end.wait)

    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    memory = service_opening(tmp_path, Stuck, clock=clock, close_limit=500.0)
    await memory.call(lambda _: asyncio.sleep(0), limit=500.0)
    closing = asyncio.ensure_future(memory.aclose())
    while clock.alarms != [500.0]:
        await asyncio.sleep(0)
    clock.advance(500.0)
    assert not await closing
    end.set()


def test_pending_calls_are_finished_when_the_interpreter_exits_without_a_close(tmp_path):
    """Only the exit hook closes the memory here."""
    source = textwrap.dedent(
        """
        import asyncio, sys, threading, time
        from nanobot_memory_plugins.core import MemoryService

        memory = MemoryService(sys.argv[1])
        memory.call(lambda memory: memory.message_sent(session_key="s", text="hello"), limit=30).now()

        def refuse(_thread):
            raise RuntimeError("can't create new thread at interpreter shutdown")

        time.sleep(2.5)  # files are synced after a second, and other threads wait one more for work
        threading.Thread.start = refuse  # as Python 3.12.1 does then
        memory.submit(lambda memory: memory.message_sent(session_key="s", text="the last words"))
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


def test_pending_calls_are_finished_when_the_interpreter_exits_during_the_start(tmp_path):
    source = """
import sys
from nanobot_memory_plugins.core import MemoryService
MemoryService(sys.argv[1]).turn("s").begin("the first words")
"""
    environment = {"NANOBOT_MEMORY_PLUGINS": "", "PATH": ""}
    subprocess.run([sys.executable, "-c", source, str(tmp_path)], check=True, timeout=60, env=environment)
    assert "the first words" in next((tmp_path / "memory" / "sessions").glob("*.jsonl")).read_text(encoding="utf-8")
