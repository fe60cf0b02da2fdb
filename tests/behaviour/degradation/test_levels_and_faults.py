"""Search degrades level by level, reports its level, and still finds the facts."""

import ctypes
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Level, MemoryHost, Query, Store
from nanobot_memory_plugins.core.testing import StoreContract
from tests.behaviour.kit.command import run_beside
from tests.behaviour.kit.life import Conversation, Life, keep_notes, lived_once
from tests.behaviour.kit.store import open_through_host
from tests.behaviour.kit.waiting import until

WORDS = (
    *("walnut", "harbour", "violin", "lantern", "cedar", "compass", "saddle", "orchard", "pepper", "glacier", "teapot"),
    *("核桃", "港口", "提琴", "灯笼", "雪松", "罗盘", "马鞍", "果园", "胡椒"),
)
FACTS = {word: f"the {word} is on shelf {number}" for number, word in enumerate(WORDS, 10)}


class TestOurStore(StoreContract):
    async def open(self, workspace: Path) -> Store:
        return await open_through_host(workspace)


def database(life: Life) -> Path:
    """Return the path of the index file."""
    (file,) = life.workspace.rglob("memory.db")
    return file


@lived_once
async def index_facts(life: Life) -> None:
    """Keep the facts, half of them as notes and half as messages, and index them."""
    async with life.host() as memory:
        await keep_notes(memory, *list(FACTS.values())[::2])
        for text in list(FACTS.values())[1::2]:
            await memory.message_sent(session_key="cli:old", text=text)
        await memory.flush_index()


async def search_facts(memory: MemoryHost) -> tuple[int, set[Level]]:
    """Search for each fact, and return how many were found and at which levels."""
    found, levels = 0, set()
    for word, text in FACTS.items():
        result = await memory.search(Query(word))
        found += any(text in hit.text for hit in result.hits)
        levels.add(result.level)
    return found, levels


def checkpointed(life: Life) -> Path:
    file = database(life)
    sqlite3.connect(file).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    for name in ("-wal", "-shm"):
        file.with_name(file.name + name).unlink(missing_ok=True)
    return file


def overwrite(life: Life) -> None:
    checkpointed(life).write_bytes(b"this is no database " * 5_000)


def halve(life: Life) -> None:
    file = checkpointed(life)
    os.truncate(file, file.stat().st_size // 3)


def delete(life: Life) -> None:
    for file in database(life).parent.glob("memory.db*"):
        file.unlink()


def of_somebody_else(life: Life) -> None:
    file = checkpointed(life)
    file.unlink()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE recipes (name)")
    connection.commit()
    connection.close()


def as_a_folder(life: Life) -> None:
    file = checkpointed(life)
    file.unlink()
    file.mkdir()


BEFORE = {
    "overwritten": overwrite,
    "halved": halve,
    "deleted": delete,
    "somebody else's": of_somebody_else,
    "a folder in its place": as_a_folder,
}


@pytest.mark.accept("LR-11", "NC-01")
async def test_99_of_a_hundred_searches_answer_despite_a_damaged_index(life_without_model: Life):
    life = life_without_model
    await index_facts(life)
    kept = life.folder / "kept"
    shutil.copytree(life.workspace, kept)
    asked = found = 0
    for name, fault in BEFORE.items():
        shutil.rmtree(life.workspace)
        shutil.copytree(kept, life.workspace)
        fault(life)
        async with life.host() as memory:
            right, _ = await search_facts(memory)
            asked, found = asked + len(FACTS), found + right
            told = {one.subject: one for one in await memory.diagnose()}
            if name != "a folder in its place":

                async def whole(memory: MemoryHost = memory) -> bool:
                    await memory.flush_index()
                    return await search_facts(memory) == (len(FACTS), {Level.FULL_TEXT})

                await until(whole)
            else:
                assert told["index"].hint or told["search level"].hint, name
    assert asked >= 100
    assert found >= 0.99 * asked, f"{found} of {asked}"


@pytest.mark.accept("LR-11")
async def test_searches_answer_while_the_index_of_an_open_host_is_damaged_locked_or_deleted(life_without_model: Life):
    life = life_without_model
    await index_facts(life)
    asked = found = 0
    for fault in (overwrite, delete):
        async with life.host() as memory:
            await memory.flush_index()
            fault(life)
            right, _ = await search_facts(memory)
            asked, found = asked + len(FACTS), found + right
    async with life.host() as memory:
        await memory.flush_index()
    holder = sqlite3.connect(database(life), isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        async with life.host() as memory:
            right, _ = await search_facts(memory)
            asked, found = asked + len(FACTS), found + right
            await Conversation(memory).turn("The spare key hangs in the boathouse.")
            await keep_notes(memory, "a note beside the lock")
    finally:
        holder.close()
    assert found >= 0.99 * asked, f"{found} of {asked}"
    assert [one["text"] for one in life.transcript()] == ["The spare key hangs in the boathouse.", "Noted."]
    async with life.host() as memory:
        await memory.flush_index()
        assert "boathouse" in await Conversation(memory, "cli:1").hear("Do you remember where the spare key hangs?")


@pytest.mark.accept("V3-15", "LR-07", "V5-08", "LR-11")
@pytest.mark.parametrize(
    ("options", "level", "word"),
    [
        ({"backend": "grep_only"}, Level.MARKDOWN, "grep_only"),
        ({"embeddingProvider": "none"}, Level.FULL_TEXT, "turned off"),
        ({"embeddingProvider": "fastembed", "embeddingModel": "/no/such/folder"}, Level.FULL_TEXT, "/no/such/folder"),
    ],
)
async def test_lower_levels_find_the_same_and_are_reported(life_without_model: Life, options, level, word):
    life = life_without_model
    life.options["storage"] = options
    async with life.host() as memory:
        await keep_notes(memory, *FACTS.values())
        await memory.flush_index()
        assert await search_facts(memory) == (len(FACTS), {level})
        (told,) = [one for one in await memory.diagnose() if one.subject == "search level"]
    assert told.state.startswith(f"{int(level)}:")
    assert word in " ".join([told.state, told.hint, life.command("doctor", "--json").out])
    status = life.command("index", "--json").json if level is not Level.MARKDOWN else {"level": 3, "vectors": 0}
    assert (status["level"], status["vectors"]) == (level, 0)
    assert life.command("search", "walnut", "--json").json["level"] == level


BLOCKED = """
import asyncio, sys
from pathlib import Path

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in sys.argv[3].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from nanobot_memory_plugins.core import MemoryHost, Query, load_config

async def main():
    async with MemoryHost(Path(sys.argv[1]), config=load_config(Path(sys.argv[2]))) as memory:
        await memory.message_received(session_key="cli:one", text="the staging database listens on port 6543")
        await memory.flush_index()
        if "fastembed" not in sys.argv[3]:
            await memory.store.vectors_complete()
        result = await memory.search(Query("port of the staging database"))
        (told,) = [one for one in await memory.diagnose() if one.subject == "search level"]
        print(int(result.level), result.hits[0].text, told.state, told.hint, sep="|")
asyncio.run(main())
"""


@pytest.mark.accept("V3-02", "V3-15")
@pytest.mark.parametrize(
    ("blocked", "level"),
    [("sqlite_vec", 1), ("fastembed,sqlite_vec,tokenizers", 2)],
)
def test_a_missing_package_disables_only_its_own_feature(life_with_vectors: Life, blocked: str, level: int):
    life = life_with_vectors
    file = life.folder / "config.json"
    file.write_text(json.dumps({"memoryPlugins": life.configuration()}), encoding="utf-8")
    command = [sys.executable, "-c", BLOCKED, str(life.workspace), str(file), blocked]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    found, text, said, hint = ended.stdout.strip().splitlines()[-1].split("|")
    assert (int(found), text) == (level, "the staging database listens on port 6543")
    assert said.startswith(f"{level}:")
    assert hint


@contextmanager
def disk_full_beyond(size: int) -> Iterator[None]:
    """Limit the size of files that this process writes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


async def test_a_full_disk_is_reported_and_writing_continues_afterwards(life_without_model: Life):
    life = life_without_model
    await index_facts(life)
    async with life.host() as memory:
        with disk_full_beyond(10):
            refused = await memory.message_sent(session_key="cli:full", text="the anchor is red")
            assert (refused.stored, bool(refused.reason)) == (False, True)
            context = await memory.message_received(session_key="cli:full", text="Do you remember the walnut?")
            assert "walnut" in (context.block or "")
            assert not context.receipt.stored
            told = await run_beside("doctor", "--json", workspace=life.workspace, config=life.folder / "config.json")
            (place,) = [one for one in told.json["findings"] if one["subject"] == "workspace"]
            assert (place["health"], "nothing can be written" in place["state"]) == ("bad", True)
        kept = await memory.message_sent(session_key="cli:full", text="the anchor is blue")
        assert kept.stored
        with disk_full_beyond(kept.path.stat().st_size + 5_000):  # what has no room is refused whole, and no more
            sizes = (10_000, 1_000, 10_000, 100)
            rest = [await memory.message_sent(session_key="cli:full", text="x" * size) for size in sizes]
            assert [one.stored for one in rest] == [False, True, False, True]
            assert kept.path.name in rest[0].reason
        await memory.flush_index()
        said = [record["text"] for record in life.transcript("cli:full")]
        assert (said[-3], *map(len, said[-2:])) == ("the anchor is blue", 1_000, 100)
        assert (await memory.search(Query("anchor"))).hits[0].text == "the anchor is blue"


def run_with_file_modes(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python in a process for which file modes apply, even if root runs it."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
        preexec_fn=lambda: [ctypes.CDLL(None).prctl(24, right, 0, 0, 0) for right in (1, 2)],
    )


COMMAND = "nanobot_memory_plugins.core.cli"
READ_ONLY = """
import asyncio, sys
from pathlib import Path
from nanobot_memory_plugins.core import MemoryHost, Query, load_config
async def main():
    async with MemoryHost(Path(sys.argv[1]), config=load_config(Path(sys.argv[2]))) as memory:
        receipt = await memory.message_sent(session_key="cli:new", text="the anchor is red")
        found = (await memory.search(Query("walnut"))).hits[0].text
        print(receipt.stored, bool(receipt.reason), found, sep="|")
asyncio.run(main())
"""


async def test_a_read_only_folder_is_readable_and_reported(life_without_model: Life):
    life = life_without_model
    await index_facts(life)
    everything = [life.workspace, *life.workspace.rglob("*")]
    options = ("-w", life.workspace, "-c", life.folder / "config.json")
    for file in everything:
        file.chmod(0o555 if file.is_dir() else 0o444)
    try:
        ended = run_with_file_modes("-c", READ_ONLY, life.workspace, life.folder / "config.json")
        life.workspace.chmod(0o755)
        checked = run_with_file_modes("-m", COMMAND, "doctor", *options)
        life.memory.chmod(0)
        searched = run_with_file_modes("-m", COMMAND, "search", "walnut", *options)
    finally:
        life.memory.chmod(0o755)
        for file in filter(Path.exists, everything):  # the state's log goes when the state is closed for the fork
            file.chmod(0o755 if file.is_dir() else 0o644)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip().splitlines()[-1] == "False|True|the walnut is on shelf 10"
    remedy = f"`chmod -R u+rwX {life.memory}`"
    assert (checked.returncode, remedy in checked.stdout) == (1, True), checked.stdout
    assert (searched.returncode, remedy in searched.stderr) == (1, True), searched.stderr


def test_doctor_reports_a_damaged_entries_file_while_it_exists(life_without_model: Life):
    life = life_without_model
    life.memory.mkdir(parents=True)
    (life.memory / "ENTRIES.md").write_bytes(b"\0" * 99)
    assert life.command("entries", "remember", "Tea is green").status == 0
    kept = life.memory / "ENTRIES.md.damaged"
    assert f"`rm {kept}`" in life.command("doctor").out
    kept.unlink()
    assert kept.name not in life.command("doctor").out
