"""A full disk, a locked or damaged index: what is kept is kept, what is refused is said, and work goes on later."""

import asyncio
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes

SAID = "The staging database listens on port 6543."
ASKED = "Do you remember the port of the staging database?"
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Have another program take the whole database, as a backup does."""
    command = [sys.executable, "-c", HOLDER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        yield
        holder.stdin.close()


@pytest.mark.slow
async def test_a_locked_index_holds_up_no_turn_and_what_was_said_is_found_afterwards(life: Life):
    async with life.host() as memory:
        await Conversation(memory, "cli:old").turn(SAID)
        await memory.flush_index()
    with locked(life.workspace / ".storage" / "memory.db"):
        async with asyncio.timeout(60), life.host() as memory:
            talk = Conversation(memory)
            await talk.turn("The spare key hangs in the boathouse.")
            await keep_notes(memory, "a note beside the lock")
    assert [one["text"] for one in life.transcript()] == ["The spare key hangs in the boathouse.", "Noted."]
    async with life.host() as memory:
        await memory.flush_index()
        assert "boathouse" in await Conversation(memory, "cli:1").hear("Do you remember where the spare key hangs?")
        assert "6543" in await Conversation(memory, "cli:2").hear(ASKED)


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: b"junk" * 500, lambda data: data[: len(data) // 2], lambda data: None],
    ids=["emptied", "junk", "cut", "deleted"],
)
async def test_a_damaged_index_is_made_again_from_the_files(life: Life, damage: Callable[[bytes], bytes | None]):
    async with life.host() as memory:
        await Conversation(memory, "cli:old").turn(SAID)
        await memory.flush_index()
    database = life.workspace / ".storage" / "memory.db"
    for beside in database.parent.glob("memory.db-*"):
        beside.unlink()
    left = damage(database.read_bytes())
    database.unlink() if left is None else database.write_bytes(left)
    async with life.host() as memory:
        await memory.flush_index()
        assert "6543" in await Conversation(memory).hear(ASKED)


async def test_where_files_may_not_grow_records_are_refused_whole_and_kept_again_later(life: Life):
    async with life.host(storage={"enabled": False}) as memory:
        first = await memory.message_sent(session_key=KEY, text="x" * 1_000)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (first.path.stat().st_size + 5_000, hard))
        try:
            stored = []
            for size in (10_000, 1_000, 10_000, 100):
                receipt = await memory.message_sent(session_key=KEY, text="x" * size)
                stored.append(receipt.stored)
                assert receipt.stored or first.path.name in receipt.reason
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert stored == [False, True, False, True]
        assert (await memory.message_sent(session_key=KEY, text="x" * 10_000)).stored
    assert [len(one["text"]) for one in life.transcript()] == [1_000, 1_000, 100, 10_000]
